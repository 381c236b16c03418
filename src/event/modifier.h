/* modifier: what follows an event's name after ':' (or a PMU's closing '/').
 *
 * perf's letters (u k h G H I p..ppp P S D W e b) mean what they mean in perf, whatever resolved the name; libpfm4's
 * words (u k h mg mh period freq precise excl cpu pinned hw_smpl, each with an optional =value) mean what they mean
 * there. One segment is what stands between two colons. Segments add up: `:u:k` is `:uk`.
 *
 * Two things perf 6.1 does are not taken over: it counts guests too when the letters hold none of u, p, G, H (so that
 * cycles:k may exceed cycles), and it ignores P.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

struct modifiers {
	unsigned counted;  /* modes, a bit each: user, kernel, hypervisor (none: all); guest, host (none: host, as in
			      perf) */
	unsigned excluded; /* modes taken away by u=0 and the like */
	bool exclude_idle, precise_max, pinned, exclusive, weak;
	unsigned precise;       /* 0..3 */
	int cpu;                /* -1: any */
	struct strings ignored; /* those a counting tool has no use for, as written: S, b, period=…, freq=…, hw_smpl */
};

#define MODIFIERS_NONE ((struct modifiers){.cpu = -1})

/* One of libpfm4's words? The library adds them to every PMU's own attributes. */
bool modifier_is_word(const char *name, size_t n);

/* One segment of n bytes (no colons; empty adds nothing), added to m. 0 or -EINVAL with the error's token counted from
 * segment. */
int modifiers_parse(struct modifiers *m, const char *segment, size_t n, struct error *e);

/* A whole tail, ":u:k" or "uk" (after a PMU's slash). error->at counts from tail. */
int modifiers_parse_tail(struct modifiers *m, const char *tail, struct error *e);

/* Put them into the event's attr and flags. Where no u, k, h was given the exclude bits stay as they are; likewise
 * those of guest and host, precise_ip and the rest. */
void modifiers_apply(const struct modifiers *m, struct event *event);

void modifiers_free(struct modifiers *m);
#define auto_modifiers __attribute__((cleanup(modifiers_free)))
