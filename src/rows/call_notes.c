/* Notes about calls: without numbers, so that repeated runs have one of each. */
#include "rows/call_rows.h"

#define NAMES_WIDTH 200

static void note_losses(const struct functions *functions, const struct calls *calls, enum call_loss why, bool pairs,
			struct strings *notes)
{
	static const char *const reasons[] = {
		[LOST_LEFT] = "they left without a return (longjmp), or were nested deeper than the kernel's 64",
		[LOST_ENDED] = "their thread or process ended or executed another program",
		[LOST_OPEN] = "they had not returned when counting ended",
		[LOST_ENTRY] = "they began before counting, or before the fork of the process in which they returned",
		[LOST_RECORDS] = "kernel records came too fast to be read, or a context switch left none",
		[LOST_OFF] = "a group of events was not on its PMU",
	};
	auto_strings struct strings names = {.n = 0};
	bool unpaired = pairs && (why == LOST_LEFT || why == LOST_ENTRY);
	char list[NAMES_WIDTH];

	for (size_t f = 0; f < functions->names.n; f++)
		if (calls_function(calls, f)->lost[why] && !calls_function(calls, f)->misled &&
		    (functions->kinds[f] == CALL_PAIR) == pairs)
			strings_add(&names, "%s", functions->names.v[f]);
	if (names.n)
		strings_add(notes, "some calls of %s are lost: %s", strings_fit(&names, list, sizeof(list)),
			    unpaired ? "their two probes were hit in calls of different depth, or one was not hit"
				     : reasons[why]);
}

static void note_misled(const struct functions *functions, const struct calls *calls, struct strings *notes)
{
	auto_strings struct strings names = {.n = 0};
	char list[NAMES_WIDTH];

	for (size_t f = 0; f < functions->names.n; f++)
		if (calls_function(calls, f)->misled)
			strings_add(&names, "%s", functions->names.v[f]);
	if (names.n)
		strings_add(
			notes,
			NOTE_WARNING
			"the probes have changed what the command does, and its results may be wrong: the stack was "
			"switched (coroutines, a signal stack) in calls of %s, and the kernel returned from one call "
			"to the place of another; fix: name another function, or count only its calls: "
			"-e uprobe:PATH:FUNCTION",
			strings_fit(&names, list, sizeof(list)));
}

void call_rows_add_notes(const struct functions *functions, const struct calls *calls, bool late, struct strings *notes)
{
	auto_strings struct strings unseen = {.n = 0};
	char list[NAMES_WIDTH];

	for (size_t f = 0; f < functions->names.n; f++)
		if (!calls_function(calls, f)->calls && !calls_count_lost(calls_function(calls, f)))
			strings_add(&unseen, "%s", functions->names.v[f]);
	if (unseen.n)
		strings_add(notes, "never called, or called only where the compiler inlined it%s: %s",
			    late ? ", or only before counting began" : "", strings_fit(&unseen, list, sizeof(list)));
	note_misled(functions, calls, notes);
	for (enum call_loss why = 0; why < CALL_LOSSES; why++)
		for (int pairs = false; pairs <= true; pairs++)
			note_losses(functions, calls, why, pairs, notes);
}
