/* functions: the functions of programs and libraries that --regions names, and the user probes at their entries and
 * returns.
 *
 *   PATH:FUNCTION  PATH:GLOB  PATH:0xOFFSET  usdt:PATH:PROVIDER:BEGIN-END
 *
 * separated by commas. PATH and FUNCTION are as in uprobe: (probe.h). The last functions are the empty functions of
 * pfmstat, whose calls show the cost of the probes (calls.h).
 *
 * Order of calls: zero-initialize; functions_add; functions_add_calibration; dynprobes_define for the probes;
 * functions_calibrate; functions_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "calls/calls.h"
#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

#define FUNCTIONS_MAX 64 /* a sample has a count for each probe */

struct functions {
	struct strings names;  /* as the user wrote them, or the matches of a glob */
	enum call_kind *kinds; /* for each of these */
	struct event *probes;
	size_t n_probes;
	/* for each probe: */
	size_t *of;    /* its function; from names.n on, an empty one */
	bool *returns; /* false: at the entry */
};

/* Returns 0 or -errno. notes: functions that a glob leaves out. */
int functions_add(struct functions *f, const char *list, struct strings *notes, struct error *e);
/* The probes at a function's entry and at its return. function: its index. */
int functions_add_probes(struct functions *f, size_t function, const char *entry, const char *end, struct error *e);

/* True if the compiler has made copies of the function, which have no probes (inlined.h). */
bool functions_have_copies(const struct functions *f, size_t function);

/* True if the event is a probe where the function, or with SIZE_MAX any function, has one. Of two probes at one place,
 * either may be hit first. */
bool functions_have_place(const struct functions *f, size_t function, const struct event *event);

/* functions_empty.c: adds an empty function for each kind of the functions. */
int functions_add_calibration(struct functions *f, struct error *e);

/* Calls the empty functions in a new process, waits for its end, and returns its id; or -errno if it could not be
 * started. */
pid_t functions_calibrate(const struct functions *f);

void functions_free(struct functions *f);
