/* target: the counted command, processes, threads or CPUs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/cpuset.h"
#include "lib/error.h"

enum target_kind { TARGET_COMMAND, TARGET_PROCESS, TARGET_THREAD, TARGET_SYSTEM, TARGET_CPU };

struct target {
	enum target_kind kind;
	pid_t *ids; /* of processes or threads, in the user's order, each once */
	size_t n;
	struct cpuset cpus; /* for TARGET_CPU */
};

/* True if CPUs are counted, not tasks. */
bool target_is_cpus(const struct target *target);

/* Adds a list of ids, "12,34"; blanks around them and a final comma are allowed ("12, 34,"). Returns 0, or -EINVAL with
 * the token. */
int target_add_ids(struct target *target, const char *list, struct error *e);

/* Returns "'sleep 1'", "process id '42'", "thread ids '42,43'", "'system wide'" or "'CPU(s) 0-3'": for people, with
 * control characters escaped. The caller frees it. */
char *target_describe(const struct target *target, char *const *command);

/* Returns the name in machine-readable formats: "command", "process", "thread", "system", "cpu". */
const char *target_kind_name(enum target_kind kind);

void target_free(struct target *target);
