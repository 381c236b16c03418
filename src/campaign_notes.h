/* campaign_notes: what a reader of the averages must know of the runs behind them.
 */
#pragma once

#include "campaign.h"

/* Failed runs, outliers, a first run unlike the others, an end before its time: into the result's notes. */
void campaign_add_notes(struct campaign *c);
