/* dynprobe: the text written to tracefs, which definitions of others stay, and events whose probe cannot be defined. A
 * directory with plain files replaces tracefs. */
#include "trace/dynprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "resolve/eventlist.h"
#include "scratch.h"
#include "tap.h"
#include "trace/probe.h"

static void put(const char *path, const char *text)
{
	auto_fclose FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0)
		exit(1);
}

static char *get(const char *root, const char *name)
{
	char buf[8192];

	if (file_readf(buf, sizeof(buf), "%s/%s", root, name) < 0)
		exit(1);
	return xstrdup(buf);
}

static unsigned long long namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static char *own_group(void)
{
	return xasprintf("pfmstat_%llu_%d", namespace(), getpid());
}

/* A process that has been and is no more. */
static pid_t gone(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void put_id(const char *root, const char *name, const char *id)
{
	auto_free char *group = own_group();
	auto_free char *events = xasprintf("%s/events", root), *in = xasprintf("%s/%s", events, group);
	auto_free char *event = xasprintf("%s/%s", in, name), *path = xasprintf("%s/id", event);

	mkdir(events, 0755);
	mkdir(in, 0755);
	mkdir(event, 0755);
	put(path, id);
}

static char *make_root(const char *dir, const char *name)
{
	char *root = xasprintf("%s/%s", dir, name);
	auto_free char *user = xasprintf("%s/uprobe_events", root), *kernel = xasprintf("%s/kprobe_events", root);

	mkdir(root, 0755);
	put(user, "");
	put(kernel, "");
	return root;
}

static struct event_list list_at(const char *root)
{
	return (struct event_list){.tracefs.root = xstrdup(root)};
}

static struct event *add_probe(struct event_list *list, bool user, const char *where, uint64_t offset, bool at_return)
{
	struct event *event = ARRAY_PUSH(list->events, list->n);

	event_init(event, EVENT_PROBE);
	event->user_side = user;
	event->kernel_side = !user;
	event->config1_string = xstrdup(where);
	event->at_return = at_return;
	event->attr.config = at_return;
	event->attr.config2 = offset;
	return event;
}

static int anchor(uint64_t tracepoint)
{
	return tracepoint == 13 ? -EACCES : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void test_commands(const char *dir)
{
	auto_free char *root = make_root(dir, "commands"), *group = own_group();
	auto_free char *user = NULL, *kernel = NULL;
	auto_free char *expected_user =
		xasprintf("p:%s/u0 /bin/true:0x1230(0x900)\nr:%s/u1 /bin/a+b-c_d:0x10\n-:%s/u0\n-:%s/u1", group, group,
			  group, group);
	auto_free char *expected_kernel =
		xasprintf("p:%s/k0 do_exit+16\nr4096:%s/k1 schedule+0\n-:%s/k0\n-:%s/k1", group, group, group, group);
	struct event_list list = list_at(root);
	struct dynprobes d = {0};
	struct error e;

	add_probe(&list, true, "/bin/true", 0x1230, false)->attr.config = 0x900ull << 32; /* a semaphore */
	add_probe(&list, false, "do_exit", 16, false);
	event_init(ARRAY_PUSH(list.events, list.n), EVENT_ABI);
	add_probe(&list, true, "/bin/a+b-c_d", 16, true);
	add_probe(&list, false, "schedule", 0, true);
	put_id(root, "u0", "1001\n");
	put_id(root, "k0", "1002\n");
	put_id(root, "u1", "1003\n");
	put_id(root, "k1", "1004\n");
	dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
	is_number(list.events[0].tracepoint, 1001, "a user probe has its definition's id");
	is_number(list.events[1].tracepoint, 1002, "and so has a kernel probe");
	is_number(list.events[2].tracepoint, 0, "other events have none");
	is_number(list.events[3].tracepoint, 1003, "a return");
	is_number(list.events[4].tracepoint, 1004, "a return in the kernel");
	ok(!list.events[0].not_inherited && !list.events[4].not_inherited, "all are inherited");
	is_number(dynprobes_remove(&d, &e), 0, "removed");
	user = get(root, "uprobe_events");
	kernel = get(root, "kprobe_events");
	is_string(user, expected_user, "the text written to uprobe_events");
	is_string(kernel, expected_kernel, "the text written to kprobe_events");
	event_list_free(&list);
}

static void test_others(const char *dir)
{
	auto_free char *root = make_root(dir, "others");
	static const struct {
		const char *name;
		bool kernel_side;
		size_t anchors;
		const char *what;
	} cases[] = {
		{"probe_libc:malloc", false, 1, "a user probe that somebody else has defined gets an anchor"},
		{"syscalls:sys_enter_read", false, 0, "a system call does not, though :u counts it"},
		{"sched:sched_switch", true, 0, "nor does any other tracepoint"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event_list list = list_at(root);
		struct event *event = ARRAY_PUSH(list.events, list.n);
		struct dynprobes d = {0};
		struct error e;

		event_init(event, EVENT_TRACEPOINT);
		event->full_name = xstrdup(cases[i].name);
		event->kernel_side = cases[i].kernel_side;
		dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
		is_number(d.n, cases[i].anchors, cases[i].what);
		dynprobes_remove(&d, &e);
		event_list_free(&list);
	}
}

/* A path that the kernel cannot parse is replaced by that of a descriptor, of the same file. */
static void test_paths(const char *dir)
{
	static const char *const names[] = {"a b", "a\tb",      "a\nb", "a#b",  "a:b", "a\\b", "a\"b",
					    "a'b", "a\xc3\xa4", "a%b",  "a(b)", "a;b", "\x7f"};
	auto_free char *group = own_group();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *root = make_root(dir, "paths"), *path = xasprintf("%s/%s", dir, names[i]);
		auto_free char *expected = xasprintf("p:%s/u0 /proc/self/fd/", group), *written = NULL;
		struct event_list list = list_at(root);
		struct dynprobes d = {0};
		struct error e;

		put(path, "");
		put_id(root, "u0", "7");
		add_probe(&list, true, path, 1, false);
		dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
		written = get(root, "uprobe_events");
		if (!ok(strncmp(written, expected, strlen(expected)) == 0 && strstr(written, ":0x1"), names[i]))
			printf("# '%s'\n", written);
		dynprobes_remove(&d, &e);
		event_list_free(&list);
	}
}

static void test_stale(const char *dir)
{
	auto_free char *root = make_root(dir, "stale"), *path = xasprintf("%s/uprobe_events", root);
	auto_free char *group = own_group(), *text = NULL, *written = NULL, *expected = NULL;
	unsigned long long ns = namespace();
	struct event_list list = list_at(root);
	struct dynprobes d = {0};
	struct error e;
	int dead = gone();

	text = xasprintf("p:pfmstat_%llu_%d/u0 /bin/a:0x1\nr3:pfmstat_%llu_%d/u1 /bin/a:0x1\n"
			 "p:pfmstat_%llu_%d/u0 /bin/a:0x1\np:pfmstat_%llu_%d/u0 /bin/a:0x1\n"
			 "p:pfmstat_%llu_%d/u0 /bin/a:0x1\np:pfmstat_%d/u0 /bin/a:0x1\np:probe_x/y /bin/a:0x1\n"
			 "p:pfmstat_%llu_-1/u0 /bin/a:0x1\n-garbled\n",
			 ns, dead, ns, dead, ns + 1, dead, ns, getppid(), ns, getpid(), dead, ns);
	expected = xasprintf("%s-:pfmstat_%llu_%d/u0\n-:pfmstat_%llu_%d/u1\n-:%s/u0\np:%s/u0 /bin/true:0x1\n-:%s/u0",
			     text, ns, dead, ns, dead, group, group, group);
	put(path, text);
	put_id(root, "u0", "7");
	add_probe(&list, true, "/bin/true", 1, false);
	dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
	dynprobes_remove(&d, &e);
	written = get(root, "uprobe_events");
	is_string(written, expected, "only definitions of runs that are gone are removed");
	event_list_free(&list);
}

static void test_refused(const char *dir)
{
	auto_free char *root = make_root(dir, "refused"), *none = xasprintf("%s/none", dir);
	struct event_list list = list_at(none);
	struct dynprobes d = {0}, nothing = {0};
	struct error e;

	add_probe(&list, true, "/bin/true", 1, false);
	dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
	is_number(list.events[0].tracepoint, 0, "without tracefs there is no definition");
	ok(list.events[0].not_inherited && strstr(list.events[0].not_inherited, "No such file"), "… and it says why");
	is_number(dynprobes_remove(&d, &e), 0, "… nothing is left to remove");
	event_list_free(&list);

	list = list_at(root);
	add_probe(&list, true, "/bin/true", 1, false);
	dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
	is_number(list.events[0].tracepoint, 0, "a definition without an id");
	ok(list.events[0].not_inherited != NULL, "… is not inherited");
	is_number(dynprobes_remove(&d, &e), 0, "… and is removed");
	event_list_free(&list);

	list = list_at(root);
	add_probe(&list, true, "/bin/true", 1, false);
	put_id(root, "u0", "13");
	dynprobes_define(&d, list.events, list.n, &list.tracefs, anchor);
	ok(list.events[0].tracepoint == 0 && strstr(list.events[0].not_inherited, "Permission denied"),
	   "without an anchor it is not inherited");
	dynprobes_remove(&d, &e);
	event_list_free(&list);

	list = list_at(root);
	add_probe(&list, true, "/bin/true", 1, false);
	dynprobes_foresee(list.events, list.n, &list.tracefs);
	ok(!list.events[0].not_inherited && !list.events[0].tracepoint, "predicted: it could be defined");
	event_list_free(&list);

	list = list_at(none);
	add_probe(&list, true, "/bin/true", 1, false);
	dynprobes_foresee(list.events, list.n, &list.tracefs);
	ok(list.events[0].not_inherited != NULL, "predicted: it could not");
	event_list_free(&list);

	list = list_at(none);
	event_init(ARRAY_PUSH(list.events, list.n), EVENT_ABI);
	dynprobes_define(&nothing, list.events, list.n, &list.tracefs, anchor);
	ok(!nothing.root, "without probes tracefs is left alone");
	is_number(dynprobes_remove(&nothing, &e), 0, "… to the end");
	event_list_free(&list);
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;

	if (!mkdtemp(dir))
		return 1;
	test_commands(dir);
	test_others(dir);
	test_paths(dir);
	test_stale(dir);
	test_refused(dir);
	scratch_remove(dir);
	return tap_done();
}
