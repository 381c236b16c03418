#include "advice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmu.h"
#include "sysfs.h"
#include "util.h"

struct context {
	const struct event *event;
	bool on_task;
	struct advice_machine *machine;
};

static long paranoid_level(struct advice_machine *machine)
{
	char text[32];

	if (!machine->paranoid_known && (file_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) < 0 ||
					 parse_long(text, -1, 100, &machine->paranoid) < 0))
		machine->paranoid = -2;
	machine->paranoid_known = true;
	return machine->paranoid;
}

static bool excludes_something(const struct event *event)
{
	return event->attr.exclude_user || event->attr.exclude_kernel || event->attr.exclude_hv ||
	       event->attr.exclude_idle;
}

static bool has_core_pmu(struct advice_machine *machine)
{
	struct strings pmus = {0};

	if (!machine->pmus_known && pmu_list(SYSFS_ROOT, &pmus) == 0)
		for (size_t i = 0; i < pmus.n && !machine->has_core_pmu; i++)
			machine->has_core_pmu = pmu_is_core(SYSFS_ROOT, pmus.v[i]);
	machine->pmus_known = true;
	strings_free(&pmus);
	return machine->has_core_pmu;
}

/* ---- predicates ---- */

static bool is_core(const struct context *c)
{
	return c->event->attr.type == PERF_TYPE_HARDWARE || c->event->attr.type == PERF_TYPE_HW_CACHE ||
	       c->event->attr.type == PERF_TYPE_RAW;
}

static bool no_core_pmu(const struct context *c)
{
	return is_core(c) && !has_core_pmu(c->machine);
}

static bool is_breakpoint(const struct context *c)
{
	return c->event->source == EVENT_BREAKPOINT;
}

static bool is_package_wide(const struct context *c)
{
	return c->on_task && c->event->cpus && event_is_hardware(c->event) && !is_core(c);
}

static bool excludes(const struct context *c)
{
	return excludes_something(c->event);
}

static bool is_kernel_side(const struct context *c)
{
	return c->event->kernel_side && paranoid_level(c->machine) >= 2;
}

static bool is_probe(const struct context *c)
{
	return c->event->source == EVENT_PROBE;
}

static bool is_tracepoint(const struct context *c)
{
	return c->event->source == EVENT_TRACEPOINT;
}

static bool is_of_cpu(const struct context *c)
{
	return !c->on_task && !c->event->cpus;
}

static bool is_cpu_wide(const struct context *c)
{
	return !c->on_task && paranoid_level(c->machine) >= 1;
}

/* Level 2 leaves the user's own tasks to be counted; Debian's 3 nothing. */
static bool is_cpu_wide_only(const struct context *c)
{
	return is_cpu_wide(c) && paranoid_level(c->machine) <= 2;
}

static bool is_paranoid(const struct context *c)
{
	return paranoid_level(c->machine) >= 2 && geteuid() != 0;
}

static bool always(const struct context *c)
{
	(void)c;
	return true;
}

#define FIX_PARANOID(level) \
	"sysctl kernel.perf_event_paranoid=" level ", or setcap cap_perfmon+ep on pfmstat, or run it as root"

#define FOR_CPU_WIDE "counting whole CPUs is not for this user: it takes kernel.perf_event_paranoid <= 0, and that is"

/* The first row whose error and predicate match. error 0: any. */
static const struct rule {
	int error;
	bool (*applies)(const struct context *c);
	enum status status;
	const char *why;
	const char *fix;
} rules[] = {
	{ENOENT, no_core_pmu, STATUS_UNSUPPORTED, "this machine shows no hardware PMU (a virtual machine without one?)",
	 "count on the bare machine, or give the virtual machine a PMU"},
	{ENOENT, is_core, STATUS_UNSUPPORTED, "this machine's PMU has no such event", ""},
	{ENOENT, always, STATUS_UNSUPPORTED, "the kernel has no PMU for this event", ""},
	{EOPNOTSUPP, no_core_pmu, STATUS_UNSUPPORTED,
	 "this machine shows no hardware PMU (a virtual machine without one?)",
	 "count on the bare machine, or give the virtual machine a PMU"},
	{EOPNOTSUPP, always, STATUS_UNSUPPORTED, "the PMU cannot count it in this mode", "try it without modifiers"},
	{EINVAL, is_package_wide, STATUS_UNSUPPORTED, "its PMU counts for whole packages or chips, not for a task", ""},
	{EINVAL, is_breakpoint, STATUS_UNSUPPORTED,
	 "the processor takes no breakpoint of this address, length and access",
	 "align the address to the length; x has length 8"},
	{EINVAL, excludes, STATUS_UNSUPPORTED, "its PMU refuses this event, or cannot exclude a mode",
	 "try it without modifiers"},
	{EINVAL, always, STATUS_UNSUPPORTED, "its PMU refuses this event", ""},
	{ENODEV, is_of_cpu, STATUS_LOST, "its CPU is offline", ""},
	{ENODEV, always, STATUS_UNSUPPORTED, "its CPU is offline, or the PMU is not there", ""},
	{ENXIO, always, STATUS_UNSUPPORTED, "the PMU is not there", ""},
	{ENOSPC, is_breakpoint, STATUS_UNSUPPORTED, "all of the processor's breakpoint registers are taken",
	 "count fewer breakpoints at a time"},
	{ENOSPC, always, STATUS_UNSUPPORTED, "the PMU has no room for it", "count fewer events at a time"},
	{EBUSY, always, STATUS_UNSUPPORTED, "its counter is held by somebody else (the NMI watchdog, a pinned event)",
	 "sysctl kernel.nmi_watchdog=0"},
	{EACCES, is_cpu_wide_only, STATUS_DENIED, FOR_CPU_WIDE,
	 FIX_PARANOID("0") "; your own commands and processes (-p) can be counted as it is"},
	{EACCES, is_cpu_wide, STATUS_DENIED, FOR_CPU_WIDE, FIX_PARANOID("0")},
	{EACCES, is_kernel_side, STATUS_DENIED,
	 "it happens in the kernel, which this user may not watch (kernel.perf_event_paranoid >= 2)",
	 FIX_PARANOID("1")},
	{EACCES, is_probe, STATUS_DENIED, "probes are not for this user", "run pfmstat as root, or with CAP_PERFMON"},
	{EACCES, is_tracepoint, STATUS_DENIED, "tracepoints are not for this user", FIX_PARANOID("-1")},
	{EACCES, is_paranoid, STATUS_DENIED, "not for this user (kernel.perf_event_paranoid >= 2)", FIX_PARANOID("1")},
	{EACCES, always, STATUS_DENIED, "the task belongs to another user, or a policy forbids it",
	 "run pfmstat as root or as that user"},
	{EPERM, is_cpu_wide, STATUS_DENIED, FOR_CPU_WIDE, FIX_PARANOID("0")},
	{EPERM, is_probe, STATUS_DENIED, "probes are not for this user", "run pfmstat as root, or with CAP_PERFMON"},
	{EPERM, always, STATUS_DENIED, "refused by a policy: a container's seccomp filter, or a security module",
	 "in a container: --cap-add PERFMON, and a seccomp profile that allows perf_event_open"},
	{ENOSYS, always, STATUS_DENIED,
	 "there is no perf_event_open here: a container's seccomp filter, or a kernel without CONFIG_PERF_EVENTS",
	 "in a container: --cap-add PERFMON, and a seccomp profile that allows perf_event_open"},
	{ESRCH, always, STATUS_LOST, "the task has ended", ""},
	{EMFILE, always, STATUS_DENIED, "no descriptors are left", "raise the limit: ulimit -n"},
	{ENFILE, always, STATUS_DENIED, "no descriptors are left on this machine", "sysctl fs.file-max"},
	{ENOMEM, always, STATUS_UNSUPPORTED, "the kernel is out of memory", ""},
};

void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task)
{
	const struct context context = {event, on_task, machine};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *r = &rules[i];

		if (r->error != error || !r->applies(&context))
			continue;
		advice->status = r->status;
		snprintf(advice->why, sizeof(advice->why), "%s", r->why);
		if (r->applies == is_cpu_wide || r->applies == is_cpu_wide_only) /* FOR_CPU_WIDE lacks the level */
			snprintf(advice->why, sizeof(advice->why), "%s %ld", r->why, paranoid_level(machine));
		snprintf(advice->fix, sizeof(advice->fix), "%s", r->fix);
		return;
	}
	advice->status = STATUS_UNSUPPORTED;
	snprintf(advice->why, sizeof(advice->why), "%s", strerror(error));
	advice->fix[0] = '\0';
}

void advice_for_exclusion(struct advice *advice, const struct event *event)
{
	advice->status = STATUS_DENIED;
	snprintf(advice->why, sizeof(advice->why), "it happens in %s alone, which was excluded",
		 event->kernel_side ? "the kernel" : "user space");
	snprintf(advice->fix, sizeof(advice->fix), "count it without that modifier");
}

void advice_for_user_only(struct advice *advice, struct advice_machine *machine)
{
	advice->status = STATUS_EXACT;
	snprintf(advice->why, sizeof(advice->why),
		 "counted in user space only: this user may not watch the kernel (kernel.perf_event_paranoid=%ld)",
		 paranoid_level(machine));
	snprintf(advice->fix, sizeof(advice->fix), "%s", FIX_PARANOID("1"));
}
