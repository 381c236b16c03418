/* task_rows: the rows of processes, programs and threads (--by) of several runs or reports.
 *
 * Order of calls: task_rows_name for the rows of each run or report, in the order of the tasks' start; of repeated runs
 * of one command, task_rows_rank for those over all runs.
 */
#pragma once

#include <stddef.h>

#include "rows/result.h"

/* Names the processes and threads among the rows from the first on by the path of the programs' names from the command
 * down, and numbers those of one path: "make/cc", "make/cc (2)". Their ids, which differ in each run, are removed. */
void task_rows_name(struct result *result, size_t first);

/* For repeated runs of one command: puts the tasks with the largest mean of an event (by its number) first, and, unless
 * top is 0, makes one row for each event of all tasks after the first `top`. Their values in all runs are known. */
void task_rows_rank(struct result *result, size_t number, size_t top);
