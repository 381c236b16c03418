/* check_internal: what the files of --check share: the lines, how they are added, and the functions that answer the
 * questions (check_machine.c: by looking; check_events.c: by trying). Nobody else includes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/util.h"
#include "rows/advice.h"

#define NO_SYSFS    "no PMU is listed: sysfs is not mounted at /sys, or the kernel has no performance events"
#define MOUNT_SYSFS "as root: mount -t sysfs sysfs /sys"

enum check_state { CHECK_OK, CHECK_PART, CHECK_FAIL };

struct check_line {
	const char *name; /* of the question; several lines may answer one */
	enum check_state state;
	char *text; /* what is so, or what is wrong */
	char *fix;  /* what would mend it; NULL: nothing is to be mended, or nothing helps */
	/* core-pmu: */
	char *pmu;       /* NULL: another line */
	char *cpus;      /* of a PMU of some cores only: a cpulist; NULL: all */
	size_t counters; /* that are free */
};

struct check {
	struct check_line *v;
	size_t n;
};

/* The question that is being answered. */
struct checking {
	struct check *check;
	const char *name;
	struct advice_machine machine;
	bool counts_hardware; /* some core PMU has a free counter */
};

/* Add a line. fix NULL or "": none. */
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
void check_breakpoints(struct checking *c);
void check_tracepoints(struct checking *c);
void check_user_probes(struct checking *c);
void check_cgroups(struct checking *c);
void check_libpfm(struct checking *c);
void check_libelf(struct checking *c);
void check_metrics(struct checking *c);
/* What the lines of the others come to. */
void check_conclusion(struct checking *c);

/* For people; width: of the terminal. Where a line says the same as an earlier one, that one is named. */
void check_print(FILE *out, const struct check *check, size_t width);
/* JSON Lines. */
void check_write(FILE *out, const struct check *check);
