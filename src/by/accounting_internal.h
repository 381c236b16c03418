/* accounting_internal: what accounting*.c share; nobody else includes it. Each of them calls those that stand before it
 * here, and accounting.c, with the life cycle, all of them. */
#pragma once

#include "by/accounting.h"
#include "by/exec_notify.h"
#include "by/switch_trace.h"

#define NAME_MAX_LEN 16
#define WINDOW_MAX   256
#define UNATTRIBUTED "(unattributed)"
#define OTHERS       "(others)"

#define ROOT     1        /* the unit of the command's process, which is the first */
#define STRANGER SIZE_MAX /* as a unit: whoever is not in the tree */

/* What figures are kept of: a process, or a thread; 0 is for what nobody can be charged with. */
struct unit {
	size_t process;
	pid_t tid;
	char name[NAME_MAX_LEN]; /* of a thread */
	char told[NAME_MAX_LEN]; /* the program name that parts have been told under; "": no part has */
	bool touched;            /* something was charged to it since the last part */
	bool ended;              /* nothing will be any more, though its process may be there */
	size_t folded;           /* with process TREE_NONE: so many that have ended, by the name told */
};

/* What parts have told of a unit already, of one event. */
struct told {
	struct sample sample;
	uint64_t estimate; /* the sum of theirs */
	bool starved;      /* one of them was */
};

/* A unit's share of the time since the last sample of a group that is not always on its PMU. */
struct stay {
	size_t unit;
	uint64_t ns;
};

/* A group on a CPU. */
struct lane {
	bool ending;  /* the next switch is the last one of the task that has ended here */
	bool suspect; /* records were lost: whose the next figures are is not known */
	bool shared;  /* the figures of its last sample, and of those behind it, are to be shared out */
	struct stay *stays;
	size_t n_stays;
	bool sampled;     /* since the last switch that the main group saw */
	uint64_t running; /* of a sample that was not on its PMU all the time: to be shared out */
	uint64_t *added;  /* the figures in it; per event of the plan */
	bool *has_added;  /* which events they are of */
};

struct cpu_state {
	bool counted;       /* or looked at only for who is started, ends and takes which name there */
	struct lane *lanes; /* one for each group; the main one has no stays */
	size_t ended;       /* unit of the task that ended here last */
	pid_t ended_tid;
};

struct accounting {
	struct accounting_options options;
	struct switch_trace *trace;
	struct exec_notify notify; /* with --cmdline: a program's line must be read before it has ended */
	struct tree tree;
	size_t executed; /* with --cmdline: the last process to execute a program; TREE_NONE: none so far */
	struct unit *units;
	size_t n_units;
	size_t fold_at;      /* so many, and some more, are too many */
	struct sample *sums; /* [unit * events + event] */
	struct told *told;   /* the same; NULL: without parts */
	size_t n_sums;       /* units that there is room for */
	size_t *touched;     /* units */
	size_t n_touched;
	size_t n_events, n_groups, n_cpus;
	bool *is_switch; /* per event: happens at every switch, and so at a task's last one, too */
	struct cpu_state *cpus;
	uint64_t lost, garbled; /* records of the kernel */
	uint64_t unreported;
	bool exec_unknown; /* some counts are from before the command's exec */
	bool exec_seen;    /* of the command's process */
	bool exec_settled; /* what was before it is not in the sums any more */
	bool finished;
	bool restarted;
	uint64_t lost_told;     /* records, by parts */
	bool unattributed_told; /* an interval has had a row for it, so the whole has one, too */
	bool everybody;         /* belongs */
	size_t idle;            /* unit of the idle task, of the whole machine */
	uint64_t start;         /* of the command's process, in the kernel's ticks */
};

/* ---- accounting_units: whom figures are kept for ---- */

/* Append a unit with nothing charged to it; returns its index. */
size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid);
void accounting_name_unit(struct accounting *b, size_t unit, const char *name);
struct sample *accounting_sum(const struct accounting *b, size_t unit, size_t event);
struct told *accounting_told(const struct accounting *b, size_t unit, size_t event);
/* Was it on a CPU at all? */
bool accounting_is_active(const struct accounting *b, size_t unit);
/* Have only those rows that were: where others are only to be found, or were there only before counting began? */
bool accounting_shows_active(const struct accounting *b);
/* The program that its figures are told under: the present one, unless parts have told another one. */
const char *accounting_program(const struct accounting *b, size_t unit);
void accounting_charge(struct accounting *b, size_t unit, size_t event, struct sample s);
/* Append the unit's slot, and its row if it has none. */
void accounting_add_key(const struct accounting *b, size_t unit, struct aggr_map *map);
/* The row of what nobody can be charged with; of slot 0. */
void accounting_add_unattributed(const struct accounting *b, struct aggr_map *map);
/* With --cmdline: anew, after an exec. */
void accounting_read_cmdline(const struct accounting *b, struct process *p);

/* ---- accounting_system: those that nobody has told of ---- */

/* Of the whole machine (root 0). The processes that are there already, and the idle task. */
void accounting_add_residents(struct accounting *b);
/* Of processes that run already (options.pids): their threads, too. */
void accounting_add_targets(struct accounting *b);
/* A task that turns up. */
void accounting_add_newcomer(struct accounting *b, pid_t pid, pid_t tid);
/* Per process: was it on a CPU or, where processes are a tree, is it an ancestor of one that was? To be freed. */
bool *accounting_find_active(const struct accounting *b);
/* ---- accounting_fold: those that have ended ---- */

/* Forget what is not wanted of them (options.ended), if there are many. Between two records. */
void accounting_fold(struct accounting *b);

/* ---- accounting_identity: after records were lost ---- */

/* Whom the id means is to be found out. */
void accounting_forget(struct accounting *b, pid_t tid);
/* What the id of a task means now; NULL: a stranger. *unknown: that cannot be told. */
struct task *accounting_identify(struct accounting *b, pid_t pid, pid_t tid, bool *unknown);

/* ---- accounting_records: what the kernel tells ---- */

/* A switch_trace_handler; arg: the struct accounting. */
void accounting_take_record(void *arg, const struct trace_record *r);

/* ---- accounting_part: intervals ---- */

/* What the command's process did before its exec is taken out of the sums, once that can be told. */
void accounting_settle_exec(struct accounting *b);
