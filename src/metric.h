/* metric: figures derived from counts; a const table of the ones perf shows. Pure.
 *
 * A ratio is exact only when its events were counted together (same group) or each the whole time; otherwise its row
 * is approximate, and shown with a ~.
 */
#pragma once

#include "result.h"

struct metric {
	const char *name;   /* machine formats: "insn per cycle", "branch-misses of all branches" */
	const char *label;  /* people: "insn per cycle", "of all branches" */
	const char *unit;   /* of the machine value: "", "GHz", "/s", "CPUs" */
	double display;     /* machine value times this is what people see: 100 for a share in per cent */
	const char *suffix; /* behind the number people see: "%" or "" */
			    /* how it is matched to events and computed is metric.c's own business and follows here */
};

/* Append a ROW_METRIC row for every metric that the result's counts allow; needs the elapsed-time row for none but
 * "CPUs utilized". Rows of one scope, run, command and time are matched with each other only. */
void metrics_add(struct result *result);
