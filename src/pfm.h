/* pfm: micro-architectural events by name through libpfm4. The only file that knows the library; it is loaded
 * (dlopen) when the first name needs it, and never otherwise.
 *
 * Names: EVENT[:UMASK…][:attr=value…][:modifiers], PMU::EVENT…; ':' and '.' separate, names are case-insensitive.
 * u, k, h and perf's letters are applied by modifier.h, not by the library; a segment that is one of the event's own
 * umasks or attributes (exact case for single letters) is the library's.
 */
#pragma once

#include <stdbool.h>

#include "error.h"
#include "event.h"
#include "modifier.h"
#include "text.h"

struct pfm; /* a loaded library; one for the process, made by pfm_load */

/* Takes the whole name with its modifiers, or fails (the last resolver: it never answers 0).
 * Its own modifiers and perf's letters among the segments go into m. */
int pfm_resolve(const char *name, struct event *event, struct modifiers *m, struct error *e);

/* Offer the names of the PMUs that are active here (of the PMU before '::' where the word has one). */
void pfm_suggest(struct suggest *s);

struct pfm_entry {
	const char *pmu;  /* "skl" */
	const char *name; /* "skl::INST_RETIRED:ANY_P" */
	const char *description;
	bool present; /* the PMU is on this machine */
};
/* Every event and umask of the active PMUs, or of all PMUs that match when pattern holds "::". 0 or -errno. */
int pfm_each(const char *pattern, void (*each)(void *arg, const struct pfm_entry *entry), void *arg, struct error *e);

/* The library's version ("4.13.0" as far as it tells) and the active PMUs' names, for --check. 0 or -errno. */
int pfm_describe(char *version, size_t size, struct strings *pmus, struct error *e);
