/* tracefs: tracepoints, `subsystem:name`, from the directory that tracefs_mount finds or makes when it is first needed.
 * Nothing is scanned unless a name is a glob or is not found.
 */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "event/tracefs_mount.h"
#include "lib/error.h"
#include "lib/text.h"
#include "lib/util.h"

/* One tracepoint, no glob. See event.h for the return value; a name whose subsystem is no tracepoint subsystem is not
 * its kind (0), nor is any name where tracefs cannot be read: when it is not found elsewhere, resolve asks
 * tracefs_check. event is filled on success alone. */
int tracefs_resolve(struct tracefs *t, const char *name, struct event *event, struct error *e);

/* Is `name` (up to its end or modifiers) a glob over tracepoints: a ':' and one of * ? [ in it? No slashes, and not
 * the name of another kind of event in front (`uprobe:`…). */
bool tracefs_is_glob(const char *name);
/* The names that match, sorted, into matches. Bytes of name taken, or -errno (-ENOENT: none match). */
int tracefs_expand(struct tracefs *t, const char *name, struct strings *matches, struct error *e);

/* Why no tracepoint can be named at all: fills e and returns -errno when tracefs cannot be had or not be read. */
int tracefs_check(struct tracefs *t, struct error *e);

/* Offer near names for `subsystem:name`. Scans one subsystem, or all when the subsystem itself is unknown. */
void tracefs_suggest(struct tracefs *t, struct suggest *s);

/* Every tracepoint, with its fields as the description, for --list. */
void tracefs_each(struct tracefs *t, void (*each)(void *arg, const char *name, const char *description), void *arg);
