/* One measurement of a made-up back end: its counts, and the reported time. */
#include "run/run.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "tap.h"

#define DISABLE_NS 20000000

static char calls[64];

static void note(const char *call)
{
	strcat(calls, call);
}

static void enable(struct backend *s)
{
	(void)s;
	note("+");
}

/* Slow, as on a machine of many CPUs. */
static void disable(struct backend *s)
{
	uint64_t start = clock_now();

	(void)s;
	note("-");
	while (clock_now() - start < DISABLE_NS)
		;
}

static void read_all(struct backend *s)
{
	(void)s;
	note("r");
}

static const struct backend_ops ops = {.enable = enable, .disable = disable, .read = read_all};

static int end_at_once(void *arg, struct error *e)
{
	struct run *run = arg;

	(void)e;
	run->measurement.signal = SIGINT;
	return 0;
}

static struct measurement measure_with(bool endless)
{
	int ends[2];
	struct error e;
	struct loop loop = {0};
	struct child child = {.pid = 0};
	struct backend backend = {.ops = &ops};
	struct signals signals = {.fd = -1};
	struct tree_time tree_time = {.n = 0};
	struct run run = {.loop = &loop,
			  .tree_time = &tree_time,
			  .backend = &backend,
			  .signals = &signals,
			  .child = &child,
			  .endless = endless,
			  .started = end_at_once,
			  .started_arg = &run};

	*calls = '\0';
	if (pipe(ends) < 0)
		exit(1);
	signals.fd = ends[0];
	is_number(run_measure(&run, &e), 0, endless ? "whole CPUs" : "tasks");
	close(ends[0]);
	close(ends[1]);
	loop_free(&loop);
	return run.measurement;
}

int main(void)
{
	struct measurement m = measure_with(true);

	is_string(calls, "+-r", "CPUs are switched off before they are read");
	ok(m.elapsed_ns >= DISABLE_NS, "... and the time goes on while they count");
	measure_with(false);
	is_string(calls, "+r", "tasks that have ended count no more");
	return tap_done();
}
