/* condition: the conditions of --fail-if on a comparison: `NAME>NUMBER[%]` or `NAME<NUMBER[%]`, separated by commas.
 * NAME is an event, a metric or one of the clocks that are always reported; it may contain blanks, slashes and commas.
 * "elapsed time", "elapsed" and "time" are names of duration_time.
 *
 * With % the number is a share of the first command's mean; without, it is in the event's unit. A condition holds if
 * the whole interval of the difference lies beyond the number, as for the verdict. Single runs have no interval: the
 * difference itself must lie beyond it.
 *
 * Order of calls: conditions_parse; conditions_check when the events are known; conditions_apply; conditions_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "rows/result.h"

struct condition {
	char *text, *name; /* the whole text, and the name in it */
	bool below;        /* < instead of > */
	bool relative;     /* bound is a share */
	double bound;
};

struct conditions {
	struct condition *v;
	size_t n;
};

/* A condition that is given twice is one. Returns 0, or -EINVAL with the token. */
int conditions_parse(struct conditions *conditions, const char *text, struct error *e);

/* Returns 0, or -ENOENT if a name is not an event, a metric or a clock. events: n, those that are shown. metrics may be
 * NULL. calls: the names of rows of function calls (call_rows.h) are allowed also. */
int conditions_check(const struct conditions *conditions, const struct event *events, size_t n,
		     const struct metric_set *metrics, bool calls, bool peaks, struct error *e);

/* True if the condition is on this row's event or metric. */
bool condition_names(const struct condition *c, const struct row *row);

/* For a difference with a known error: true if the condition holds, and if it is decided, since it holds or the whole
 * interval lies on the other side of the number. */
bool condition_holds(const struct condition *c, const struct difference *d);
bool condition_is_decided(const struct condition *c, const struct difference *d);

/* Adds a judgement to the result for each condition, and returns how many hold; or -ENODATA if a command has no
 * difference, one that cannot be judged, or a row that has none because its value or the first command's is not known;
 * the error contains a line for each. */
int conditions_apply(const struct conditions *conditions, struct result *result, struct error *e);

void conditions_free(struct conditions *conditions);
