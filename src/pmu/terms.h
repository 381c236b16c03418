/* terms: what stands between a PMU's slashes, `event=0x3c,umask=1`, put into an event. sysfs.h says what a term is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "pmu/vendor_events.h"

/* The length of s up to the first of the stop characters outside single quotes, or to its end. */
size_t terms_span(const char *s, const char *stop);

/* Who says what a PMU's terms and events are. */
struct terms_source {
	const char *root;             /* as for pmu.h */
	struct vendor_events *vendor; /* after the PMU's own events; NULL: none */
};

/* Apply the n bytes of text to an initialized event: attr.config…, scale, unit, full_name and, for name=, name; for a
 * vendor's event also source, origin and remark. 0 or -errno; the error's token counts from at bytes before text. */
int terms_apply(const struct terms_source *source, const char *pmu, const char *text, size_t n, size_t at,
		struct event *event, struct error *e);

/* The same for an event of no PMU, `cycles/name=…/`: only terms that are for all events, and whole fields. */
int terms_apply_common(const char *text, size_t n, size_t at, struct event *event, struct error *e);
