/* task_rows: the rows of processes, programs and threads (--by) of several runs or reports.
 *
 * Order of calls: task_rows_name for the rows of each run or report, in the order of the tasks' start; for repeated
 * runs of one command, also task_rows_rank for the rows over all runs. */
#pragma once

#include <stddef.h>

#include "rows/result.h"

/* From row `first` on, names processes and threads by the path of program names from the command down, and numbers
 * tasks with equal paths: "make/cc", "make/cc (2)". Removes their ids, which differ in each run. */
void task_rows_name(struct result *result, size_t first);

/* For repeated runs of one command, after run_stats_finish: sorts the tasks by their mean of an event (by its number),
 * largest first. Unless top is 0, all tasks after the first `top` become one, "(N others)". */
void task_rows_rank(struct result *result, size_t number, size_t top);
