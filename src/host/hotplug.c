#include "host/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cpuset.h"
#include "lib/util.h"

#define UEVENTS_OF_KERNEL 1 /* the multicast group; 2 is udev's */

int hotplug_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = UEVENTS_OF_KERNEL};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	int error;

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

enum hotplug_kind hotplug_parse(const char *message, size_t n, int *cpu)
{
	bool online = n > 1 && message[1] == 'n';
	const char *prefix = online ? "online@/devices/system/cpu/cpu" : "offline@/devices/system/cpu/cpu";
	long number;

	if (strnlen(message, n) == n || strncmp(message, prefix, strlen(prefix)) != 0 ||
	    parse_long(message + strlen(prefix), 0, CPU_NUMBER_MAX, &number) < 0)
		return HOTPLUG_NONE;
	*cpu = (int)number;
	return online ? HOTPLUG_ONLINE : HOTPLUG_OFFLINE;
}

enum hotplug_kind hotplug_next(int fd, int *cpu)
{
	for (;;) {
		struct sockaddr_nl sender = {0};
		socklen_t size = sizeof(sender);
		char message[8192];
		ssize_t n = recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&sender, &size);
		enum hotplug_kind kind;

		if (n < 0)
			return errno == ENOBUFS ? HOTPLUG_MISSED : HOTPLUG_NONE;
		if (sender.nl_pid != 0) /* not the kernel */
			continue;
		kind = hotplug_parse(message, (size_t)n, cpu);
		if (kind != HOTPLUG_NONE)
			return kind;
	}
}
