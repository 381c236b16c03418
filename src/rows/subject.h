/* subject: whose work a row counts: everything, a CPU, a task, a program, a cgroup, a region. Each subject of a result
 * exists once, so that a pointer or a number identifies it.
 *
 * Order of calls: zero-initialize; subjects_intern; subjects_clear to reuse the memory; subjects_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/topology.h"
#include "lib/arena.h"
#include "lib/index.h"

struct subject {
	enum aggr_mode scope;
	/* "" for the total; cpu: its number; core, die, socket, node: as perf writes them (S0-D0-C1, S0-D0, S0, N0);
	 * thread, process: its id, or the path of its program (task_rows.h); comm, cgroup, region: its name */
	const char *id;
	const char *cgroup; /* only tasks of this cgroup; "": all tasks */
	const char *comm;   /* or NULL; a program without one is no program, for example (idle) */
	pid_t pid, ppid;    /* 0 without one */
	bool removed;       /* a cgroup that was removed while it was counted */
	/* of a task: the subject of all tasks, of its cgroup; otherwise NULL */
	const struct subject *whole;
	size_t number; /* of its identity in the result: equal for subjects that are the same by subject_compare */
	size_t place;  /* in its table */
};

/* The id of a subject that represents others; with their number: "(3 others)". */
#define SUBJECT_OTHERS "(others)"

struct subjects {
	const struct subject **v;
	size_t n;
	struct index index;
	struct arena memory; /* the subjects and their texts */
};

/* Everything that a command or another target does; in every result without being added. */
extern const struct subject subject_whole;

/* Returns the subject of the table with these members (except for the last three), which is added with copies of its
 * texts if needed; id and cgroup may be NULL for "". It is valid until subjects_clear. */
const struct subject *subjects_intern(struct subjects *subjects, const struct subject *subject) NEVER_NULL;

void subjects_clear(struct subjects *subjects);
void subjects_free(struct subjects *subjects);

/* Compares two subjects of any results by scope, cgroup and id; 0 if these are the same. A task that was renamed, or a
 * second task with the same id, is the same. */
int subject_compare(const struct subject *a, const struct subject *b);
/* True for SUBJECT_OTHERS, with a number or without. */
bool subject_id_is_others(const char *id);
/* True for the row of unattributed work. */
bool subject_is_rest(const struct subject *subject);
/* True for a process, program or thread of the target. */
bool subject_is_task(const struct subject *subject);
/* The same, or a cgroup: the rows of --by. */
bool subject_is_of_by(const struct subject *subject);
/* True for a process or thread, which exists in one run only. */
bool subject_is_process(const struct subject *subject);
