#include "rows/why.h"

#include <string.h>

#include "rows/result.h"

static const char *const texts[WHY_CODES] = {
	[WHY_PEAK] = "this is the peak of pfmstat itself before the exec; the command may need less",
	[WHY_SAMPLED] = ("most kernels divide CPU time into user and system time by sampling, so a part may belong to "
			 "the other"),
	[WHY_NO_COMMAND] = "known only when a command is counted",
	[WHY_NOT_ENDED] = "known only when the command has ended; --summary shows it",
	[WHY_SIMULATED] = "the times and the peak memory include the simulation",
	[WHY_ABSENT_IN_ALL] = "it is in none of the runs, which is a count of 0",
	[WHY_ABSENT] = "it is not in the run, which is a count of 0",
	[WHY_TOO_LARGE] = "it is a lower bound: the sum exceeds 64 bits",
	[WHY_SUBTRACTED] = "the cost of the probes was subtracted",
	[WHY_PROBES] = ("more than 10% of it was the cost of the probes, which was subtracted; fix: name a function "
			"that is called less often"),
	[WHY_WITH_PROBES] = "it contains the cost of the probes, which could not be measured",
	[WHY_PROBE_SHARE] = "the median cost of the probes of each call",
	[WHY_MEDIAN] = "the median of large numbers, to 1.6%",
	[WHY_PAIRED] = "only of the calls that are not lost",
	[WHY_LOOP] = "lost calls may be turns of a loop that begins at the function's first instruction",
	[WHY_AGAIN] =
		"jumps to the function's first instruction count as part of a call, but may be calls (tail calls)",
	[WHY_CONTRADICTS] = "it contradicts other counts: the cost of the probes was not the same for each call",
	[WHY_MISLED] =
		"the probes have changed the program's work: its stack was switched (coroutines, a signal stack)",
	[WHY_LOST_CALLS] = "some calls are lost",
	[WHY_COPIES] =
		"the compiler has made copies of the function (inlined or specialized), whose calls are not counted",
	[WHY_OTHER_COPIES] = "copies of other functions (inlined or specialized) may be in it",
	[WHY_SAME_PLACE] = ("--regions has a probe at the same place, and which of the two is hit first is unknown; "
			    "'calls' is the number of calls"),
	[WHY_LOST_WITHIN] = "calls within some calls are lost",
	[WHY_FIRST_STOP] =
		"a forked process or one whose records were lost may have had an additional fault of the probes before",
	[WHY_CONSTANT] = "the same in all runs",
};

const char *why_text(enum why why)
{
	return texts[why] ? texts[why] : "";
}

enum why why_of_text(const char *text)
{
	enum why why = WHY_CODES;

	while (--why > WHY_NOT_CODED && strcmp(text, why_text(why)) != 0)
		;
	return *text ? why : WHY_NOT_CODED;
}

void row_explain(struct row *row, enum why why)
{
	row->why = why;
	row->reason = why_text(why);
}

void row_explain_text(struct row *row, const char *text)
{
	row->why = WHY_NOT_CODED;
	row->reason = text;
}

void result_explain_like(struct result *result, struct row *row, const struct row *from)
{
	row->why = from->why;
	row->reason = result_text(result, from->reason);
}
