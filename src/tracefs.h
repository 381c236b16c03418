/* tracefs: tracepoints, `subsystem:name`, from /sys/kernel/tracing (or, where that is empty, debugfs' tracing directory
 * or wherever /proc/mounts has tracefs). Nothing is scanned unless a name is a glob or is not found.
 *
 * The _at functions look below another directory than the kernel's; they are there for tests.
 */
#pragma once

#include <stdbool.h>

#include "error.h"
#include "event.h"
#include "text.h"
#include "util.h"

/* The directory that holds events/, for the caller to free; the usual one when there is none anywhere. */
char *tracefs_root(void);

/* One tracepoint, no glob. See event.h for the return value; a name whose subsystem is no tracepoint subsystem is not
 * its kind (0), nor is any name while tracefs is unreadable or not mounted: when it is not found elsewhere, eventlist
 * asks tracefs_check. event is filled on success alone. */
int tracefs_resolve(const char *name, struct event *event, struct error *e);
int tracefs_resolve_at(const char *root, const char *name, struct event *event, struct error *e);

/* Is `name` (up to its end or modifiers) a glob over tracepoints: a ':' and one of * ? [ in it? No slashes, and not
 * the name of another kind of event in front (`uprobe:`…). */
bool tracefs_is_glob(const char *name);
/* The names that match, sorted, into matches. Bytes of name taken, or -errno (-ENOENT: none match). */
int tracefs_expand(const char *name, struct strings *matches, struct error *e);
int tracefs_expand_at(const char *root, const char *name, struct strings *matches, struct error *e);

/* Why no tracepoint can be named at all: fills e and returns -errno when tracefs is not mounted or not readable. */
int tracefs_check(struct error *e);
int tracefs_check_at(const char *root, struct error *e);

/* Offer near names for `subsystem:name`. Scans one subsystem, or all when the subsystem itself is unknown. */
void tracefs_suggest(struct suggest *s);
void tracefs_suggest_at(const char *root, struct suggest *s);

/* Every tracepoint, with its fields as the description, for --list. */
void tracefs_each(void (*each)(void *arg, const char *name, const char *description), void *arg);
void tracefs_each_at(const char *root, void (*each)(void *arg, const char *name, const char *description), void *arg);
