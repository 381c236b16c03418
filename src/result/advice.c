#include "result/advice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "count/counters.h"
#include "event/pmu.h"
#include "event/sysfs.h"
#include "lib/util.h"

struct context {
	const struct event *event;
	bool on_task;
	struct advice_machine *machine;
};

static const struct privilege *privilege(struct advice_machine *machine)
{
	if (!machine->privilege_known)
		privilege_look(&machine->privilege);
	machine->privilege_known = true;
	return &machine->privilege;
}

/* Does the paranoid level keep this user from what takes a lower one? */
static bool is_above(struct advice_machine *machine, long level)
{
	const struct privilege *p = privilege(machine);

	return !p->perfmon && p->paranoid > level;
}

/* The kernels of Debian and others take level 3 (and 4) for a prohibition; to the others it is as 2. */
static bool is_forbidden(struct advice_machine *machine)
{
	if (!is_above(machine, 2))
		return false;
	if (!machine->permission_known)
		machine->forbidden = !counters_are_permitted();
	machine->permission_known = true;
	return machine->forbidden;
}

static bool excludes_something(const struct event *event)
{
	return event->attr.exclude_user || event->attr.exclude_kernel || event->attr.exclude_hv ||
	       event->attr.exclude_idle;
}

static bool has_core_pmu(struct advice_machine *machine)
{
	if (!machine->pmus_known)
		machine->has_core_pmu = counters_have_core_pmu();
	machine->pmus_known = true;
	return machine->has_core_pmu;
}

/* ---- predicates ---- */

static bool is_core(const struct context *c)
{
	return c->event->attr.type == PERF_TYPE_HARDWARE || c->event->attr.type == PERF_TYPE_HW_CACHE ||
	       c->event->attr.type == PERF_TYPE_RAW || c->event->core >= 0 || pmu_is_core(SYSFS_ROOT, c->event->pmu);
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
	return c->event->kernel_side && is_above(c->machine, 1);
}

static bool is_probe(const struct context *c)
{
	return c->event->source == EVENT_PROBE;
}

static bool is_user_probe(const struct context *c)
{
	return is_probe(c) && c->event->user_side;
}

static bool is_of_cpu(const struct context *c)
{
	return !c->on_task && !c->event->cpus;
}

static bool is_cpu_wide(const struct context *c)
{
	return !c->on_task && is_above(c->machine, 0);
}

/* The user's own tasks may be counted. */
static bool is_cpu_wide_only(const struct context *c)
{
	return is_cpu_wide(c) && !is_forbidden(c->machine);
}

static bool is_anything(const struct context *c)
{
	return is_forbidden(c->machine);
}

static bool wants_kernel(const struct context *c)
{
	return !c->event->attr.exclude_kernel && is_above(c->machine, 1);
}

static bool is_filtered(const struct context *c)
{
	return privilege(c->machine)->filtered;
}

static bool always(const struct context *c)
{
	(void)c;
	return true;
}

/* ---- what was refused ---- */

#define STILL_TASKS "without it: your own commands and processes (-p)"
/* What is left when perf_event_open is out of reach. */
#define STILL_TIMES "without it: elapsed, user and system time and peak memory"

#define FOR_CPUS   "whole CPUs may be counted at kernel.perf_event_paranoid <= 0"
#define FOR_KERNEL "may be watched at kernel.perf_event_paranoid <= 1"
#define FOR_PROBES "probes are for those with CAP_PERFMON, at every kernel.perf_event_paranoid"

/* kernel/events/core.c, perf_uprobe_event_init: open to CAP_PERFMON in 5.8, closed in 6.16 and in stable kernels before
 */
#define FOR_USER_PROBES "user probes are for those with CAP_SYS_ADMIN, or in some kernels before Linux 6.16 CAP_PERFMON"
#define BE_ROOT         "run pfmstat as root, or with CAP_SYS_ADMIN"

#define OPEN_FILTER                                                                                               \
	"start the container with --cap-add=PERFMON, or with --security-opt seccomp=FILE, a profile that allows " \
	"perf_event_open"

#define ANY_LEVEL 100

/* What this process may not do, and what would permit it: the first row whose error and predicate match. */
static const struct refusal {
	int error;
	bool (*applies)(const struct context *c);
	const char *why;
	const char *still; /* what works without */
	const char *fix;   /* NULL: the capability, or this level for everybody (ANY_LEVEL: no level helps) */
	long level;
} refusals[] = {
	{EACCES, is_cpu_wide_only, FOR_CPUS, STILL_TASKS, NULL, 0},
	{EACCES, is_anything, "at kernel.perf_event_paranoid >= 3 nothing may be counted", STILL_TIMES, NULL, 2},
	{EACCES, is_cpu_wide, FOR_CPUS, STILL_TIMES, NULL, 0},
	{EACCES, is_user_probe, FOR_USER_PROBES, "without it: all but user probes", BE_ROOT, ANY_LEVEL},
	{EACCES, is_probe, FOR_PROBES, "without it: all but probes", NULL, ANY_LEVEL},
	{EACCES, is_kernel_side, "it happens in the kernel, which " FOR_KERNEL,
	 "without it: what happens in user space", NULL, 1},
	{EACCES, wants_kernel, "the kernel " FOR_KERNEL, "without it: the same in user space alone, by the modifier u",
	 NULL, 1},
	{EACCES, is_of_cpu, "a security module, or a container's sandbox, forbids it", STILL_TASKS, OPEN_FILTER,
	 ANY_LEVEL},
	{EACCES, always, "the task belongs to another user or has more privileges, or a security module forbids it",
	 "without it: your own commands and processes", NULL, ANY_LEVEL},
	{EPERM, is_filtered, "a seccomp filter refuses perf_event_open (EPERM), as containers have it", STILL_TIMES,
	 OPEN_FILTER, ANY_LEVEL},
	{EPERM, is_cpu_wide_only, FOR_CPUS, STILL_TASKS, NULL, 0},
	{EPERM, is_user_probe, FOR_USER_PROBES, "without it: all but user probes", BE_ROOT, ANY_LEVEL},
	{EPERM, is_probe, FOR_PROBES, "without it: all but probes", NULL, ANY_LEVEL},
	{EPERM, always, "perf_event_open is refused by a security module, or by a container's sandbox", STILL_TIMES,
	 OPEN_FILTER, ANY_LEVEL},
	{ENOSYS, is_filtered, "a seccomp filter hides perf_event_open (ENOSYS), as containers have it", STILL_TIMES,
	 OPEN_FILTER, ANY_LEVEL},
	{ENOSYS, always,
	 "there is no perf_event_open here: a kernel without CONFIG_PERF_EVENTS, or a container's sandbox", STILL_TIMES,
	 OPEN_FILTER, ANY_LEVEL},
};

/* What is no matter of permission: the first row whose error and predicate match. */
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
	{EINVAL, is_package_wide, STATUS_UNSUPPORTED,
	 "its PMU counts for whole packages or chips, not for a task or a cgroup", ""},
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
	{ESRCH, always, STATUS_LOST, "the task has ended", ""},
	{EMFILE, always, STATUS_DENIED, "no descriptors are left", "raise the limit: ulimit -n"},
	{ENFILE, always, STATUS_DENIED, "no descriptors are left on this machine", "sysctl fs.file-max"},
	{ENOMEM, always, STATUS_UNSUPPORTED, "the kernel is out of memory", ""},
};

/* The command that would permit it: for everybody by the level, for this program by the capability. */
static void permit(struct advice *advice, const struct privilege *p, long level)
{
	const char *where = p->read_only ? "as root on the host" : "as root";
	auto_free char *lower = level == ANY_LEVEL
					? xasprintf("run pfmstat %s", where)
					: xasprintf("%s: sysctl kernel.perf_event_paranoid=%ld", where, level);

	if (p->grantable)
		snprintf(advice->fix, sizeof(advice->fix), "%s, or: setcap cap_%s=ep %s", lower, p->capability,
			 p->program);
	else if (p->user_namespace)
		snprintf(advice->fix, sizeof(advice->fix), "%s", lower);
	else
		snprintf(advice->fix, sizeof(advice->fix), "%s, or start the container with --cap-add=PERFMON", lower);
}

/* What is refused at which level, and to whom. */
static void add_level(struct advice *advice, const struct privilege *p)
{
	size_t n = strlen(advice->why);
	const char *who = p->user_namespace ? ", and root of a user namespace has no say in it" : "";

	if (p->paranoid != PRIVILEGE_UNKNOWN)
		snprintf(advice->why + n, sizeof(advice->why) - n, " (now %ld%s)", p->paranoid, who);
}

static void refuse(struct advice *advice, struct advice_machine *machine, const struct refusal *r)
{
	*advice = (struct advice){.status = STATUS_DENIED};
	snprintf(advice->why, sizeof(advice->why), "%s", r->why);
	snprintf(advice->still, sizeof(advice->still), "%s", r->still);
	if (r->fix) {
		snprintf(advice->fix, sizeof(advice->fix), "%s", r->fix);
	} else {
		add_level(advice, privilege(machine));
		permit(advice, privilege(machine), r->level);
	}
}

void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task)
{
	const struct context context = {event, on_task, machine};

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].error == error && refusals[i].applies(&context)) {
			refuse(advice, machine, &refusals[i]);
			return;
		}
	*advice = (struct advice){.status = STATUS_UNSUPPORTED};
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].error == error && rules[i].applies(&context)) {
			advice->status = rules[i].status;
			snprintf(advice->why, sizeof(advice->why), "%s", rules[i].why);
			snprintf(advice->fix, sizeof(advice->fix), "%s", rules[i].fix);
			return;
		}
	snprintf(advice->why, sizeof(advice->why), "%s", strerror(error));
}

void advice_for_exclusion(struct advice *advice, const struct event *event)
{
	*advice = (struct advice){.status = STATUS_DENIED};
	snprintf(advice->why, sizeof(advice->why), "it happens in %s alone, which was excluded",
		 event->kernel_side ? "the kernel" : "user space");
	snprintf(advice->fix, sizeof(advice->fix), "count it without that modifier");
}

void advice_for_not_inherited(struct advice *advice, const struct event *event)
{
	*advice = (struct advice){.status = STATUS_EXACT};
	snprintf(advice->why, sizeof(advice->why),
		 "without children and new threads, which inherit only a probe that is defined in tracefs (%s)",
		 event->not_inherited);
	snprintf(advice->fix, sizeof(advice->fix), "run pfmstat as root, with a tracefs that can be written");
}

void advice_for_user_only(struct advice *advice, struct advice_machine *machine)
{
	*advice = (struct advice){.status = STATUS_EXACT};
	snprintf(advice->why, sizeof(advice->why),
		 "counted in user space only: the kernel may be watched at kernel.perf_event_paranoid <= 1");
	add_level(advice, privilege(machine));
	permit(advice, privilege(machine), 1);
}

char *advice_text(const struct advice *advice)
{
	return xasprintf("%s%s%s%s%s", advice->why, *advice->still ? "; " : "", advice->still,
			 *advice->fix ? "; to mend it: " : "", advice->fix);
}
