/* measure: one measurement, from the options to a matrix of counts: the command is started and held, or the target's
 * tasks are found; counters are opened on it; run; what was counted is taken and everything is closed again.
 *
 * Repeats and comparisons are loops over it.
 */
#pragma once

#include <stdbool.h>

#include "by/accounting.h"
#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/signals.h"
#include "lib/util.h"
#include "result/estimate.h"
#include "result/result.h"
#include "run/control.h"
#include "run/pace.h"
#include "run/run.h"

struct measured;

struct measure_options {
	const struct plan *plan;
	const struct target *target;
	char **command;                       /* NULL: none */
	bool inherit;                         /* count child processes */
	enum aggr_mode scope;                 /* of CPUs' rows; others have AGGR_TOTAL */
	unsigned cache_level;                 /* AGGR_CACHE; 0: the last one */
	const struct cgroup_options *cgroups; /* of CPUs: these alone; NULL: all tasks */
	struct pace_options pace;
	const struct control_options *control; /* NULL: nobody else switches counting on and off */
	/* with pace.interval: called with what was counted in each interval, the last and partial one included */
	void (*interval)(void *arg, const struct measured *m);
	void *interval_arg;
	enum scaling scaling;
	enum by by;             /* rows of the command's processes, beside those of the whole */
	bool cmdline;           /* with by: command lines, too */
	struct ranking ranking; /* of these rows */
	bool whole;             /* with by: there are rows of the whole, not only of intervals */
	bool processes;         /* and something is said of each process */
	bool strict;            /* refuse to start unless every event is counted, in all its modes */
};

/* What came of it, or of an interval of it. */
struct measured {
	double time; /* s at the end of the interval; NAN: the whole */
	struct measurement run;
	struct counts counts;
	enum by by; /* that of the options, or BY_THREAD where --per-thread could be had so */
	struct aggr_map map;
	struct tree tree; /* with by and rows of the whole: the processes */
	int wait_status;  /* of the command, as from wait4 */
	bool has_usage;   /* the command is what was counted: once it has ended the next three are known */
	uint64_t user_ns, system_ns, max_rss; /* of it and the children that it waited for; max_rss in bytes */
	char *left_out;                       /* targets that could not be counted, and why; NULL: none */
	char *lost; /* why nothing of the command can be counted, though all could be opened; NULL: it can */
	struct strings notes;
};

/* 0, or -errno when nothing could be measured; m is to be freed in either case. A command that could not be executed is
 * m->run.exec_error. */
int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e);

/* Its rows and the session's figures into an initialized result. Notes are added to the result's. */
void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result);

void measured_free(struct measured *m);
