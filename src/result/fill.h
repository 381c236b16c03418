/* fill: what a row says of an event: its status, its value, and why that is missing or short of something. Pure, but
 * for advice, which looks at the machine where something failed.
 */
#pragma once

#include "result/advice.h"
#include "result/collect.h"
#include "result/tally.h"

/* A row that is being filled, and what from. */
struct filling {
	struct result *result;
	struct row *row; /* good until the next row is added */
	const struct event *event;
	const struct tally *tally;
	const struct key *key;
	const struct collect_context *context;
	struct advice_machine *machine;
};

/* From the tally of an event that is counted. */
void fill_count(struct filling *f);

/* From the context: a tool event. */
void fill_tool(struct filling *f);
