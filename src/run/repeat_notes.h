/* repeat_notes: what a reader of the averages must know of the runs behind them.
 */
#pragma once

#include "run/repeat.h"

/* Failed runs, outliers, a first run unlike the others, an end before its time: into the result's notes. */
void repeat_add_notes(struct repeat *c);
