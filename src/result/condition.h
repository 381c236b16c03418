/* condition: what --fail-if asks of a comparison: `NAME>NUMBER[%]` or `NAME<NUMBER[%]`, several separated by commas.
 * NAME is an event's or one of the clocks that are always there, as in the rows; it may hold blanks, slashes and
 * commas.
 *
 * With % the difference is a share of the first command's mean; without, it is in the event's unit. A condition holds
 * when the whole interval of the difference lies beyond the number; where there is no interval, of single runs, when
 * the difference itself does.
 *
 * Order of calls: conditions_parse; conditions_check when the events are known; conditions_apply; conditions_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "count/plan.h"
#include "lib/error.h"
#include "result/result.h"

struct condition {
	char *text, *name; /* the whole of it, and the event */
	bool below;        /* < rather than > */
	bool relative;     /* bound is a share */
	double bound;
};

struct conditions {
	struct condition *v;
	size_t n;
};

/* 0, or -EINVAL with the token. */
int conditions_parse(struct conditions *conditions, const char *text, struct error *e);

/* 0, or -ENOENT: a name is neither an event's nor a clock's. */
int conditions_check(const struct conditions *conditions, const struct plan *plan, struct error *e);

/* How many hold, each with a note in the result; or -ENODATA: of a named event no difference is known. */
int conditions_apply(const struct conditions *conditions, struct result *result, struct error *e);

void conditions_free(struct conditions *conditions);
