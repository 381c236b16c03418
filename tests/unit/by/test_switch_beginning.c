/* With another program's time in a sample, a group's own time is that of the beginning and how long it has been enabled
 * since. So it must be known when each CPU's counters were switched on, however late that was: from readings of them,
 * and no better than the time that these took. */
#include "by/accounting_internal.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "by/switch_trace_internal.h"
#include "count/schedulability.h"
#include "event/eventlist.h"
#include "machine.h"
#include "tap.h"

#define LATE_US 2000

/* Of counters, while they are switched on. */
struct reading {
	int fd;
	uint64_t begin, end, enabled;
};

static struct reading readings[1 << 16];
static size_t n_readings;
static bool switching;

ssize_t read(int fd, void *buffer, size_t size)
{
	uint64_t begin = clock_now();
	ssize_t n = syscall(SYS_read, fd, buffer, size);

	if (switching && n >= (ssize_t)(3 * sizeof(uint64_t)) && n_readings < ARRAY_SIZE(readings))
		readings[n_readings++] = (struct reading){fd, begin, clock_now(), ((const uint64_t *)buffer)[1]};
	return n;
}

/* As if this process got no CPU for a while. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (switching && request == PERF_EVENT_IOC_ENABLE)
		usleep(LATE_US);
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

/* Does the time of a CPU's main group fit one of its readings: is it behind the one before and ahead of the next? */
static bool is_known(const struct switch_trace *t, size_t cpu, uint64_t begin, uint64_t end)
{
	const struct stream *stream = &t->cpus[cpu].streams[0];

	for (size_t i = 0; i < n_readings; i++) {
		uint64_t time = stream->time + readings[i].enabled - stream->enabled;

		if (readings[i].fd == switch_trace_fd(t, cpu) && time >= (i ? readings[i - 1].end : begin) &&
		    time <= (i + 1 < n_readings ? readings[i + 1].begin : end))
			return true;
	}
	return false;
}

static void test_beginning(const struct plan *plan)
{
	const struct accounting_options options = {.plan = plan, .by = AGGR_PROCESS};
	struct accounting *accounting = NULL;
	struct error e = {0};
	bool known = true;
	uint64_t begin;

	if (!ok(accounting_open(&accounting, &options, &e) == 0, "CPUs can be watched"))
		return;
	begin = clock_now();
	switching = true;
	accounting_enable(accounting);
	switching = false;
	for (size_t cpu = 0; cpu < accounting->n_cpus; cpu++)
		known &= is_known(accounting->trace, cpu, begin, clock_now());
	ok(known, "it is known when each CPU's counters were switched on");
	accounting_close(accounting);
}

int main(void)
{
	const struct plan_options options = {.probe = schedulability_probe};
	const char *cannot = machine_watches_no_cpus();
	struct event_list list = {.n = 0};
	struct plan plan;
	struct error e = {0};

	if (cannot) {
		printf("1..0 # SKIP %s\n", cannot);
		return 0;
	}
	if (ok(event_list_parse(&list, "page-faults", &e) >= 0, "an event")) {
		plan_init(&plan, &list);
		plan_build(&plan, &options);
		test_beginning(&plan);
		plan_free(&plan);
	}
	event_list_free(&list);
	return tap_done();
}
