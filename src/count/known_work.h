/* known_work: does work of which the counts are known, and compares what the kernel and the PMU count of it. In some
 * virtual machines hardware events open, run, and count nonsense.
 *
 * The work is user code of this process: a loop of so many instructions and branches, branches that nothing can
 * predict, cache lines that are read, pages that are touched, sleeps, writes to a variable. It takes a few milliseconds
 * in all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum known_verdict {
	KNOWN_RIGHT,
	KNOWN_OFF,      /* by up to a factor of 2 */
	KNOWN_NONSENSE, /* by more */
	KNOWN_UNTRIED,  /* it cannot be opened here, had no counter the whole time, or its truth is not known */
};

struct known_count {
	const char *event; /* a constant: "instructions" */
	bool hardware;     /* the core PMU counts it */
	enum known_verdict verdict;
	uint64_t counted;
	double truth; /* where the truth is a range, the end that was missed */
};

#define KNOWN_COUNTS 9

/* Counts each event with its work. */
void known_work_try(struct known_count counts[KNOWN_COUNTS]);
