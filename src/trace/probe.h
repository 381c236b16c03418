/* probe: user and kernel probes through the dynamic `uprobe` and `kprobe` PMUs, which leave nothing in tracefs.
 *
 *   uprobe:PATH:SYMBOL[+OFF]  uprobe:PATH:0xOFFSET  uretprobe:…  kprobe:FUNC[+OFF]  kretprobe:FUNC
 *   usdt:PATH:PROVIDER:NAME
 *
 * A symbol becomes a file offset through the ELF file's symbol tables (libelf, loaded when first needed). A relative
 * PATH is made absolute; a name without a slash is searched in $PATH, then in the current directory, then, if it
 * contains ".so", in the directories of pfmstat's libraries. Links are not resolved: the kernel follows them, and
 * /proc/PID/root must stay as written. "\:" is a colon in the path. OFF: decimal or 0x hexadecimal. */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

/* See event.h for the return value. config1 points to config1_string; config2 is the offset. event is filled only on
 * success. */
int probe_resolve(const char *name, struct event *event, struct error *e);

/* True if the place of a user probe is a pattern (glob(7)) of functions or of USDT probes. */
bool probe_is_glob(const char *name);
/* Adds the names of its matches, with a note on names that are left out. Returns the bytes of name taken, or -errno. */
int probe_expand(const char *name, struct strings *matches, struct strings *notes, struct error *e);

/* Calls back for each function that a name "uprobe:PATH:GLOB" matches, with an entry for --list. */
int probe_each(const char *name, event_each *each, void *arg, struct error *e);

/* Returns an event of several places (event.instances) as it is at one of them; the caller frees it. */
void probe_instance(struct event *one, const struct event *event, const char *where);

/* True if the file of a user probe was replaced or written to since it was resolved: the probe stays in the old file.
 * False if there is no file now. */
bool probe_file_changed(const struct event *event);
