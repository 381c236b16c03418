#include "lib/descriptors.h"

#include <errno.h>
#include <sys/resource.h>

/* For everything else: standard streams, the report, the command's channel, control. */
#define SPARE 64

int descriptors_reserve(size_t n, const char *what, const char *instead, struct error *e)
{
	rlim_t needed = (rlim_t)n + SPARE;
	struct rlimit limit, raised;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= needed)
		return 0;
	raised = limit;
	raised.rlim_cur = needed;
	if (raised.rlim_max < needed) /* which only root may, up to fs.nr_open */
		raised.rlim_max = needed;
	if (setrlimit(RLIMIT_NOFILE, &raised) < 0) {
		error_set(e, EMFILE, "%zu descriptors are needed for %s, but no more than %llu may be open", n, what,
			  (unsigned long long)limit.rlim_max);
		error_hint(e, "raise the limit (ulimit -Hn %llu, as root), or %s", (unsigned long long)needed, instead);
		return -EMFILE;
	}
	return 0;
}
