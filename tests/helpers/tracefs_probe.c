/* Whether this user can read tracefs on this machine: the status is 0 or 1.
 *
 *   tracefs_probe
 *   tracefs_probe hold   prints the directory, and keeps it until its standard output has no reader
 */
#include "tracefs_probe.h"

#include <poll.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	char path[64];

	if (tracefs_probe(path, sizeof(path)))
		return 1;
	if (argc == 2 && strcmp(argv[1], "hold") == 0) {
		puts(path);
		fflush(stdout);
		poll(&reader, 1, -1);
	}
	return 0;
}
