#include "threadrows.h"

#include <stdio.h>

#include "census.h"
#include "util.h"

void threadrows_open(struct threadrows *rows, const struct counters *counters)
{
	for (size_t i = 0; i < counters_slots(counters); i++) {
		struct thread_row *row = ARRAY_PUSH(rows->v, rows->n);
		struct resident thread;

		row->tid = counters_slot(counters, i)->pid;
		if (census_look(row->tid, &thread) < 0)
			continue;
		row->comm = xstrdup(thread.name);
		row->pid = census_process(row->tid);
		row->ppid = thread.ppid;
	}
}

void threadrows_group(const struct threadrows *rows, struct grouping *grouping)
{
	*grouping = (struct grouping){.keys = NULL};
	for (size_t i = 0; i < rows->n; i++) {
		const struct thread_row *row = &rows->v[i];
		struct key *key;
		char id[16];

		snprintf(id, sizeof(id), "%d", row->tid);
		key = grouping_add(grouping, SCOPE_THREAD, id);
		key->pid = row->pid;
		key->ppid = row->ppid;
		free(key->comm);
		key->comm = row->comm ? xstrdup(row->comm) : NULL;
	}
}

void threadrows_close(struct threadrows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->v[i].comm);
	free(rows->v);
	*rows = (struct threadrows){.v = NULL};
}
