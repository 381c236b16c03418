/* hotplug: CPUs that go offline and come online, from the kernel's uevents on a netlink socket. No privilege is needed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A descriptor to poll, or -errno, as in some containers. */
int hotplug_open(void);

enum hotplug_kind {
	HOTPLUG_NONE, /* no more for now */
	HOTPLUG_OFFLINE,
	HOTPLUG_ONLINE,
	HOTPLUG_MISSED, /* messages were lost */
};

/* What happened next, and to which CPU. */
enum hotplug_kind hotplug_next(int fd, int *cpu);

/* What a uevent of n bytes says; HOTPLUG_NONE: it is about something else. */
enum hotplug_kind hotplug_parse(const char *message, size_t n, int *cpu);
