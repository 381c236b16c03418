/* repeat_notes: what a reader of the averages must know about the runs.
 */
#pragma once

#include "run/repeat.h"

/* Notes on failed runs, outliers, a first run unlike the others and an interruption, added to the result's. */
void repeat_add_notes(struct repeat *c);
