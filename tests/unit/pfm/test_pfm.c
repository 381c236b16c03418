/* pfm: libpfm4's answers must come through unchanged, modifiers must stay pfmstat's, and every refusal must name the
 * problem and its position. The oracle is the library, called directly for the same name; fixed encodings cover the
 * case that both calls are wrong in the same way. With 1 as argument: tests all events of some PMUs, not every eighth.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/util.h"
#include "os/kernel.h"
#include "pfm/pfm.h"
#include "pfm_names.h"
#include "pmu/pmu.h"
#include "pmu/sysfs.h"
#include "tap.h"

#ifndef PFM_NAMES_NONE

#define CODES (PFM_PLM0 | PFM_PLM3)

struct oracle {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attr_info;
};

static void oracle_symbol(void *handle, const char *name, void *pointer)
{
	void *address = dlsym(handle, name);

	memcpy(pointer, &address, sizeof(address));
}

static void oracle_open(struct oracle *o)
{
	void *handle = dlopen("libpfm.so.4", RTLD_NOW);

	oracle_symbol(handle, "pfm_initialize", &o->initialize);
	oracle_symbol(handle, "pfm_get_os_event_encoding", &o->encode);
	oracle_symbol(handle, "pfm_get_pmu_info", &o->pmu_info);
	oracle_symbol(handle, "pfm_get_event_next", &o->event_next);
	oracle_symbol(handle, "pfm_get_event_info", &o->event_info);
	oracle_symbol(handle, "pfm_get_event_attr_info", &o->attr_info);
	o->initialize();
}

/* Checks the library's report of what it did. It ORs c=2 with the c=1 of some umasks. Such a name must be refused. (The
 * library cuts its text off after 255 bytes.) */
static bool oracle_obeyed(const char *fstr, const char *name)
{
	static const char *const asked[][2] = {
		{":c=1", ":c=1:"}, {":c=2", ":c=2:"}, {":c=3", ":c=3:"}, {":e=1", ":e=1:"}, {":c=2:i", ":i=1:"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (strstr(name, asked[i][0]) && !strstr(fstr, asked[i][1]) && strlen(fstr) < 255)
			return false;
	return true;
}

static int oracle_encode(const struct oracle *o, const char *name, struct perf_event_attr *attr)
{
	auto_free char *fstr = NULL;
	pfm_perf_encode_arg_t arg = {.attr = attr, .fstr = &fstr, .size = sizeof(arg)};
	int rc;

	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	errno = 0;
	rc = o->encode(name, CODES, PFM_OS_PERF_EVENT_EXT, &arg);
	return rc == PFM_SUCCESS && !oracle_obeyed(fstr, name) ? PFM_ERR_ATTR : rc;
}

#endif

static const struct pfm_sources no_sources = {.errata = ERRATA_OFF};

/* strerrorname_np(3) is not in every C library. */
static const char *code_name(int code)
{
	return code == -EINVAL ? "EINVAL" : code == -ENODEV ? "ENODEV" : code == -ENOENT ? "ENOENT" : "another code";
}

/* One name with its modifiers applied, as one line: its attributes, or the error. */
static char *describe(const char *name)
{
	struct modifiers m = MODIFIERS_NONE;
	struct event event = {0};
	struct error e = {0};
	int rc = pfm_resolve(name, &no_sources, &event, &m, &e);
	char *line;

	if (rc < 0) {
		line = xasprintf("%s at %zu+%zu: %s | %s", code_name(rc), e.at, e.length, e.text, e.hint);
	} else {
		modifiers_apply(&m, &event);
		line = xasprintf("%s %s %d %x:%llx:%llx:%llx %s%s%s%s cpus=%s", event.full_name, event.pmu,
				 rc - (int)strlen(name), event.attr.type, (unsigned long long)event.attr.config,
				 (unsigned long long)event.attr.config1, (unsigned long long)event.attr.config2,
				 event.attr.exclude_user ? "" : "u", event.attr.exclude_kernel ? "" : "k",
				 event.attr.exclude_guest ? "" : "g", event.attr.exclusive ? "!" : "",
				 event.cpus ? event.cpus : "any");
	}
	event_free(&event);
	modifiers_free(&m);
	return line;
}

static void is_described(const char *name, const char *expected)
{
	auto_free char *got = describe(name);

	is_string(got, expected, name);
}

/* Refused with this errno and token, a text and a hint that hold these words. */
static void is_refused(const char *got, const char *start, const char *word, const char *hint, const char *what)
{
	const char *bar = strchr(got, '|');

	if (!ok(strncmp(got, start, strlen(start)) == 0 && strstr(got, word) && bar && strstr(bar, hint), what))
		printf("# got '%s'\n# expected '%s', '%s' and '%s'\n", got, start, word, hint);
}

static void refuses(const struct pfm_refusal *r)
{
	auto_free char *got = describe(r->name);

	is_refused(got, r->start, r->word, r->hint, r->name);
}

/* In a separate process, since the library reads the environment once; the setup may change the environment and more.
 */
static char *describe_apart(int (*setup)(void), const char *name)
{
	char buf[2048];
	size_t used = 0;
	ssize_t n;
	pid_t pid;
	int fds[2];

	fflush(stdout);
	if (pipe(fds) < 0 || (pid = fork()) < 0)
		return xstrdup("no process");
	if (pid == 0) {
		auto_free char *line = setup() == 0 ? describe(name) : xstrdup("SKIP");

		_exit(write(fds[1], line, strlen(line)) < 0);
	}
	close(fds[1]);
	while (used < sizeof(buf) - 1 && (n = read(fds[0], buf + used, sizeof(buf) - 1 - used)) > 0)
		used += (size_t)n;
	buf[used] = '\0';
	close(fds[0]);
	waitpid(pid, NULL, 0);
	return xstrdup(buf);
}

#ifndef PFM_NAMES_NONE

static int force_pmu(void)
{
	return setenv("LIBPFM_FORCE_PMU", FORCED_PMU, 1);
}

static int nothing(void)
{
	return unsetenv("LIBPFM_ENCODE_INACTIVE") || unsetenv("LIBPFM_FORCE_PMU");
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void put_pmu(const char *pmu, const char *type, const char *file, const char *cpus)
{
	char path[300];

	snprintf(path, sizeof(path), SYSFS_ROOT "/%s", pmu);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), SYSFS_ROOT "/%s/type", pmu);
	put(path, type);
	snprintf(path, sizeof(path), SYSFS_ROOT "/%s/%s", pmu, file);
	put(path, cpus);
}

/* PMUs of another machine, in a file system that only this process sees. */
static int mount_pmus(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("pmus", SYSFS_ROOT, "tmpfs", 0, NULL) < 0)
		return -1;
	return 0;
}

static int with_two_cores(void)
{
	if (mount_pmus() < 0)
		return -1;
	put_pmu("cpu_core", "4", "cpus", "0-3");
	put_pmu("cpu_atom", "10", "cpus", "4-7");
	return force_pmu();
}

static int with_uncore(void)
{
	if (mount_pmus() < 0)
		return -1;
	put_pmu("cpu", "4", "events", "");
	put_pmu(UNCORE_PMU, "14", "cpumask", "0,8");
	return setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

/* A machine with no PMU at all. */
static int without_uncore(void)
{
	return mount_pmus() < 0 ? -1 : setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

static void test_uncore(void)
{
	auto_free char *uncore = describe_apart(with_uncore, UNCORE_NAME);
	auto_free char *missing = describe_apart(without_uncore, UNCORE_NAME);

	if (strcmp(uncore, "SKIP") == 0) {
		printf("ok %d - uncore PMUs # SKIP machine: no mount namespaces, or not root\n", ++tap_run);
		return;
	}
	is_string(uncore, UNCORE_LINE, "an uncore event: dynamic type, cpumask, no exclude bits");
	is_refused(missing, "ENODEV", "the kernel has no PMU", "/sys/bus/event_source/devices",
		   "an uncore event without its PMU");
#ifdef PACKAGE_NAME
	free(missing);
	missing = describe_apart(without_uncore, PACKAGE_NAME);
	is_refused(missing, "ENODEV", PACKAGE_WORDS, "/sys/bus/event_source/devices",
		   "a package's event without its PMU");
#endif
}

static void test_apart(void)
{
	auto_free char *foreign = describe_apart(nothing, FOREIGN_NAME);
	auto_free char *bare = describe_apart(force_pmu, FORCED_BARE);
	auto_free char *typo = describe_apart(force_pmu, FORCED_TYPO);
	auto_free char *hybrid = describe_apart(with_two_cores, FORCED_BARE);
	auto_free char *at = xasprintf("ENODEV at 0+%zu", strlen(FOREIGN_PMU));

	is_refused(foreign, at, FOREIGN_PMU " is not on this machine", "LIBPFM_ENCODE_INACTIVE=1",
		   "another machine's PMU");
	is_string(bare, FORCED_LINE, "a bare name in lower case");
	is_refused(typo, "ENOENT at 0+", "no such event '", FORCED_NEAR, "a misspelt name");
	if (strcmp(hybrid, "SKIP") == 0)
		printf("ok %d - two core PMUs # SKIP machine: no mount namespaces, or not root\n", ++tap_run);
	else
		is_refused(hybrid, "ENODEV at 0+", "several core PMUs", "cpu_",
			   "the message on two core PMUs names them");
}

#endif

/* With debugfs the library also has the tracepoints. */
static int with_debugfs(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount("debug", "/sys/kernel/debug", "debugfs", 0, NULL);
}

static void test_debugfs(void)
{
	auto_free char *subsystem = describe_apart(with_debugfs, "perf::sched");
	auto_free char *event = describe_apart(with_debugfs, "perf::sched:sched_switch");

	if (strcmp(subsystem, "SKIP") == 0) {
		printf("ok %d - tracepoints of the library # SKIP needs root and debugfs\n", ++tap_run);
		return;
	}
	is_refused(subsystem, "EINVAL at 6+5", "subsystem", "", "a subsystem is not an event");
	ok(strncmp(event, "perf::sched:sched_switch perf 0 2:", 34) == 0, "a tracepoint through the library");
}

/* The kernel's events and raw ones, which the library has everywhere; then those of the architecture. */
static void test_encodings(void)
{
	static const struct pfm_encoding common[] = {
		{"perf_raw::r1a8:u", "perf_raw::r1a8 perf_raw 0 4:1a8:0:0 u cpus=any"},
		{"perf::PERF_COUNT_HW_CACHE_L1D:WRITE:ACCESS",
		 "perf::PERF_COUNT_HW_CACHE_L1D:WRITE:ACCESS perf 0 3:100:0:0 uk cpus=any"},
		{"perf::L1-dcache-load-misses:k",
		 "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS perf 0 3:10000:0:0 k cpus=any"},
		{"perf::PERF_COUNT_HW_CPU_CYCLES:e", "perf::PERF_COUNT_HW_CPU_CYCLES perf 0 0:0:0:0 uk! cpus=any"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		is_described(common[i].name, common[i].expected);
#ifndef PFM_NAMES_NONE
	for (size_t i = 0; i < ARRAY_SIZE(pfm_encodings); i++)
		is_described(pfm_encodings[i].name, pfm_encodings[i].expected);
#endif
}

static void test_refusals(void)
{
	static const struct pfm_refusal common[] = {
		{"nosuch::X", "ENOENT at 0+6", "no PMU 'nosuch'", ""},
		{"::X", "EINVAL at 0+2", "no PMU", ""},
		{"", "EINVAL", "has no event", ""},
		{"no_such_event_anywhere", "ENOENT at 0+22", "no such event", ""},
		{"perf::PERF_COUNT_HW_CACHE_L1D", "EINVAL at 6+23", "needs an access", "READ"},
		{"perf::PERF_COUNT_HW_CACHE_L1D:READ", "EINVAL at 6+23", "needs an access", "MISS"},
		{"perf::PERF_COUNT_HW_CACHE_L1D:READ:WRITE", "EINVAL at 35+5", "does not accept the umasks", "MISS"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		refuses(&common[i]);
#ifndef PFM_NAMES_NONE
	for (size_t i = 0; i < ARRAY_SIZE(pfm_refusals); i++)
		refuses(&pfm_refusals[i]);
#endif
}

/* An errno left over from before must not look like an overflow of the library's. */
static void test_errno(void)
{
	auto_free char *line = NULL;

	errno = ERANGE;
	line = describe("perf_raw::r1a8");
	is_string(line, "perf_raw::r1a8 perf_raw 0 4:1a8:0:0 uk cpus=any", "with ERANGE in errno");
}

#ifndef PFM_NAMES_NONE

struct sweep {
	const struct oracle *oracle;
	unsigned same, different, refused;
};

static bool same_encoding(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 && a->config2 == b->config2;
}

/* Resolve the name as asked, then by the full name it got: both must encode as the library says. */
static bool same_twice(const char *asked, const struct perf_event_attr *attr)
{
	struct modifiers m = MODIFIERS_NONE;
	struct event first = {0}, again = {0};
	struct error e;
	bool same = pfm_resolve(asked, &no_sources, &first, &m, &e) > 0 && same_encoding(&first.attr, attr) &&
		    pfm_resolve(first.full_name, &no_sources, &again, &m, &e) > 0 && same_encoding(&again.attr, attr);

	event_free(&first);
	event_free(&again);
	modifiers_free(&m);
	return same;
}

static void sweep_name(struct sweep *s, const char *name, const char *theirs)
{
	struct perf_event_attr attr;
	bool same;

	if (oracle_encode(s->oracle, theirs, &attr) == PFM_SUCCESS) {
		same = same_twice(name, &attr);
		s->same += same;
	} else {
		auto_free char *line = describe(name);

		same = line[0] == 'E'; /* an errno's name */
		s->refused += same;
	}
	s->different += !same;
	if (!same)
		printf("# differs: %s\n", name);
}

/* Alone, and with attributes that cores have. The library is asked for i=1, since it takes a bare i for the umask I
 * where there is one. */
static void sweep_forms(struct sweep *s, const char *name)
{
	static const char *const tails[][2] = {
		{"", ""}, {":c=1", ":c=1"}, {":c=2:i", ":c=2:i=1"}, {":e=1:c=3", ":e=1:c=3"}, {":u:k:i=0", ":u:k:i=0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		auto_free char *ours = xasprintf("%s%s", name, tails[i][0]);
		auto_free char *theirs = xasprintf("%s%s", name, tails[i][1]);

		sweep_name(s, ours, theirs);
	}
}

static void sweep_event(struct sweep *s, const char *pmu, int idx)
{
	pfm_event_info_t event = {.size = sizeof(event)};
	auto_free char *name = NULL;

	s->oracle->event_info(idx, PFM_OS_PERF_EVENT_EXT, &event);
	name = xasprintf("%s::%s", pmu, event.name);
	sweep_forms(s, name);
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = {.size = sizeof(attr)};

		s->oracle->attr_info(idx, i, PFM_OS_PERF_EVENT_EXT, &attr);
		if (attr.type == PFM_ATTR_UMASK) {
			auto_free char *umask = xasprintf("%s:%s", name, attr.name);

			sweep_forms(s, umask);
		}
	}
}

static bool is_swept(const char *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(pfm_swept); i++)
		if (strcmp(pfm_swept[i], pmu) == 0)
			return true;
	return false;
}

/* One event of each PMU out of step. */
static void test_sweep(const struct oracle *oracle, int step)
{
	for (int id = 0; id < PFM_PMU_MAX; id++) {
		struct sweep s = {.oracle = oracle};
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};
		auto_free char *what = NULL;

		if (oracle->pmu_info((pfm_pmu_t)id, &pmu) != PFM_SUCCESS || !is_swept(pmu.name))
			continue;
		for (int idx = pmu.first_event, n = 0; idx >= 0; idx = oracle->event_next(idx), n++)
			if (n % step == 0)
				sweep_event(&s, pmu.name, idx);
		what = xasprintf("%s: %u encodings as the library's, %u refusals like its own", pmu.name, s.same,
				 s.refused);
		ok(s.different == 0 && s.same > 30u / (unsigned)step, what);
	}
}

struct seen {
	unsigned n, foreign;
	bool described, alias;
};

static void see(void *arg, const struct event_entry *entry)
{
	struct seen *seen = arg;

	seen->n++;
	seen->foreign += strcmp(entry->pmu, FORCED_PMU) != 0;
	seen->described |= strcmp(entry->name, FORCED_NAME) == 0 && strlen(entry->description) > 20;
#ifdef FORCED_ALIAS
	seen->alias |= strcmp(entry->aliases, FORCED_ALIAS) == 0;
#else
	seen->alias = true;
#endif
}

static void test_each(void)
{
	struct seen seen = {0}, none = {0};
	struct error e;

	is_number(pfm_each(FORCED_PMU "::anything", see, &seen, &e), 0, "a PMU of another machine can be listed");
	ok(seen.n >= FORCED_EVENTS && seen.foreign == 0, "all of its events and no other");
	ok(seen.described && seen.alias, "with umasks and descriptions");
	is_number(pfm_each("nosuch::*", see, &none, &e), 0, "an unknown PMU is no error");
	is_number(none.n, 0, "and has no events");
}

static void test_present(void)
{
	struct modifiers m = MODIFIERS_NONE;
	struct event event = {0}, other = {.source = EVENT_ABI};
	struct error e = {0};

	is_number(pfm_check_present(&other, &e), 0, "the kernel's events always exist");
	if (pfm_resolve(FOREIGN_NAME, &no_sources, &event, &m, &e) > 0)
		is_number(pfm_check_present(&event, &e), -ENODEV, "an event of another machine's PMU is refused");
	event_free(&event);
	modifiers_free(&m);
}

#endif

/* There a raw event has the type of the PMU that is meant, or is refused: the guest topic `hybrid` is about that. */
static bool has_several_core_pmus(void)
{
	struct strings pmus = {0};
	unsigned n = 0;

	if (directory_list(SYSFS_ROOT, &pmus) == 0)
		for (size_t i = 0; i < pmus.n; i++)
			n += pmu_is_core(SYSFS_ROOT, pmus.v[i]);
	strings_free(&pmus);
	return n > 1;
}

int main(int argc, char **argv)
{
	void *handle = dlopen("libpfm.so.4", RTLD_LAZY);
#ifndef PFM_NAMES_NONE
	struct oracle oracle;
#endif

	if (!handle) {
		printf("ok %d - libpfm4 # SKIP libpfm.so.4 cannot be loaded\n", ++tap_run);
		return tap_done();
	}
	if (has_several_core_pmus()) {
		printf("ok %d - encodings # SKIP machine: several core PMUs\n", ++tap_run);
		return tap_done();
	}
	/* before the library is initialized in this process */
#ifndef PFM_NAMES_NONE
	test_apart();
	test_uncore();
#endif
	test_debugfs();
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	test_encodings();
	test_refusals();
	test_errno();
#ifndef PFM_NAMES_NONE
	test_each();
	test_present();
	oracle_open(&oracle);
	test_sweep(&oracle, argc > 1 ? atoi(argv[1]) : 8);
#else
	(void)argc;
	(void)argv;
	printf("ok %d - names of CPUs # SKIP %s\n", ++tap_run, PFM_NAMES_NONE);
#endif
	return tap_done();
}
