/* usdt: the probes that a program's author has put into it (SystemTap's SDT), from the notes of its ELF file
 * (.note.stapsdt). A probe has a provider and a name, and often several places; each is an instruction that does
 * nothing. If there is a semaphore, the program passes the place only while that is not 0: the kernel counts it up.
 */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"

/* Offsets in the file. */
struct usdt_place {
	uint64_t offset;
	uint64_t semaphore; /* 0: none */
};

struct usdt_places {
	struct usdt_place *v; /* to be freed */
	size_t n;
};

/* The places of the probe, "PROVIDER:NAME". -ENOENT: the file has no such probe, -ENOEXEC: it is no ELF file. */
int usdt_find(const char *path, const char *probe, struct usdt_places *places, struct error *e);

/* The probes that match the pattern, each once; -ENOENT: none. */
int usdt_match(const char *path, const char *pattern, struct strings *probes, struct error *e);
