/* hotplug: CPUs that go offline and come online, as the kernel tells it (a netlink socket of its uevents), so that
 * nobody has to look again and again. No privilege is needed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A descriptor to poll, or -errno (a container may have none: then only a look at the end tells). */
int hotplug_open(void);

enum hotplug_kind {
	HOTPLUG_NONE, /* no more for now */
	HOTPLUG_OFFLINE,
	HOTPLUG_ONLINE,
	HOTPLUG_MISSED, /* messages were lost: look for yourself */
};

/* The next that happened, and to which CPU. */
enum hotplug_kind hotplug_next(int fd, int *cpu);

/* What a uevent of n bytes says: HOTPLUG_NONE when it is about something else. */
enum hotplug_kind hotplug_parse(const char *message, size_t n, int *cpu);
