/* The way in which --by counts the tasks, for --explain. */
#include "by/task_reads.h"
#include "cli/explain_internal.h"
#include "cli/prepare.h"
#include "host/topology.h"

void explain_by(FILE *out, const struct options *o)
{
	struct error why;

	if (!o->by)
		return;
	fprintf(out, "rows of each %s\n", aggr_mode_name(o->by));
	if (o->by_reads) {
		explain_text(out, "from", "the kernel's record of the counts of each task at its end");
		return;
	}
	if (!prepare_watches_cpus(o)) {
		explain_text(out, "from", "counters on each thread, which tasks that it starts inherit");
		return;
	}
	explain_text(out, "from", "the context switches of all CPUs");
	if (o->by == AGGR_CGROUP)
		explain_text(out, "because", "only these records contain the cgroup of a task");
	else if (o->target.kind == TARGET_COMMAND && task_reads_probe(&why) < 0)
		explain_text(out, "because", why.text);
	else
		explain_text(out, "because", TASK_READS_ONLY);
}
