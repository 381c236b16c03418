/* The way in which --by counts the tasks, for --explain. */
#include "by/task_reads.h"
#include "cli/explain.h"
#include "cli/prepare.h"
#include "host/topology.h"

static void put_line(FILE *out, const char *name, const char *text)
{
	fprintf(out, "  %-12s %s\n", name, text);
}

void explain_by(FILE *out, const struct options *o)
{
	struct error why;

	if (!o->by)
		return;
	fprintf(out, "rows of each %s\n", aggr_mode_name(o->by));
	if (o->by_reads) {
		put_line(out, "from", "the kernel's record of the counts of each task at its end");
		return;
	}
	if (!prepare_watches_cpus(o)) {
		put_line(out, "from", "counters on each thread, which tasks that it starts inherit");
		return;
	}
	put_line(out, "from", "the context switches of all CPUs");
	if (o->by == AGGR_CGROUP)
		put_line(out, "because", "only these records contain the cgroup of a task");
	else if (o->target.kind == TARGET_COMMAND && task_reads_probe(&why) < 0)
		put_line(out, "because", why.text);
	else
		put_line(out, "because", TASK_READS_ONLY);
}
