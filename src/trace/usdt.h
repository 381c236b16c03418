/* usdt: the probes that a program's author has marked (SystemTap's SDT), from the notes of its ELF file
 * (.note.stapsdt). A probe has a provider and a name, and often several places; each place is an instruction that does
 * nothing. If there is a semaphore, the program executes the place only while the semaphore is not 0; the kernel
 * increments it. */
#pragma once

#include <stdint.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"

/* Offsets in the file. */
struct usdt_place {
	uint64_t offset;
	uint64_t semaphore; /* 0 without one */
};

struct usdt_places {
	struct usdt_place *v; /* to be freed */
	size_t n;
};

/* Finds the places of the probe "PROVIDER:NAME". Returns -ENOENT if the file has no such probe, -ENOEXEC if it is not
 * an ELF file. */
int usdt_find(const char *path, const char *probe, struct usdt_places *places, struct error *e);

/* Finds the probes that match the pattern, each once; -ENOENT if there are none. */
int usdt_match(const char *path, const char *pattern, struct strings *probes, struct error *e);

/* The kernel has one semaphore for all probes at a place: gives the user probes among these events the semaphore of a
 * USDT probe at the same place. The program's code there runs only with it. */
void usdt_share_semaphores(struct event *events, size_t n);
