#include "threadrows.h"

#include <stdio.h>
#include <string.h>

#include "util.h"

static pid_t read_id(const char *status, const char *line)
{
	const char *at = strstr(status, line);

	return at ? (pid_t)strtol(at + strlen(line), NULL, 10) : 0;
}

void threadrows_open(struct threadrows *rows, const struct counters *counters)
{
	for (size_t i = 0; i < counters_slots(counters); i++) {
		struct thread_row *row = ARRAY_PUSH(rows->v, rows->n);
		char text[4096];

		row->tid = counters_slot(counters, i)->pid;
		if (file_readf(text, sizeof(text), "/proc/%d/comm", row->tid) > 0)
			row->comm = xstrdup(text);
		if (file_readf(text, sizeof(text), "/proc/%d/status", row->tid) <= 0)
			continue;
		row->pid = read_id(text, "\nTgid:\t");
		row->ppid = read_id(text, "\nPPid:\t");
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
