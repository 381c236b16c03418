#include "event/tracefs_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <mntent.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/util.h"

#define TRACEFS_ROOT "/sys/kernel/tracing"
#define DEBUGFS_ROOT "/sys/kernel/debug/tracing"

/* Look for tracefs where it is not usually mounted. */
static char *mounts_search(void)
{
	FILE *mounts = setmntent("/proc/mounts", "r");
	char *found = NULL;

	if (!mounts)
		return NULL;
	for (const struct mntent *m; !found && (m = getmntent(mounts)) != NULL;) {
		if (strcmp(m->mnt_type, "tracefs") == 0)
			found = xstrdup(m->mnt_dir);
		else if (strcmp(m->mnt_type, "debugfs") == 0)
			found = xasprintf("%s/tracing", m->mnt_dir);
		if (found) {
			auto_free char *events = xasprintf("%s/events", found);

			if (access(events, F_OK) == 0)
				break;
			free(found);
			found = NULL;
		}
	}
	endmntent(mounts);
	return found;
}

/* Its descriptor, or -errno. */
static int mount_own(void)
{
	auto_close int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int mount, error;

	if (context < 0 || syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
			     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	/* its files are root's, whoever may mount it */
	if (mount < 0 || faccessat(mount, "events", R_OK | X_OK, 0) == 0)
		return mount < 0 ? -errno : mount;
	error = errno;
	close(mount);
	return -error;
}

bool tracefs_is_mounted(struct tracefs *t)
{
	if (t->root)
		return !t->mount && !t->error;
	if (access(TRACEFS_ROOT "/events", F_OK) == 0 || errno == EACCES)
		t->root = xstrdup(TRACEFS_ROOT);
	else if (access(DEBUGFS_ROOT "/events", F_OK) == 0)
		t->root = xstrdup(DEBUGFS_ROOT);
	else
		t->root = mounts_search();
	return t->root != NULL;
}

const char *tracefs_root(struct tracefs *t)
{
	int mount;

	if (tracefs_is_mounted(t) || t->root)
		return t->root;
	mount = mount_own();
	if (mount >= 0) {
		t->root = xasprintf("/proc/self/fd/%d", mount);
		t->mount = mount;
		if (access(t->root, F_OK) == 0)
			return t->root;
		tracefs_unmount(t); /* no /proc, so no path leads to it */
		mount = -ENOENT;
	}
	t->error = -mount;
	t->root = xstrdup(TRACEFS_ROOT);
	return t->root;
}

void tracefs_unmount(struct tracefs *t)
{
	if (t->mount)
		close(t->mount);
	free(t->root);
	*t = (struct tracefs){0};
}
