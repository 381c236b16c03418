/* measure_check: what rows say before a measurement (is it worth starting?) and after it (was all of it counted?).
 *
 * From some commands the kernel takes the counters when they are executed (program_exec_loss_reason): what was counted
 * until then, next to nothing, must not be reported as exact. The sign is the time. A task's counter is enabled exactly
 * while the task is on a CPU, so the enabled time of an inherited one is what getrusage(2) reports of the command and
 * its children, except fork, exec and the end (30 to 150 us each: a quarter of the time of the shortest commands; since
 * Linux 6.16 also the time to give their memory back).
 */
#pragma once

#include "lib/error.h"
#include "run/measure.h"

/* A command runs even if nothing can be counted, and its times are reported; without one there is no point: -ENODEV. */
int measured_check_any(const struct measured *m, const struct measure_options *options, struct error *e);

/* Of --strict: -ENODEV, an event cannot be counted, or not in all its modes. */
int measured_check_all(const struct measured *m, const struct measure_options *options, struct error *e);

/* The same when it is over: the first event that was not counted exactly, and why. NULL: all were. To be freed. */
char *result_find_inexact(const struct result *result);

/* Before the command has run, by what its file is: why its counters will be taken. NULL: they will not. To be freed. */
char *measure_foretell_loss(const struct measure_options *options);

/* After it has run: sets m->lost if the command, or a program further down, was not counted. */
void measured_find_loss(struct measured *m, const struct measure_options *options);
