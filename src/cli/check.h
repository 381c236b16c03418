/* check: --check: what can be counted here, what cannot, and the remedies: one line for each question, most of which
 * are answered by trying. Sentences are those of a run's notes (advice.h, reason.h). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* json: as JSON Lines. Returns true if hardware events can be counted here: some core PMU has a free counter. */
bool check_report(FILE *out, bool json);
