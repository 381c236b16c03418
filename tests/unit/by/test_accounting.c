/* Compares the sums over all processes with counters that children inherit, in the same run: two methods of the kernel
 * that share only the events.
 *
 * test_accounting: a short TAP test. test_accounting EVENTS RUNS COMMAND…: RUNS runs of a command, a line of numbers
 * for each run that differs and one for all; status 1 if any differed. The soak test uses this. */
#include "by/accounting_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "count/counters.h"
#include "count/schedulability.h"
#include "machine.h"
#include "os/child.h"
#include "plan/plan.h"
#include "resolve/eventlist.h"
#include "run/run.h"
#include "tap.h"

struct both {
	struct event_list list;
	struct plan plan;
	struct signals signals;
};

/* The counts of one run. */
struct outcome {
	uint64_t plain[16];
	uint64_t sums[16], unattributed[16]; /* which the sums include */
	size_t n, tasks;
	char notes[1024];
	bool disturbed; /* by tasks that the kernel hides: a part of the unattributed work is theirs */
	int error;
};

static bool both_open(struct both *b, const char *events, struct error *e)
{
	const struct plan_options options = {.probe = schedulability_probe};

	*b = (struct both){.list = {.n = 0}};
	if (event_list_parse(&b->list, events, e) < 0 || signals_block(&b->signals, e) < 0)
		return false;
	plan_init(&b->plan, &b->list);
	plan_build(&b->plan, &options);
	return true;
}

static void both_close(struct both *b)
{
	plan_free(&b->plan);
	event_list_free(&b->list);
}

static void add_up(struct outcome *o, const struct accounting *accounting, const struct counters *plain)
{
	struct strings notes = {0};
	struct aggr_map map;
	struct counts counts;

	accounting_fetch(accounting, &counts, &map);
	for (size_t event = 0; event < o->n; event++) {
		o->plain[event] = counters_get(plain, 0, event)->sample.value;
		for (size_t slot = 0; slot < counts.n_slots; slot++)
			o->sums[event] += counts_at(&counts, slot, event)->sample.value;
		o->unattributed[event] = counts_at(&counts, 0, event)->sample.value;
	}
	o->disturbed = accounting->gaps || accounting->unreported;
	accounting_add_notes(accounting, true, &notes);
	for (size_t i = 0; i < notes.n; i++)
		snprintf(o->notes + strlen(o->notes), sizeof(o->notes) - strlen(o->notes), "  # %s\n", notes.v[i]);
	strings_free(&notes);
	o->tasks = counts.n_slots - 1;
	counts_free(&counts);
	aggr_map_free(&map);
}

/* Counters that a run switches, whatever they are opened on. */
struct plain {
	struct backend base;
	struct counters *counters;
};

static void plain_enable(struct backend *s)
{
	counters_switch_all(((struct plain *)s)->counters, true);
}

static void plain_disable(struct backend *s)
{
	counters_switch_all(((struct plain *)s)->counters, false);
}

static void plain_read(struct backend *s)
{
	counters_read(((struct plain *)s)->counters, NULL);
}

static const struct backend_ops plain_ops = {.enable = plain_enable, .disable = plain_disable, .read = plain_read};

typedef int child_starter(struct child *child, char *const *argv, const struct child_files *files,
			  struct signals *signals, struct error *e);

/* A child that works when counting begins, for some milliseconds, and only then waits for its release. */
static int start_busy(struct child *child, char *const *argv, const struct child_files *files, struct signals *signals,
		      struct error *e)
{
	int channel[2];

	(void)files;
	*child = (struct child){.channel = -1, .signals = signals};
	child->start = xcalloc(1, 4096); /* all zero: data of child_start that this child does not use */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0 || (child->pid = fork()) < 0)
		return error_set(e, errno, "no child");
	if (child->pid == 0) {
		uint64_t end = clock_now() + 20000000;
		char byte;

		signals_restore(signals);
		while (clock_now() < end)
			getppid();
		if (read(channel[1], &byte, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(channel[1]);
	child->channel = channel[0];
	return 0;
}

static struct outcome run_both(struct both *b, child_starter *start, char **argv, struct error *e)
{
	const struct counters_options inherit = {.inherit = true, .enable_on_exec = true};
	struct counters *plain = counters_new(&b->plan, &inherit);
	struct outcome o = {.n = b->list.n < 16 ? b->list.n : 16};
	struct accounting_options options = {.plan = &b->plan, .by = AGGR_THREAD};
	struct accounting *accounting = NULL;
	struct loop loop = {.n = 0};
	struct child child;
	struct plain backend = {{.ops = &plain_ops}, plain};
	struct tree_time unread = {.n = 0};
	struct run run = {.loop = &loop,
			  .signals = &b->signals,
			  .child = &child,
			  .backend = &backend.base,
			  .enable_on_exec = true,
			  .tree_time = &unread};

	o.error = start(&child, argv, NULL, &b->signals, e);
	options.root = child.pid;
	if (o.error == 0)
		o.error = counters_open(plain, &(struct slot){.pid = child.pid, .cpu = -1}, e);
	if (o.error == 0)
		o.error = accounting_open(&accounting, &options, e);
	if (o.error == 0) {
		accounting_watch(accounting, &loop);
		accounting_enable(accounting);
		o.error = run_measure(&run, e);
		accounting_finish(accounting);
		add_up(&o, accounting, plain);
	}
	child_end(&child);
	accounting_close(accounting);
	counters_free(plain);
	loop_free(&loop);
	return o;
}

static bool is_switch(const struct event *event)
{
	return strcmp(event->name, "context-switches") == 0 || strcmp(event->name, "sched:sched_switch") == 0 ||
	       strcmp(event->name, "cpu-migrations") == 0;
}

/* The two methods read a clock at different moments. A task or thread that ends returns its inherited counters, and may
 * have to wait for other tasks that do the same: the inherited counters no longer count that switch, but the CPUs learn
 * of the end only after it (perf_event_exit_task in the kernel). At its exec a process may lose its CPU between the
 * enabling of its counters and the removal of the earlier ones (perf_event_exec): both count that switch. */
static bool agree(const struct both *b, const struct outcome *o)
{
	for (size_t event = 0; event < o->n; event++) {
		uint64_t most = o->plain[event], least = o->sums[event] - o->unattributed[event];
		uint64_t at_exec = is_switch(&b->list.events[event]);

		if (event_is_clock(&b->list.events[event]))
			continue;
		if (is_switch(&b->list.events[event]))
			most += o->tasks;
		if (least > most || o->sums[event] + at_exec < o->plain[event] ||
		    (!o->disturbed && o->sums[event] > most))
			return false;
	}
	return o->error == 0;
}

static void print_outcome(const struct both *b, const struct outcome *o, FILE *out)
{
	fprintf(out, "%zu tasks", o->tasks);
	for (size_t event = 0; event < o->n; event++)
		fprintf(out, ", %s %" PRIu64 " (%+" PRId64 ", unattributed %" PRIu64 ")", b->list.events[event].name,
			o->plain[event], (int64_t)(o->sums[event] - o->plain[event]), o->unattributed[event]);
	fprintf(out, "%s\n%s", o->disturbed ? ", disturbed" : "", o->notes);
	fflush(out);
}

/* The name of a failed test contains the values, so that a summary shows them. */
static void check(const struct both *b, const struct outcome *o, const char *what, const struct error *e)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%s", what);
	if (!agree(b, o)) {
		fprintf(out, ": %s", o->error ? e->text : "");
		print_outcome(b, o, out);
	}
	fclose(out);
	text[strcspn(text, "\n")] = '\0';
	ok(agree(b, o), text);
}

static int soak(const char *events, int runs, char **argv)
{
	struct error e = {0};
	struct both b;
	int bad = 0, disturbed = 0;

	if (!both_open(&b, events, &e)) {
		error_print(stderr, &e, false);
		return 2;
	}
	for (int i = 0; i < runs; i++) {
		struct outcome o = run_both(&b, child_start, argv, &e);

		if (o.error < 0) {
			error_print(stderr, &e, false);
			return 2;
		}
		bad += !agree(&b, &o);
		disturbed += o.disturbed && agree(&b, &o);
		if (!agree(&b, &o) || i == 0)
			print_outcome(&b, &o, stdout);
	}
	printf("  %d of %d runs agree, %d of them within what others did\n", runs - bad, runs, disturbed);
	both_close(&b);
	return bad > 0;
}

static void test_agreement(struct both *b, const char *what, const char *script)
{
	char shell[] = "sh", option[] = "-c";
	char *text = xstrdup(script);
	char *argv[] = {shell, option, text, NULL};
	struct error e = {0};
	struct outcome o = run_both(b, child_start, argv, &e);

	check(b, &o, what, &e);
	free(text);
}

/* Plain counters on every CPU, not yet switched on. */
static struct counters *open_everywhere(const struct both *b, struct error *e)
{
	struct counters *c = counters_new(&b->plan, &(struct counters_options){.inherit = false});

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		counters_open(c, &(struct slot){.pid = -1, .cpu = cpu}, e);
	return c;
}

static uint64_t sum_of(const struct counters *c, size_t event)
{
	uint64_t sum = 0;

	for (size_t slot = 0; slot < counters_slots(c); slot++)
		sum += counters_get(c, slot, event)->sample.value;
	return sum;
}

static struct counts system_with(struct both *b, char **argv, struct counters *outer, struct counters *inner,
				 struct error *e)
{
	struct accounting_options options = {.plan = &b->plan, .by = AGGR_PROCESS};
	struct accounting *accounting = NULL;
	struct aggr_map map;
	struct counts counts = {0};
	struct loop loop = {.n = 0};
	struct child child;
	struct plain backend = {{.ops = &plain_ops}, inner};
	struct tree_time unread = {.n = 0};
	struct run run = {
		.loop = &loop, .signals = &b->signals, .child = &child, .backend = &backend.base, .tree_time = &unread};

	if (child_start(&child, argv, NULL, &b->signals, e) == 0 && accounting_open(&accounting, &options, e) == 0) {
		accounting_watch(accounting, &loop);
		counters_switch_all(outer, true);
		accounting_enable(accounting);
		run_measure(&run, e);
		accounting_finish(accounting);
		counters_switch_all(outer, false);
		counters_read(outer, NULL);
		accounting_fetch(accounting, &counts, &map);
		aggr_map_free(&map);
	}
	child_end(&child);
	accounting_close(accounting);
	loop_free(&loop);
	return counts;
}

/* The whole machine's processes together have done no less than counters saw that were switched on later and read
 * earlier, and no more than others that were switched on before and off after. */
static void test_system(struct both *b)
{
	char shell[] = "sh", option[] = "-c",
	     text[] = "for i in 1 2 3 4 5 6 7 8; do (ls -l / >&2; true) & done 2>&-; wait";
	char *argv[] = {shell, option, text, NULL};
	struct error e = {0};
	struct counters *outer = open_everywhere(b, &e), *inner = open_everywhere(b, &e);
	struct counts counts = system_with(b, argv, outer, inner, &e);
	bool good = counts.n_slots > 8;

	for (size_t event = 0; event < b->list.n; event++) {
		uint64_t sum = 0;

		for (size_t slot = 0; slot < counts.n_slots; slot++)
			sum += counts_at(&counts, slot, event)->sample.value;
		/* on a single CPU there are no migrations */
		good &= sum_of(inner, event) <= sum && sum <= sum_of(outer, event) && (sum > 0 || event > 0);
		printf("# %s: %" PRIu64 " <= %" PRIu64 " <= %" PRIu64 "\n", b->list.events[event].name,
		       sum_of(inner, event), sum, sum_of(outer, event));
	}
	ok(good, "the whole machine's processes add up to what its CPUs counted");
	counts_free(&counts);
	counters_free(outer);
	counters_free(inner);
}

int main(int argc, char **argv)
{
	const char *cannot = machine_watches_no_cpus();
	struct error e = {0};
	struct outcome o;
	struct both b;
	char program[] = "true";
	char *nothing[] = {program, NULL};

	if (argc > 3)
		return soak(argv[1], atoi(argv[2]), argv + 3);
	if (!cannot)
		cannot = machine_has_no_tracefs();
	if (cannot) {
		printf("1..0 # SKIP %s\n", cannot);
		return 0;
	}
	if (!both_open(&b, "raw_syscalls:sys_enter,page-faults,context-switches,cpu-migrations", &e)) {
		ok(false, e.text);
		return tap_done();
	}
	o = run_both(&b, child_start, nothing, &e);
	check(&b, &o, "one process", &e);
	o = run_both(&b, start_busy, nothing, &e);
	check(&b, &o, "one that works when counting begins", &e);
	test_agreement(&b, "a pipe", "ls / | cat | wc -l >/dev/null");
	test_agreement(&b, "fifty programs", "i=0; while [ $i -lt 50 ]; do ls / >/dev/null; i=$((i + 1)); done");
	test_agreement(&b, "many at a time", "for i in 1 2 3 4 5 6 7 8; do (ls -l / >/dev/null; true) & done; wait");
	test_system(&b);
	both_close(&b);
	return tap_done();
}
