/* Where this user can read tracefs on this machine, found without pfmstat: at its usual mount point, or below a private
 * mount. */
#pragma once

#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEFS_USUAL "/sys/kernel/tracing"
#define TRACEFS_FILE  "events/raw_syscalls/sys_enter/id"

/* Returns the descriptor of a private mount, which stays open; -1 if it is impossible. */
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

/* Returns its path, by which other processes of this user can open it; 0, or -1 if there is none. It lasts as long as
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
