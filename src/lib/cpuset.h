/* cpuset: numbers of CPUs, sorted, each once, and the kernel's way of writing them: "0-3,8".
 *
 * Zero-initialize; cpuset_parse and cpuset_add add to what is there; cpuset_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* The highest number in a list; more than any kernel supports. */
#define CPU_NUMBER_MAX 65535

struct cpuset {
	int *cpus;
	size_t n;
};

/* 0, or -EINVAL with the token that is neither a number nor a range; nothing is added then. */
int cpuset_parse(struct cpuset *set, const char *list, struct error *e);

/* From a kernel file, which may be empty: 0 or -errno. */
int cpuset_read(struct cpuset *set, const char *path);

void cpuset_add(struct cpuset *set, int cpu);
void cpuset_remove(struct cpuset *set, int cpu);
bool cpuset_has(const struct cpuset *set, int cpu);

/* "0-3,8", to be freed. */
char *cpuset_text(const struct cpuset *set);

void cpuset_free(struct cpuset *set);
#define auto_cpuset __attribute__((cleanup(cpuset_free)))
