/* event: one event to count, resolved to the bits that perf_event_open gets.
 *
 * Each resolver (abi, sysfs, tracefs, breakpoint, probe, pfm, vendor) fills events of its kind; eventlist parses the
 * user's list and asks the resolvers in turn. After that, only the options that apply to all events change the events
 * of the list (prepare.h); fields that depend on the machine's state are set in the plan's copies. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/error.h"
#include "os/kernel.h"

enum event_source {
	EVENT_ABI,  /* the kernel's names */
	EVENT_TOOL, /* measured by pfmstat itself */
	EVENT_RAW,
	EVENT_SYSFS,
	EVENT_TRACEPOINT,
	EVENT_BREAKPOINT,
	EVENT_PROBE,     /* uprobe, uretprobe, kprobe, kretprobe */
	EVENT_PFM,       /* libpfm4 */
	EVENT_VENDOR,    /* a vendor's file */
	EVENT_SIMULATED, /* by an engine that simulates the command */
};

/* Identifies a file and its state, by stat(2). */
struct file_state {
	uint64_t device, inode;
	struct timespec modified;
};

enum event_tool {
	TOOL_NONE,
	TOOL_DURATION_TIME,
	TOOL_USER_TIME,
	TOOL_SYSTEM_TIME,
	TOOL_TREE_RSS, /* the peak memory of all processes of the command together */
	TOOL_MACHINE,  /* a figure of the machine, see tool.h */
};

struct event {
	char *name;      /* as the user wrote it, with modifiers; for a match of a glob, the name of the match */
	char *full_name; /* fully qualified, by the resolver: `spr::INST_RETIRED:ANY_P`, `msr/tsc/` */
	char *pmu; /* the kernel's PMU ("cpu", "software", "tracepoint"), or libpfm4's name if it resolved the event */
	enum event_source source;
	enum event_tool tool;
	double constant; /* of TOOL_MACHINE: its value; NAN: this machine does not report it */

	/* The resolver sets type, config, config1, config2, bp_*, exclude_*, precise_ip, pinned and exclusive; counters
	 * sets the rest. exclude_guest is 1 unless the user chose guest or host, as in perf. */
	struct perf_event_attr attr;
	char *config1_string;   /* probes: the text that attr.config1 points to (path or function); owned */
	struct file_state file; /* user probes: the probed file */
	uint64_t tracepoint; /* probes: the id of their definition in tracefs, which opens them; 0: attr opens them */
	char *profile;       /* return probes of the kernel: tracefs' file with the missed hits, and after a newline */
			     /* the name there; NULL if it is not defined in tracefs */
	size_t copies;       /* user probes: the copies of the function that the compiler has made (inlined.h) */
	bool jumps;          /* user probes: the function may jump to its first instruction (entered.h) */
	char *folded;        /* user probes: names of different functions that have become one; or NULL */
	char *not_inherited; /* probes: why children and new threads are not counted; NULL if they are counted */
	char *filter;        /* --filter of a tracepoint, or NULL */

	double scale; /* value = count * scale; 1.0 for nearly all events */
	char *unit;   /* of the value: "" (a plain count), "ns", "Joules", …; never NULL */
	char *origin; /* of a vendor's code: the file and line of the definition; otherwise NULL */
	char *remark; /* lines for notes about its name: it is deprecated, a term is ignored; or NULL */
	/* --explain of a vendor's event that this machine cannot encode: its fields in the file, lines of FIELD=VALUE.
	 * Otherwise NULL. */
	char *fields;
	/* PMUs of a kind that count the event together: "uncore_imc_0,uncore_imc_1"; attr is for the first one. In a
	 * plan for tasks also the CPUs of only_cpus: "CPU 0,CPU 2". NULL for a single PMU. */
	char *instances;
	char *cpus; /* the CPUs on which the PMU counts, as a cpulist ("0,8"), from its cpumask; NULL: any CPU */
	/* From the term cpu, as a cpulist: the event is counted on these CPUs, not on those of the PMU. NULL without
	 * the term. In a plan for tasks, a single CPU is in cpu, and each of several CPUs has a part (instances.h). */
	char *only_cpus;
	int cpu; /* libpfm4's :cpu=N; -1: any CPU */

	bool modes_given; /* the user chose among user, kernel, hypervisor: no fallback may change the modes */
	bool guest_given; /* the user chose between guest and host */
	bool precise_max; /* :P, the highest precise_ip that opens */
	bool kernel_side; /* happens only in the kernel, so it reads 0 if the kernel is excluded */
	bool user_side;   /* happens only in user space */
	bool at_return;   /* a return probe */
	bool weak;        /* :W on it or its group: the group may be split */
	bool only_core;   /* its PMU is the machine's only core PMU, which may have a dynamic type (Arm) */
	bool any_core;    /* an event of sysfs or a vendor that names no core PMU: each of several counts it */
	bool percore;     /* the term percore: rows per CPU show the count of the whole core */
	unsigned matches; /* number of matches of its glob; 0: the name is no glob */
	bool by_default;  /* no -e named any event */
	bool of_metric;   /* counted only for a metric of -M */
	int group;        /* index into event_list.groups; -1: outside braces */

	/* machines with several core PMUs, in a plan; see hybrid.h */
	int core;          /* index of the core PMU that counts it; -1: not a core event */
	int parent;        /* index of the event of which this is the part on that PMU; -1: not a part */
	size_t first_part; /* index of the first of its parts, which are contiguous */
	size_t parts;      /* number of parts; an event with parts is their sum, and is not opened */
	bool core_clock;   /* measures the time that a task was on a CPU of that core PMU */
	bool has_own;      /* the kernel may not know generic events of that PMU: this one has the PMU's encoding */
	uint32_t own_type;
	uint64_t own_config;
};

/* A name that a resolver knows, for --list and for suggesting near names. */
struct event_entry {
	const char *name;
	const char *source;      /* event_source_name */
	const char *pmu;         /* NULL: any core PMU */
	const char *aliases;     /* separated by commas; "" if there are none */
	const char *description; /* "" without one */
};
typedef void event_each(void *arg, const struct event_entry *entry);

/* Initializes an event with the defaults (scale 1, unit "", cpu -1, group -1, exclude_guest 1). */
void event_init(struct event *event, enum event_source source);
/* Copies an event with all its strings. */
void event_copy(struct event *copy, const struct event *event);
void event_free(struct event *event);

/* Adds a line to the remark. */
void event_remark(struct event *event, const char *text);

/* True if perf_event_open counts it, not pfmstat or an engine that simulates the command. */
bool event_is_opened(const struct event *event);

/* True if the event counts time in ns (task-clock, cpu-clock, tool events): people see it in msec. */
bool event_is_clock(const struct event *event);

/* True if it is one of the times that pfmstat measures. */
bool event_is_tool_time(const struct event *event);

/* True if its modifiers exclude all modes in which it happens, so that it reads 0. */
bool event_is_excluded(const struct event *event);

/* True if it is opened as a probe of a program or library. */
bool event_is_user_probe(const struct event *event);
/* True if the user probes are in the same file, or at the same place in it, whatever its names are. */
bool event_has_file_of(const struct event *event, const struct event *other);
bool event_has_place_of(const struct event *event, const struct event *other);

/* True if it counts the page faults of user space, or all. */
bool event_counts_faults(const struct event *event);

/* True if the event counts on a PMU with a limited number of counters, so that it may multiplex. */
bool event_is_hardware(const struct event *event);

/* True if the event counts on a core PMU. If core PMUs have dynamic types, this is known only if there is one, or in a
 * plan. */
bool event_is_core(const struct event *event);

/* Intel's topdown events open only in a group whose leader is the slots event (arch/x86/events/intel/core.c,
 * intel_pmu_hw_config, since Linux 5.10). On other machines, the same bits may be other events; keeping these together
 * does no harm. */
bool event_is_slots(const struct event *event);
bool event_needs_slots(const struct event *event);

/* Returns a number for the PMU that counts it: the core PMU has several types in the kernel's interface. */
uint64_t event_pmu_type(const struct event *event);

/* True if both count in the same modes: user, kernel, hypervisor, host, guest, idle. */
bool event_modes_equal(const struct perf_event_attr *a, const struct perf_event_attr *b);

/* True if two events of the same name, from different runs, certainly count different things, because of a filter,
 * modes, precision, CPUs, a unit or name=. Encodings of PMU events are not compared: they differ between CPU models for
 * the same event.
 */
bool event_differs(const struct event *a, const struct event *b);
/* True if two events of one name and PMU have different bits. On another CPU model they may still be the same event. */
bool event_bits_differ(const struct event *a, const struct event *b);
void event_modes_copy(struct perf_event_attr *attr, const struct perf_event_attr *from);

/* An event_each: offers the names to a struct suggest, an event of a PMU also by its bare name. */
void event_offer(void *suggest, const struct event_entry *entry);

/* Returns the name of the source for `--explain` and machine-readable formats: "kernel", "tool", "raw", "sysfs", … */
const char *event_source_name(enum event_source source);

/* The result of a resolver: > 0 is the number of bytes that it took of the name (modifiers follow); 0 if the name is of
 * another kind; -errno if it is of this kind but wrong. error->at counts from the first byte of the name. */
