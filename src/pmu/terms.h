/* terms: the text between a PMU's slashes, `event=0x3c,umask=1`, applied to an event. sysfs.h defines the terms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "pmu/vendor_events.h"

/* Returns the length of s up to the first stop character outside single quotes, or to its end. */
size_t terms_span(const char *s, const char *stop);

/* Where the definitions of terms and events come from. */
struct terms_context {
	const char *root;             /* as for pmu.h */
	struct vendor_events *vendor; /* searched after the PMU's events; may be NULL */
};

/* Applies the n bytes of text to an initialized event: attr.config…, scale, unit, full_name and, for name=, name; for a
 * vendor's event also source, origin and remark. Returns 0 or -errno; the error's token counts from at bytes before
 * text. */
int terms_apply(const struct terms_context *context, const char *pmu, const char *text, size_t n, size_t at,
		struct event *event, struct error *e);

/* The same for an event without a PMU, `cycles/name=…/`: only common terms, and whole fields. */
int terms_apply_common(const char *text, size_t n, size_t at, struct event *event, struct error *e);
