/* What --check finds by trying: which events this user can count, and on how many counters. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "by/switch_trace.h"
#include "cli/check_internal.h"
#include "event/pmu.h"
#include "event/probe.h"
#include "event/tracefs.h"
#include "host/cgroupfs.h"
#include "host/environment.h"
#include "host/topology.h"
#include "result/reason.h"

#define OWN_FILE "/proc/self/exe"

/* The first event of this name; false: it cannot be named here, and a line says why. */
static bool name_event(struct checking *c, struct event_list *list, const char *name)
{
	struct error e = {0};

	if (event_list_parse(list, name, &e) == 0)
		return true;
	check_put_error(c, &e);
	return false;
}

/* 0, or the errno that a line is about. */
static int try_event(struct checking *c, const struct event *event, bool on_task)
{
	struct advice advice;
	int error = event_try(event, on_task, NULL);

	if (error) {
		advice_for_open(&advice, &c->machine, event, error, on_task);
		check_put_advice(c, &advice);
	}
	return error;
}

static int try_name(struct checking *c, const char *name, bool on_task)
{
	struct event_list list = {0};
	int error = name_event(c, &list, name) ? try_event(c, &list.events[0], on_task) : ENOENT;

	event_list_free(&list);
	return error;
}

/* ---- what this user may count ---- */

void check_user_space(struct checking *c)
{
	if (try_name(c, "page-faults:u", true) == 0)
		check_put(c, CHECK_OK, NULL, "what your own commands do in user space");
}

void check_kernel_side(struct checking *c)
{
	if (try_name(c, "page-faults:uk", true) == 0)
		check_put(c, CHECK_OK, NULL, "what the kernel does for your own commands");
}

void check_all_cpus(struct checking *c)
{
	auto_cpuset struct cpuset online = {0};
	struct error e = {0};

	if (topology_online(TOPOLOGY_ROOT, &online, &e) < 0)
		check_put_error(c, &e);
	else if (try_name(c, "context-switches", false) == 0)
		check_put(c, CHECK_OK, NULL, "whole CPUs (-a, -C), whoever runs there");
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
	struct error e = {0};

	if (!name_event(c, &list, "context-switches"))
		return;
	plan_init(&plan, &list);
	plan_build(&plan, &together);
	if (switch_trace_open(&trace, &options, &e) == 0)
		check_put(c, CHECK_OK, NULL, "the share of each process, program and thread (--by)");
	else if (advice_for_accounting(&advice, &c->machine, e.code))
		check_put_advice(c, &advice);
	else
		check_put_error(c, &e);
	switch_trace_close(trace);
	plan_free(&plan);
	event_list_free(&list);
}

/* ---- core PMUs ---- */

/* "6 counters free for any event, 1 more for cycles" */
static char *describe_set(const struct free_set *set)
{
	auto_strings struct strings parts = {0};

	strings_add(&parts, "%zu counter%s free for any event", set->any, set->any == 1 ? "" : "s");
	for (size_t i = 0; i < FREE_OWN; i++)
		if (set->own[i])
			strings_add(&parts, "%zu more for %s", set->own[i], free_own_names[i]);
	return strings_join(&parts, ", ");
}

static void put_set(struct checking *c, const struct free_pmu *pmu, const struct free_set *set)
{
	const char *holder =
		environment_watchdog("") == WATCHDOG_IS_ON ? WATCHDOG_OFF : "end what holds them (holders)";
	auto_free char *cpus = cpuset_text(&set->cpus), *free_text = describe_set(set);
	size_t sum = free_set_sum(set), most = free_set_sum(&pmu->sets[0]);
	const char *on = set->cpus.n == 1 ? "CPU" : "CPUs";
	struct check_line *line;

	if (!sum)
		line = check_put(c, CHECK_FAIL, holder, "%s, on %s %s, cycles: " REASON_HELD, pmu->name, on, cpus);
	else if (sum < most)
		line = check_put(c, CHECK_PART, holder, "%s, on %s %s: %s, which is less than on other CPUs", pmu->name,
				 on, cpus, free_text);
	else
		line = check_put(c, CHECK_OK, NULL, "%s, on %s %s: %s", pmu->name, on, cpus, free_text);
	line->pmu = xstrdup(pmu->name);
	line->cpus = xstrdup(cpus);
	line->counters = sum;
}

void check_core_pmus(struct checking *c)
{
	if (access(SYSFS_ROOT, F_OK) < 0) {
		check_put(c, CHECK_FAIL, MOUNT_SYSFS, NO_SYSFS);
		return;
	}
	for (size_t i = 0; i < c->counters.n; i++) {
		const struct free_pmu *pmu = &c->counters.v[i];
		struct advice advice;

		for (size_t k = 0; k < pmu->n; k++)
			put_set(c, pmu, &pmu->sets[k]);
		if (pmu->error) {
			advice_for_open(&advice, &c->machine, &pmu->event, pmu->error, true);
			check_put_advice(c, &advice);
		} else if (pmu->n == 0) {
			check_put(c, CHECK_PART, NULL, "%s: none of its CPUs is among those where this may run",
				  pmu->name);
		}
	}
}

/* ---- kinds of events ---- */

void check_breakpoints(struct checking *c)
{
	struct event first;
	struct advice advice;
	int error = 0;
	size_t n = free_breakpoints(&first, &error);

	if (n) {
		check_put(c, CHECK_OK, NULL, "%zu at a time (mem:)", n);
	} else {
		advice_for_open(&advice, &c->machine, &first, error, true);
		check_put_advice(c, &advice);
	}
	event_free(&first);
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
		check_put(c, CHECK_OK, NULL, "tracefs is not mounted; pfmstat mounts its own while it needs it");
}

/* Where in this program's file is this function? */
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

/* Tried on a function that is not called meanwhile. */
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

/* Tried on the topmost one. */
static int try_cgroup(const struct event *event, const char *root)
{
	auto_close int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[] = "/";
	auto_free char *path = xstrdup(root);
	const struct cgroup cgroup = {.name = name, .path = path, .fd = fd};

	return fd < 0 ? errno : event_try(event, false, &cgroup);
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
	if (!name_event(c, &list, "context-switches"))
		return;
	error = try_cgroup(&list.events[0], root);
	advice_for_open(&advice, &c->machine, &list.events[0], error, false);
	if (error == 0)
		check_put(c, CHECK_OK, NULL, "those of version %d, mounted at %s", cgroupfs_is_v1() ? 1 : 2, root);
	else
		check_put_advice(c, &advice);
	event_list_free(&list);
}
