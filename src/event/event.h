/* event: one thing to count, resolved down to the bits that perf_event_open gets.
 *
 * The resolvers (abi, sysfs, tracefs, breakpoint, probe, pfm, vendor) fill one each; eventlist parses the user's list
 * and asks them in turn; everything to the right reads events and never changes them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/error.h"
#include "os/kernel.h"

enum event_source {
	EVENT_ABI,  /* the kernel's own names */
	EVENT_TOOL, /* measured by the program itself */
	EVENT_RAW,
	EVENT_SYSFS,
	EVENT_TRACEPOINT,
	EVENT_BREAKPOINT,
	EVENT_PROBE,  /* uprobe, uretprobe, kprobe, kretprobe */
	EVENT_PFM,    /* libpfm4 */
	EVENT_VENDOR, /* a vendor's file */
};

/* Which file it is, as far as stat(2) tells. */
struct file_state {
	uint64_t device, inode;
	struct timespec modified;
};

enum event_tool { TOOL_NONE, TOOL_DURATION_TIME, TOOL_USER_TIME, TOOL_SYSTEM_TIME };

struct event {
	char *name;      /* as the user wrote it, modifiers included; a glob's match: its own name */
	char *full_name; /* fully qualified, by the resolver: `spr::INST_RETIRED:ANY_P`, `msr/tsc/` */
	char *pmu;       /* the kernel's PMU ("cpu", "software", "tracepoint"), or libpfm4's name where it resolved */
	enum event_source source;
	enum event_tool tool;

	/* type, config, config1, config2, bp_*, exclude_*, precise_ip, pinned, exclusive are set; counters sets the
	 * rest. exclude_guest is 1 unless the user chose guest or host, as perf has it. */
	struct perf_event_attr attr;
	char *config1_string;   /* probes: what attr.config1 points to (path or function); owned */
	struct file_state file; /* user probes: what was probed */
	uint64_t tracepoint; /* probes: the id of their definition in tracefs, by which they are opened; 0: by attr */
	char *not_inherited; /* probes: why children and new threads are not counted; NULL: they are */
	char *filter;        /* --filter of a tracepoint; NULL: none */

	double scale; /* the count times this is the value; 1.0 for nearly all */
	char *unit;   /* of the value: "" (a plain count), "ns", "Joules", … ; never NULL */
	char *origin; /* vendor's events: the file and line that define it; NULL: any other */
	char *remark; /* about its name, for notes, a line each: it is deprecated, a term is ignored; NULL: none */
	/* --explain, a vendor's event that this machine cannot encode: what the file says of it, lines of FIELD=VALUE.
	 * NULL: any other. */
	char *fields;
	/* PMUs of a kind, separated by commas, that count it together: "uncore_imc_0,uncore_imc_1"; its own attr is for
	 * the first. In a plan also several CPUs of tasks: "CPU 0,CPU 2". NULL: there is one PMU. */
	char *instances;
	char *cpus; /* the CPUs the PMU counts on, as a cpulist ("0,8"), from its cpumask; NULL: any */
	/* The term cpu: it is to be counted on these CPUs only, as a cpulist, whatever cpus has; NULL: on any of those.
	 * Of tasks, cpu has the CPU, or there are parts for each (instances.h). */
	char *only_cpus;
	int cpu; /* libpfm4's :cpu=N; -1: any */

	bool modes_given; /* the user chose among user, kernel, hypervisor: no fallback may change them */
	bool guest_given; /* the user chose among guest, host */
	bool precise_max; /* :P, the highest precise_ip that opens */
	bool kernel_side; /* happens only in the kernel, so it reads 0 when the kernel is excluded */
	bool user_side;   /* happens only in user space */
	bool at_return;   /* a return probe */
	bool weak;        /* :W on it or its group: the group may be split */
	bool only_core;   /* its PMU is the machine's only core PMU, which may have a type of its own (Arm) */
	bool any_core;    /* a vendor's event that names no core PMU: of several, each counts it */
	bool percore;     /* percore, a term: rows per CPU are to show it for the CPU's whole core */
	unsigned matches; /* of the glob that it was named by; 0: by its own name */
	bool by_default;  /* no -e named any event */
	bool of_metric;   /* counted only because a metric of -M names it */
	int group;        /* index into event_list.groups; -1: outside braces */

	/* machines with several core PMUs, in a plan; see hybrid.h */
	int core;          /* the one it counts on, as an index; -1: anything else */
	int parent;        /* index of the event whose part on that PMU this is; -1: none */
	size_t first_part; /* index of the first of its parts, which follow each other */
	size_t parts;      /* how many; with any it is their sum, and not opened itself */
	bool residence;    /* tells how long a task was on a CPU of that core PMU */
	bool has_own; /* the kernel may not know generic events of that PMU: then this is the same in its own terms */
	uint32_t own_type;
	uint64_t own_config;
};

/* A name that a resolver knows, for --list and for names that are near to an unknown one. */
struct event_entry {
	const char *name;
	const char *source;      /* event_source_name */
	const char *pmu;         /* NULL: whichever the CPU's cores have */
	const char *aliases;     /* separated by commas; "": none */
	const char *description; /* "": none */
};
typedef void event_each(void *arg, const struct event_entry *entry);

/* An event with nothing set but the defaults (scale 1, unit "", cpu -1, group -1, exclude_guest 1). */
void event_init(struct event *event, enum event_source source);
/* A copy with strings of its own. */
void event_copy(struct event *copy, const struct event *event);
void event_free(struct event *event);

/* Add a line to the remark. */
void event_remark(struct event *event, const char *text);

/* Counts time in ns (task-clock, cpu-clock, tool events): people see it in msec. */
bool event_is_clock(const struct event *event);

/* Do its modifiers exclude the only mode in which it happens? Then it reads 0. */
bool event_is_excluded(const struct event *event);

/* Does the event count on a PMU with a limited number of counters, so that it may multiplex? */
bool event_is_hardware(const struct event *event);

/* Does it count on a core PMU? Of those that have a type of their own, known only if it is the machine's only one, or
 * in a plan. */
bool event_is_core(const struct event *event);

/* Intel's events of topdown metrics open only in a group that the one of slots leads (arch/x86/events/intel/core.c,
 * intel_pmu_hw_config, since Linux 5.10). Elsewhere these may be other events, which it does not hurt to keep together.
 */
bool event_is_slots(const struct event *event);
bool event_needs_slots(const struct event *event);

/* Which PMU it counts on, as a number: the core PMU goes by several types in the kernel's interface. */
uint64_t event_pmu_type(const struct event *event);

/* Do they count in the same modes: user, kernel, hypervisor, host, guest, idle? */
bool event_modes_equal(const struct perf_event_attr *a, const struct perf_event_attr *b);

/* Do two events of the same name, of different runs, count different things, for certain? By a filter, modes, a unit or
 * name=; PMUs' events are not compared: CPU models have their own encodings of what is the same. */
bool event_differs(const struct event *a, const struct event *b);
/* Have two events of one name of a PMU different bits? On another CPU model they may be the same all the same. */
bool event_bits_differ(const struct event *a, const struct event *b);
void event_modes_copy(struct perf_event_attr *attr, const struct perf_event_attr *from);

/* An event_each: offer the names to a struct suggest, an event of a PMU also by its bare name. */
void event_offer(void *suggest, const struct event_entry *entry);

/* What `--explain` and the machine formats call the source: "kernel", "tool", "raw", "sysfs", … */
const char *event_source_name(enum event_source source);

/* A resolver's answer: > 0, it took the name, and so many bytes of it (what follows is modifiers);
 * 0, the name is not its kind; < 0, -errno: its kind, but wrong. error->at counts from the name's first byte. */
