#include "rows/advice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "count/counters.h"
#include "host/environment.h"
#include "host/topology.h"
#include "lib/util.h"
#include "pmu/pmu.h"
#include "pmu/sysfs.h"

struct context {
	const struct event *event;
	bool on_task;
	struct advice_machine *machine;
};

static const struct privilege *machine_privilege(struct advice_machine *machine)
{
	if (!machine->privilege_known)
		privilege_look(&machine->privilege);
	machine->privilege_known = true;
	return &machine->privilege;
}

/* True if the paranoid level is above this one and applies to this user. */
static bool is_above(struct advice_machine *machine, long level)
{
	const struct privilege *p = machine_privilege(machine);

	return !p->perfmon && p->paranoid > level;
}

/* In kernels of Debian and others, level 3 and above forbids everything; in all others, it is the same as 2. */
static bool counting_is_forbidden(struct advice_machine *machine)
{
	if (!is_above(machine, 2))
		return false;
	if (!machine->permission_known)
		machine->forbidden = !counters_are_permitted();
	machine->permission_known = true;
	return machine->forbidden;
}

static bool has_core_pmu(struct advice_machine *machine)
{
	if (!machine->pmus_known)
		machine->has_core_pmu = counters_have_core_pmu();
	machine->pmus_known = true;
	return machine->has_core_pmu;
}

/* ---- refusals ---- */

/* When a rule applies. */
enum when {
	ALWAYS,
	/* by the event */
	CORE,
	CORE_WITHOUT_PMU, /* the machine has no such PMU */
	ON_GITHUB,        /* and is a runner of GitHub */
	ON_MISSING_CPU,   /* it is bound to a CPU that the machine cannot have */
	PACKAGE_ON_TASK,  /* its PMU counts for whole packages */
	EXCLUDING,        /* some modes are excluded */
	WITH_GUESTS,      /* of a core PMU, and guests are counted */
	BREAKPOINT,
	PROBE,
	USER_PROBE,
	ON_TASK,
	ON_CPU, /* on a CPU, and its PMU names no CPUs */
	/* by the paranoid level, for this user */
	KERNEL_EVENT, /* an event that happens only in the kernel */
	KERNEL_MODE,
	KERNEL_MODE_OF_ANY_PMU, /* most other PMUs cannot exclude modes */
	ANY_CPU,
	ANY_CPU_BUT_TASKS, /* tasks of this user may be counted */
	ANYTHING,
	LEVEL_UNKNOWN, /* the level, which cannot be read, may be the reason */
	/* by a seccomp filter */
	FILTERED,
};

static bool is_on_github(void)
{
	const char *runner = getenv("RUNNER_ENVIRONMENT");

	return runner && strcmp(runner, "github-hosted") == 0;
}

static bool applies(const struct context *c, enum when when)
{
	const struct event *event = c->event;

	switch (when) {
	case ALWAYS:
		return true;
	case CORE:
		return event_is_of_core(event);
	case CORE_WITHOUT_PMU:
		return event_is_of_core(event) && !has_core_pmu(c->machine);
	case ON_GITHUB:
		return applies(c, CORE_WITHOUT_PMU) && is_on_github();
	case ON_MISSING_CPU:
		return event->cpu >= topology_end(TOPOLOGY_ROOT);
	case PACKAGE_ON_TASK:
		return c->on_task && event->cpus && event_is_hardware(event) && !event_is_of_core(event);
	case EXCLUDING:
		return event->attr.exclude_user || event->attr.exclude_kernel || event->attr.exclude_hv ||
		       event->attr.exclude_idle;
	case WITH_GUESTS:
		return event_is_of_core(event) && !event->attr.exclude_guest;
	case BREAKPOINT:
		return event->source == EVENT_BREAKPOINT;
	case PROBE:
		return event->source == EVENT_PROBE;
	case USER_PROBE:
		return event->source == EVENT_PROBE && event->user_side;
	case ON_TASK:
		return c->on_task;
	case ON_CPU:
		return !c->on_task && !event->cpus;
	case KERNEL_EVENT:
		return event->kernel_side && is_above(c->machine, 1);
	case KERNEL_MODE:
		return applies(c, KERNEL_MODE_OF_ANY_PMU) && (event_is_of_core(event) || !event_is_hardware(event));
	case KERNEL_MODE_OF_ANY_PMU:
		return !event->attr.exclude_kernel && is_above(c->machine, 1);
	case ANY_CPU:
		return !c->on_task && is_above(c->machine, 0);
	case ANY_CPU_BUT_TASKS:
		return !c->on_task && is_above(c->machine, 0) && !counting_is_forbidden(c->machine);
	case ANYTHING:
		return counting_is_forbidden(c->machine);
	case LEVEL_UNKNOWN:
		return machine_privilege(c->machine)->paranoid == PRIVILEGE_UNKNOWN &&
		       !machine_privilege(c->machine)->perfmon &&
		       (!c->on_task || event->kernel_side || !event->attr.exclude_kernel);
	case FILTERED:
		return machine_privilege(c->machine)->filtered;
	}
	return false;
}

#define STILL_TASKS "still possible: your own commands and processes (-p)"
/* The counts that are possible without perf_event_open. */
#define STILL_TIMES "still possible: elapsed, user and system time and peak memory"

#define FOR_CPUS   "counting whole CPUs needs kernel.perf_event_paranoid <= 0"
#define FOR_KERNEL "needs kernel.perf_event_paranoid <= 1"
#define FOR_PROBES "probes need CAP_PERFMON, whatever kernel.perf_event_paranoid is"

/* kernel/events/core.c, perf_uprobe_event_init: allowed with CAP_PERFMON since 5.8, but not since 6.16 and in stable
 * kernels before it */
#define FOR_USER_PROBES "user probes need CAP_SYS_ADMIN (in some kernels before 6.16: CAP_PERFMON)"
#define ROOT_ON_HOST    "run pfmstat as root on the host: it needs CAP_SYS_ADMIN in the initial user namespace"
#define BE_ROOT         "run pfmstat as root, or with CAP_SYS_ADMIN"

#define OPEN_FILTER                                                                                               \
	"start the container with --cap-add=PERFMON, or with --security-opt seccomp=FILE, a profile that allows " \
	"perf_event_open"

#define FIX_NO_PMU \
	"let Valgrind count (-e sim:instructions), count on the bare machine, or give the virtual machine a PMU"
#define FIX_ON_GITHUB \
	"runs-on: ubuntu-24.04-arm (GitHub's arm64 runners have a PMU), or let Valgrind count: -e sim:instructions"

#define ANY_LEVEL 100

/* The first rule whose error and condition match has the meaning of the error and the remedy. */
static const struct rule {
	int error;
	enum when when;
	enum status status;
	const char *why;
	const char *fix;   /* NULL: the capability, or this level for all users (ANY_LEVEL: no level helps) */
	const char *still; /* what works without it, or NULL */
	long level;
} rules[] = {
	/* missing permission */
	{EACCES, ANY_CPU_BUT_TASKS, STATUS_DENIED, FOR_CPUS, NULL, STILL_TASKS, 0},
	{EACCES, ANYTHING, STATUS_DENIED, "at kernel.perf_event_paranoid >= 3 nothing may be counted", NULL,
	 STILL_TIMES, 2},
	{EACCES, ANY_CPU, STATUS_DENIED, FOR_CPUS, NULL, STILL_TIMES, 0},
	{EACCES, USER_PROBE, STATUS_DENIED, FOR_USER_PROBES, BE_ROOT, "still possible: everything except user probes",
	 ANY_LEVEL},
	{EACCES, PROBE, STATUS_DENIED, FOR_PROBES, NULL, "still possible: everything except probes", ANY_LEVEL},
	{EACCES, KERNEL_EVENT, STATUS_DENIED, "this is a kernel event, and counting in the kernel " FOR_KERNEL, NULL,
	 "still possible: events in user space", 1},
	{EACCES, KERNEL_MODE, STATUS_DENIED, "counting in the kernel " FOR_KERNEL, NULL,
	 "still possible: the same in user space only, with the modifier u", 1},
	{EACCES, KERNEL_MODE_OF_ANY_PMU, STATUS_DENIED, "counting in the kernel " FOR_KERNEL, NULL, NULL, 1},
	{EACCES, LEVEL_UNKNOWN, STATUS_DENIED,
	 "kernel.perf_event_paranoid, which cannot be read here, or a security module forbids it",
	 "run pfmstat as root, or as root: mount -t proc proc /proc, so that pfmstat can say more", NULL, ANY_LEVEL},
	{EACCES, ON_CPU, STATUS_DENIED, "a security module, or a container's sandbox, forbids it", OPEN_FILTER,
	 STILL_TASKS, ANY_LEVEL},
	{EACCES, ALWAYS, STATUS_DENIED,
	 "the task belongs to another user or has more privileges, or a security module forbids it", NULL,
	 "still possible: your own commands and processes", ANY_LEVEL},
	{EPERM, FILTERED, STATUS_DENIED, "a seccomp filter refuses perf_event_open (EPERM), as in containers",
	 OPEN_FILTER, STILL_TIMES, ANY_LEVEL},
	{EPERM, ANY_CPU_BUT_TASKS, STATUS_DENIED, FOR_CPUS, NULL, STILL_TASKS, 0},
	{EPERM, USER_PROBE, STATUS_DENIED, FOR_USER_PROBES, BE_ROOT, "still possible: everything except user probes",
	 ANY_LEVEL},
	{EPERM, PROBE, STATUS_DENIED, FOR_PROBES, NULL, "still possible: everything except probes", ANY_LEVEL},
	{EPERM, ALWAYS, STATUS_DENIED, "perf_event_open is refused by a security module, or by a container's sandbox",
	 OPEN_FILTER, STILL_TIMES, ANY_LEVEL},
	{ENOSYS, FILTERED, STATUS_DENIED, "a seccomp filter hides perf_event_open (ENOSYS), as in containers",
	 OPEN_FILTER, STILL_TIMES, ANY_LEVEL},
	{ENOSYS, ALWAYS, STATUS_DENIED,
	 "there is no perf_event_open here: a kernel without CONFIG_PERF_EVENTS, or a container's sandbox", OPEN_FILTER,
	 STILL_TIMES, ANY_LEVEL},
	/* other reasons */
	{ENOENT, ON_GITHUB, STATUS_UNSUPPORTED, "no hardware PMU is visible here, as on GitHub's x86 runners",
	 .fix = FIX_ON_GITHUB},
	{ENOENT, CORE_WITHOUT_PMU, STATUS_UNSUPPORTED,
	 "no hardware PMU is visible here (a virtual machine without one?)", .fix = FIX_NO_PMU},
	{ENOENT, CORE, STATUS_UNSUPPORTED, "this machine's PMU has no such event", .fix = ""},
	{ENOENT, ALWAYS, STATUS_UNSUPPORTED, "the kernel has no PMU for this event", .fix = ""},
	{COUNTS_NOTHING, BREAKPOINT, STATUS_UNSUPPORTED,
	 "breakpoints can be set here but never fire, as in virtual machines whose hypervisor leaves out the debug "
	 "registers",
	 .fix = "count on the bare machine"},
	{COUNTS_NOTHING, CORE, STATUS_UNSUPPORTED,
	 "this machine's hardware counters can be opened but do not count, as in virtual machines whose hypervisor "
	 "leaves them out",
	 .fix = FIX_NO_PMU},
	{COUNTS_NOTHING, ALWAYS, STATUS_UNSUPPORTED, /* bpf-output */
	 "BPF programs write records through it, and the kernel counts none of them", .fix = ""},
	{EOPNOTSUPP, ON_GITHUB, STATUS_UNSUPPORTED, "no hardware PMU is visible here, as on GitHub's x86 runners",
	 .fix = FIX_ON_GITHUB},
	{EOPNOTSUPP, CORE_WITHOUT_PMU, STATUS_UNSUPPORTED,
	 "no hardware PMU is visible here (a virtual machine without one?)", .fix = FIX_NO_PMU},
	{EOPNOTSUPP, WITH_GUESTS, STATUS_UNSUPPORTED,
	 "virtual machines on this host have the PMU for themselves (KVM's mediated vPMU), so that guests cannot be "
	 "counted from outside",
	 .fix = "count only the host: without the modifier G"},
	{EOPNOTSUPP, ALWAYS, STATUS_UNSUPPORTED, "the PMU cannot count it in this mode",
	 .fix = "try it without modifiers"},
	{EINVAL, ON_MISSING_CPU, STATUS_UNSUPPORTED, "this machine has no such CPU", .fix = ""},
	{EINVAL, PACKAGE_ON_TASK, STATUS_UNSUPPORTED,
	 "its PMU counts for whole packages or chips, not for a task or a cgroup", .fix = ""},
	{EINVAL, BREAKPOINT, STATUS_UNSUPPORTED, "the processor has no breakpoint with this address, length and access",
	 .fix = "align the address to the length; x has length 8"},
	{EINVAL, USER_PROBE, STATUS_UNSUPPORTED,
	 "the kernel refuses it: probably another program has a probe at the same place, with another semaphore or "
	 "none",
	 .fix = "end that program (perf, bpftrace, ...)"},
	{EINVAL, EXCLUDING, STATUS_UNSUPPORTED, "its PMU refuses this event, or cannot exclude a mode",
	 .fix = "try it without modifiers"},
	{EINVAL, ALWAYS, STATUS_UNSUPPORTED, "its PMU refuses this event", .fix = ""},
	{E2BIG, ALWAYS, STATUS_UNSUPPORTED, "this kernel is too old for the terms config3 or config4", .fix = ""},
	{ENODEV, ALWAYS, STATUS_LOST, "its CPU is offline, or its PMU is gone", .fix = ""},
	{ENXIO, ALWAYS, STATUS_UNSUPPORTED, "the PMU does not exist", .fix = ""},
	{ENOSPC, BREAKPOINT, STATUS_UNSUPPORTED, "all of the processor's breakpoint registers are taken",
	 .fix = "count fewer breakpoints at a time"},
	{ENOSPC, ALWAYS, STATUS_UNSUPPORTED, "the PMU has no room for it", .fix = "count fewer events at a time"},
	{EBUSY, ALWAYS, STATUS_UNSUPPORTED, "its counter is in use elsewhere (by the NMI watchdog or a pinned event)",
	 .fix = WATCHDOG_OFF},
	{ESRCH, ON_TASK, STATUS_LOST, "the task has ended", .fix = ""},
	{EMFILE, ALWAYS, STATUS_DENIED, "pfmstat is out of file descriptors", .fix = "raise the limit: ulimit -n"},
	{ENFILE, ALWAYS, STATUS_DENIED, "this machine is out of file descriptors", .fix = "sysctl fs.file-max"},
	{ENOMEM, ALWAYS, STATUS_UNSUPPORTED, "the kernel is out of memory", .fix = ""},
};

/* Adds the current level to why, and the remedy: a lower level for all users, or the capability for this program. */
static void advise_permission(struct advice *advice, const struct privilege *p, long level)
{
	size_t n = strlen(advice->why);
	const char *who = p->user_namespace ? ", which root of a user namespace cannot change" : "";
	const char *where = p->read_only ? "as root on the host" : "as root";
	auto_free char *lower = level == ANY_LEVEL
					? xasprintf("run pfmstat %s", where)
					: xasprintf("%s: sysctl kernel.perf_event_paranoid=%ld", where, level);

	if (p->paranoid != PRIVILEGE_UNKNOWN)
		snprintf(advice->why + n, sizeof(advice->why) - n, " (now %ld%s)", p->paranoid, who);
	if (p->grantable)
		snprintf(advice->fix, sizeof(advice->fix), "%s, or: setcap cap_%s=ep %s", lower, p->capability,
			 p->program);
	else if (p->user_namespace)
		snprintf(advice->fix, sizeof(advice->fix), "%s", lower);
	else
		snprintf(advice->fix, sizeof(advice->fix), "%s, or start the container with --cap-add=PERFMON", lower);
}

void advice_for_open(struct advice *advice, struct advice_machine *machine, const struct event *event, int error,
		     bool on_task)
{
	const struct context context = {event, on_task, machine};
	const struct rule *r = rules, *end = rules + ARRAY_SIZE(rules);

	while (r < end && (r->error != error || !applies(&context, r->when)))
		r++;
	*advice = (struct advice){.status = r < end ? r->status : STATUS_LOST};
	if (r == end) {
		snprintf(advice->why, sizeof(advice->why), "perf_event_open failed: %s", strerror(error));
		return;
	}
	snprintf(advice->why, sizeof(advice->why), "%s", r->why);
	snprintf(advice->still, sizeof(advice->still), "%s", r->still ? r->still : "");
	if (r->when == USER_PROBE && machine_privilege(machine)->user_namespace)
		snprintf(advice->fix, sizeof(advice->fix), "%s", ROOT_ON_HOST);
	else if (r->fix)
		snprintf(advice->fix, sizeof(advice->fix), "%s", r->fix);
	else
		advise_permission(advice, machine_privilege(machine), r->level);
}

bool advice_for_accounting(struct advice *advice, struct advice_machine *machine, const struct event *probe, int error)
{
	const struct event any = {.core = -1};
	auto_free char *why = NULL;

	/* the right to user probes includes that to CPUs */
	advice_for_open(advice, machine, probe ? probe : &any, error, probe != NULL);
	if (advice->status != STATUS_DENIED)
		return false;
	why = xasprintf("%s: %s", probe ? "--regions=LIST" : "--by and --per-thread must watch all CPUs", advice->why);
	snprintf(advice->why, sizeof(advice->why), "%s", why);
	return true;
}

void advice_for_exclusion(struct advice *advice, const struct event *event)
{
	*advice = (struct advice){.status = STATUS_DENIED, .fix = "count it without that modifier"};
	snprintf(advice->why, sizeof(advice->why), "%s",
		 event->kernel_side ? "it happens only in the kernel, which was excluded"
		 : event->user_side ? "it happens only in user space, which was excluded"
				    : "it happens only in user space and the kernel, which were excluded");
}

void advice_for_not_inherited(struct advice *advice, const struct event *event)
{
	*advice = (struct advice){.status = STATUS_EXACT, .fix = "run pfmstat as root, with a writable tracefs"};
	snprintf(advice->why, sizeof(advice->why),
		 "counted without children and new threads, which inherit only probes defined in tracefs (%s)",
		 event->not_inherited);
}

void advice_for_user_only(struct advice *advice, struct advice_machine *machine)
{
	*advice = (struct advice){.status = STATUS_EXACT,
				  .why = "counted in user space only: counting in the kernel " FOR_KERNEL};
	advise_permission(advice, machine_privilege(machine), 1);
}

#define ARM_CHAIN 0x1e /* it extends another counter; the driver never lists it */

static bool is_implemented(struct advice_machine *machine, const struct event *event)
{
	uint64_t number = event->attr.config & 0xffff;

	if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE || number >= 64 ||
	    number == ARM_CHAIN)
		return true; /* the driver refuses unimplemented generic events */
	if (!machine->events_known || machine->events_type != event->attr.type)
		(void)pmu_implemented(SYSFS_ROOT, event->attr.type, &machine->events);
	machine->events_known = true;
	machine->events_type = event->attr.type;
	return !machine->events || machine->events >> number & 1;
}

bool advice_for_zero(struct advice *advice, struct advice_machine *machine, const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	*advice = (struct advice){.status = STATUS_EXACT};
	if (!event_is_hardware(event))
		return false;
	if (attr->exclude_user && attr->exclude_kernel && !attr->exclude_hv) {
		snprintf(advice->why, sizeof(advice->why), ":h counts only the hypervisor, which few PMUs can do");
		return true;
	}
	if (is_implemented(machine, event))
		return false;
	snprintf(advice->why, sizeof(advice->why),
		 "this PMU does not list the event (0x%02llx of Arm's architecture) as implemented: it may count "
		 "nothing",
		 (unsigned long long)attr->config & 0xffff);
	return true;
}

char *advice_text(const struct advice *advice)
{
	return xasprintf("%s%s%s%s%s", advice->why, *advice->still ? "; " : "", advice->still,
			 *advice->fix ? "; fix: " : "", advice->fix);
}
