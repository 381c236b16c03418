/* item: what a row is about: an event, a clock or a metric. Each item of a result exists once, so that a pointer or a
 * number identifies it.
 *
 * Order of calls: zero-initialize; items_intern; items_clear to reuse the memory; items_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/arena.h"
#include "lib/index.h"
#include "lib/util.h"

/* What a number is. */
enum item_kind {
	ITEM_COUNT,
	ITEM_METRIC,
	ITEM_DISTURBANCE, /* of one of several runs: a figure of disturbance.h; it has no mean */
	/* Only in records, which are made when they are written. Of a comparison (differences.h): */
	ITEM_DIFFERENCE, /* the mean of a command minus the mean of the first one, in the event's unit */
	ITEM_CHANGE,     /* the same as a share of the first one's mean */
	/* variants of a row in merged reports (merge.h): */
	ITEM_SPREAD,    /* the mean and the spread over the reports */
	ITEM_IMBALANCE, /* max / mean - 1; command: the report with the maximum */
	ITEM_OUTLIER,   /* a report far from the others; command: its number */
	/* ... and in calibrations (calibration.h), which also have an ITEM_SPREAD over the runs: */
	ITEM_FOUND,     /* the change that n runs find, as a share */
	ITEM_THRESHOLD, /* of the condition that finds it */
};

/* Times and memory of a run, beside its events. */
enum clock {
	CLOCK_NONE,
	CLOCK_DURATION,
	CLOCK_USER,
	CLOCK_SYSTEM,
	CLOCK_MAX_RSS,
	CLOCK_TREE_RSS, /* the sum of the peak memory of all processes, with --trace */
	CLOCKS,
};

struct event;
struct metric;
struct usual_ratio;

struct item {
	const char *name; /* the event as the user wrote it, or the metric's */
	const char *unit; /* "" for a plain count */
	enum item_kind kind;
	enum clock clock;          /* follows from the members name, event and kind */
	bool counted;              /* an event that the user named (or a default one): -x prints only these */
	const struct event *event; /* NULL for metrics, and for the clocks that are always there */
	/* number of the event in the report, from 1; metrics: of the event beside which it is shown; 0 without one */
	size_t event_number;
	const struct event *beside; /* metrics: that event; NULL if it is not known */
	/* metrics: the definition of a usual ratio, or of a metric by expression */
	const struct usual_ratio *usual;
	const struct metric *metric;
	/* Of its identity in the result: equal for all with the same name and kind that both have an event or not, and
	 * are both metrics by expression or not. */
	size_t number;
	size_t place; /* in its table */
};

struct items {
	const struct item **v;
	size_t n;
	size_t *firsts; /* of each number, the first item */
	size_t n_firsts;
	size_t room;              /* of both */
	struct index index, same; /* of v; and of firsts, by name */
	struct arena memory;      /* the items and their texts */
};

/* Returns the item of the table with these members (except for clock and the last two), which is added with copies of
 * its texts if needed; unit may be NULL for "". It is valid until items_clear. */
const struct item *items_intern(struct items *items, const struct item *item) NEVER_NULL;

/* Returns the number of the items of the table that are the same as this one, or SIZE_MAX. */
size_t items_number(const struct items *items, const struct item *item);

/* True for items of any results whose number is equal if they are of one result. */
bool item_is_same(const struct item *a, const struct item *b);

/* Returns the item of a clock that is always there, which is of no result; in ns or B. */
const struct item *item_of_clock(enum clock clock);
/* Returns the clock of this name, or CLOCK_NONE. */
enum clock clock_of_name(const char *name);

void items_clear(struct items *items);
void items_free(struct items *items);
