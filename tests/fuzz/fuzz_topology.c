/* Any text in the kernel's files about CPUs and their places: each CPU has a place with a unique name, and a row; or
 * there is a reason. The rest of the input is a list for -C. */
#include <errno.h>

#include "count/aggr_map.h"
#include "host/topology.h"
#include "tree.h"

#define CPUS_MAX 16 /* of those that are online */

int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *const files[] = {
	"cpu/online",
	"cpu/present",
	"cpu/cpu0/topology/physical_package_id",
	"cpu/cpu0/topology/die_id",
	"cpu/cpu0/topology/cluster_id",
	"cpu/cpu0/topology/core_id",
	"cpu/cpu1/topology/physical_package_id",
	"cpu/cpu1/topology/die_id",
	"cpu/cpu1/topology/cluster_id",
	"cpu/cpu1/topology/core_id",
	"cpu/cpu0/cache/index0/level",
	"cpu/cpu0/cache/index0/type",
	"cpu/cpu0/cache/index0/shared_cpu_list",
	"cpu/cpu0/cache/index1/level",
	"cpu/cpu0/cache/index1/type",
	"cpu/cpu0/cache/index1/shared_cpu_list",
	"cpu/cpu1/cache/index0/level",
	"cpu/cpu1/cache/index0/shared_cpu_list",
};

static struct fuzz_tree tree;

static void remove_tree(void)
{
	scratch_remove(tree.root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const nodes[] = {"cpu/cpu0/node1/x", "cpu/cpu1/node99999999999/x", "cpu/cpu1/nodes/x",
					    "cpu/cpu2/node-1/x"};

	(void)argc;
	(void)argv;
	fuzz_tree_make(&tree, files, ARRAY_SIZE(files));
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		scratch_put(tree.root, nodes[i], "");
	atexit(remove_tree);
	return 0;
}

static void check_name(struct topology *t, int first, int second)
{
	const struct place a = *topology_place(t, first), b = *topology_place(t, second);
	char name_a[TOPOLOGY_NAME_MAX], name_b[TOPOLOGY_NAME_MAX];

	check(a.socket >= 0 && a.die >= 0 && a.cluster >= 0 && a.core >= 0 && a.cache >= 0 && a.node >= 0);
	topology_name(t, &a, name_a);
	topology_name(t, &b, name_b);
	check((strcmp(name_a, name_b) == 0) == (place_compare(&a, &b) == 0));
	check(strlen(name_a) < TOPOLOGY_NAME_MAX - 1);
}

static void check_rows(struct topology *t, const struct cpuset *cpus)
{
	struct slot slots[CPUS_MAX];
	struct aggr_map map;

	for (size_t i = 0; i < cpus->n; i++)
		slots[i] = (struct slot){.pid = -1, .cpu = cpus->cpus[i]};
	aggr_map_cpus(&map, t, NULL, slots, cpus->n);
	check(map.n_slots == cpus->n && map.n_keys > 0);
	for (size_t i = 0; i < map.n_slots; i++)
		check(map.key_of[i] < map.n_keys);
	aggr_map_free(&map);
}

static void try_scope(enum aggr_mode scope, unsigned level, const struct cpuset *cpus)
{
	struct topology t;
	struct error e = {0};

	if (topology_open(&t, tree.root, scope, level, cpus, &e) < 0) {
		check(e.text[0] && scope == AGGR_CACHE);
	} else {
		for (size_t i = 0; i < cpus->n; i++)
			for (size_t k = 0; k < i; k++)
				check_name(&t, cpus->cpus[i], cpus->cpus[k]);
		check_rows(&t, cpus);
	}
	topology_free(&t);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	auto_free char *list = NULL;
	auto_cpuset struct cpuset online = {0}, wanted = {0};
	struct error e = {0};

	if (size > 8192)
		return -1;
	list = fuzz_tree_fill(&tree, data, size);
	if (topology_online(tree.root, &online, &e) < 0) {
		check(e.text[0]);
		return 0;
	}
	check(online.n > 0);
	e.text[0] = '\0';
	if (cpuset_parse(&wanted, list, &e) == 0 && topology_check(tree.root, &wanted, &e) == 0)
		for (size_t i = 0; i < wanted.n; i++)
			check(cpuset_has(&online, wanted.cpus[i]));
	else
		check(e.text[0]);
	if (online.n > CPUS_MAX)
		return 0;
	for (int scope = AGGR_TOTAL; scope <= AGGR_NODE; scope++)
		try_scope((enum aggr_mode)scope, 0, &online);
	try_scope(AGGR_CACHE, 1, &online);
	return 0;
}
