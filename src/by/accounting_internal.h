/* accounting_internal: what accounting*.c share. accounting.c has the life cycle, and the counts and notes that are
 * made of what was charged. */
#pragma once

#include "by/accounting.h"
#include "by/switch_trace.h"

#define IDLE    "(idle)"
#define OUTSIDE "(idle, outside)" /* in a PID namespace */

#define ROOT     1        /* the unit of the command's process, which is the first */
#define STRANGER SIZE_MAX /* as a unit: of a task that is not in the tree */

/* What figures are kept of: a process, or a thread; unit 0 is for what cannot be attributed. */
struct unit {
	size_t process;
	pid_t tid;
	char name[NAME_MAX_LEN];     /* of a thread */
	char reported[NAME_MAX_LEN]; /* the program name that parts had it under; "": no part had it */
	bool touched;                /* with parts: something was charged to it since the last one */
	bool ended;                  /* nothing will be any more, though its process may be there */
	size_t folded;               /* with process TREE_NONE: it stands for so many that have ended, of one row */
	uint64_t ns;                 /* on a CPU, since the command's exec */
};

/* A unit's figures of one event. */
struct figure {
	struct sample sum;
	struct sample reported; /* by parts, out of sum */
};

struct cpu_group {
	bool ending;  /* the next switch is the last one of the task that has ended here */
	bool suspect; /* records were lost: whose the next figures are is not known */
};

struct cpu_state {
	bool counted; /* false: work there is not charged, but forks, exits and names are recorded */
	struct cpu_group *groups;
	size_t ended; /* unit of the task that ended here last */
	pid_t ended_tid;
	uint64_t exec_time;    /* of the command's exec, if it was here. The samples that it is in begin before it: */
	uint64_t *before_exec; /* per event, so much of them does not count; 0 when it has been taken out; NULL: nothing
				*/
};

struct accounting {
	struct accounting_options options;
	struct switch_trace *trace;
	size_t executed; /* with cmdline: the last process to execute a program; TREE_NONE: none so far */
	struct tree tree;
	bool system_wide; /* every task belongs to it */
	struct unit *units;
	size_t n_units;
	struct figure *figures; /* [unit * n_events + event] */
	size_t n_figures;
	size_t idle;    /* system-wide: unit of the idle task, and of what a PID namespace hides */
	bool hidden;    /* ... which there is */
	size_t fold_at; /* so many units, and some more, are too many */
	size_t n_events, n_groups, n_cpus;
	bool *is_switch; /* per event: happens at every switch, also at a task's last one */
	struct cpu_state *cpus;
	uint64_t lost, unreported; /* records of the kernel */
	int switches;              /* counts the switches of the command and what it starts; -1: not open */
	uint64_t switches_seen;    /* ... of which there were records, with those in unit 0 */
	uint64_t missed;           /* ... and of which there were none, when counting ended */
	uint64_t gaps; /* in the records: losses, and where their order is not known. Who is not in the tree may belong
			  to it */
	uint64_t lost_reported;     /* by parts */
	bool unattributed_reported; /* a part had a row for it, so the whole also has one */
	bool exec_settled;          /* what was before it is not in the sums any more */
	bool *exec_unknown;         /* per event: it is counted from before it */
	bool finished;
	bool only_active; /* rows: others were only found there, or did something only before counting began */
};

/* ---- accounting_units: which task is charged ---- */

/* Append a unit with nothing charged to it; returns its index. */
size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid, const char *name);
struct figure *accounting_figure(const struct accounting *b, size_t unit, size_t event);
/* True if it was on a CPU: at all, or since the last part. */
bool accounting_is_active(const struct accounting *b, size_t unit, bool since_part);
/* The program that its figures are reported under: the present one, unless parts have reported another one. */
const char *accounting_program(const struct accounting *b, size_t unit);
/* Append the unit's slot, and its row if it has none. Of unit 0, whose slot is the first: only the row. */
void accounting_add_key(const struct accounting *b, size_t unit, struct aggr_map *map);

/* With cmdline, and unless it is known: read it. */
void accounting_read_cmdline(const struct accounting *b, size_t process);
/* System-wide: the processes that are there already, and the idle task. */
void accounting_add_residents(struct accounting *b);
/* options.pids, with all their threads. */
void accounting_add_targets(struct accounting *b);
/* A thread of the other task's process. */
void accounting_add_thread(struct accounting *b, const struct task *other, pid_t tid, const char *name);
/* The task of the tree that has this id. NULL if there is none: see accounting_unknown. */
struct task *accounting_find_task(struct accounting *b, pid_t pid, pid_t tid);
/* The unit of a task that is not in the tree. The record of its fork may be among those that were lost. */
size_t accounting_unknown(const struct accounting *b);

/* Between two records: forget what is not wanted of tasks that have ended (options.ended), if there are many. */
void accounting_fold(struct accounting *b);

/* ---- accounting_records: what is charged ---- */

/* A trace_handler, whose arg is the struct accounting. */
void accounting_take_record(void *arg, const struct trace_record *r);
