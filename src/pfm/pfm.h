/* pfm: micro-architectural events by name through libpfm4. Only the files pfm* use the library, which is loaded
 * (dlopen) when the first name needs it.
 *
 * Names: EVENT[:UMASK…][:attr=value…][:modifiers], PMU::EVENT…; ':' and '.' separate, names are case-insensitive. A
 * glob for PMU, as in `skx_unc_imc*::EVENT`, means all matching PMUs, which count the event together. u, k, h and
 * perf's letters are applied by modifier.h, not by the library; a segment that is a umask or an attribute of the event
 * (exact case for single letters) goes to the library.
 *
 * The library reads LIBPFM_FORCE_PMU, LIBPFM_DISABLED_PMUS and LIBPFM_ENCODE_INACTIVE from the environment when it is
 * loaded; only the user sets them, and they are ignored if pfmstat's file has capabilities (rights.h). The functions
 * load the library as needed, in any order; nothing is freed. */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "event/modifier.h"
#include "lib/error.h"
#include "lib/text.h"
#include "lib/util.h"
#include "pmu/vendor_events.h"

#define PFM_KNOWS_NONE "libpfm4 knows no CPU PMU of this machine"

/* What to do with names that libpfm4 encodes as another event than the CPU's vendor: in a vendor's file (pfm_vendor.h),
 * or else in metrics/errata. */
enum errata {
	ERRATA_FIX,  /* use the vendor's code, with a remark; refuse codes of Intel's cores that count nothing */
	ERRATA_WARN, /* use the library's code, with a remark */
	ERRATA_OFF,
};

struct pfm_sources {
	struct vendor_events *vendor; /* NULL without files */
	enum errata errata;
	size_t *compared; /* incremented for each event that a file also defines; may be NULL */
};

/* Takes the whole name with its modifiers, or fails (it is the last resolver and never returns 0). Its modifiers and
 * perf's letters among the segments go into m, which the caller applies. Errors: -ENOENT (no such event or PMU),
 * -EINVAL (wrong attributes), -ENODEV (the PMU is not on this machine, or the kernel has none for it), -ENOSYS (no
 * usable libpfm4). */
int pfm_resolve(const char *name, const struct pfm_sources *sources, struct event *event, struct modifiers *m,
		struct error *e);

/* The same for a name of pfm_each, without reasons: false if the library does not encode it here, for example since its
 * PMU belongs to another machine. */
bool pfm_encode(const char *name, const struct pfm_sources *sources, struct event *event);

/* Checks that an event of libpfm4 can be counted here. Returns -ENODEV if its PMU belongs to another machine:
 * LIBPFM_ENCODE_INACTIVE=1 resolves such events to show their encoding, but here they would count something else.
 * Returns 0 for all other events. */
int pfm_check_present(const struct event *event, struct error *e);

/* Offers the event names of the active PMUs (or of the PMU before '::' in the word), each followed by the word's umasks
 * and modifiers. */
void pfm_suggest(struct suggest *s);

/* Lists every event and umask of the active PMUs, or of all PMUs that match if pattern contains "::"; with a glob, at
 * least those that it matches. An event that needs a umask is not listed without one. Returns 0 or -errno. */
int pfm_each(const char *pattern, event_each *each, void *arg, struct error *e);

/* Adds this machine's PMUs that the library knows, except the kernel's generic events ("skl", "rapl"), and stores how
 * many of their names it is known to encode wrongly and the name of the library's file, which ends in its version
 * ("libpfm.so.4.13.0"; the caller frees it): pfm_get_version returns 4.0 for all versions. Returns 0 or -ENOSYS. */
int pfm_describe(struct strings *pmus, size_t *errata, char **file, struct error *e);
