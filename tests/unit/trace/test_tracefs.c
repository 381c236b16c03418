/* Tracepoints from a made-up tree, with files as no kernel writes them, and from the kernel's tree if it can be read:
 * there the ids are checked against the format files, and the effect of :u on each against counts. */
#include "trace/tracefs.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/util.h"
#include "machine.h"
#include "os/kernel.h"
#include "scratch.h"
#include "tap.h"

static const char format_switch[] = "name: sched_switch\nID: 372\nformat:\n"
				    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				    "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
				    "\tfield:const char *file;\toffset:32;\tsize:8;\tsigned:0;\n\n"
				    "print fmt: \"field:%d;\", REC->x\n";

static void put_tree(const char *root)
{
	scratch_put(root, "available_events",
		    "syscalls:sys_exit_read\nsyscalls:sys_enter_read\nraw_syscalls:sys_enter\nsched:sched_switch\n"
		    "sched:sched_wakeup\nsched:sched_stat_runtime\nmine:probe\nmine:kernel\nodd:word\nodd:empty\n");
	scratch_put(root, "events/enable", "0\n");
	scratch_put(root, "events/sched/enable", "0\n");
	scratch_put(root, "events/sched/sched_switch/id", "372\n");
	scratch_put(root, "events/sched/sched_switch/format", format_switch);
	scratch_put(root, "events/sched/sched_wakeup/id", "373\n");
	scratch_put(root, "events/sched/sched_wakeup/format", "garbled\n\tfield:;\n\tfield:x\n");
	scratch_put(root, "events/sched/sched_stat_runtime/id", "374\n");
	scratch_put(root, "events/syscalls/sys_enter_read/id", "700\n");
	scratch_put(root, "events/syscalls/sys_exit_read/id", "701\n");
	scratch_put(root, "events/raw_syscalls/sys_enter/id", "30\n");
	scratch_put(root, "events/ftrace/bprint/format", "");
	scratch_put(root, "events/mine/probe/id", "2000\n");
	scratch_put(root, "events/mine/kernel/id", "2001\n");
	scratch_put(root, "events/odd/word/id", "seven\n");
	scratch_put(root, "events/odd/empty/id", "");
	scratch_put(root, "uprobe_events", "p:mine/probe2 /bin/a:0x1\nr:mine/probe /bin/sh:0x1234 arg1=%di\n");
	scratch_put(root, "secret/id", "1\n");
}

static void test_resolve(struct tracefs *t)
{
	static const struct {
		const char *name;
		int taken;
		unsigned id;
		bool kernel_side;
	} table[] = {
		{"sched:sched_switch", 18, 372, true},       {"sched:sched_switch:u", 18, 372, true},
		{"syscalls:sys_enter_read", 23, 700, false}, {"raw_syscalls:sys_enter", 22, 30, true},
		{"mine:probe:u", 10, 2000, false},           {"mine:kernel", 11, 2001, true},
		{"sched:sched_stat_runtime", 24, 374, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct event event = {0};
		struct error e = {0};

		is_number(tracefs_resolve(t, table[i].name, &event, &e), table[i].taken, table[i].name);
		is_number(event.attr.type, PERF_TYPE_TRACEPOINT, "… type");
		is_number(event.attr.config, table[i].id, "… id");
		ok(event.kernel_side == table[i].kernel_side, "… its side, by the registers that it samples");
		ok(event.full_name && strncmp(event.full_name, table[i].name, (size_t)table[i].taken) == 0 &&
			   strlen(event.full_name) == (size_t)table[i].taken,
		   "… full name, without modifiers");
		is_string(event.pmu, "tracepoint", "… PMU");
		is_string(event.unit, table[i].id == 374 ? "ns" : "", "… unit");
		event_free(&event);
	}
}

static void test_refuse(struct tracefs *t)
{
	static const struct {
		const char *name;
		int code;
		const char *text, *hint;
	} table[] = {
		{"sched:sched_swich", -ENOENT, "no tracepoint 'sched:sched_swich'", ""},
		{"sched:enable", -ENOENT, "no tracepoint", ""},
		{"ftrace:bprint", -ENOENT, "no tracepoint", ""},
		{"odd:word", -EINVAL, "not a number", ""},
		{"odd:empty", -EINVAL, "not a number", ""},
		{"cycles", 0, "", ""},
		{"cycles:u", 0, "", ""},
		{"sched", 0, "", ""},
		{"sched:", 0, "", ""},
		{":sched_switch", 0, "", ""},
		{"..:secret", 0, "", ""},
		{"sched:../secret", 0, "", ""},
		{"sched/../..:secret", 0, "", ""},
		{"sched:.", 0, "", ""},
		{"sched:..", 0, "", ""},
		{"mem:0x1000/4:rw", 0, "", ""},
		{"uprobe:/bin/sh:main", 0, "", ""},
		{"spr::INST_RETIRED:ANY_P", 0, "", ""},
		{"nosuch:event", 0, "", ""},
		{"enable:x", 0, "", ""},
		{"sched:sched_\x1b[1m", 0, "", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct event event = {0};
		struct error e = {0};
		int ret = tracefs_resolve(t, table[i].name, &event, &e);

		is_number(ret, table[i].code, table[i].name);
		if (!ok(strstr(e.text, table[i].text) && strstr(e.hint, table[i].hint), "… text and hint"))
			printf("# '%s' / '%s'\n", e.text, e.hint);
		ok(!event.full_name && !event.unit, "… event untouched");
	}
}

static void test_globs(struct tracefs *t)
{
	struct strings found = {0};
	struct error e = {0};

	ok(tracefs_is_glob("syscalls:sys_enter_*"), "a star behind the colon");
	ok(tracefs_is_glob("s*:sys_enter:u"), "a star before it");
	ok(tracefs_is_glob("sched:sched_s[wt]*"), "brackets");
	ok(tracefs_is_glob("sched:sched_switc?"), "a question mark");
	ok(!tracefs_is_glob("sched:sched_switch"), "not a glob");
	ok(!tracefs_is_glob("sched:sched_switch:u*"), "a star among the modifiers");
	ok(!tracefs_is_glob("cycles*"), "no colon");
	ok(!tracefs_is_glob("uprobe:/bin/[:main"), "a user probe with a path");
	ok(!tracefs_is_glob("spr::INST*"), "libpfm4's double colon");

	is_number(tracefs_expand(t, "s*:s*[hd]:u", &found, &e), 9, "the pattern without its modifiers");
	is_number(found.n, 3, "matches");
	is_string(found.n > 0 ? found.v[0] : "", "sched:sched_switch", "first");
	is_string(found.n > 1 ? found.v[1] : "", "syscalls:sys_enter_read", "second");
	is_string(found.n > 2 ? found.v[2] : "", "syscalls:sys_exit_read", "third");
	is_number(tracefs_expand(t, "*:*print*", &found, &e), -ENOENT, "a tracepoint without an id does not match");
	is_number(e.length, 9, "… and the error shows the pattern");
	is_number(tracefs_expand(t, "../*:id", &found, &e), -EINVAL, "a path is not a pattern");
	is_number(tracefs_expand(t, "*:..", &found, &e), -EINVAL, "nor is the directory above");
	is_number(found.n, 3, "… and nothing was added");
	strings_free(&found);
}

static void collect(void *arg, const struct event_entry *entry)
{
	strings_add(arg, "%s|%s", entry->name, entry->description);
}

static void test_lists(struct tracefs *t)
{
	struct suggest one = {.word = "sched:sched_wakup"}, other = {.word = "shced:sched_wakeup"};
	auto_free char *fields = NULL, *none = NULL;
	struct strings all = {0};
	char buf[256];

	tracefs_each(t, NULL, collect, &all);
	is_number(all.n, 10, "every tracepoint, nothing else");
	ok(strings_has(&all, "sched:sched_switch|"), "... without fields, which would be a file each");
	strings_free(&all);
	fields = tracefs_fields(t, "sched:sched_switch");
	is_string(fields, "fields: prev_comm, prev_pid, name, file", "the names of its fields");
	none = tracefs_fields(t, "sched:sched_wakeup");
	is_string(none, "", "a garbled format has no fields");
	tracefs_each(t, one.word, event_offer, &one);
	is_string(suggest_finish(&one, buf, sizeof(buf)), "did you mean sched:sched_wakeup or sched:sched_switch?",
		  "a similar name in its subsystem");
	tracefs_each(t, other.word, event_offer, &other);
	is_string(suggest_finish(&other, buf, sizeof(buf)), "did you mean sched:sched_wakeup?",
		  "a similar name in another subsystem");
}

/* What a user without rights finds, as bits; run in a separate process. */
static int denied_faults(struct tracefs *t)
{
	struct strings found = {0};
	struct event event = {0};
	struct error e = {0};

	if (geteuid() == 0 && setresuid(65534, 65534, 65534))
		return 16;
	return (tracefs_check(t, &e) != -EACCES) | (tracefs_resolve(t, "sched:sched_switch", &event, &e) != 0) << 1 |
	       (tracefs_expand(t, "sched:*", &found, &e) != -EACCES) << 2 |
	       (strstr(e.hint, "remount,mode=750,gid=GROUP ") == NULL) << 3;
}

/* As another user, who may not open the file or enter the directory. */
static void check_denied(struct tracefs *t, const char *closed, mode_t mode, const char *what)
{
	int status = 0;
	pid_t pid;

	chmod(closed, 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(denied_faults(t));
	waitpid(pid, &status, 0);
	is_number(status, 0, what);
	chmod(closed, mode);
}

static void test_denied(struct tracefs *t)
{
	auto_free char *id = xasprintf("%s/events/sched/sched_switch/id", t->root);
	auto_tracefs struct tracefs nowhere = {.root = xstrdup("/nonexistent")};
	struct error e = {0};

	is_number(tracefs_check(t, &e), 0, "a readable tracefs");
	is_number(tracefs_check(&nowhere, &e), -ENOENT, "no tracefs");
	ok(strstr(e.hint, geteuid() == 0 ? "mount -t tracefs nodev /nonexistent"
					 : "mount -t tracefs -o mode=750,gid=GROUP nodev /nonexistent"),
	   "… how to mount it so that this user may read it");
	check_denied(t, id, 0644, "closed ids are denied");
	check_denied(t, t->root, 0755, "a closed directory is denied");
}

/* The count of 100 getppid calls of this process. */
static long long count_getppid(struct perf_event_attr *attr)
{
	uint64_t value = 0;
	auto_close int fd = -1;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_kernel = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return -EIO;
	return (long long)value;
}

static void test_kernel_sides(struct tracefs *t)
{
	static const char *const names[] = {"syscalls:sys_enter_getppid", "raw_syscalls:sys_enter"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event event = {0};
		struct error e = {0};
		long long count;

		if (tracefs_resolve(t, names[i], &event, &e) <= 0) {
			printf("ok %d - %s # SKIP this kernel has no such tracepoint\n", ++tap_run, names[i]);
			continue;
		}
		count = count_getppid(&event.attr);
		if (count < 0)
			printf("ok %d - %s # SKIP not allowed to count it\n", ++tap_run, names[i]);
		else
			is_number(count, event.kernel_side ? 0 : 100, names[i]);
		event_free(&event);
	}
}

static void check_listed(void *arg, const struct event_entry *entry)
{
	*(size_t *)arg += strchr(entry->name, ':') != NULL;
}

static void test_kernel(void)
{
	auto_tracefs struct tracefs t = {0};
	struct event event = {0};
	struct error e = {0};
	const char *cannot = machine_has_no_tracefs();
	char format[512];
	unsigned id = 0;
	size_t listed = 0;

	if (cannot) {
		printf("ok %d - the kernel's own # SKIP %s\n", ++tap_run, cannot);
		return;
	}
	is_number(tracefs_check(&t, &e), 0, "the kernel's own");
	is_number(tracefs_resolve(&t, "sched:sched_switch", &event, &e), 18, "sched:sched_switch");
	if (file_readf(format, sizeof(format), "%s/events/sched/sched_switch/format", tracefs_root(&t)) > 0 &&
	    sscanf(format, "name: sched_switch ID: %u", &id) == 1)
		is_number(event.attr.config, id, "the id its format file gives");
	event_free(&event);
	test_kernel_sides(&t);
	tracefs_each(&t, NULL, check_listed, &listed);
	ok(listed > 100, "hundreds of tracepoints");
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;
	auto_tracefs struct tracefs t = {0};

	if (!mkdtemp(dir) || chmod(dir, 0755))
		return 1;
	t.root = xasprintf("%s/tracing", dir);
	put_tree(t.root);
	test_resolve(&t);
	test_refuse(&t);
	test_globs(&t);
	test_lists(&t);
	test_denied(&t);
	test_kernel();
	scratch_remove(dir);
	return tap_done();
}
