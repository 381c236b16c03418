/* advice: why an event is not counted, and a remedy, from errno and the context by one table of rules.
 *
 * Reads /proc and /sys only after a failure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "host/privilege.h"
#include "rows/result.h"

struct advice {
	enum status status; /* STATUS_UNSUPPORTED, STATUS_DENIED or STATUS_LOST */
	char why[320];      /* "this machine shows no hardware PMU" */
	char still[160];    /* the counts that are possible instead: "still possible: …"; or "" */
	char fix[448];      /* "run as root, or …"; "" if nothing helps */
};

/* Facts of the machine read so far: zero-initialized, and shared by all reports of a run. */
struct advice_machine {
	bool privilege_known, pmus_known, permission_known;
	struct privilege privilege;
	bool has_core_pmu;
	bool forbidden; /* the paranoid level forbids everything */
	bool events_known;
	uint32_t events_type;
	uint64_t events; /* events that the core PMU of this type has; 0 if unknown (pmu_implemented) */
};

/* Explains why perf_event_open failed with this errno. on_task: for a task, not a CPU. */
void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task);

/* Explains why per-task accounting could not be opened. probe: a user probe that it counts, or NULL. Returns false if
 * permission is not the reason: the error is then the better explanation. */
bool advice_for_accounting(struct advice *advice, struct advice_machine *machine, const struct event *probe, int error);

/* The event happens only in the mode that its modifiers exclude, so it is 0. */
void advice_for_exclusion(struct advice *advice, const struct event *event);

/* Explains why a probe was counted without children and new threads. */
void advice_for_not_inherited(struct advice *advice, const struct event *event);

/* Explains why only user space was counted, although the kernel was also requested. */
void advice_for_user_only(struct advice *advice, struct advice_machine *machine);

/* Returns true if there is a reason to doubt a count of 0. */
bool advice_for_zero(struct advice *advice, struct advice_machine *machine, const struct event *event);

/* Returns the whole advice in one line, which the caller frees. */
char *advice_text(const struct advice *advice);
