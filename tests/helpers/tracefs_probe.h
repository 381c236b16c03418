/* Where the machine lets this user read tracefs, found without the program under test: where it is usually mounted, or
 * below a mount that nobody else sees. */
#pragma once

#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEFS_USUAL "/sys/kernel/tracing"
#define TRACEFS_FILE  "events/raw_syscalls/sys_enter/id"

/* The descriptor of such a mount, to be kept open; -1: none can be had. */
static inline int tracefs_probe_mount(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount = -1;

	if (context >= 0 && syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	if (context >= 0)
		close(context);
	if (mount >= 0 && faccessat(mount, TRACEFS_FILE, R_OK, 0)) {
		close(mount);
		mount = -1;
	}
	return mount;
}

/* Its path, by which other processes of this user's can open it, too; 0, or -1 when there is none. It lasts as long as
 * this process. */
static inline int tracefs_probe(char *path, size_t size)
{
	int mount;

	if (access(TRACEFS_USUAL "/" TRACEFS_FILE, R_OK) == 0) {
		snprintf(path, size, "%s", TRACEFS_USUAL);
		return 0;
	}
	mount = tracefs_probe_mount();
	if (mount >= 0)
		snprintf(path, size, "/proc/%d/fd/%d", getpid(), mount);
	return mount >= 0 ? 0 : -1;
}
