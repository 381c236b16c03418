/* pfm: micro-architectural events by name through libpfm4. Only the files pfm* know the library; it is loaded (dlopen)
 * when the first name needs it, and never otherwise.
 *
 * Names: EVENT[:UMASK…][:attr=value…][:modifiers], PMU::EVENT…; ':' and '.' separate, names are case-insensitive.
 * A glob for PMU, as in `skx_unc_imc*::EVENT`, means all that match, which count the event together.
 * u, k, h and perf's letters are applied by modifier.h, not by the library; a segment that is one of the event's own
 * umasks or attributes (exact case for single letters) is the library's.
 *
 * The library reads LIBPFM_FORCE_PMU, LIBPFM_DISABLED_PMUS and LIBPFM_ENCODE_INACTIVE from the environment when it is
 * loaded; they are the user's, never set here, and ignored where capabilities are lent (rights.h). The functions load
 * it as needed, in any order; nothing is freed.
 */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "event/modifier.h"
#include "lib/error.h"
#include "lib/text.h"
#include "lib/util.h"

#define PFM_KNOWS_NONE "libpfm4 knows no CPU PMU of this machine"

/* Takes the whole name with its modifiers, or fails (the last resolver: it never answers 0).
 * Its own modifiers and perf's letters among the segments go into m, for the caller to apply.
 * -ENOENT: no such event or PMU; -EINVAL: wrong attributes; -ENODEV: the PMU is not on this machine, or the kernel has
 * none for it; -ENOSYS: no usable libpfm4. */
int pfm_resolve(const char *name, struct event *event, struct modifiers *m, struct error *e);

/* May an event of libpfm4 be counted here? -ENODEV when its PMU is another machine's: LIBPFM_ENCODE_INACTIVE=1 resolves
 * those, to show their encoding, and counting one would count something else. 0 for all other events. */
int pfm_check_present(const struct event *event, struct error *e);

/* Offer the event names of the PMUs that are active here (of the PMU before '::' where the word has one), each
 * followed by the word's own umasks and modifiers. */
void pfm_suggest(struct suggest *s);

/* Every event and umask of the active PMUs, or of all PMUs that match when pattern holds "::". An event that needs a
 * umask is not there without one. 0 or -errno. */
int pfm_each(const char *pattern, event_each *each, void *arg, struct error *e);

/* Which PMUs of this machine the library knows, but for the kernel's own generic events ("skl", "rapl"), and its file's
 * name, whose end is its version ("libpfm.so.4.13.0"; to be freed): pfm_get_version is 4.0 for all of them. 0 or
 * -ENOSYS. */
int pfm_describe(struct strings *pmus, char **file, struct error *e);
