/* check_internal: shared by the files of --check: the lines, how they are added, and the functions that answer the
 * questions (check_machine.c: by looking; check_events.c: by trying). For these files only. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/util.h"
#include "pmu/vendor_events.h"
#include "rows/advice.h"

#define NO_SYSFS    "no PMU is listed: sysfs is not mounted at /sys, or the kernel has no performance events"
#define MOUNT_SYSFS "as root: mount -t sysfs sysfs /sys"

enum check_state { CHECK_OK, CHECK_PART, CHECK_FAIL };

struct check_line {
	const char *name; /* of the question; it may have several lines */
	enum check_state state;
	char *text; /* the answer, or the problem */
	char *fix;  /* the remedy; NULL if none is needed or known */
	/* core-pmu: */
	char *pmu;       /* NULL for other lines */
	char *cpus;      /* for a PMU of some cores only: a cpulist; otherwise NULL */
	size_t counters; /* number of free counters */
};

struct check {
	struct check_line *v;
	size_t n;
};

/* The question that is being answered. */
struct checking {
	struct check *check;
	const char *name;
	struct vendor_events *vendor;
	bool names; /* --names */
	struct advice_machine machine;
	bool counts_hardware; /* some core PMU has a free counter */
};

/* Adds a line. fix may be NULL or "". */
struct check_line *check_put(struct checking *c, enum check_state state, const char *fix, const char *format, ...)
	PRINTF_LIKE(4, 5);
void check_put_error(struct checking *c, const struct error *e);
void check_put_advice(struct checking *c, const struct advice *advice);

void check_kernel(struct checking *c);
void check_virtual(struct checking *c);
void check_container(struct checking *c);
void check_privilege(struct checking *c);
void check_user_space(struct checking *c);
void check_kernel_side(struct checking *c);
void check_all_cpus(struct checking *c);
void check_by(struct checking *c);
void check_core_pmus(struct checking *c);
void check_watchdog(struct checking *c);
void check_holders(struct checking *c);
void check_pmus(struct checking *c);
void check_counts(struct checking *c);
void check_breakpoints(struct checking *c);
void check_tracepoints(struct checking *c);
void check_user_probes(struct checking *c);
void check_cgroups(struct checking *c);
void check_libpfm(struct checking *c);
void check_names(struct checking *c);
void check_libelf(struct checking *c);
void check_metrics(struct checking *c);
/* The conclusion from the other lines. */
void check_conclusion(struct checking *c);

/* For people; width: of the terminal. A line that equals an earlier one refers to it. */
void check_print(FILE *out, const struct check *check, size_t width);
/* Writes JSON Lines. */
void check_write(FILE *out, const struct check *check);
