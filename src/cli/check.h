/* check: --check, what works here, what does not, and what would mend it: one line for each question, most of which are
 * answered by trying. Sentences are those of a run's notes (advice.h, reason.h).
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* json: as JSON Lines. True if hardware events can be counted here: some core PMU has a free counter. */
bool check_report(FILE *out, bool json);
