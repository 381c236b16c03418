/* The places of CPUs, in made-up trees: sockets, threads, clusters, dies, caches, nodes, holes in the numbering; and a
 * machine of 512 CPUs, whose rows must be right and cost no more than their number. */
#include "host/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "count/aggr_map.h"
#include "lib/util.h"
#include "scratch.h"
#include "tap.h"

static char root[64];

/* A file below the root, with the directories that lead to it. */
static void put(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(const char *text, const char *format, ...)
{
	auto_free char *below = NULL;
	auto_free char *line = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&below, format, args) < 0)
		abort();
	va_end(args);
	line = xasprintf("%s\n", text);
	scratch_put(root, below, line);
}

static void put_number(int cpu, const char *name, int value)
{
	auto_free char *text = xasprintf("%d", value);

	put(text, "cpu/cpu%d/topology/%s", cpu, name);
}

struct spot {
	int cpu, socket, die, cluster, core;
};

static void put_cpu(struct spot spot)
{
	put_number(spot.cpu, "physical_package_id", spot.socket);
	put_number(spot.cpu, "die_id", spot.die);
	put_number(spot.cpu, "cluster_id", spot.cluster);
	put_number(spot.cpu, "core_id", spot.core);
}

static void put_cache(int cpu, int index, const char *level, const char *type, const char *shared)
{
	put(level, "cpu/cpu%d/cache/index%d/level", cpu, index);
	put(type, "cpu/cpu%d/cache/index%d/type", cpu, index);
	put(shared, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
}

static void begin(const char *online, const char *present)
{
	/* thousands of files: in memory, where there is a place for that */
	strcpy(root, access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm/pfmstat-test-XXXXXX" : SCRATCH_TEMPLATE);
	scratch_make(root);
	put(online, "cpu/online");
	put(present, "cpu/present");
}

static void end(void)
{
	scratch_remove(root);
}

static void online_cpus(struct cpuset *cpus)
{
	struct error e;

	*cpus = (struct cpuset){0};
	is_number(topology_online(root, cpus, &e), 0, "the CPUs that are online");
}

/* A slot on each of the CPUs. */
static void group(struct aggr_map *map, struct topology *t, const int *cpus, size_t n)
{
	auto_free struct slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < n; i++)
		slots[i] = (struct slot){.pid = -1, .cpu = cpus[i]};
	aggr_map_cpus(map, t, NULL, slots, n);
}

/* The rows of the machine, as "NAMExCPUS NAMExCPUS …". */
static void check_rows(enum aggr_mode scope, unsigned level, const char *expected, const char *what)
{
	struct cpuset cpus;
	struct aggr_map map;
	struct topology t;
	struct error e;
	auto_free char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	online_cpus(&cpus);
	is_number(topology_open(&t, root, scope, level, &cpus, &e), 0, what);
	group(&map, &t, cpus.cpus, cpus.n);
	for (size_t k = 0; k < map.n_keys; k++)
		fprintf(out, "%s%sx%u", k ? " " : "", map.keys[k].id, map.keys[k].count);
	fclose(out);
	is_string(text, expected, what);
	aggr_map_free(&map);
	topology_free(&t);
	cpuset_free(&cpus);
}

/* Two sockets of two cores with two threads, numbered as x86 does it: the second threads last. */
static void test_server(void)
{
	begin("0-7", "0-7");
	for (int cpu = 0; cpu < 8; cpu++) {
		put_cpu((struct spot){cpu, cpu / 2 % 2, 0, cpu % 4, cpu % 2 * 4});
		put("", "cpu/cpu%d/node%d/x", cpu, cpu / 2 % 2);
		put_cache(cpu, 0, "1", "Data",
			  cpu % 4 == 0   ? "0,4"
			  : cpu % 4 == 1 ? "1,5"
			  : cpu % 4 == 2 ? "2,6"
					 : "3,7");
		put_cache(cpu, 1, "1", "Instruction", "0-7");
		put_cache(cpu, 2, "3", "Unified", cpu / 2 % 2 ? "2-3,6-7" : "0-1,4-5");
	}
	check_rows(AGGR_CPU, 0, "0x0 1x0 2x0 3x0 4x0 5x0 6x0 7x0", "CPUs in their order");
	check_rows(AGGR_CORE, 0, "S0-D0-C0x2 S0-D0-C4x2 S1-D0-C0x2 S1-D0-C4x2", "cores of two sockets, SMT");
	check_rows(AGGR_CLUSTER, 0, "S0-D0-CLS0x2 S0-D0-CLS1x2 S1-D0-CLS2x2 S1-D0-CLS3x2", "clusters");
	check_rows(AGGR_DIE, 0, "S0-D0x4 S1-D0x4", "dies");
	check_rows(AGGR_SOCKET, 0, "S0x4 S1x4", "sockets");
	check_rows(AGGR_NODE, 0, "N0x4 N1x4", "nodes");
	check_rows(AGGR_CACHE, 0, "S0-D0-L3-ID0x4 S1-D0-L3-ID2x4", "the last caches");
	check_rows(AGGR_CACHE, 1, "S0-D0-L1-ID0x2 S0-D0-L1-ID1x2 S1-D0-L1-ID2x2 S1-D0-L1-ID3x2",
		   "first-level caches: the data caches");
	put("-1", "cpu/cpu0/cache/index2/shared_cpu_list");
	check_rows(AGGR_CACHE, 0, "S0-D0-L3-ID0x4 S1-D0-L3-ID2x4", "an invalid list: the CPU's cache");
	check_rows(AGGR_TOTAL, 0, "x0", "the total");
	end();
}

/* Clusters that each number their cores from 0, on one die; a fact unknown to the firmware is -1, 65535 or no file. */
static void test_clusters(void)
{
	begin("0-3", "0-3");
	for (int cpu = 0; cpu < 4; cpu++) {
		put_number(cpu, "physical_package_id", cpu % 2 ? -1 : 65535);
		put_number(cpu, "cluster_id", cpu / 2);
		put_number(cpu, "core_id", cpu % 2);
	}
	check_rows(AGGR_CORE, 0, "S0-D0-CLS0-C0x1 S0-D0-CLS0-C1x1 S0-D0-CLS1-C0x1 S0-D0-CLS1-C1x1",
		   "cores are distinguished by their cluster");
	check_rows(AGGR_SOCKET, 0, "S0x4", "an unknown socket");
	check_rows(AGGR_NODE, 0, "N0x4", "a machine without nodes");
	end();
}

/* Two dies in a socket whose cores have the same numbers; CPUs 1, 4 and 5 are not there. */
static void test_dies_and_holes(void)
{
	begin("0,2-3,6", "0-3,6");
	put_cpu((struct spot){0, 0, 0, 0, 0});
	put_cpu((struct spot){2, 0, 0, 0, 1});
	put_cpu((struct spot){3, 0, 1, 1, 0});
	put_cpu((struct spot){6, 0, 1, 1, 1});
	check_rows(AGGR_CORE, 0, "S0-D0-C0x1 S0-D0-C1x1 S0-D1-C0x1 S0-D1-C1x1", "cores are distinguished by their die");
	check_rows(AGGR_DIE, 0, "S0-D0x2 S0-D1x2", "dies of one socket");
	check_rows(AGGR_CPU, 0, "0x0 2x0 3x0 6x0", "holes in the numbering");
	end();
}

/* Slots out of order, and a CPU with two: it went and came back. */
static void test_slots(void)
{
	const int cpus[] = {10, 2, 0, 2};
	struct aggr_map map;
	struct topology t;
	struct error e;
	struct cpuset none = {0};

	begin("0,2,10", "0,2,10");
	for (int i = 0; i < 3; i++)
		put_cpu((struct spot){cpus[i], cpus[i] == 10, 0, 0, cpus[i]});
	is_number(topology_open(&t, root, AGGR_SOCKET, 0, &none, &e), 0, "by socket");
	group(&map, &t, cpus, 4);
	is_number(map.n_keys, 2, "two sockets");
	is_number(map.keys[0].count, 2, "a CPU with two slots is one CPU");
	is_number(map.key_of[0], 1, "the first slot is in the second socket");
	is_number(map.key_of[3], 0, "the last in the first");
	aggr_map_free(&map);
	topology_free(&t);
	is_number(topology_open(&t, root, AGGR_CPU, 0, &none, &e), 0, "by CPU");
	group(&map, &t, cpus, 4);
	is_number(map.n_keys, 3, "three CPUs");
	is_string(map.keys[2].id, "10", "by number, not as text");
	is_number(map.key_of[1], map.key_of[3], "both slots are in one row");
	/* others may go on with it */
	is_string(aggr_map_add(&map, AGGR_CPU, "2")->id, "2", "an added slot finds its key");
	is_number(map.n_keys, 3, "and makes none");
	aggr_map_free(&map);
	topology_free(&t);
	end();
}

static void check_refused(const char *list, int code, const char *text)
{
	struct cpuset wanted = {0};
	struct error e = {0};

	is_number(cpuset_parse(&wanted, list, &e), 0, list);
	is_number(topology_check(root, &wanted, &e), code, "the result");
	if (code)
		is_string(e.text, text, "the message");
	cpuset_free(&wanted);
}

static void test_check(void)
{
	struct cpuset cpus;
	struct topology t;
	struct error e;

	begin("0,2-3,6", "0-3,6");
	check_refused("0,2-3,6", 0, "");
	check_refused("1-2", -ENODEV, "CPU 1 is offline");
	check_refused("0-7", -EINVAL, "CPUs 4-5,7 do not exist");
	check_refused("6,9", -EINVAL, "CPU 9 does not exist");
	online_cpus(&cpus);
	is_number(topology_open(&t, root, AGGR_CACHE, 0, &cpus, &e), -ENOENT, "no caches are shown");
	put_cache(0, 0, "2", "Unified", "0-3");
	is_number(topology_open(&t, root, AGGR_CACHE, 3, &cpus, &e), -ENOENT, "no cache of that level");
	ok(strstr(e.text, "level 3") && strstr(e.text, "level 2"), "an existing level");
	cpuset_free(&cpus);
	end();
	is_number(topology_online(root, &cpus, &e), -ENOENT, "no tree at all");
}

static void test_possible(void)
{
	begin("0-1", "0-3");
	is_number(topology_end(root), (int)sysconf(_SC_NPROCESSORS_CONF),
		  "if possible CPUs are not listed, the C library");
	put("0-3,8-11", "cpu/possible");
	is_number(topology_end(root), 12, "one more than the highest possible CPU's number, not their sum");
	end();
}

/* 512 CPUs: 4 sockets, 2 dies each, 32 cores a die, 2 threads a core. */
static void test_large(void)
{
	uint64_t before;
	struct cpuset cpus;
	struct aggr_map map;
	struct topology t;
	struct error e;
	bool right = true;

	begin("0-511", "0-511");
	for (int cpu = 0; cpu < 512; cpu++)
		put_cpu((struct spot){cpu, cpu % 256 / 64, cpu % 64 / 32, 0, cpu % 32});
	online_cpus(&cpus);
	is_number(topology_open(&t, root, AGGR_CORE, 0, &cpus, &e), 0, "512 CPUs");
	group(&map, &t, cpus.cpus, cpus.n);
	is_number(map.n_keys, 256, "cores");
	for (int cpu = 0; cpu < 512; cpu++) {
		const struct key *key = &map.keys[map.key_of[cpu]];
		auto_free char *id = xasprintf("S%d-D%d-C%d", cpu % 256 / 64, cpu % 64 / 32, cpu % 32);

		right &= strcmp(key->id, id) == 0 && key->count == 2 && map.key_of[cpu] == (size_t)(cpu % 256);
	}
	ok(right, "each CPU in its core's row, rows by socket, die and core");
	aggr_map_free(&map);
	end(); /* known places need no files: CPUs that go offline have none */
	before = clock_now();
	for (int i = 0; i < 100; i++) {
		group(&map, &t, cpus.cpus, cpus.n);
		aggr_map_free(&map);
	}
	printf("# grouping 512 CPUs: %.0f us\n", (double)(clock_now() - before) / 100 / 1e3);
	group(&map, &t, cpus.cpus, cpus.n);
	is_string(map.keys[255].id, "S3-D1-C31", "the places are kept");
	aggr_map_free(&map);
	topology_free(&t);
	cpuset_free(&cpus);
}

static void test_no_cpus(void)
{
	auto_cpuset struct cpuset cpus = {0};
	struct error e;

	begin("", "0-1");
	is_number(topology_online(root, &cpus, &e), -ENODATA, "no CPUs are listed as online");
	ok(strstr(e.text, "cpu/online is empty"), "and the error says so");
	end();
}

int main(void)
{
	test_no_cpus();
	test_server();
	test_clusters();
	test_dies_and_holes();
	test_slots();
	test_check();
	test_possible();
	test_large();
	return tap_done();
}
