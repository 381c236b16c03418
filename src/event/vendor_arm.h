/* vendor_arm: the numbers of the events that Arm's architecture defines, which files name as ArchStdEvent. */
#pragma once

#include <stdbool.h>

/* In any case. */
bool vendor_arm_find(const char *name, unsigned *code);
