/* accounting_internal: shared by accounting*.c. accounting.c contains the life cycle, and makes counts and notes from
 * the charged work. */
#pragma once

#include "by/accounting.h"
#include "by/switch_trace.h"
#include "lib/index.h"

#define IDLE    "(idle)"
#define OUTSIDE "(idle, outside)" /* in a PID namespace */

#define ROOT         1        /* the unit of the command's process, which is the first */
#define UNIT_OUTSIDE SIZE_MAX /* the unit of a task that is not in the tree */

/* A process or a thread whose counts are kept; unit 0 is for unattributed work. */
struct unit {
	size_t process;
	pid_t tid;
	char name[NAME_MAX_LEN];     /* for a thread */
	char reported[NAME_MAX_LEN]; /* the program name in earlier intervals; "" if it was in none */
	bool touched;                /* with intervals: work was charged to it since the last interval */
	bool closed;                 /* no more work will be charged, though its process may live */
	size_t folded; /* with process TREE_NONE: the number of ended units of one row that it represents */
	uint64_t ns;   /* on a CPU, since the command's exec */
	size_t cgroup; /* with AGGR_CGROUP: the index of the cgroup whose row it is in, plus 1; 0: in none */
};

/* A unit's counts of one event. */
struct unit_count {
	struct sample sum;
	struct sample reported; /* in intervals, out of sum */
};

/* A cgroup; names are known from the file system, and of new ones from the records. */
struct named_cgroup {
	uint64_t id; /* the kernel's */
	char *name;
	size_t unit; /* 0: nothing was charged to it */
};

struct cpu_group {
	bool ending;    /* the next switch is the last one of the task that has ended here */
	bool suspect;   /* records were lost: the task of the next counts is unknown */
	uint64_t since; /* the last record of counts, CLOCK_MONOTONIC, ns */
};

struct cpu_state {
	bool counted; /* false: work there is not charged, but forks, exits and names are recorded */
	struct cpu_group *groups;
	size_t ended_unit; /* unit of the last task that ended here */
	pid_t ended_tid;
	uint64_t time;         /* of the last record, CLOCK_MONOTONIC, ns */
	uint64_t exec_time;    /* of the command's exec here; samples that contain it began earlier */
	uint64_t *before_exec; /* for each event, the count before the exec; 0 after it was subtracted; may be NULL */
};

struct accounting {
	struct accounting_options options;
	struct switch_trace *trace;
	size_t executed; /* with cmdline: the last process to execute a program; TREE_NONE before the first */
	struct tree tree;
	bool system_wide; /* every task belongs to it */
	struct unit *units;
	size_t n_units;
	struct unit_count *unit_counts; /* [unit * n_events + event] */
	size_t n_unit_counts;
	size_t idle;                  /* system-wide: unit of the idle task, and of tasks that a PID namespace hides */
	bool hidden;                  /* ... if there are such tasks */
	size_t fold_at;               /* fold when there are more units than this */
	struct named_cgroup *cgroups; /* with AGGR_CGROUP */
	size_t n_cgroups;
	struct index cgroup_index; /* by id */
	bool moved;                /* a task did work while it was moved to another cgroup */
	size_t n_events, n_groups, n_cpus;
	bool *is_switch; /* for each event: it happens at every switch, also at a task's last one */
	struct cpu_state *cpus;
	uint64_t lost, unreported; /* number of the kernel's records */
	uint64_t hidden_switches;  /* unreported ones before a task outside the tree: perhaps of a task in it */
	uint64_t gaps; /* losses in the records, and places where their order is unknown: a task that was started later
			  and seems to be outside the tree may belong to it */
	uint64_t gap_since;         /* before the first gap, CLOCK_MONOTONIC, ns */
	uint64_t lost_reported;     /* in intervals */
	bool unattributed_reported; /* an interval had a row for it, so the whole also has one */
	bool exec_handled;          /* the work before the exec is no longer in the sums, or its amount is unknown */
	bool *exec_unknown;         /* for each event: its counts include the work before the exec */
	bool finished;
	/* Inherited counts of the command's tree, for events that are never multiplexed; NULL without a command or with
	 * parts of a run. */
	struct counters *plain;
	struct plan plain_plan;
	struct sample *plain_sums; /* for each event, after the end; enabled 0: not counted in this way */
	struct calls *calls;       /* with options.functions */
	pid_t calibration;         /* the process that calls the empty functions; 0 before its start */
	bool cost_unknown;         /* it could not be started, or its records were lost */
	bool only_active;          /* no rows for tasks that did nothing since counting began */
};

/* ---- accounting_units: the charged task ---- */

/* Appends a unit without counts; returns its index. */
size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid, const char *name);
struct unit_count *accounting_count(const struct accounting *b, size_t unit, size_t event);
/* Returns true if it was on a CPU at any time, or since the last interval. */
bool accounting_is_active(const struct accounting *b, size_t unit, bool in_interval);
/* Returns the program name to report: the current one, unless intervals have reported another. */
const char *accounting_program(const struct accounting *b, size_t unit);
/* Appends the unit's slot, and its row if it has no row yet. For unit 0, whose slot is the first one, appends only the
 * row. */
void accounting_add_key(const struct accounting *b, size_t unit, struct aggr_map *map);

/* With cmdline: reads it unless it is known. */
void accounting_read_cmdline(const struct accounting *b, size_t process);
/* System-wide: adds existing processes, and the idle task. */
void accounting_add_residents(struct accounting *b);
/* Adds options.pids, with all their threads. */
void accounting_add_targets(struct accounting *b);
/* Adds a thread of the other task's process. */
void accounting_add_thread(struct accounting *b, const struct task *other, pid_t tid, const char *name);
/* Returns the task of the tree with this id, or NULL; then see accounting_unknown. If the record of its fork may have
 * been lost, its start and its parent in /proc show whether it belongs to the tree. */
struct task *accounting_find_task(struct accounting *b, pid_t pid, pid_t tid);
/* Returns the unit of a task for which accounting_find_task has returned NULL: UNIT_OUTSIDE, or 0 if it may belong to
 * the tree. */
size_t accounting_unknown(const struct accounting *b, pid_t tid);

/* Called between two records: drops ended tasks as in options.ended_rows, if there are many. */
void accounting_fold(struct accounting *b);

/* ---- accounting_cgroups: with AGGR_CGROUP, a unit for each cgroup in which a task did work. The units of processes
 * and threads then only show which tasks are of the tree. ---- */

/* Adds the cgroups that exist. */
void accounting_add_cgroups(struct accounting *b);
/* Records of a new cgroup, and of a move. */
void accounting_take_cgroup(struct accounting *b, const struct trace_record *r);
void accounting_take_move(struct accounting *b, const struct trace_record *r);
/* Returns the id of a task's cgroup, from /proc; 0 if it is unknown. */
uint64_t accounting_read_cgroup(const struct accounting *b, pid_t tid);
/* Returns the unit of the cgroup in which the task of this unit did the work. A task is in one cgroup from one switch
 * to the next unless it is moved: what it did before and after the move is not known, so the work between these two
 * switches is unattributed. The kernel records a move when it is over. If a switch comes between, its record has a
 * cgroup that the task was not known to be in. */
size_t accounting_cgroup_unit(struct accounting *b, size_t unit, const struct trace_record *r);
void accounting_free_cgroups(struct accounting *b);

/* ---- accounting_plain: the total by inherited counters ---- */

/* Returns 0 or -errno. */
int accounting_open_plain(struct accounting *b, struct error *e);
/* Called when counting has ended, and all work is charged. */
void accounting_read_plain(struct accounting *b);
/* The event's inherited count is known: unit 0 gets what the rows lack, which is work of the tree. */
void accounting_settle(struct accounting *b, size_t event, struct sample plain);
/* True if the inherited count is known, or also equals the sum of the rows: nothing is missing. */
bool accounting_is_plain(const struct accounting *b, size_t event);
bool accounting_is_settled(const struct accounting *b, size_t event);

/* ---- accounting_records: the charged work ---- */

/* Measures the cost of the probes. */
void accounting_calibrate(struct accounting *b);
/* The targets are known: counts their calls from now on. */
void accounting_begin_calls(struct accounting *b);
/* Follows the calls of functions through a record of this owner, whose work was charged to unit. */
void accounting_follow_calls(struct accounting *b, size_t owner, size_t unit, const struct trace_record *r);

/* A trace_handler, whose arg is the struct accounting. */
void accounting_take_record(void *arg, const struct trace_record *r);
