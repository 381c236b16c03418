/* The questions of --check that are answered by looking: the machine, its users, libraries and files. */
#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/check_internal.h"
#include "event/abi.h"
#include "host/environment.h"
#include "host/procfs.h"
#include "pfm/pfm.h"
#include "pmu/pmu.h"
#include "pmu/pmu_kind.h"
#include "pmu/vendor_files.h"
#include "trace/dwarf.h"
#include "trace/symbol.h"

#define USERS_MAX 5 /* processes with open performance events that are named */

/* ---- the machine ---- */

void check_kernel(struct checking *c)
{
	struct utsname u;

	if (uname(&u) == 0)
		check_put(c, CHECK_OK, NULL, "%s %s, %s", u.sysname, u.release, u.machine);
}

/* Reads sysfs, since the PMU may exist but be forbidden for this user. */
static const char *describe_core_pmu(void)
{
	char pmu[256];

	if (access(SYSFS_ROOT, F_OK) < 0)
		return "it is unknown whether it has a hardware PMU";
	return pmu_name(SYSFS_ROOT, PERF_TYPE_RAW, pmu, sizeof(pmu)) == 0 ? "it has a hardware PMU"
									  : "it has no hardware PMU";
}

void check_virtual(struct checking *c)
{
	if (environment_is_virtual(""))
		check_put(c, CHECK_OK, NULL, "a virtual machine; %s", describe_core_pmu());
	else
		check_put(c, CHECK_OK, NULL, "no sign of a virtual machine");
}

void check_container(struct checking *c)
{
	auto_free char *kind = environment_container("");
	auto_strings struct strings found = {0};
	auto_free char *all = NULL;
	struct privilege p;

	privilege_look(&p);
	if (kind)
		strings_add(&found, "%s", kind);
	if (access("/proc/self/ns", F_OK) == 0 && !procfs_names_all_tasks())
		strings_add(&found, "a separate PID namespace");
	if (p.user_namespace)
		strings_add(&found, "a separate user namespace, whose root is not the machine's");
	all = strings_join(&found, "; ");
	check_put(c, CHECK_OK, NULL, "%s", all ? all : "no sign of a container");
}

void check_privilege(struct checking *c)
{
	static const struct {
		unsigned bit; /* include/uapi/linux/capability.h */
		const char *name;
	} names[] = {{38, "CAP_PERFMON"}, {21, "CAP_SYS_ADMIN"}, {19, "CAP_SYS_PTRACE"}, {2, "CAP_DAC_READ_SEARCH"}};
	auto_strings struct strings has = {0};
	auto_free char *all = NULL, *level = NULL;
	struct privilege p;

	privilege_look(&p);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (p.effective >> names[i].bit & 1)
			strings_add(&has, "%s", names[i].name);
	all = strings_join(&has, ", ");
	level = p.paranoid == PRIVILEGE_UNKNOWN ? xstrdup("cannot be read") : xasprintf("is %ld", p.paranoid);
	check_put(c, CHECK_OK, NULL, "user id %u with %s%s; kernel.perf_event_paranoid %s", (unsigned)geteuid(),
		  all ? all : "no relevant capability",
		  all && p.user_namespace ? " (of a user namespace: without effect here)" : "", level);
}

/* ---- PMUs and their users ---- */

void check_watchdog(struct checking *c)
{
	enum watchdog watchdog = environment_watchdog("");

	if (watchdog == WATCHDOG_IS_ON)
		check_put(c, CHECK_PART, WATCHDOG_OFF,
			  "the NMI watchdog is on (kernel.nmi_watchdog=1), and holds a counter of each CPU if it uses "
			  "the PMU");
	else if (watchdog == WATCHDOG_IS_OFF)
		check_put(c, CHECK_OK, NULL, "the NMI watchdog is off (kernel.nmi_watchdog=0), and holds no counter");
	else
		check_put(c, CHECK_OK, NULL,
			  "the kernel has no NMI watchdog, or does not show it (kernel.nmi_watchdog)");
}

/* The caller frees the text. */
static char *event_of_user(const struct perf_user *user)
{
	auto_strings struct strings pmus = {0};
	const char *name = abi_name(user->type, user->config), *pmu = "PMU";
	uint32_t type;

	if (!user->has_event)
		return xstrdup("");
	if (name)
		return xasprintf(", of them %s", name);
	(void)directory_list(SYSFS_ROOT, &pmus);
	for (size_t i = 0; i < pmus.n; i++)
		if (pmu_type(SYSFS_ROOT, pmus.v[i], &type) == 0 && type == user->type)
			pmu = pmus.v[i];
	return xasprintf(", of them %s/config=0x%" PRIx64 "/", pmu, user->config);
}

/* Before Linux 7.2 the kernel does not show the events of others; only events pinned to CPUs hold counters. */
void check_holders(struct checking *c)
{
	struct perf_users users = {0};
	auto_strings struct strings names = {0};
	auto_free char *all = NULL;
	const char *unseen;

	if (access("/proc/self", F_OK) < 0) {
		check_put(c, CHECK_PART, "as root: mount -t proc proc /proc",
			  "no process is visible: /proc is not mounted");
		return;
	}
	perf_users_find(&users, "/proc");
	users.hidden |= !procfs_names_all_tasks();
	unseen = users.hidden ? "; some processes cannot be inspected" : "";
	for (size_t i = 0; i < users.n && i < USERS_MAX; i++) {
		struct proc_status status = procfs_read_status(users.v[i].pid);
		auto_free char *event = event_of_user(&users.v[i]);

		strings_add(&names, "%s (process %d): %zu%s", status.name, (int)users.v[i].pid, users.v[i].n, event);
	}
	if (users.n > USERS_MAX)
		strings_add(&names, "%zu more processes", users.n - USERS_MAX);
	all = strings_join(&names, ", ");
	if (all)
		check_put(c, CHECK_OK, NULL,
			  "other processes have events open, which hold counters if they are pinned: %s%s", all,
			  unseen);
	else
		check_put(c, CHECK_OK, NULL, "no other %sprocess has events open%s", users.hidden ? "visible " : "",
			  unseen);
	free(users.v);
}

void check_pmus(struct checking *c)
{
	auto_strings struct strings all = {0}, names = {0};
	auto_free char *text = NULL;

	(void)directory_list(SYSFS_ROOT, &all);
	for (size_t i = 0, n; i < all.n; i += n) {
		auto_free char *kind = NULL;

		for (n = 1; i + n < all.n && pmu_is_like(SYSFS_ROOT, all.v[i + n], all.v[i]);)
			n++;
		kind = n > 1 ? pmu_kind(SYSFS_ROOT, &(struct strings){.v = all.v + i, .n = n}) : NULL;
		if (kind)
			strings_add(&names, "%s (%zu)", kind, n);
		else if (!pmu_is_core(SYSFS_ROOT, all.v[i]))
			strings_add(&names, "%s", all.v[i]);
	}
	text = strings_join(&names, ", ");
	if (all.n)
		check_put(c, CHECK_OK, NULL, "%s", text ? text : "only core PMUs");
	else
		check_put(c, CHECK_FAIL, MOUNT_SYSFS, NO_SYSFS);
}

/* ---- libraries and files ---- */

void check_libpfm(struct checking *c)
{
	auto_strings struct strings pmus = {0};
	auto_free char *file = NULL, *all = NULL;
	struct error e = {0};
	size_t errata;

	if (pfm_describe(&pmus, &errata, &file, &e) < 0) {
		check_put_error(c, &e);
		return;
	}
	all = strings_join(&pmus, ", ");
	if (all && errata)
		check_put(c, CHECK_OK, NULL,
			  "%s; PMUs of this machine that it knows: %s; names with a wrong code, "
			  "which --errata corrects: %zu",
			  file, all, errata);
	else if (all)
		check_put(c, CHECK_OK, NULL, "%s; PMUs of this machine that it knows: %s", file, all);
	else
		check_put(c, CHECK_PART, NULL, "%s; " PFM_KNOWS_NONE, file);
}

/* What --names found. */
struct comparison {
	struct pfm_sources sources;
	size_t names, in_files;
	struct strings remarks; /* on names that have two codes */
	char pmu[64];           /* the PMU of the last name */
};

/* True for `cha1` after `cha0`: the names and codes of a kind are the same. */
static bool is_of_same_kind(const char *pmu, const char *before)
{
	static const char digits[] = "0123456789";
	size_t n = strlen(before);

	while (n && strchr(digits, before[n - 1]))
		n--;
	return strcmp(pmu, before) != 0 && n < strlen(before) && strncmp(pmu, before, n) == 0 && pmu[n] &&
	       strspn(pmu + n, digits) == strlen(pmu + n);
}

static void compare_name(void *arg, const struct event_entry *entry)
{
	struct comparison *c = arg;
	struct event event;

	/* libpfm4's own PMUs contain the kernel's names */
	if (strncmp(entry->pmu, "perf", 4) == 0 || is_of_same_kind(entry->pmu, c->pmu))
		return;
	snprintf(c->pmu, sizeof(c->pmu), "%s", entry->pmu);
	c->names++;
	if (!pfm_encode(entry->name, &c->sources, &event))
		return;
	if (event.remark && !strings_has(&c->remarks, event.remark)) /* as for the alias before it */
		strings_add(&c->remarks, "%s", event.remark);
	event_free(&event);
}

void check_names(struct checking *c)
{
	struct comparison found = {.sources = {.vendor = c->vendor, .errata = ERRATA_FIX, .compared = &found.in_files}};
	struct error e = {0};

	if (!c->names)
		return;
	(void)vendor_events_find(c->vendor, "", NULL, false, &e); /* reads the files */
	if (e.code || pfm_each(NULL, compare_name, &found, &e) < 0)
		check_put_error(c, &e);
	else if (found.names == 0)
		check_put(c, CHECK_PART, NULL, PFM_KNOWS_NONE);
	else
		check_put(c, found.in_files && !found.remarks.n ? CHECK_OK : CHECK_PART,
			  found.in_files ? NULL : "name this CPU's file: --metrics=FILE",
			  "libpfm4 has %zu names for this machine's PMUs; %zu of them are also in vendors' files; %zu "
			  "have "
			  "two codes",
			  found.names, found.in_files, found.remarks.n);
	for (size_t i = 0; i < found.remarks.n; i++)
		check_put(c, CHECK_PART, NULL, "%s", found.remarks.v[i]);
	strings_free(&found.remarks);
}

void check_libelf(struct checking *c)
{
	struct error e = {0};

	if (symbol_check_library(&e) < 0)
		check_put_error(c, &e);
	else if (dwarf_check_library(&e) < 0)
		check_put(
			c, CHECK_PART, e.hint,
			"functions can be named in user probes; the copies that compilers make of them are unknown: %s",
			e.text);
	else
		check_put(c, CHECK_OK, NULL, "functions can be named in user probes");
}

static int skip_object(void *arg, const struct vendor_object *object, struct error *e)
{
	(void)arg;
	(void)object;
	(void)e;
	return 0;
}

/* Reads also the files that a run reads only when it needs them. */
void check_metrics(struct checking *c)
{
	struct vendor_files *read = c->vendor->files;
	auto_free char *directory = vendor_files_directory();
	auto_strings struct strings files = {0};
	struct error e = {0};

	if (vendor_files_each(read, skip_object, NULL, &e) < 0)
		check_put_error(c, &e);
	else if (directory_list(directory, &files) == 0)
		check_put(c, CHECK_OK, NULL, "%zu file%s in %s", files.n, files.n == 1 ? "" : "s", directory);
	else if (read->n)
		check_put(c, CHECK_PART, "make install", "%zu file%s, but none are installed (%s)", read->n,
			  read->n == 1 ? "" : "s", directory);
	else
		check_put(c, CHECK_PART, "make install, or name a file: --metrics=FILE", "no files are installed (%s)",
			  directory);
}

/* ---- the conclusion ---- */

static const struct check_line *find_line(const struct checking *c, const char *name)
{
	const struct check_line *line = c->check->v;

	while (strcmp(line->name, name) != 0)
		line++;
	return line;
}

static bool is_ok(const struct checking *c, const char *name)
{
	return find_line(c, name)->state == CHECK_OK;
}

static const char *conclude_hardware(const struct checking *c)
{
	if (c->counts_hardware)
		return "yes";
	if (find_line(c, "core-pmu")->state == CHECK_PART)
		return "not known (see core-pmu)";
	if (find_line(c, "core-pmu")->pmu)
		return "no (others hold the counters)";
	if (!c->machine.pmus_known || c->machine.has_core_pmu)
		return "no (see core-pmu)";
	return environment_is_virtual("") ? "no (virtual machine without a PMU)" : "no (no PMU is visible)";
}

void check_conclusion(struct checking *c)
{
	bool user = is_ok(c, "user-space"), kernel = is_ok(c, "kernel-side"), cpus = is_ok(c, "all-cpus");
	bool all = user && kernel && cpus && c->counts_hardware;

	check_put(c,
		  all    ? CHECK_OK
		  : user ? CHECK_PART
			 : CHECK_FAIL,
		  NULL, "software events: %s; hardware events: %s; system-wide: %s",
		  !user    ? "no (see user-space)"
		  : kernel ? "yes"
			   : "yes, in user space",
		  conclude_hardware(c), cpus ? "yes" : "no (see all-cpus)");
}
