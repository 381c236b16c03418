/* tracefs_mount: the directory in which tracefs is. It is /sys/kernel/tracing or, where that is empty, debugfs' tracing
 * directory, or wherever /proc/mounts has tracefs. Where nobody has mounted it, and the user may (CAP_SYS_ADMIN, Linux
 * 5.2), it is a mount that is in no namespace: nobody else sees it, no command inherits it, and it ends with its
 * descriptor.
 *
 * Order of calls: zero-initialize; tracefs_is_mounted and tracefs_root as often as wanted, the first of which looks for
 * the directory; tracefs_unmount.
 */
#pragma once

#include <stdbool.h>

struct tracefs {
	char *root; /* NULL: not found yet; a test sets its own */
	int mount;  /* our own mount's descriptor, which is none of the standard ones; 0: none */
	int error;  /* an errno value: why we have no mount of our own; 0: none was tried */
};

/* Without a mount of our own. */
bool tracefs_is_mounted(struct tracefs *t);

/* The directory that holds events/; the usual one when there is none anywhere and none can be had. */
const char *tracefs_root(struct tracefs *t);

/* Frees, too. What was opened below our own mount stays open. */
void tracefs_unmount(struct tracefs *t);
#define auto_tracefs __attribute__((cleanup(tracefs_unmount)))
