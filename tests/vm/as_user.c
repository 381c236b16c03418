/* as_user ID COMMAND…: gives up root, groups and capabilities for user and group ID. Debian's busybox has no such
 * applet. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned id;

	if (argc < 3) {
		fputs("usage: as_user ID COMMAND...\n", stderr);
		return 125;
	}
	id = (unsigned)strtoul(argv[1], NULL, 10);
	if (setgroups(0, NULL) || setgid(id) || setuid(id)) {
		fprintf(stderr, "as_user: %s\n", strerror(errno));
		return 125;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "as_user: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
