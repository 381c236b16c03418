/* target: what is counted: a command, processes, threads, CPUs. */
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
	struct cpuset cpus; /* TARGET_CPU: these */
};

/* Are CPUs counted, rather than tasks? */
bool target_is_cpus(const struct target *target);

/* Add a list of ids, "12,34"; blanks around them and a comma at the end do not matter ("12, 34,"). 0, or -EINVAL with
 * the token. */
int target_add_ids(struct target *target, const char *list, struct error *e);

/* "'sleep 1'", "process id '42'", "thread ids '42,43'", "'system wide'", "'CPU(s) 0-3'": for people, control characters
 * made visible. To be freed. */
char *target_describe(const struct target *target, char *const *command);

/* Machine name: "command", "process", "thread", "system", "cpu". */
const char *target_kind_name(enum target_kind kind);

void target_free(struct target *target);
