#include "count/thread_rows.h"

#include <stdio.h>

#include "host/procfs.h"
#include "lib/util.h"

void thread_rows_open(struct thread_rows *rows, const struct counters *counters)
{
	for (size_t i = 0; i < counters_slots(counters); i++) {
		struct thread_row *row = ARRAY_PUSH(rows->v, rows->n);
		struct proc_stat thread;

		row->tid = counters_slot(counters, i)->pid;
		if (procfs_read_stat(row->tid, &thread) < 0)
			continue;
		row->comm = xstrdup(thread.name);
		row->pid = procfs_process_of(row->tid);
		row->ppid = thread.ppid;
	}
}

void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map)
{
	*map = (struct aggr_map){.keys = NULL};
	for (size_t i = 0; i < rows->n; i++) {
		const struct thread_row *row = &rows->v[i];
		struct key *key;
		char id[16];

		snprintf(id, sizeof(id), "%d", row->tid);
		key = aggr_map_add(map, AGGR_THREAD, id);
		key->pid = row->pid;
		key->ppid = row->ppid;
		free(key->comm);
		key->comm = row->comm ? xstrdup(row->comm) : NULL;
	}
}

void thread_rows_close(struct thread_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->v[i].comm);
	free(rows->v);
	*rows = (struct thread_rows){.v = NULL};
}
