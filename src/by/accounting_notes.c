/* What went wrong while the records were read, in words. */
#include <inttypes.h>
#include <string.h>

#include "by/accounting_internal.h"

uint64_t accounting_lost(const struct accounting *b)
{
	return b->lost + b->missed;
}

void accounting_take_lack(const struct accounting *b, size_t event, bool part, struct count *count)
{
	const struct figure *figure = accounting_figure(b, 0, event);
	struct sample rest = part ? sample_sub(figure->sum, figure->reported) : figure->sum;
	bool lost = accounting_lost(b) > (part ? b->lost_reported : 0), off = rest.enabled != rest.running;

	count->lacks = lost || off || rest.value;
	count->lack = rest.running ? sample_scale(rest) : rest.value;
	/* what was lost is in unit 0, unless nothing is there, or not even the loss was recorded */
	count->vague = off || b->missed || (lost && !rest.value);
}

void accounting_add_notes(const struct accounting *b, bool has_row, struct strings *notes)
{
	const char *where = has_row ? "in the row " UNATTRIBUTED : "unattributed";

	if (b->lost)
		strings_add(notes,
			    "%" PRIu64 " of the kernel's records were lost because they came faster than they could be "
			    "read: their work, and that of new tasks since then, is %s; it may include work of other "
			    "processes",
			    b->lost, where);
	else if (b->has_gaps)
		strings_add(notes,
			    "the kernel's records came late, or by another program's clock: the work of new tasks "
			    "since then may be %s; it may include work of other processes",
			    where);
	if (b->missed)
		strings_add(notes,
			    "%" PRIu64 " context switch%s of the command left no record: the rows lack that work, and "
			    "no count is exact",
			    b->missed, b->missed == 1 ? "" : "es");
	if (memchr(b->exec_unknown, 1, b->n_events * sizeof(*b->exec_unknown)))
		strings_add(
			notes,
			"the command's first process is counted from before its exec: the kernel is older than 5.13 "
			"or did not report the exec, or no counter was left on the PMU to notice it");
	if (b->hidden)
		strings_add(notes,
			    "in a PID namespace (a container) the kernel does not name the tasks outside it: the row "
			    "%s has the work of all of them, and of the idle task",
			    OUTSIDE);
	if (b->unreported)
		strings_add(notes,
			    "%" PRIu64 " context switch%s could not be attributed (common in virtual machines): the "
			    "work before and after them is %s",
			    b->unreported, b->unreported == 1 ? "" : "es", where);
}
