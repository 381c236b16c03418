/* modifier: the text that follows an event's name after ':' (or a PMU's closing '/').
 *
 * perf's letters (u k h G H I p..ppp P S D W e b) mean the same as in perf, whichever resolver took the name; libpfm4's
 * words (u k h mg mh period freq precise excl cpu pinned hw_smpl, each with an optional =value) mean the same as in
 * libpfm4. A segment is the text between two colons. Segments add up: `:u:k` is `:uk`. Two values of one modifier
 * (`:u:u=0`) are an error.
 *
 * Two properties of perf 6.1 differ: perf also counts guests when the letters contain none of u, p, G, H (so that
 * cycles:k may exceed cycles), and it ignores P. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

struct modifiers {
	unsigned given;    /* a bit for each modifier before, with any value */
	unsigned counted;  /* modes, a bit each: user, kernel, hypervisor (none: all); guest, host (none: host, as in
			      perf) */
	unsigned excluded; /* modes excluded by u=0, k=0 and so on */
	bool exclude_idle, precise_max, pinned, exclusive, weak;
	unsigned precise;       /* 0..3 */
	int cpu;                /* -1: any CPU */
	struct strings ignored; /* modifiers without effect on counting, as written: S, b, period=…, freq=…, hw_smpl */
};

#define MODIFIERS_NONE ((struct modifiers){.cpu = -1})

/* True for one of libpfm4's words, which the library adds to the attributes of every PMU. */
bool modifier_is_word(const char *name, size_t n);

/* Adds one segment of n bytes (no colons; it may be empty) to m. Returns 0, or -EINVAL with a token that counts from
 * segment. */
int modifiers_parse(struct modifiers *m, const char *segment, size_t n, struct error *e);

/* Parses a whole tail, ":u:k" or "uk" (after a PMU's slash). error->at counts from tail. */
int modifiers_parse_tail(struct modifiers *m, const char *tail, struct error *e);

/* Applies the modifiers to the event's attr and flags. Without u, k and h, the exclude bits are unchanged; the same
 * holds for guest and host, precise_ip and the other fields. */
void modifiers_apply(const struct modifiers *m, struct event *event);

void modifiers_free(struct modifiers *m);
#define auto_modifiers __attribute__((cleanup(modifiers_free)))
