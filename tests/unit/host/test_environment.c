/* environment: facts from made-up machines; missing or garbled files mean nothing. */
#include "host/environment.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "tap.h"

static void check_machine(const char *cpuinfo, bool expected, const char *what)
{
	char root[] = SCRATCH_TEMPLATE;

	scratch_make(root);
	if (cpuinfo)
		scratch_put(root, "proc/cpuinfo", cpuinfo);
	ok(environment_is_virtual(root) == expected, what);
	scratch_remove(root);
}

static void test_machines(void)
{
	check_machine(NULL, false, "an empty tree is not a virtual machine");
	check_machine("processor\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n", true, "a flag");
	check_machine("model name\t: hypervisor\nflags\t\t: fpu vme\nbugs\t\t: a hypervisor\n", false,
		      "a name is not a flag");
}

/* Checks the result for a machine with one file; NULL: nothing. */
static void check_container(const char *path, const char *text, const char *expected, const char *what)
{
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *got = NULL;

	scratch_make(root);
	if (path)
		scratch_put(root, path, text);
	got = environment_container(root);
	if (expected)
		is_string(got, expected, what);
	else
		ok(!got, what);
	scratch_remove(root);
}

static void test_containers(void)
{
	check_container(NULL, NULL, NULL, "an empty tree is not a container");
	check_container(".dockerenv", "", "Docker (/.dockerenv)", "Docker's file, which is empty");
	check_container("run/.containerenv", "", "Podman (/run/.containerenv)", "Podman's");
	check_container("run/systemd/container", "systemd-nspawn\n", "systemd-nspawn (/run/systemd/container)",
			"the name that systemd wrote");
	check_container("run/systemd/container", "\n", NULL, "nothing written down");
}

static enum watchdog watchdog_of(const char *text)
{
	char root[] = SCRATCH_TEMPLATE;
	enum watchdog watchdog;

	scratch_make(root);
	if (text)
		scratch_put(root, "proc/sys/kernel/nmi_watchdog", text);
	watchdog = environment_watchdog(root);
	scratch_remove(root);
	return watchdog;
}

static void test_watchdog(void)
{
	is_number(watchdog_of("1\n"), WATCHDOG_IS_ON, "the watchdog is on");
	is_number(watchdog_of("0\n"), WATCHDOG_IS_OFF, "it is off");
	is_number(watchdog_of(NULL), WATCHDOG_UNKNOWN, "there is no file");
	is_number(watchdog_of(""), WATCHDOG_UNKNOWN, "an empty file");
	is_number(watchdog_of("yes\n"), WATCHDOG_UNKNOWN, "no number");
}

static void put_descriptor(const char *proc, const char *pid, const char *fd, const char *target)
{
	auto_free char *directory = xasprintf("%s/%s", proc, pid), *fds = xasprintf("%s/fd", directory);
	auto_free char *path = xasprintf("%s/%s", fds, fd);

	mkdir(directory, 0755);
	mkdir(fds, 0755);
	if (fd && *fd && symlink(target, path) < 0)
		abort();
}

static void put_fdinfo(const char *proc, const char *pid, const char *fd, const char *text)
{
	auto_free char *directory = xasprintf("%s/%s/fdinfo", proc, pid), *path = xasprintf("%s/fdinfo/%s", pid, fd);

	mkdir(directory, 0755);
	scratch_put(proc, path, text);
}

static void test_users(void)
{
	char proc[] = SCRATCH_TEMPLATE;
	auto_free char *self = xasprintf("%d", (int)getpid());
	struct perf_users users = {0};

	scratch_make(proc);
	put_descriptor(proc, "200", "3", "anon_inode:[perf_event]");
	put_descriptor(proc, "200", "4", "anon_inode:[perf_event]");
	put_descriptor(proc, "200", "5", "anon_inode:[perf_event] (deleted)");
	put_descriptor(proc, "30", "7", "anon_inode:[perf_event]");
	put_descriptor(proc, "30", "8", "anon_inode:[eventpoll]");
	put_descriptor(proc, "31", "0", "/dev/null");
	put_descriptor(proc, self, "3", "anon_inode:[perf_event]");
	put_descriptor(proc, "nonsense", "3", "anon_inode:[perf_event]");
	put_descriptor(proc, "99999999999999999999", "3", "anon_inode:[perf_event]");
	put_fdinfo(proc, "200", "3", "pos:\t0\nperf_event_attr.type:\t1\nperf_event_attr.config:\t0x3\n");
	put_fdinfo(proc, "200", "4", "pos:\t0\nperf_event_attr.type:\t4\nperf_event_attr.config:\t0x1c2\n");
	put_fdinfo(proc, "30", "7", "pos:\t0\nflags:\t02000002\n");
	perf_users_find(&users, proc);
	ok(users.n == 2 && users.v[1].has_event && users.v[1].type == 4 && users.v[1].config == 0x1c2,
	   "the event that may hold a counter, not the software event");
	ok(users.n == 2 && !users.v[0].has_event, "an older kernel names no event");
	is_number(users.n, 2, "two processes have events open");
	ok(users.n == 2 && users.v[0].pid == 30 && users.v[0].n == 1, "the one with the lower pid has one");
	ok(users.n == 2 && users.v[1].pid == 200 && users.v[1].n == 2, "the other has two");
	ok(users.hidden, "without process 1 there may be more");
	free(users.v);
	users = (struct perf_users){0};
	put_descriptor(proc, "1", "0", "/dev/null");
	perf_users_find(&users, proc);
	ok(!users.hidden, "with process 1, all are visible");
	free(users.v);
	scratch_remove(proc);
	users = (struct perf_users){0};
	perf_users_find(&users, proc);
	ok(users.hidden && users.n == 0, "no directory at all");
}

int main(void)
{
	test_machines();
	test_containers();
	test_watchdog();
	test_users();
	return tap_done();
}
