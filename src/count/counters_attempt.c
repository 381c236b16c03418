/* One perf_event_open, the fallbacks after a refusal, and events that count nothing. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "count/counters_internal.h"
#include "os/rights.h"

static int sys_perf_event_open(struct attempt *a)
{
	return (int)syscall(SYS_perf_event_open, &a->attr, a->pid, a->cpu, a->group_fd,
			    a->flags | PERF_FLAG_FD_CLOEXEC);
}

/* The hard limit, which only root may raise: the soft limit is equal to it (descriptors.h). */
static bool raise_limit(struct attempt *a)
{
	struct rlimit limit;

	if (a->limit_raised || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	a->limit_raised = true;
	limit.rlim_cur = limit.rlim_max = limit.rlim_max * 2 + 1024;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static bool exclude_kernel(struct attempt *a)
{
	/* an event of the kernel would then read 0, which is wrong */
	if (a->attr.exclude_kernel || a->event->modes_given || a->event->kernel_side)
		return false;
	a->attr.exclude_kernel = a->attr.exclude_hv = 1;
	a->user_only = true;
	return true;
}

static bool include_guest(struct attempt *a)
{
	if (!a->attr.exclude_guest || a->event->guest_given)
		return false;
	a->attr.exclude_guest = 0;
	return true;
}

static bool lower_precision(struct attempt *a)
{
	if (!a->event->precise_max || a->attr.precise_ip == 0)
		return false;
	a->attr.precise_ip--;
	return true;
}

/* Kernels for arm64 before 6.6 have no generic events of one of several core PMUs. */
static bool use_own_encoding(struct attempt *a)
{
	if (!a->event->has_own || a->attr.type == a->event->own_type)
		return false;
	a->attr.type = a->event->own_type;
	a->attr.config = a->event->own_config;
	return true;
}

static bool drop_inherit_thread(struct attempt *a)
{
	if (!a->attr.inherit_thread)
		return false;
	a->attr.inherit_thread = a->attr.inherit = 0;
	return true;
}

static bool drop_until_exec(struct attempt *a)
{
	if (!a->attr.remove_on_exec)
		return false;
	a->attr.remove_on_exec = 0;
	return true;
}

/* Fallbacks in this order; each is repeated as long as it changes anything. Only a successful change is kept, so each
 * row costs one refused open. perf_event_open(2) names the errors; for the ages of the bits see
 * include/uapi/linux/perf_event.h. */
static const struct fallback {
	int errors[3];
	bool (*change)(struct attempt *a);
} fallbacks[] = {
	{{EMFILE}, raise_limit},
	{{ENOENT}, use_own_encoding},
	{{EACCES, EPERM}, exclude_kernel},
	{{EINVAL, EOPNOTSUPP}, include_guest},   /* PMUs that cannot exclude anything */
	{{EINVAL, EOPNOTSUPP}, lower_precision}, /* :P asks for the highest precision that opens */
	{{EINVAL, E2BIG}, drop_inherit_thread},  /* before 5.13 */
	{{EINVAL, E2BIG}, drop_until_exec},      /* also before 5.13 */
};

static bool fallback_next(struct attempt *a, int error)
{
	for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++)
		for (size_t k = 0; k < ARRAY_SIZE(fallbacks[i].errors); k++)
			if (error && fallbacks[i].errors[k] == error && fallbacks[i].change(a))
				return true;
	return false;
}

int attempt_open(struct attempt *a)
{
	auto_rights bool raised = rights_raise();
	int reported = 0;

	for (;;) {
		int fd = sys_perf_event_open(a), error = errno;

		if (fd >= 0)
			return fd;
		/* of these errors the last one is reported, since fallbacks do not cause them; of others the first */
		if (!reported || reported == EMFILE || error == EMFILE || error == ENFILE || error == ESRCH ||
		    error == ENOENT || error == ENOSPC || a->user_only)
			reported = error;
		if (!fallback_next(a, error))
			return -reported;
	}
}

void attempt_keep(const struct attempt *a)
{
	struct counters *c = a->c;

	if (c->options.inherit_thread && !a->attr.inherit_thread && !a->event->not_inherited) {
		c->options.inherit = c->options.inherit_thread = false;
		strings_add(&c->notes, "this kernel (before 5.13) cannot count threads without child processes: "
				       "with --no-inherit only the first thread was counted");
	}
	if (c->options.until_exec && !a->attr.remove_on_exec) {
		c->options.until_exec = false;
		strings_add(&c->notes,
			    "this kernel (before 5.13) also counts the work of the command's process before its exec");
	}
}

/* ---- events that count nothing ---- */

static int open_plain(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	const struct event event = {.modes_given = true};
	struct attempt a = {.event = &event, .attr = *attr, .pid = pid, .cpu = cpu, .group_fd = -1};

	a.attr.size = sizeof(a.attr);
	return attempt_open(&a);
}

bool breakpoints_fire(void)
{
	volatile uint32_t word = 0;
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	auto_close int fd = open_plain(&attr, 0, -1);
	uint64_t hits;

	word = 1;
	return fd < 0 || read(fd, &hits, sizeof(hits)) < (ssize_t)sizeof(hits) || hits > 0;
}

int counters_count_own(const struct event *event, double (*work)(volatile uint32_t *word), volatile uint32_t *word,
		       double *truth, struct sample *s)
{
	struct perf_event_attr attr = event->attr;
	auto_close int fd = -1;

	attr.disabled = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = open_plain(&attr, 0, -1);
	if (fd < 0)
		return fd;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	*truth = work(word);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return read(fd, s, sizeof(*s)) == (ssize_t)sizeof(*s) ? 0 : -EIO;
}

#define LOOPS 10000 /* microseconds */

/* Each pass takes several instructions and about a cycle or more. A counter with less than one count in 16 passes does
 * not work. */
static bool loop_counts(uint64_t config)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	auto_close int fd = open_plain(&attr, 0, -1);
	struct sample s;

	for (volatile unsigned i = 0; fd >= 0 && i < LOOPS; i++)
		;
	if (fd < 0 || read(fd, &s, sizeof(s)) < (ssize_t)sizeof(s) || s.enabled == 0 || s.running < s.enabled)
		return true; /* unknown: others may have the counters */
	return s.value >= LOOPS / 16;
}

bool core_counts(void)
{
	return loop_counts(PERF_COUNT_HW_INSTRUCTIONS) || loop_counts(PERF_COUNT_HW_CPU_CYCLES);
}

/* Of a task. */
static const struct perf_event_attr dummy = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_DUMMY,
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

int counters_open_end_watch(pid_t pid)
{
	return open_plain(&dummy, pid, -1);
}

int counters_open_exec_record(pid_t pid)
{
	struct perf_event_attr attr = dummy;

	attr.mmap = attr.comm = attr.comm_exec = attr.write_backward = 1;
	return open_plain(&attr, pid, -1);
}

int counters_open_exec_notify(int cpu)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.watermark = 1,
		.wakeup_watermark = 1,
	};

	return open_plain(&attr, -1, cpu);
}

void counters_task_reads(struct perf_event_attr *attr)
{
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

int counters_open_hits(uint64_t tracepoint, int cpu, uint64_t *id)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = tracepoint, .sample_period = 1};
	int fd, error;

	counters_task_reads(&attr);
	attr.sample_type |= PERF_SAMPLE_RAW;
	fd = open_plain(&attr, -1, cpu);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, id) < 0) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int counters_open_hits_of(uint64_t tracepoint, pid_t pid, int cpu, uint32_t watermark)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = tracepoint,
		.sample_period = 1,
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = 1,
		.task = 1,
		.watermark = 1,
		.wakeup_watermark = watermark,
	};

	counters_task_reads(&attr);
	attr.sample_type |= PERF_SAMPLE_RAW;
	return open_plain(&attr, pid, cpu);
}

int counters_open_task_records(enum task_records records, int cpu, uint32_t watermark)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.inherit = records != TASK_RECORDS_NONE,
		.inherit_stat = records == TASK_RECORDS_READS,
		.mmap = records == TASK_RECORDS_NAMES,
		.watermark = 1,
		.wakeup_watermark = watermark,
	};

	counters_task_reads(&attr);
	attr.task = attr.comm = attr.comm_exec = attr.mmap;
	return open_plain(&attr, 0, cpu);
}

int counters_redirect(int fd, int to)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to) < 0 ? -errno : 0;
}

int counters_open_keepalive(uint64_t tracepoint)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = tracepoint,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return open_plain(&attr, -1, sched_getcpu());
}

bool counters_have_core_pmu(void)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	auto_close int fd = open_plain(&attr, 0, -1);

	return fd != -ENOENT;
}

bool counters_are_permitted(void)
{
	auto_close int fd = counters_open_end_watch(0);

	return fd != -EACCES && fd != -EPERM && fd != -ENOSYS;
}
