/* Terms as text, and those that are for all events. */
#pragma once

#include "pmu/terms.h"

struct term {
	char *name, *value; /* value NULL: none given */
	size_t at, length;  /* in the event's text */
};

struct terms {
	char *text; /* what the terms point into */
	struct term *v;
	size_t n;
};

/* Cut n bytes of text at its commas. at: where text stands in the event's text. */
void terms_split(struct terms *terms, const char *text, size_t n, size_t at);

/* The term's value is to blame, or the term that stands for 1. Returns -e->code. */
int term_value_error(const struct term *t, struct error *e);

/* A term's value as a number (1 without one). 0, or an error. */
int term_number(const struct term *t, uint64_t *value, struct error *e);

/* A term that is no PMU's. -ENOENT: it is none; e is not filled. root as for pmu.h. */
int term_common(const char *root, struct event *event, const struct term *t, struct error *e);

void terms_free(struct terms *terms);
