/* measure_check: what rows say before a measurement (is it worth starting?) and after it (was all of it counted?).
 *
 * From some commands the kernel takes the counters when they are executed (program_exec_loss_reason): what was counted
 * until then, next to nothing, must not be reported as exact. The sign is the time. A task's counter is enabled exactly
 * while the task is on a CPU, so the enabled time of an inherited one is what getrusage(2) tells of the command and its
 * children, but for fork, exec and the end (30 to 150 us each: a quarter of what the shortest of commands take in all;
 * since Linux 6.16 also what it takes to give their memory back). Programs further down are seen by their records where
 * there may be any (exec_loss.h), and elsewhere by the same sign.
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

/* While it runs: why a part, as a program further down, is not counted. NULL: all are, as far as is known. To be freed.
 */
char *measure_exec_loss(const struct source *source);

/* After it has run: sets m->lost if the command, or a program further down, was not counted. */
void measured_find_loss(struct measured *m, const struct measure_options *options);
