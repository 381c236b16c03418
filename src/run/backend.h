/* backend: what counts. The measurement uses only this interface. Counters on tasks and CPUs
 * (backend_counters.c), the counts that the kernel reports for each task of a command at its end (backend_reads.c),
 * counters on each process of a traced command (backend_traced.c), per-task accounting, which watches CPUs
 * (backend_accounting.c), and an engine that simulates the command
 * (backend_simulated.c) implement it.
 *
 * Order of calls: backend_open, with the command held before its exec, or with by_reads before its fork; start, before
 * it is released; enable, disable, switch_event and read while it runs; fetch_interval at the end of each interval;
 * finish; fetch and add_notes; backend_close. fetch may also be called before start, to find out which events could be
 * opened. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "by/tree.h"
#include "calls/calls.h"
#include "count/aggr_map.h"
#include "count/attach.h"
#include "count/counters.h"
#include "count/counts.h"
#include "count/exec_record.h"
#include "host/cgroup.h"
#include "host/target.h"
#include "host/topology.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/loop.h"
#include "plan/plan.h"
#include "trace/functions.h"

struct child;
struct simulation;

struct backend_options {
	const struct plan *plan;
	const size_t *order;            /* of the plan's groups, see counters_options */
	struct counters_memory *memory; /* of the plan on a command; NULL if it runs once */
	const struct target *target;
	bool inherit;                         /* count child processes */
	enum aggr_mode scope;                 /* of the rows */
	enum aggr_mode by;                    /* the scope if there are also rows of the whole; else AGGR_TOTAL */
	bool by_reads;                        /* by the records of the ends of tasks: opened before the command */
	unsigned cache_level;                 /* AGGR_CACHE; 0: the last level */
	const struct cgroup_options *cgroups; /* on CPUs: only these; NULL: all tasks */
	struct ranking ranking;               /* of the rows of tasks */
	bool cmdline;                         /* for rows of tasks: also their command lines */
	bool whole;                           /* there will be rows of the whole run, not only of intervals */
	bool processes;                       /* the report needs each process */

	const struct functions *functions; /* whose calls are counted; NULL: none */

	struct simulation *simulation; /* of the command; NULL if no event is simulated */

	pid_t command;       /* held before its exec; 0 without a command */
	struct child *child; /* its process, to be traced; NULL: it is not traced */
	bool enable_on_exec; /* the command's exec switches counting on */
	bool delayed;        /* counting begins after the start */
	bool intervals;      /* fetch_interval will be called */
	bool regions;        /* current will be called */
};

struct backend {
	const struct backend_ops *ops;
	struct backend_options options;
	struct attach attach; /* counted processes and threads, and descriptors that become readable when they end */
	char *lost;           /* why all rows are lower bounds; NULL if they are not; owned */
	bool knows_lost;      /* if programs were not counted, `lost` says so, after fetch */
};

struct backend_ops {
	/* Called just before the command is released. Returns 0 or -errno. May be NULL. */
	int (*start)(struct backend *s, struct loop *loop, struct error *e);

	void (*enable)(struct backend *s); /* NULL: the command's exec switches the events on */
	void (*disable)(struct backend *s);
	/* Switches one event, as counters_switch. NULL: counting cannot be switched. */
	int (*switch_event)(struct backend *s, size_t event, bool on);
	void (*read)(struct backend *s);
	/* With options.regions: returns the counts of the last read, from the start; counts is renewed. */
	void (*current)(struct backend *s, struct counts *counts);

	/* Fetches the counts since the last call; counts and map are renewed. last: counting has ended. Returns true if
	 * the counts end now, not at the last read. */
	bool (*fetch_interval)(struct backend *s, bool last, struct counts *counts, struct aggr_map *map);

	/* Called after counting has ended for good. Adds notes about changes of the machine. */
	void (*finish)(struct backend *s, struct strings *notes);

	/* Fetches the whole; counts and map are renewed. tree: the processes, if there are rows of them; may be
	 * NULL. */
	void (*fetch)(struct backend *s, struct counts *counts, struct aggr_map *map, struct tree *tree);
	/* With options.inherit and a command or processes: fetches what their events counted from the exec or the
	 * attach to the end, also while counting was off; counts is renewed. NULL: that is not known. */
	void (*fetch_life)(struct backend *s, struct counts *counts);
	/* Returns the number of children and threads that inherited the command's counters, as counters_forks. NULL:
	 * that is not known. */
	uint64_t (*forks)(const struct backend *s);
	/* Returns true if the kernel stopped counting the command's own process when the process executed a program,
	 * and stores the program's name. NULL: that is not known. */
	bool (*stopped_at_exec)(const struct backend *s, char program[EXEC_NAME_SIZE]);
	void (*add_notes)(struct backend *s, struct strings *notes); /* may be NULL */
	/* With options.functions: valid until backend_close. */
	const struct calls *(*calls)(const struct backend *s);
	void (*close)(struct backend *s); /* everything except the members of struct backend */
};

/* Returns 0 or -errno. notes: the targets that are left out, and the reasons. */
int backend_open(struct backend **s, const struct backend_options *options, struct strings *notes, struct error *e);

/* s may be NULL. */
void backend_close(struct backend *s);

/* The implementations, for backend_open; --explain asks the second whether it can be used. After an error, *s must also
 * be closed. */
int backend_open_counters(struct backend **s, const struct backend_options *options, struct strings *notes,
			  struct error *e);
int backend_open_traced(struct backend **s, const struct backend_options *options, struct error *e);
int backend_open_accounting(struct backend **s, const struct backend_options *options, struct error *e);
int backend_open_reads(struct backend **s, const struct backend_options *options, struct error *e);
int backend_open_simulated(struct backend **s, const struct backend_options *options);

/* For accounting: finds out which of the running processes and threads may be counted, and leaves out the others. */
int backend_check_targets(struct backend *s, struct strings *notes, struct error *e);
