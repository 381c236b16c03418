/* metric: figures derived from counts, those that perf shows, from one table. Pure.
 *
 * A ratio is exact only if its events were counted together (in one group) or each of them the whole time; otherwise
 * its row is approximate, and shown with a ~. Events are recognized by their encoding, whatever their names, and both
 * must count in the same modes (user, kernel, guest, …). Clocks count in all modes whatever they are asked to, so a
 * rate is always per second on a CPU.
 *
 * A row's name is the metric's, with the modes of its events unless they count in all (`insn per cycle:u`); that of a
 * rate is the event's name and " per second".
 */
#pragma once

#include "rows/result.h"

/* The encoding of an event, without the type of the core PMU that hybrid machines have in the upper half of config. */
struct metric_event {
	bool known; /* false: there is none */
	uint32_t type;
	uint64_t config;
};

#define METRIC_EXPRESSIONS 3

struct metric {
	const char *name;   /* machine formats: "insn per cycle", "branch-misses of all branches" */
	const char *label;  /* people: "insn per cycle", "of all branches" */
	const char *unit;   /* of the machine value: "", "GHz", "/s", "CPUs" */
	double display;     /* machine value times this is what people see: 100 for a share in per cent */
	const char *suffix; /* after the number people see: "%" or "" */
	int decimals;       /* of the number people see */
	bool prefixed;      /* people see it in thousands, millions or billions: K, M, G before the label */

	struct metric_event event; /* the metric stands beside its row; not known: beside any that has no metric */
	/* in the language of metrics (expr.h), but with all times in ns, and `event` for that row's; the first whose
	 * events were counted */
	const char *expressions[METRIC_EXPRESSIONS];
	bool any_modes; /* the events need not have been counted in the same modes */
	bool all_modes; /* event must count in user and kernel mode */
};

/* Append a ROW_METRIC row for every metric that the result's counts allow; the elapsed time of "CPUs utilized" is a
 * duration_time row of the same time, run and command, or else the session's. Only rows of the same scope, run, command
 * and time make a metric. */
void metrics_add(struct result *result);

/* The figure of that name, if there is one; one by expression may have the same. */
const struct metric *metric_find_usual(const char *name);
