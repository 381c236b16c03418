/* color: what colours mean on a terminal, and whether there are to be any. Only the eight basic colours are used, whose
 * look the user's terminal decides.
 */
#pragma once

#include <stdbool.h>

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum color_role {
	COLOR_PLAIN,
	COLOR_BETTER,    /* a command needs less than the first one */
	COLOR_WORSE,     /* it needs more */
	COLOR_UNDECIDED, /* neither is known */
	COLOR_ATTENTION, /* a count that is missing or an estimate */
	COLOR_PICTURE,   /* bars and lines that stand for figures */
	COLOR_HEADING,
	COLOR_NOTE,  /* the word that a note begins with */
	COLOR_FAINT, /* what is there for completeness */
	COLOR_ERROR, /* what went wrong, and the token to blame */
	COLOR_ROLES,
};

#define COLOR_END "\033[m"

/* COLOR_AUTO: on a terminal, unless TERM says that it is a dumb one, or NO_COLOR is set and not empty
 * (https://no-color.org). */
bool color_is_on(enum color_when when, int fd);

/* What switches a role's colour on, to be followed by COLOR_END; "" for COLOR_PLAIN. */
const char *color_begin(enum color_role role);
