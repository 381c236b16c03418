/* usual_ratios: the ratios that perf shows, derived from counts by one table; metrics_add also adds the metrics by
 * expression. Pure.
 *
 * A ratio is exact only if its events were counted together (in one group), or each of them the whole time; otherwise
 * its row is approximate, and is shown with a ~. Events are recognized by their encoding, not their names, and both
 * must count in the same modes (user, kernel, guest, …). Clocks always count in all modes. A rate is per second
 * of elapsed time in an interval, and as in perf per second on a CPU in a whole measurement.
 *
 * A row has the name of the ratio, with the modes of its events unless they count in all modes (`insn per cycle:u`);
 * the name of a rate is the event's name and " per second". */
#pragma once

#include "rows/result.h"

/* The encoding of an event, without the type of the core PMU that hybrid machines have in the upper half of config. */
struct encoding {
	bool known; /* false without an event */
	uint32_t type;
	uint64_t config;
};

#define RATIO_EXPRESSIONS 3

enum ratio_of { RATIO_OF_ANY, RATIO_OF_INTERVAL, RATIO_OF_WHOLE };

struct usual_ratio {
	const char *name;  /* in machine-readable formats: "insn per cycle", "branch-misses of all branches" */
	const char *label; /* for people: "insn per cycle", "of all branches" */
	const char *unit;  /* of the machine-readable value: "", "GHz", "/s", "CPUs" */
	double display; /* factor from the machine-readable value to the displayed one: 100 for a share in per cent */
	const char *suffix; /* after the displayed number: "%" or "" */
	int decimals;       /* of the displayed number */
	bool prefixed;      /* displayed in thousands, millions or billions: K, M, G before the label */

	struct encoding event; /* the ratio is shown beside its row; unknown: beside any row without a ratio */
	/* in the language of metrics (expr.h), but with all times in ns, and `event` for that row's; the first one
	 * whose events were counted is used */
	const char *expressions[RATIO_EXPRESSIONS];
	bool any_modes; /* the events need not have been counted in the same modes */
	bool all_modes; /* event must count in user and kernel mode */
	enum ratio_of of;
};

/* Appends a row for every metric that the result's counts allow; the elapsed time of "CPUs utilized" is a
 * duration_time row of the same time, run and command, or else the session's. Only rows of the same scope, run, command
 * and time make a metric. */
void metrics_add(struct result *result);
/* The expressions that metrics_add has parsed for a result; may be NULL. */
void usual_expressions_free(struct usual_expressions *expressions);

/* Returns the usual ratio of that name, or NULL; a metric by expression may have the same name. */
const struct usual_ratio *usual_ratio_find(const char *name);
