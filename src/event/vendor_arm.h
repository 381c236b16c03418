/* vendor_arm: the events that Arm's architecture defines, by their numbers, and the metrics that its server base system
 * architecture does; files name both as ArchStdEvent.
 */
#pragma once

#include <stdbool.h>

/* In any case. */
bool vendor_arm_find(const char *name, unsigned *code);

struct vendor_arm_metric {
	const char *name, *expression, *description; /* a share of the slots */
};

/* In any case; NULL: it is none. */
const struct vendor_arm_metric *vendor_arm_metric(const char *name);
