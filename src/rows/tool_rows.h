/* tool_rows: the rows of the events that pfmstat itself knows: times, the peak memory of all processes, and figures of
 * the machine. Pure. */
#pragma once

#include "rows/reason.h"

/* Fills the row of a tool event, from the context. */
void filling_set_tool(struct filling *f);
