/* source: what counts. The measurement knows only this interface; it is implemented by counters on tasks and CPUs
 * (source_counters.c) or per-task accounting (source_accounting.c), which can also tell the processes of a tree apart.
 *
 * Order of calls: source_open, with the command held before its exec; start, before it is released; enable, disable,
 * switch_event and read while it runs; take_part at the end of each interval; finish; take and add_notes; source_close.
 * take may also be called before start, to see what could be opened.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "by/tree.h"
#include "count/aggr_map.h"
#include "count/attach.h"
#include "count/counters.h"
#include "count/counts.h"
#include "host/cgroup.h"
#include "host/target.h"
#include "host/topology.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/loop.h"
#include "plan/plan.h"

struct source_options {
	const struct plan *plan;
	const size_t *order;            /* of the plan's groups, see counters_options */
	struct counters_memory *memory; /* of the plan on a command; NULL: it runs once */
	const struct target *target;
	bool inherit;                         /* count child processes */
	enum aggr_mode rows;                  /* a row for each of what */
	bool per_thread;                      /* AGGR_THREAD: running tasks have counters on each thread */
	unsigned cache_level;                 /* AGGR_CACHE; 0: the last one */
	const struct cgroup_options *cgroups; /* of CPUs: only these; NULL: all tasks */
	struct ranking ranking;               /* of the rows of tasks */
	bool cmdline;                         /* of rows of tasks: their command lines, too */
	bool whole;                           /* there will be rows of the whole run, not only of intervals */
	bool processes;                       /* the report says something of each process */

	pid_t command;       /* held before its exec; 0: none */
	bool enable_on_exec; /* the command's exec switches counting on */
	bool delayed;        /* counting begins after the start */
	bool intervals;      /* take_part will be called */
	bool regions;        /* current will be called */
};

struct source {
	const struct source_ops *ops;
	struct source_options options;
	struct attach attach; /* processes and threads that are counted, and descriptors that tell when they end */
	enum aggr_mode parts; /* rows of tasks beside those of the whole; AGGR_TOTAL: none */
	char *lost;           /* why no row is exact: a part could not be counted; NULL: none; owned */
};

struct source_ops {
	/* Just before the command is released. 0 or -errno. */
	int (*start)(struct source *s, struct loop *loop, struct error *e);

	void (*enable)(struct source *s);
	void (*disable)(struct source *s);
	/* Switch one event, as counters_switch. */
	int (*switch_event)(struct source *s, size_t event, bool on);
	void (*read)(struct source *s);
	/* With options.regions: what the last read said, from the start; counts is renewed. */
	void (*current)(struct source *s, struct counts *counts);

	/* What was counted since the last part; counts and map are renewed. last: counting has ended. True: up to now,
	 * rather than up to the last read. */
	bool (*take_part)(struct source *s, bool last, struct counts *counts, struct aggr_map *map);

	/* Counting has ended for good. What has happened to the machine meanwhile goes to notes. */
	void (*finish)(struct source *s, struct strings *notes);

	/* The whole; counts and map are renewed. tree: the processes, if there are rows of them; NULL: not wanted. */
	void (*take)(struct source *s, struct counts *counts, struct aggr_map *map, struct tree *tree);
	void (*add_notes)(struct source *s, struct strings *notes);
	void (*close)(struct source *s); /* all but what is in struct source */
};

/* 0 or -errno. notes: which targets are left out, and why. */
int source_open(struct source **s, const struct source_options *options, struct strings *notes, struct error *e);

/* NULL: nothing. */
void source_close(struct source *s);

/* The two that there are, only for source_open. What they leave in *s is to be closed after an error, too. */
int source_open_counters(struct source **s, const struct source_options *options, struct strings *notes,
			 struct error *e);
int source_open_accounting(struct source **s, const struct source_options *options, struct error *e);

/* Of accounting: find out which of the processes and threads that run already may be counted, and leave out the others.
 */
int source_check_targets(struct source *s, struct strings *notes, struct error *e);
