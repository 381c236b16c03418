/* time_namespace: the kernel writes the times of its records by the machine's own CLOCK_MONOTONIC, while clock_gettime
 * in a time namespace (time_namespaces(7)), as containers have them, adds that namespace's offset.
 */
#pragma once

#include <stdint.h>

/* What this process' CLOCK_MONOTONIC is ahead of the machine's, ns. It is read from /proc. */
int64_t time_namespace_offset(void);
