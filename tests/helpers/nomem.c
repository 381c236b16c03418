/* nomem: an LD_PRELOAD shim under which pfmstat runs out of memory: every allocation fails.
 *
 *   NOMEM_FROM=K  from the Kth allocation on (from 1)
 *
 * Other programs that inherit the environment are spared.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static unsigned long allocations;

static bool is_out(void)
{
	const char *from;
	int saved = errno;
	bool out;

	if (!environ || !program_invocation_short_name || strcmp(program_invocation_short_name, "pfmstat") != 0)
		return false;
	from = getenv("NOMEM_FROM");
	out = from && ++allocations >= strtoul(from, NULL, 10);
	errno = out ? ENOMEM : saved;
	return out;
}

void *malloc(size_t size)
{
	return is_out() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return is_out() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return is_out() ? NULL : __libc_realloc(p, size);
}
