/* advice: why an event is not counted and what can be done about it, from errno and the context by one table of rules.
 *
 * /proc and /sys are looked at only after something has failed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "host/privilege.h"
#include "rows/result.h"

struct advice {
	enum status status; /* STATUS_UNSUPPORTED, STATUS_DENIED or STATUS_LOST */
	char why[320];      /* "this machine shows no hardware PMU" */
	char still[160];    /* what can be counted instead: "without it: …"; "" */
	char fix[448];      /* "run as root, or …"; "": nothing helps */
};

/* What has been looked up so far: zero-initialized, the same for all reports of a run. */
struct advice_machine {
	bool privilege_known, pmus_known, permission_known;
	struct privilege privilege;
	bool has_core_pmu;
	bool forbidden; /* the paranoid level permits nothing */
	bool events_known;
	uint32_t events_type;
	uint64_t events; /* that the core PMU of this type has; 0: not known (pmu_implemented) */
};

/* perf_event_open has failed with this errno. on_task: for a task rather than a CPU. */
void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task);

/* Per-task accounting could not be opened. False: not for lack of permission, and the error says it better. */
bool advice_for_accounting(struct advice *advice, struct advice_machine *machine, int error);

/* The event happens only in the mode that its modifiers exclude, so it is 0. */
void advice_for_exclusion(struct advice *advice, const struct event *event);

/* Has a user probe's file been replaced, so that what ran did not have the probe? */
bool advice_for_file(struct advice *advice, const struct event *event);

/* Why a probe was counted without children and new threads. */
void advice_for_not_inherited(struct advice *advice, const struct event *event);

/* Why only user space was counted, although the kernel was asked for, too. */
void advice_for_user_only(struct advice *advice, struct advice_machine *machine);

/* The event has counted nothing: is there a reason to doubt that nothing happened? */
bool advice_for_zero(struct advice *advice, struct advice_machine *machine, const struct event *event);

/* All of it in one line, to be freed. */
char *advice_text(const struct advice *advice);
