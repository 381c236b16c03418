/* metric: figures derived from counts; a const table of the ones perf shows. Pure.
 *
 * A ratio is exact only when its events were counted together (same group) or each the whole time; otherwise its row
 * is approximate, and shown with a ~. Events are known by their encoding, not by how they were spelled, and a ratio is
 * made of events alone that count in the same modes (user, kernel, guest, …). The clocks count in all modes whatever
 * they were asked to, so a rate is always per second of the time on a CPU.
 *
 * The row's name is the metric's, with the modes of its events where they do not count in all (`insn per cycle:u`); a
 * rate's is the event's name and " per second".
 */
#pragma once

#include "result/result.h"

/* An event that metrics are made of: its encoding, without the PMU's type that hybrid machines put into the upper half
 * of config. */
struct metric_event {
	bool known; /* else there is none */
	uint32_t type;
	uint64_t config;
};

struct metric {
	const char *name;   /* machine formats: "insn per cycle", "branch-misses of all branches" */
	const char *label;  /* people: "insn per cycle", "of all branches" */
	const char *unit;   /* of the machine value: "", "GHz", "/s", "CPUs" */
	double display;     /* machine value times this is what people see: 100 for a share in per cent */
	const char *suffix; /* behind the number people see: "%" or "" */
	int decimals;       /* of the number people see */
	bool prefixed;      /* people see it with a K, M or G of its size before the label */

	/* factor * event / other; or, inverted, factor * other / event */
	struct metric_event event;    /* it is shown beside this one's row; not known: beside all that have no other */
	struct metric_event other[2]; /* the first of them that was counted, or with `larger` the larger one */
	bool by_elapsed;              /* other is the elapsed time instead */
	bool larger, inverted;
	bool any_modes; /* the two need not have been counted in the same modes */
	bool all_modes; /* makes no sense unless event counts in user and kernel mode */
	double factor;
};

/* Append a ROW_METRIC row for every metric that the result's counts allow; the elapsed time of "CPUs utilized" is a
 * duration_time row of the same time, run and command, or else the session's. Rows of one scope, run, command and time
 * are matched with each other only. */
void metrics_add(struct result *result);
