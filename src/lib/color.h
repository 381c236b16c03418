/* color: the meaning of colours on a terminal, and whether to use them.
 *
 * Only the eight basic colours are used; the user's terminal defines their look. */
#pragma once

#include <stdbool.h>

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum color_role {
	COLOR_PLAIN,
	COLOR_BETTER,    /* a command needs less than the first one */
	COLOR_WORSE,     /* the command needs more */
	COLOR_UNDECIDED, /* undecided or unknown */
	COLOR_ATTENTION, /* a missing count or an estimate */
	COLOR_PICTURE,   /* bars and lines of a picture */
	COLOR_HEADING,
	COLOR_NOTE,  /* the first word of a note */
	COLOR_FAINT, /* text shown for completeness */
	COLOR_ERROR, /* an error, and the wrong token */
	COLOR_ROLES,
};

#define COLOR_END "\033[m"

/* COLOR_AUTO: on for a terminal, unless TERM is dumb or NO_COLOR is set and not empty (https://no-color.org). */
bool color_is_on(enum color_when when, int fd);

/* Returns the escape sequence for a role, which COLOR_END ends; "" for COLOR_PLAIN. */
const char *color_begin(enum color_role role);
