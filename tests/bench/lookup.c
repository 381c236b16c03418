/* lookup: the least that naming an event through libpfm4 costs: load the library, initialize it, look the name up;
 * then like floor.
 *
 *   lookup FLOOR NAME COMMAND [ARG]...
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	void *library = dlopen("libpfm.so.4", RTLD_LAZY | RTLD_LOCAL);
	pfm_err_t (*initialize)(void);
	pfm_err_t (*encode)(const char *, int, pfm_os_t, void *);

	if (argc < 4 || !library)
		return 125;
	*(void **)&initialize = dlsym(library, "pfm_initialize");
	*(void **)&encode = dlsym(library, "pfm_get_os_event_encoding");
	if (initialize() != PFM_SUCCESS || encode(argv[2], PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg)) {
		fprintf(stderr, "lookup: libpfm4 does not know %s here\n", argv[2]);
		return 125;
	}
	argv[2] = argv[1];
	execv(argv[1], argv + 2);
	return 127;
}
