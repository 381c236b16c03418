#include "host/topology.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"

const char *aggr_mode_name(enum aggr_mode scope)
{
	static const char *const names[] = {
		[AGGR_TOTAL] = "total",     [AGGR_CPU] = "cpu",     [AGGR_CORE] = "core",
		[AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache", [AGGR_DIE] = "die",
		[AGGR_SOCKET] = "socket",   [AGGR_NODE] = "node",   [AGGR_THREAD] = "thread",
		[AGGR_PROCESS] = "process", [AGGR_COMM] = "comm",   [AGGR_CGROUP] = "cgroup",
		[AGGR_REGION] = "region",
	};

	return names[scope];
}

const char *aggr_mode_word(enum aggr_mode scope)
{
	return scope == AGGR_COMM ? "program" : aggr_mode_name(scope);
}

bool aggr_mode_is_of_tasks(enum aggr_mode scope)
{
	return scope == AGGR_THREAD || scope == AGGR_PROCESS || scope == AGGR_COMM;
}

/* ---- the CPUs of the machine ---- */

int topology_online(const char *root, struct cpuset *online, struct error *e)
{
	auto_free char *path = xasprintf("%s/cpu/online", root);
	int error = cpuset_read(online, path);

	if (error == 0 && online->n == 0)
		return error_set(e, ENODATA, "cannot read which CPUs are online: %s is empty", path);
	return error < 0 ? error_set(e, -error, "cannot read which CPUs are online: %s: %s", path, strerror(-error))
			 : 0;
}

int topology_end(const char *root)
{
	auto_free char *path = xasprintf("%s/cpu/possible", root);
	auto_cpuset struct cpuset possible = {0};

	if (cpuset_read(&possible, path) < 0 || !possible.n)
		return (int)sysconf(_SC_NPROCESSORS_CONF);
	return possible.cpus[possible.n - 1] + 1;
}

/* Returns the CPUs of wanted that are missing in there. */
static struct cpuset missing_from(const struct cpuset *wanted, const struct cpuset *there)
{
	struct cpuset missing = {0};

	for (size_t i = 0; i < wanted->n; i++)
		if (!cpuset_has(there, wanted->cpus[i]))
			*ARRAY_PUSH(missing.cpus, missing.n) = wanted->cpus[i];
	return missing;
}

static int cpus_error(const struct cpuset *missing, int code, const char *one, const char *many, struct error *e)
{
	auto_free char *text = cpuset_text(missing);

	return error_set(e, code, "CPU%s %s %s", missing->n == 1 ? "" : "s", text, missing->n == 1 ? one : many);
}

int topology_check(const char *root, const struct cpuset *wanted, struct error *e)
{
	auto_free char *path = xasprintf("%s/cpu/present", root);
	auto_cpuset struct cpuset online = {0}, present = {0}, missing = {0};
	const struct cpuset *there;
	int error = topology_online(root, &online, e);

	if (error < 0)
		return error;
	cpuset_read(&present, path);
	there = present.n ? &present : &online;
	missing = missing_from(wanted, there);
	if (missing.n) {
		auto_free char *text = cpuset_text(there);

		error = cpus_error(&missing, EINVAL, "does not exist", "do not exist", e);
		error_hint(e, "this machine has CPU%s %s", there->n == 1 ? "" : "s", text);
	} else {
		missing = missing_from(wanted, &online);
		if (missing.n) {
			error = cpus_error(&missing, ENODEV, "is offline", "are offline", e);
			error_hint(e, "to switch one on: echo 1 >/sys/devices/system/cpu/cpu%d/online",
				   missing.cpus[0]);
		}
	}
	return error;
}

/* ---- where a CPU is ---- */

/* Reads a number in the CPU's directory. Unknown to the firmware means -1, 65535 or no file: then all CPUs get 0. */
static int read_number(const struct topology *t, int cpu, const char *file)
{
	char text[32];
	long value;

	if (file_readf(text, sizeof(text), "%s/cpu/cpu%d/topology/%s", t->root, cpu, file) <= 0 ||
	    parse_long(text, 0, INT32_MAX, &value) < 0 || value == UINT16_MAX)
		return 0;
	return (int)value;
}

/* The CPU's directory has a link to its node, named node0, node1, … */
static int read_node(const struct topology *t, int cpu)
{
	auto_free char *path = xasprintf("%s/cpu/cpu%d", t->root, cpu);
	auto_strings struct strings names = {0};
	long node;

	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++)
		if (strncmp(names.v[i], "node", 4) == 0 && parse_long(names.v[i] + 4, 0, INT32_MAX, &node) == 0)
			return (int)node;
	return 0;
}

/* Returns the level of the CPU's index-th cache, 0 if it contains only instructions, or -errno if not found. */
static int read_cache_level(const struct topology *t, int cpu, int index)
{
	char text[32];
	long level;

	if (file_readf(text, sizeof(text), "%s/cpu/cpu%d/cache/index%d/level", t->root, cpu, index) <= 0 ||
	    parse_long(text, 1, 99, &level) < 0)
		return -ENOENT;
	if (file_readf(text, sizeof(text), "%s/cpu/cpu%d/cache/index%d/type", t->root, cpu, index) > 0 &&
	    strcmp(text, "Instruction") == 0)
		return 0;
	return (int)level;
}

/* A CPU without such a cache counts as the only one that shares it. */
static int read_cache(const struct topology *t, int cpu)
{
	char text[4097];
	int level;

	for (int index = 0; (level = read_cache_level(t, cpu, index)) >= 0; index++) {
		long first;

		if ((unsigned)level != t->cache_level)
			continue;
		if (file_readf(text, sizeof(text), "%s/cpu/cpu%d/cache/index%d/shared_cpu_list", t->root, cpu, index) <=
		    0)
			break;
		text[strspn(text, "0123456789")] = '\0'; /* of "8-11,40-43" */
		return parse_long(text, 0, CPU_NUMBER_MAX, &first) == 0 ? (int)first : cpu;
	}
	return cpu;
}

static unsigned last_cache_level(const struct topology *t, int cpu)
{
	unsigned last = 0;
	int level;

	for (int index = 0; (level = read_cache_level(t, cpu, index)) >= 0; index++)
		if ((unsigned)level > last)
			last = (unsigned)level;
	return last;
}

static struct place read_place(const struct topology *t, int cpu)
{
	struct place place = {.is_known = true};
	enum aggr_mode scope = t->scope;

	if (scope == AGGR_CPU)
		place.cpu = cpu;
	if (scope == AGGR_NODE)
		place.node = read_node(t, cpu);
	if (scope < AGGR_CORE || scope > AGGR_SOCKET)
		return place;
	place.socket = read_number(t, cpu, "physical_package_id");
	if (scope <= AGGR_DIE)
		place.die = read_number(t, cpu, "die_id");
	if (scope <= AGGR_CLUSTER)
		place.cluster = read_number(t, cpu, "cluster_id");
	if (scope == AGGR_CORE)
		place.core = read_number(t, cpu, "core_id");
	if (scope == AGGR_CACHE)
		place.cache = read_cache(t, cpu);
	return place;
}

const struct place *topology_place(struct topology *t, int cpu)
{
	size_t i = (size_t)cpu;

	if (i >= t->n) {
		size_t n = i + 1 > t->n * 2 ? i + 1 : t->n * 2;

		t->places = xreallocarray(t->places, n, sizeof(*t->places));
		memset(t->places + t->n, 0, (n - t->n) * sizeof(*t->places));
		t->n = n;
	}
	if (!t->places[i].is_known)
		t->places[i] = read_place(t, cpu);
	return &t->places[i];
}

int place_compare(const struct place *a, const struct place *b)
{
	const int pairs[][2] = {
		{a->node, b->node},   {a->socket, b->socket}, {a->die, b->die}, {a->cluster, b->cluster},
		{a->cache, b->cache}, {a->core, b->core},     {a->cpu, b->cpu},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	return 0;
}

/* ---- all of them ---- */

static int compare_without_cluster(const void *left, const void *right)
{
	struct place a = *(const struct place *)left, b = *(const struct place *)right;
	int order;

	a.cluster = b.cluster = 0;
	order = place_compare(&a, &b);
	return order ? order : place_compare(left, right);
}

/* True if each cluster numbers its cores from 0 (arm64 device trees), so that S0-D0-C0 would mean several cores. */
static bool cores_repeat(struct topology *t, const struct cpuset *cpus)
{
	auto_free struct place *sorted = xcalloc(cpus->n, sizeof(*sorted));

	for (size_t i = 0; i < cpus->n; i++)
		sorted[i] = *topology_place(t, cpus->cpus[i]);
	qsort(sorted, cpus->n, sizeof(*sorted), compare_without_cluster);
	for (size_t i = 1; i < cpus->n; i++) {
		const struct place *a = &sorted[i - 1], *b = &sorted[i];

		if (a->socket == b->socket && a->die == b->die && a->core == b->core && a->cluster != b->cluster)
			return true;
	}
	return false;
}

static int choose_cache(struct topology *t, const struct cpuset *cpus, struct error *e)
{
	unsigned last = 0;

	for (size_t i = 0; i < cpus->n && last == 0; i++)
		last = last_cache_level(t, cpus->cpus[i]);
	if (last == 0)
		return error_set(e, ENOENT, "this machine does not show which CPUs share a cache");
	if (t->cache_level == 0)
		t->cache_level = last;
	if (t->cache_level > last)
		return error_set(e, ENOENT, "this machine shows no level %u cache: the last one is of level %u",
				 t->cache_level, last);
	return 0;
}

int topology_open(struct topology *t, const char *root, enum aggr_mode scope, unsigned cache_level,
		  const struct cpuset *cpus, struct error *e)
{
	*t = (struct topology){.root = root, .scope = scope, .cache_level = cache_level};
	if (scope == AGGR_CACHE)
		return choose_cache(t, cpus, e);
	if (scope == AGGR_CORE)
		t->core_repeats = cores_repeat(t, cpus);
	return 0;
}

const char *topology_name(const struct topology *t, const struct place *p, char buf[TOPOLOGY_NAME_MAX])
{
	int n = 0;

	buf[0] = '\0';
	if (t->scope == AGGR_CPU)
		snprintf(buf, TOPOLOGY_NAME_MAX, "%d", p->cpu);
	if (t->scope == AGGR_NODE)
		snprintf(buf, TOPOLOGY_NAME_MAX, "N%d", p->node);
	if (t->scope < AGGR_CORE || t->scope > AGGR_SOCKET)
		return buf;
	n = snprintf(buf, TOPOLOGY_NAME_MAX, "S%d", p->socket);
	if (t->scope != AGGR_SOCKET)
		n += snprintf(buf + n, (size_t)(TOPOLOGY_NAME_MAX - n), "-D%d", p->die);
	if (t->scope == AGGR_CLUSTER || (t->scope == AGGR_CORE && t->core_repeats))
		n += snprintf(buf + n, (size_t)(TOPOLOGY_NAME_MAX - n), "-CLS%d", p->cluster);
	if (t->scope == AGGR_CORE)
		snprintf(buf + n, (size_t)(TOPOLOGY_NAME_MAX - n), "-C%d", p->core);
	if (t->scope == AGGR_CACHE)
		snprintf(buf + n, (size_t)(TOPOLOGY_NAME_MAX - n), "-L%u-ID%d", t->cache_level, p->cache);
	return buf;
}

void topology_free(struct topology *t)
{
	free(t->places);
	*t = (struct topology){0};
}
