/* probe: user and kernel probes through the dynamic `uprobe` and `kprobe` PMUs, which leave nothing in tracefs.
 *
 *   uprobe:PATH:SYMBOL[+OFF]  uprobe:PATH:0xOFFSET  uretprobe:…  kprobe:FUNC[+OFF]  kretprobe:FUNC
 *
 * A symbol becomes a file offset through the ELF file's symbol tables (libelf, loaded when first needed). A relative
 * PATH is made absolute; a name without a slash is searched in $PATH, then here, then, with ".so" in it, in the
 * directories of this program's own libraries. Links are not resolved: the kernel follows them, and /proc/PID/root
 * must stay what it is. "\:" is a colon that belongs to the path. OFF: decimal or 0x hexadecimal.
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"

/* See event.h for the return value. config1 points to config1_string; config2 is the offset. event is filled
 * only on success. */
int probe_resolve(const char *name, struct event *event, struct error *e);

enum file_change {
	FILE_UNCHANGED,
	FILE_REPLACED, /* by another, as by a build: the probe stays with the one that was there when it was resolved */
	FILE_CHANGED,  /* something else may be at the probe's place, or another file was there in between */
};

/* Of a user probe, since it was resolved. */
enum file_change probe_file_change(const struct event *event);

/* If the file has been replaced or changed, resolve the probe again, for the next open. 1: done, 0: it is the same; or
 * -errno. */
int probe_renew(struct event *event, struct error *e);

/* Set astray_task and astray_file of a user probe: does one of these n tasks run the file that was there before, or the
 * one that its own root directory has at this path? */
void probe_find_astray(struct event *event, const pid_t *ids, size_t n);
