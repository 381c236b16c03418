/* spelling: names that libpfm4 and vendors' files spell differently, as suggestions for an unknown name: of the events
 * that one of them has on this machine, the one of this name in the other's spelling. */
#pragma once

#include "resolve/resolve.h"

/* Lines of `VENDOR LIBPFM4...`: a vendor's name, and libpfm4's names of the same event on some cores. */
extern const char spelling_table[];

/* Puts the other spelling of the name, or of the name without modifiers, into the hint, in place of names that look
 * alike. Returns false if it is not known, or cannot be used here. */
bool spelling_suggest(const struct resolvers *r, const char *name, struct error *e);
