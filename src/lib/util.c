#include "lib/util.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

void message_write(const char *text)
{
	struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t ignored;

	if (poll(&fd, 1, 0) == 1) {
		ignored = write(fd.fd, text, strlen(text));
		(void)ignored;
	}
}

_Noreturn void end_out_of_memory(void)
{
	message_write("pfmstat: out of memory\n");
	_exit(125);
}

static void *check_memory(void *p)
{
	if (!p)
		end_out_of_memory();
	return p;
}

void *xmalloc(size_t size)
{
	return check_memory(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return check_memory(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return check_memory(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check_memory(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return check_memory(strndup(s, n));
}

static PRINTF_LIKE(1, 0) char *xvasprintf(const char *format, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, format, ap) < 0)
		s = NULL;
	return check_memory(s);
}

FILE *xopen_memstream(char **text, size_t *size)
{
	return check_memory(open_memstream(text, size));
}

char *xasprintf(const char *format, ...)
{
	va_list ap;
	char *s;

	va_start(ap, format);
	s = xvasprintf(format, ap);
	va_end(ap);
	return s;
}

void *array_push(void *array_pointer, size_t *n, size_t size)
{
	char *array;
	char *last;

	memcpy(&array, array_pointer, sizeof(array));
	/* the capacity follows from *n: the smallest power of two, at least 2, that holds it */
	if (*n == 0 || (*n >= 2 && (*n & (*n - 1)) == 0)) {
		array = xreallocarray(array, *n ? *n * 2 : 2, size);
		memcpy(array_pointer, &array, sizeof(array));
	}
	last = array + *n * size;
	memset(last, 0, size);
	++*n;
	return last;
}

void strings_add(struct strings *list, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	*ARRAY_PUSH(list->v, list->n) = xvasprintf(format, ap);
	va_end(ap);
}

bool strings_has(const struct strings *list, const char *s)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->v[i], s) == 0)
			return true;
	return false;
}

void strings_merge(struct strings *list, const struct strings *more)
{
	for (size_t i = 0; i < more->n; i++)
		if (!strings_has(list, more->v[i]))
			strings_add(list, "%s", more->v[i]);
}

char *strings_join(const struct strings *list, const char *separator)
{
	char *all = NULL;

	for (size_t i = 0; i < list->n; i++) {
		auto_free char *before = all;

		all = before ? xasprintf("%s%s%s", before, separator, list->v[i]) : xstrdup(list->v[i]);
	}
	return all;
}

const char *strings_fit(const struct strings *list, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		if (used + strlen(list->v[i]) + 2 + sizeof(", …") > size) {
			snprintf(buf + used, size - used, ", …");
			break;
		}
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "", list->v[i]);
	}
	return buf;
}

void strings_free(struct strings *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->v[i]);
	free(list->v);
	*list = (struct strings){0};
}

int parse_u64(const char *s, int base, uint64_t *out)
{
	unsigned long long v;
	char *end;

	if (!isalnum((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoull(s, &end, base);
	if (end == s || *end)
		return -EINVAL;
	if (errno)
		return -errno;
	*out = v;
	return 0;
}

int parse_number(const char *s, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

	return parse_u64(s, hex ? 16 : 10, out);
}

int parse_i64(const char *s, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	int64_t v;

	if (*s != '-' && !isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (end == s || *end)
		return -EINVAL;
	if (errno || v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int parse_long(const char *s, long min, long max, long *out)
{
	int64_t v;
	int error = parse_i64(s, min, max, &v);

	if (error == 0)
		*out = (long)v;
	return error;
}

ssize_t file_read(const char *path, char *buf, size_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	while (used < size - 1 && (n = read(fd, buf + used, size - 1 - used)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ESRCH && used) /* /proc returns everything at once */
			break;
		if (n < 0)
			return -errno;
		used += (size_t)n;
	}
	if (used && buf[used - 1] == '\n')
		used--;
	buf[used] = '\0';
	return (ssize_t)used;
}

ssize_t file_readf(char *buf, size_t size, const char *path_format, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, path_format);
	n = vsnprintf(path, sizeof(path), path_format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return file_read(path, buf, size);
}

static int name_compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void strings_sort(struct strings *list, size_t first)
{
	if (list->n > first)
		qsort(list->v + first, list->n - first, sizeof(*list->v), name_compare);
}

int directory_list(const char *path, struct strings *names)
{
	DIR *dir = opendir(path);
	size_t first = names->n;

	if (!dir)
		return -errno;
	for (const struct dirent *d; (d = readdir(dir)) != NULL;)
		if (d->d_name[0] != '.')
			strings_add(names, "%s", d->d_name);
	closedir(dir);
	strings_sort(names, first);
	return 0;
}

uint64_t clock_read(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec : 0;
}

uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}
