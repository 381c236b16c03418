/* task_reads_internal: shared by task_reads_open.c and task_reads.c (the records). */
#pragma once

#include "by/read_ring.h"
#include "by/task_reads.h"
#include "by/task_rings.h"
#include "os/ring.h"

struct read_id {
	uint64_t id; /* the kernel's */
	size_t event;
};

struct task_reads {
	struct task_reads_options options;
	struct counters *counters;
	int fd; /* of the ring of reads */
	struct ring ring;
	struct read_ring reads;
	struct task_rings tasks; /* the records of starts, names and ends */
	struct read_id *ids;     /* sorted */
	size_t n_ids;
	struct ledger *ledger;
	struct read_record *pending; /* reads whose task may still be unknown */
	size_t n_pending;
	pid_t *executed; /* processes whose command line could not be read so far */
	size_t n_executed;
	int retry; /* a timer while there are such processes; -1: none */
	unsigned retries;
	struct loop *loop;
	uint64_t stopped; /* CLOCK_MONOTONIC, ns; 0 before */
};

/* Closes the events and rings. */
void task_reads_close_events(struct task_reads *t);
