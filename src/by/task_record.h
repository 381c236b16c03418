/* task_record: how the kernel writes the starts, names and ends of tasks, losses and the hits of tracepoints into a
 * ring (perf_event_open(2)). With sample_id_all and the fields of counters_task_reads, each but a hit ends with a
 * trailer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/procfs.h"
#include "os/kernel.h"

union task_record {
	struct perf_event_header header;
	struct { /* FORK, EXIT */
		struct perf_event_header header;
		uint32_t pid, ppid;
		uint32_t tid, ptid;
		uint64_t time;
	} task;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[];
	} comm;
	struct { /* MMAP: its beginning */
		struct perf_event_header header;
		uint32_t pid, tid;
	} mapping;
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost;
	struct {
		struct perf_event_header header;
		uint64_t id;
		char path[];
	} cgroup;
	struct { /* SAMPLE of a tracepoint */
		struct perf_event_header header;
		uint64_t id;
		uint32_t pid, tid; /* of the task that hit it */
		uint64_t time;
		uint32_t size;
		char data[]; /* as in the tracepoint's format */
	} hit;
};

struct task_record_trailer {
	uint32_t pid, tid;
	uint64_t time, id;
};

/* Returns CLOCK_MONOTONIC, ns; 0 for a damaged record. */
static inline uint64_t task_record_time(const union task_record *record)
{
	const char *end = (const char *)record + record->header.size;

	if (record->header.type == PERF_RECORD_SAMPLE)
		return record->header.size < sizeof(record->hit) ? 0 : record->hit.time;
	if (record->header.size < sizeof(record->header) + sizeof(struct task_record_trailer))
		return 0;
	return ((const struct task_record_trailer *)(const void *)(end - sizeof(struct task_record_trailer)))->time;
}

/* Copies a field of a hit. Returns false if the record is too short. */
static inline bool task_record_field(const union task_record *record, size_t offset, void *field, size_t size)
{
	size_t fixed = offsetof(union task_record, hit.data);

	if (record->header.size < fixed || record->hit.size > record->header.size - fixed ||
	    offset + size > record->hit.size)
		return false;
	memcpy(field, record->hit.data + offset, size);
	return true;
}

/* Returns the name in a record of type COMM; NULL if it is damaged. */
static inline const char *task_record_name(const union task_record *record)
{
	size_t fixed = sizeof(record->comm) + sizeof(struct task_record_trailer);

	if (record->header.size <= fixed || !memchr(record->comm.name, '\0', record->header.size - fixed))
		return NULL;
	return procfs_task_name(record->comm.name);
}

/* Returns the path in a record of type CGROUP; NULL if it is damaged. */
static inline const char *task_record_cgroup(const union task_record *record)
{
	size_t fixed = sizeof(record->cgroup) + sizeof(struct task_record_trailer);

	if (record->header.size <= fixed || !memchr(record->cgroup.path, '\0', record->header.size - fixed))
		return NULL;
	return record->cgroup.path;
}
