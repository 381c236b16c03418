/* why: the reasons of rows that other code looks for, as codes, and their texts. A row has both (result.h,
 * row_explain); all other reasons are only texts, made from the facts of the run. */
#pragma once

enum why {
	WHY_NOT_CODED, /* no reason, or only a text */

	/* of clocks: the kernel's peak memory includes that of pfmstat at the exec */
	WHY_PEAK,
	WHY_SAMPLED,
	WHY_NO_COMMAND,
	WHY_NOT_ENDED,
	WHY_MOMENT,    /* of a peak of one run, with a number */
	WHY_SIMULATED, /* they cannot be compared with the clocks of a run on the CPU */

	/* of a task of one command alone, in the other command: in none of its runs, or in its only run */
	WHY_ABSENT_IN_ALL,
	WHY_ABSENT,

	WHY_TOO_LARGE, /* a sum of UINT64_MAX, or a value that was extrapolated to UINT64_MAX */

	/* estimates of calls: the cost of the probes was subtracted, a tenth of the count at most, or more than that;
	 * or the count contains it */
	WHY_SUBTRACTED,
	WHY_PROBES,
	WHY_WITH_PROBES,
	WHY_PROBE_SHARE,
	WHY_MEDIAN, /* distribution.h */
	WHY_PAIRED,
	WHY_LOOP,
	WHY_AGAIN,
	WHY_CONTRADICTS,
	WHY_MISLED,
	WHY_OTHER_COPIES,
	WHY_SAME_PLACE,
	/* lower bounds of calls */
	WHY_LOST_CALLS,
	WHY_COPIES,
	WHY_LOST_WITHIN,
	WHY_FIRST_STOP,

	/* of the spread of a calibration; the last three have texts with numbers */
	WHY_CONSTANT,
	WHY_DRIFT,
	WHY_KINDS,
	WHY_DRIFT_AND_KINDS,

	WHY_CODES
};

/* Returns the text, "" for a code without one. */
const char *why_text(enum why why);
/* Returns the code of a text in a saved report. */
enum why why_of_text(const char *text);
