#include "lib/color.h"

#include <string.h>

#include "lib/util.h"

bool color_is_on(enum color_when when, int fd)
{
	const char *unwanted = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return isatty(fd) && !(unwanted && *unwanted) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

const char *color_begin(enum color_role role)
{
	static const char *const sequences[COLOR_ROLES] = {
		[COLOR_PLAIN] = "",
		[COLOR_BETTER] = "\033[32m",    /* green */
		[COLOR_WORSE] = "\033[31m",     /* red */
		[COLOR_UNDECIDED] = "\033[33m", /* yellow */
		[COLOR_ATTENTION] = "\033[33m",
		[COLOR_PICTURE] = "\033[36m", /* cyan */
		[COLOR_HEADING] = "\033[1m",  /* bold */
		[COLOR_NOTE] = "\033[1;36m",
		[COLOR_FAINT] = "\033[2m",
		[COLOR_ERROR] = "\033[1;31m",
	};

	return sequences[role];
}
