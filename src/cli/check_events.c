/* The questions of --check that are answered by trying: which events this user can count, and on how many counters. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <string.h>

#include "by/switch_trace.h"
#include "by/task_reads.h"
#include "cli/check_internal.h"
#include "count/schedulability.h"
#include "host/cgroupfs.h"
#include "host/environment.h"
#include "host/topology.h"
#include "plan/hybrid.h"
#include "pmu/pmu.h"
#include "rows/reason.h"
#include "trace/probe.h"
#include "trace/tracefs.h"

#define OWN_FILE         "/proc/self/exe"
#define HERE             "; here, count software events (task-clock, page-faults), tracepoints and probes"
#define BREAKPOINTS_MOST 32 /* more than any processor has */

/* Finds the event of this name. Returns false, with a line that gives the reason, if it has no meaning here. */
static bool parse_event(struct checking *c, struct event_list *list, const char *name)
{
	struct error e = {0};

	if (event_list_parse(list, name, &e) == 0)
		return true;
	check_put_error(c, &e);
	return false;
}

/* Returns 0, or the errno that a line explains. */
static int try_event(struct checking *c, const struct event *event, bool on_task)
{
	struct advice advice;
	const struct slot slot = {.pid = on_task ? 0 : -1, .cpu = on_task ? -1 : sched_getcpu()};
	int error;

	schedulability_open(event, &slot, 1, &error);
	if (error) {
		advice_for_open(&advice, &c->machine, event, error, on_task);
		if (event_is_of_core(event) && c->machine.pmus_known && !c->machine.has_core_pmu)
			strncat(advice.fix, HERE, sizeof(advice.fix) - strlen(advice.fix) - 1);
		check_put_advice(c, &advice);
	}
	return error;
}

static int try_name(struct checking *c, const char *name, bool on_task)
{
	struct event_list list = {0};
	int error = parse_event(c, &list, name) ? try_event(c, &list.events[0], on_task) : ENOENT;

	event_list_free(&list);
	return error;
}

/* ---- events that this user may count ---- */

void check_user_space(struct checking *c)
{
	if (try_name(c, "page-faults:u", true) == 0)
		check_put(c, CHECK_OK, NULL, "your commands in user space");
}

void check_kernel_side(struct checking *c)
{
	if (try_name(c, "page-faults:uk", true) == 0)
		check_put(c, CHECK_OK, NULL, "your commands in the kernel");
}

void check_all_cpus(struct checking *c)
{
	auto_cpuset struct cpuset online = {0};
	struct error e = {0};

	if (topology_online(TOPOLOGY_ROOT, &online, &e) < 0)
		check_put_error(c, &e);
	else if (try_name(c, "context-switches", false) == 0)
		check_put(c, CHECK_OK, NULL, "whole CPUs (-a, -C), all processes");
}

static void ignore_record(void *arg, const struct trace_record *record)
{
	(void)arg;
	(void)record;
}

void check_by(struct checking *c)
{
	struct event_list list = {0};
	struct plan plan = {.list = NULL};
	const struct plan_options together = {.probe = NULL};
	const struct trace_options options = {.plan = &plan, .handler = ignore_record};
	struct switch_trace *trace = NULL;
	struct advice advice;
	struct error e = {0}, why;
	int probed = task_reads_probe(&why);
	bool has_reads = probed == 0;

	if (!parse_event(c, &list, "context-switches"))
		return;
	plan_init(&plan, &list);
	plan_build(&plan, &together);
	if (switch_trace_open(&trace, &options, &e) == 0)
		check_put(c, CHECK_OK, NULL, "per process, program or thread (--by)%s%s",
			  has_reads ? "" : ", only by watching CPUs: ", has_reads ? "" : why.text);
	else if (has_reads)
		check_put(c, CHECK_OK, NULL, "per process, program or thread of a command (--by), not of the machine");
	else if (probed == -EOPNOTSUPP)
		check_put(c, CHECK_PART, NULL,
			  "per process, program or thread of a command (--by), only with --trace: %s", why.text);
	else if (advice_for_accounting(&advice, &c->machine, NULL, e.code))
		check_put_advice(c, &advice);
	else
		check_put_error(c, &e);
	switch_trace_close(trace);
	plan_free(&plan);
	event_list_free(&list);
}

/* ---- core PMUs ---- */

/* Returns how many copies of its cycles run at once; pinned events of others reduce the number. */
static void check_core_pmu(struct checking *c, const struct event *cycles)
{
	char name[PMU_TEXT_MAX] = "cpu";
	auto_free char *where = cycles->cpus ? xasprintf(", on CPUs %s", cycles->cpus) : NULL;
	struct check_line *line;
	size_t n;

	if (cycles->parent >= 0)
		snprintf(name, sizeof(name), "%s", cycles->pmu);
	else
		(void)pmu_name(SYSFS_ROOT, PERF_TYPE_RAW, name, sizeof(name));
	if (try_event(c, cycles, true) != 0)
		return;
	n = schedulability_copies(cycles);
	if (n == SCHEDULABILITY_COPIES) {
		check_put(c, CHECK_PART, NULL,
			  "%s%s: the number of free counters is unknown: pfmstat may not run on its CPUs", name,
			  where ? where : "");
		return;
	}
	if (n)
		line = check_put(c, CHECK_OK, NULL, "%s%s: %zu counter%s free (tried with copies of cycles)", name,
				 where ? where : "", n, n == 1 ? "" : "s");
	else
		line = check_put(c, CHECK_FAIL,
				 environment_watchdog("") == WATCHDOG_IS_ON
					 ? WATCHDOG_OFF
					 : "end the processes that hold them (see: holders)",
				 "%s%s, cycles: " REASON_HELD, name, where ? where : "");
	line->pmu = xstrdup(name);
	line->cpus = cycles->cpus ? xstrdup(cycles->cpus) : NULL;
	line->counters = n;
	c->counts_hardware |= n > 0;
}

void check_core_pmus(struct checking *c)
{
	struct event_list list = {0};
	struct plan plan;

	if (access(SYSFS_ROOT, F_OK) < 0) {
		check_put(c, CHECK_FAIL, MOUNT_SYSFS, NO_SYSFS);
		return;
	}
	if (!parse_event(c, &list, "cycles:u"))
		return;
	plan_init(&plan, &list);
	hybrid_expand(&plan, false);
	for (size_t i = 0; i < plan.n_events; i++)
		if (!plan.events[i].parts)
			check_core_pmu(c, &plan.events[i]);
	plan_free(&plan);
	event_list_free(&list);
}

/* ---- kinds of events ---- */

void check_breakpoints(struct checking *c)
{
	static const uint64_t word;
	auto_free char *name = xasprintf("mem:%p/8:w:u", (const void *)&word);
	struct event_list list = {0};
	struct advice advice;
	size_t n;
	int error;

	if (!parse_event(c, &list, name))
		return;
	n = schedulability_open(&list.events[0], &(struct slot){.cpu = -1}, BREAKPOINTS_MOST, &error);
	if (n) {
		check_put(c, CHECK_OK, NULL, "%zu at a time (mem:)", n);
	} else {
		advice_for_open(&advice, &c->machine, &list.events[0], error, true);
		check_put_advice(c, &advice);
	}
	event_list_free(&list);
}

void check_tracepoints(struct checking *c)
{
	auto_tracefs struct tracefs tracefs = {0};
	bool mounted = tracefs_is_mounted(&tracefs);
	struct error e = {0};

	if (tracefs_check(&tracefs, &e) < 0) {
		check_put_error(c, &e);
		return;
	}
	if (try_name(c, "sched:sched_switch", true) != 0)
		return;
	if (mounted)
		check_put(c, CHECK_OK, NULL, "tracefs is mounted at %s", tracefs_root(&tracefs));
	else
		check_put(c, CHECK_OK, NULL, "tracefs is not mounted; pfmstat mounts a private one when it needs it");
}

/* Finds the offset of a function in this program's file. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *address)
{
	uintptr_t *at = address;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && *at >= start && *at - start < p->p_filesz) {
			*at = *at - start + p->p_offset;
			return 1;
		}
	}
	return 0;
}

/* Tries a function that is not called during the test. */
void check_user_probes(struct checking *c)
{
	uintptr_t at = (uintptr_t)check_write;
	const char *file = access(OWN_FILE, F_OK) == 0 ? OWN_FILE : program_invocation_name;
	auto_free char *name = NULL;
	struct event event = {0};
	struct error e = {0};

	dl_iterate_phdr(find_offset, &at);
	name = xasprintf("uprobe:%s:0x%llx", file, (unsigned long long)at);
	if (access(SYSFS_ROOT, F_OK) < 0)
		check_put(c, CHECK_FAIL, MOUNT_SYSFS, NO_SYSFS);
	else if (probe_resolve(name, &event, &e) <= 0)
		check_put_error(c, &e);
	else if (try_event(c, &event, true) == 0)
		check_put(c, CHECK_OK, NULL, "functions of programs and libraries (uprobe:)");
	event_free(&event);
}

/* Tries the topmost cgroup. */
static int try_cgroup(const struct event *event, const char *root)
{
	auto_close int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[] = "/";
	auto_free char *path = xstrdup(root);
	const struct cgroup cgroup = {.name = name, .path = path, .fd = fd};
	int error = errno;

	if (fd >= 0)
		schedulability_open(event, &(struct slot){.pid = -1, .cpu = sched_getcpu(), .cgroup = &cgroup}, 1,
				    &error);
	return error;
}

void check_cgroups(struct checking *c)
{
	auto_free char *root = NULL;
	struct event_list list = {0};
	struct advice advice;
	struct error e = {0};
	int error;

	if (cgroupfs_find("/proc/self/mounts", &root, &e) < 0) {
		check_put_error(c, &e);
		return;
	}
	if (!parse_event(c, &list, "context-switches"))
		return;
	error = try_cgroup(&list.events[0], root);
	advice_for_open(&advice, &c->machine, &list.events[0], error, false);
	if (error == 0)
		check_put(c, CHECK_OK, NULL, "version %d, mounted at %s", cgroupfs_is_v1() ? 1 : 2, root);
	else
		check_put_advice(c, &advice);
	event_list_free(&list);
}
