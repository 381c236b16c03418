/* findings: what --check has found wrong with this machine's counts, in a file of the user's cache, for the reports of
 * runs until the next boot. */
#pragma once

#include "lib/util.h"

/* Replaces the findings. Without a home directory, or if it is not writable, nothing is kept. */
void findings_keep(const struct strings *findings);

/* Adds the findings of this boot. */
void findings_read(struct strings *findings);
