/* An accounting of events, for records that are made by hand. */
#pragma once

#include "by/accounting_internal.h"
#include "count/schedulability.h"
#include "resolve/eventlist.h"

struct bed {
	struct event_list list;
	struct plan plan;
	struct accounting *accounting;
	struct counts interval;
	uint64_t now;
};

static inline bool bed_open(struct bed *bed, const char *events, struct accounting_options options, struct error *e)
{
	const struct plan_options plan = {.probe = schedulability_probe};

	*bed = (struct bed){.now = 1};
	if (event_list_parse(&bed->list, events, e) < 0)
		return false;
	plan_init(&bed->plan, &bed->list);
	plan_build(&bed->plan, &plan);
	options.plan = &bed->plan;
	return accounting_open(&bed->accounting, &options, e) == 0;
}

/* The command has executed its program, and nothing of the kernel's is read. */
static inline bool bed_open_by_hand(struct bed *bed, const char *events, struct accounting_options options,
				    struct error *e)
{
	if (!bed_open(bed, events, options, e))
		return false;
	bed->accounting->finished = true;
	bed->accounting->exec_handled = true;
	return true;
}

static inline void bed_close(struct bed *bed)
{
	counts_free(&bed->interval);
	accounting_close(bed->accounting);
	plan_free(&bed->plan);
	event_list_free(&bed->list);
}
