/* tracefs: tracepoints, `subsystem:name`. Nothing is scanned unless a name is a glob or is not found.
 *
 * The directory is looked for when it is first needed: /sys/kernel/tracing or, where that is empty, debugfs' tracing
 * directory, or wherever /proc/mounts has tracefs. Where it is not mounted and the user may mount it (CAP_SYS_ADMIN,
 * Linux 5.2), we make a mount that is in no namespace: no other process sees it, no command inherits it, and it ends
 * with its descriptor.
 *
 * Order of calls: zero-initialize; anything in any order; tracefs_unmount.
 */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"
#include "lib/util.h"

struct tracefs {
	char *root; /* NULL: not found yet; a test sets its own */
	int mount;  /* our own mount's descriptor, which is none of the standard ones; 0: none */
	int error;  /* an errno value: why we have no mount of our own; 0: none was tried */
};

/* Without a mount of our own. */
bool tracefs_is_mounted(struct tracefs *t);

/* The directory that holds events/; the usual one when there is none anywhere and none can be had. */
const char *tracefs_root(struct tracefs *t);

/* Why no tracepoint can be named at all: fills e and returns -errno when tracefs cannot be had or not be read. */
int tracefs_check(struct tracefs *t, struct error *e);

/* One tracepoint, no glob. See event.h for the return value; a name whose subsystem is no tracepoint subsystem is not
 * its kind (0), nor is any name where tracefs cannot be read: when it is not found elsewhere, resolve asks
 * tracefs_check. event is filled only on success. */
int tracefs_resolve(struct tracefs *t, const char *name, struct event *event, struct error *e);

/* Is `name` (up to its end or modifiers) a pattern of tracepoints: a ':' and one of * ? [ in it, and no slashes? Names
 * of other kinds (`uprobe:`…) are for resolve to tell apart. */
bool tracefs_is_glob(const char *name);
/* The names that match, sorted, into matches. Bytes of name taken, or -errno (-ENOENT: none match). */
int tracefs_expand(struct tracefs *t, const char *name, struct strings *matches, struct error *e);

/* Every tracepoint, with its fields as the description. near: a word "subsystem:name" that names none, or NULL. For
 * such a word descriptions are empty, and only the tracepoints of its subsystem are walked if there is one. */
void tracefs_each(struct tracefs *t, const char *near, event_each *each, void *arg);

/* Frees, too. What was opened below our own mount stays open. */
void tracefs_unmount(struct tracefs *t);
#define auto_tracefs __attribute__((cleanup(tracefs_unmount)))
