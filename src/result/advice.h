/* advice: why an event is not counted, and what would mend it: (errno, context) -> a row of one const table.
 *
 * /proc and /sys are read only here and only when something failed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "host/privilege.h"
#include "result/result.h"

struct advice {
	enum status status; /* STATUS_UNSUPPORTED, STATUS_DENIED or STATUS_LOST */
	char why[256];      /* "this machine shows no hardware PMU" */
	char still[160];    /* what works all the same: "without it: …"; "" */
	char fix[448];      /* "run as root, or …"; "" when nothing mends it */
};

/* What was looked up so far; zero-initialize, and hand the same one in for all events of a report. */
struct advice_machine {
	bool privilege_known, pmus_known, permission_known;
	struct privilege privilege;
	bool has_core_pmu;
	bool forbidden; /* by the level, whatever it is */
};

/* error: errno of the refused open. on_task: it was for a task rather than a CPU. */
void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task);

/* A zero that an exclusion caused: the event happens only where it was told not to look. */
void advice_for_exclusion(struct advice *advice, const struct event *event);

/* Why a probe was counted without children and new threads. */
void advice_for_not_inherited(struct advice *advice, const struct event *event);

/* Why only user space was counted, although nobody asked for that. */
void advice_for_user_only(struct advice *advice, struct advice_machine *machine);

/* All of it in one line, to be freed. */
char *advice_text(const struct advice *advice);
