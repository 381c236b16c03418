/* tracefs: tracepoints, `subsystem:name`. Directories are scanned only if a name is a glob or is not found.
 *
 * The directory is found when it is first needed: /sys/kernel/tracing or, if this is empty, the tracing directory of
 * debugfs. If tracefs is not mounted there and the user may mount it (CAP_SYS_ADMIN, Linux 5.2), pfmstat mounts it in
 * no namespace: no other process sees the mount, no command inherits it, and it ends with its descriptor.
 *
 * Order of calls: zero-initialize; anything in any order; tracefs_unmount. */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/text.h"
#include "lib/util.h"

struct tracefs {
	char *root; /* NULL until it is searched; tests set it */
	int mount;  /* descriptor of the private mount, never a standard one; 0 without one */
	int error;  /* errno of the attempt to mount; 0 without an attempt */
};

/* True if tracefs is mounted at one of the two places; the private mount does not count. */
bool tracefs_is_mounted(struct tracefs *t);

/* Returns the directory that contains events/; the usual one if tracefs is not available. */
const char *tracefs_root(struct tracefs *t);

/* Reports why no tracepoint can be named: fills e and returns -errno if tracefs cannot be mounted or read. */
int tracefs_check(struct tracefs *t, struct error *e);

/* Resolves one tracepoint, not a glob. See event.h for the return value; 0 also if the subsystem is unknown or tracefs
 * cannot be read: if no other resolver finds the name, resolve calls tracefs_check. event is filled only on success. */
int tracefs_resolve(struct tracefs *t, const char *name, struct event *event, struct error *e);

/* Sets the side of a tracepoint that another resolver found by its id; without tracefs it is the kernel's. */
void tracefs_complete(struct tracefs *t, struct event *event);

/* True if `name` (up to its end or modifiers) is a pattern of tracepoints: with a ':' and one of * ? [ in it, and
 * without slashes. resolve excludes names of other kinds (`uprobe:`…). */
bool tracefs_is_glob(const char *name);
/* Stores the matching names, sorted, in matches. Returns the bytes of name taken, or -errno (-ENOENT: no match). */
int tracefs_expand(struct tracefs *t, const char *name, struct strings *matches, struct error *e);

/* Stores where a field of this declaration ("int pid") is in the tracepoint's records, in bytes. Returns 0 or -errno.
 */
int tracefs_offset(struct tracefs *t, const char *name, const char *declaration, size_t *offset);

/* A field of a tracepoint's records: "int pid". */
struct tracefs_field {
	const char *declaration;
	size_t offset; /* in bytes */
};

/* Finds a tracepoint that pfmstat itself needs: its id, and the offsets of its fields. Returns 0 or -errno. */
int tracefs_find(const char *name, struct tracefs_field *fields, size_t n, uint64_t *id, struct error *e);

/* Lists every tracepoint, without a description. near: NULL, or a mistyped "subsystem:name". Then only the tracepoints
 * of its subsystem are listed, if it exists. */
void tracefs_each(struct tracefs *t, const char *near, event_each *each, void *arg);
/* Returns "fields: prev_comm, prev_pid, …", or "" if the tracepoint's format cannot be read or has none; the caller
 * frees it. Opens a file. */
char *tracefs_fields(struct tracefs *t, const char *name);

/* Also frees. Descriptors opened below the private mount stay open. */
void tracefs_unmount(struct tracefs *t);
#define auto_tracefs __attribute__((cleanup(tracefs_unmount)))
