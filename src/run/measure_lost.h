/* measure_lost: commands from which the kernel takes the counters when they are executed (see
 * program_exec_loss_reason), so that what was counted until then, next to nothing, would be told as exact.
 *
 * The sign is the time: a counter of a task is enabled exactly while the task is on a CPU, so that the enabled time of
 * an inherited one is what getrusage(2) tells of the command and its children, but for fork and exec (30 to 150 us
 * each: a quarter of what the shortest of commands take in all).
 */
#pragma once

#include "run/measure.h"

/* Before it has run, by what its file is: why its counters will be taken. NULL: they will not. To be freed. */
char *measure_foretell_loss(const struct measure_options *options);

/* After it has run: sets m->lost, or notes that a program further down was not counted. */
void measured_find_loss(struct measured *m, const struct measure_options *options);
