/* cpuset: CPU numbers, sorted and unique, and the kernel's notation for them: "0-3,8". Zero-initialize; cpuset_parse
 * and cpuset_add add to the set; cpuset_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* The highest number in a list, more than any kernel supports. */
#define CPU_NUMBER_MAX 65535

struct cpuset {
	int *cpus;
	size_t n;
};

/* Returns 0, or -EINVAL with the token that is neither a number nor a range; on error nothing is added. */
int cpuset_parse(struct cpuset *set, const char *list, struct error *e);

/* Reads a kernel file, which may be empty. Returns 0 or -errno. */
int cpuset_read(struct cpuset *set, const char *path);

void cpuset_add(struct cpuset *set, int cpu);
void cpuset_remove(struct cpuset *set, int cpu);
bool cpuset_has(const struct cpuset *set, int cpu);

/* Returns "0-3,8", which the caller frees. */
char *cpuset_text(const struct cpuset *set);

void cpuset_free(struct cpuset *set);
#define auto_cpuset __attribute__((cleanup(cpuset_free)))
