/* probe: user and kernel probes through the dynamic `uprobe` and `kprobe` PMUs, nothing left behind in tracefs.
 *
 *   uprobe:PATH:SYMBOL[+0xOFF]  uprobe:PATH:0xOFFSET  uretprobe:…  kprobe:FUNC[+0xOFF]  kretprobe:FUNC
 *
 * A symbol becomes a file offset through the ELF file's symbol tables (libelf, loaded when first needed). A relative
 * PATH or a bare program name (searched in PATH) is made absolute. "\:" is a colon that belongs to the path.
 */
#pragma once

#include "error.h"
#include "event.h"

/* See event.h for the return value. config1 points to config1_string; config2 is the offset. */
int probe_resolve(const char *name, struct event *event, struct error *e);
