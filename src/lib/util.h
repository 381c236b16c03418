/* util: memory, cleanup attributes, lists of strings, numbers, small files and directories; and the C headers that
 * nearly every file needs.
 *
 * Memory: the x-functions never return NULL. Out of memory, the program ends by exit(125) immediately: main has
 * registered a message for that case. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)             (sizeof(a) / sizeof((a)[0]))
#define NEVER_NULL                __attribute__((returns_nonnull))
#define PRINTF_LIKE(string, args) __attribute__((format(printf, string, args)))

_Noreturn void end_out_of_memory(void);

/* Writes to standard error without allocating, and only if it does not block. */
void message_write(const char *text);

/* Locals that are released at the end of their scope: `auto_free char *s = …;` */
static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}
static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}
#define auto_free   __attribute__((cleanup(cleanup_free)))
#define auto_close  __attribute__((cleanup(cleanup_close)))
#define auto_fclose __attribute__((cleanup(cleanup_fclose)))

void *xmalloc(size_t size) NEVER_NULL;
void *xcalloc(size_t n, size_t size) NEVER_NULL;
void *xreallocarray(void *p, size_t n, size_t size) NEVER_NULL;
char *xstrdup(const char *s) NEVER_NULL;
char *xstrndup(const char *s, size_t n) NEVER_NULL;
char *xasprintf(const char *format, ...) PRINTF_LIKE(1, 2) NEVER_NULL;
/* open_memstream(3) */
FILE *xopen_memstream(char **text, size_t *size);

/* Grows an array of *n elements (capacity doubles), increments *n, and returns the new, zeroed, last element. */
void *array_push(void *array_pointer, size_t *n, size_t size);
#define ARRAY_PUSH(array, n) ((__typeof__(array))array_push(&(array), &(n), sizeof(*(array))))

/* A growing list of owned strings. */
struct strings {
	char **v;
	size_t n;
};
void strings_add(struct strings *list, const char *format, ...) PRINTF_LIKE(2, 3);
bool strings_has(const struct strings *list, const char *s);
/* Adds the strings that the list lacks. */
void strings_merge(struct strings *list, const struct strings *more);
/* Returns all strings, separated, which the caller frees; NULL for an empty list. */
char *strings_join(const struct strings *list, const char *separator);
/* Writes as many strings as fit, separated by ", "; ", …" replaces the rest. Returns buf. */
const char *strings_fit(const struct strings *list, char *buf, size_t size);
/* Sorts from the first-th on, in the order of strverscmp(3): imc_2, imc_10. */
void strings_sort(struct strings *list, size_t first);
void strings_free(struct strings *list);
#define auto_strings __attribute__((cleanup(strings_free)))

/* Parses the whole string as a number. Returns 0, -EINVAL (not a number, or trailing text) or -ERANGE. base as for
 * strtoull. */
int parse_u64(const char *s, int base, uint64_t *out);
/* Parses a decimal number, or a hexadecimal one after 0x; a leading 0 does not mean octal. */
int parse_number(const char *s, uint64_t *out);
/* As parse_u64, for a decimal number within [min, max]. */
int parse_i64(const char *s, int64_t min, int64_t max, int64_t *out);
int parse_long(const char *s, long min, long max, long *out);

/* Reads a small file into buf (always terminated), without the final newline. Returns the length or -errno. A process
 * that ends while its file is read is no error. */
ssize_t file_read(const char *path, char *buf, size_t size);
/* The same with a path as a format; for /sys and /proc. */
ssize_t file_readf(char *buf, size_t size, const char *path_format, ...) PRINTF_LIKE(3, 4);

/* Adds the names in the directory, except those that begin with a dot, sorted. Returns 0 or -errno. */
int directory_list(const char *path, struct strings *names);

/* Returns the clock in ns; 0 if there is no such clock. */
uint64_t clock_read(clockid_t clock);
/* Returns CLOCK_MONOTONIC in ns. */
uint64_t clock_now(void);
