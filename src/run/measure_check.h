/* measure_check: checks before a measurement (may it start) and after it (was everything counted).
 *
 * The kernel takes the counters from some commands at their exec (program_exec_loss_reason): the counts until then,
 * which are nearly 0, must not be reported as exact. The times reveal it. A task's counter is enabled exactly while the
 * task is on a CPU, so the enabled time of an inherited counter equals the time in getrusage(2) for the command and its
 * children, except for fork, exec and the end (30 to 150 us each: a quarter of the time of the shortest commands; since
 * Linux 6.16 also the time to free their memory). */
#pragma once

#include "lib/error.h"
#include "run/measure.h"

/* Called before the run, when the events are open. Returns -ENODEV if nothing can be counted (except for a command,
 * whose times are reported); with --strict, if an event cannot be counted in all its modes. */
int measured_check(const struct measured *m, const struct measure_options *options, struct error *e);

/* The same after the run: returns the first event that was not counted exactly, with the reason, which the caller
 * frees; NULL if all events are exact. */
char *result_find_inexact(const struct result *result);

/* Before the command runs: returns the reason why its counters will be taken away, judged by its file, or NULL. The
 * caller frees the text. */
char *measure_foretell_loss(const struct measure_options *options);

/* Before the run, with the command's process or the attached ones: prepares measured_find_loss. */
void measured_prepare_check(struct measured *m, const struct measure_options *options, const pid_t *command,
			    const struct attach *attach);

/* After the run: sets m->lost if the command, or a program that it executed, was not counted. If that is less certain,
 * because it took little time or the user is root, it adds a note and sets m->left_out. */
void measured_find_loss(struct measured *m, const struct measure_options *options);
