/* Terms as text, and the terms that all events have. */
#pragma once

#include "pmu/terms.h"

struct term {
	char *name, *value; /* value NULL without a '=' */
	size_t at, length;  /* position in the event's text */
};

struct terms {
	char *text; /* the text that the terms point into */
	struct term *v;
	size_t n;
};

/* Cuts n bytes of text at its commas. at: position of text in the event's text. */
void terms_split(struct terms *terms, const char *text, size_t n, size_t at);

/* Marks the term's value as wrong, or the whole term if it has no value. Returns -e->code. */
int term_value_error(const struct term *t, struct error *e);

/* Parses a term's value as a number (1 without one). Returns 0 or an error. */
int term_number(const struct term *t, uint64_t *value, struct error *e);

/* Applies a term that does not depend on the PMU. Returns 0, an error, or -ENOENT for other terms (e is not filled).
 * root as for pmu.h. */
int term_common(const char *root, struct event *event, const struct term *t, struct error *e);

void terms_free(struct terms *terms);
