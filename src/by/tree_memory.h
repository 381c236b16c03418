/* tree_memory: the resident memory of a command's processes together, and its peak, from the sizes of their address
 * spaces. A process that another has forked has an address space of its own, with the shared pages in it; threads, and
 * a process up to the exec after vfork, use one together. Pure.
 *
 * Order of calls: zero-initialize; tree_memory_start; tree_memory_size, tree_memory_fork, tree_memory_exit in order of
 * time, and tree_memory_lose; tree_memory_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/index.h"

/* In the order of the kernel (include/linux/mm_types_task.h). */
enum memory_kind { MEMORY_FILE, MEMORY_ANONYMOUS, MEMORY_SWAPPED, MEMORY_SHARED, MEMORY_KINDS };

struct tree_memory {
	struct address_space {
		uint32_t id;
		uint64_t sizes[MEMORY_KINDS]; /* bytes; 0 for what is not resident */
		size_t users;                 /* processes */
	} * spaces;
	size_t n_spaces;
	struct memory_user {
		pid_t pid;
		size_t threads; /* 0: it has ended */
		size_t space;   /* SIZE_MAX: unknown */
		/* the address space that a thread is making, for a child or at an exec; SIZE_MAX: none */
		size_t made;
		pid_t made_by; /* the thread */
	} * users;
	size_t n_users;
	struct index space_index, user_index;
	size_t threads;           /* of all */
	uint64_t now;             /* bytes */
	uint64_t peak, peak_time; /* bytes; and when */
	size_t peak_threads;      /* then */
	bool lost;                /* the peak is a lower bound, of the time before */
};

/* A process, of one thread. */
void tree_memory_start(struct tree_memory *t, pid_t pid);
/* The address space has this much of a kind now. own: it is the process's, not one that it makes. */
void tree_memory_size(struct tree_memory *t, pid_t pid, pid_t tid, uint32_t space, bool own, enum memory_kind kind,
		      uint64_t size, uint64_t time);
void tree_memory_fork(struct tree_memory *t, pid_t pid, pid_t parent, pid_t parent_tid);
/* One of its threads has ended. */
void tree_memory_exit(struct tree_memory *t, pid_t pid);
/* Something is missing, so nothing later counts: a process whose end is unknown would keep its memory. */
void tree_memory_lose(struct tree_memory *t);

void tree_memory_free(struct tree_memory *t);
