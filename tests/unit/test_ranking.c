/* ranking and tree: pure. */
#include "ranking.h"

#include <stdlib.h>

#include "tap.h"
#include "tree.h"

static void make(struct counts *counts, struct grouping *grouping, const uint64_t *values, size_t n)
{
	counts_init(counts, n, 1);
	*grouping = (struct grouping){.keys = NULL};
	for (size_t i = 0; i < n; i++) {
		char id[24];

		snprintf(id, sizeof(id), "%zu", i);
		counts_at(counts, i, 0)->sample = (struct sample){values[i], 1, 1};
		grouping_add_new(grouping, SCOPE_PROCESS, id);
	}
}

static void test_order(void)
{
	static const uint64_t values[] = {3, 9, 3, 20};
	struct grouping grouping;
	struct counts counts;

	make(&counts, &grouping, values, 4);
	ranking_apply(&(struct ranking){.event = SIZE_MAX}, &counts, &grouping);
	is_string(grouping.keys[0].id, "0", "unranked, they stay");
	ranking_apply(&(struct ranking){.event = 0}, &counts, &grouping);
	is_string(grouping.keys[0].id, "3", "the largest first");
	is_string(grouping.keys[2].id, "0", "equals stay in order");
	is_number(grouping.key_of[1], 1, "slots follow their keys");
	ranking_apply(&(struct ranking){.event = 0, .top = 3}, &counts, &grouping);
	is_number(grouping.n_keys, 4, "one is not put together with nobody");
	ranking_apply(&(struct ranking){.event = 0, .top = 1}, &counts, &grouping);
	is_number(grouping.n_keys, 2, "one, and the others");
	is_string(grouping.keys[1].id, "(3 others)", "which are as many as they are");
	is_number(grouping.key_of[0] + grouping.key_of[1] + grouping.key_of[2] + grouping.key_of[3], 3,
		  "all slots are in one of the two");
	grouping_free(&grouping);
	counts_free(&counts);
}

/* 10 has the children 11 and 13, 11 has 12; 13's id is that of a thread of 10 before. */
static void test_tree(void)
{
	struct tree tree = {.n = 0};
	size_t order[4], root, child;
	unsigned depth[4];

	root = tree_add_process(&tree, 10, 1, TREE_NONE, 1);
	tree_rename(&tree, root, "sh");
	tree_rename(&tree, root, "sh");
	child = tree_add_process(&tree, 11, 10, root, 2);
	tree_rename(&tree, child, "make");
	tree_put_task(&tree, 13, root, 7);
	is_number(tree_find_task(&tree, 13)->process, root, "a thread belongs to its process");
	tree_add_process(&tree, 13, 10, root, 3);
	tree_put_task(&tree, 13, 2, 8);
	is_number(tree_find_task(&tree, 13)->process, 2, "an id given out again means the new one");
	tree_add_process(&tree, 12, 11, child, 4);
	is_number(tree.processes[root].names.n, 1, "the same name again is none");
	is_number(tree.processes[child].names.n, 2, "the parent's name, and its own");
	is_string(tree_name(&tree, 3), "make", "a child begins with its parent's name");
	tree_walk(&tree, order, depth);
	is_number(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3], 132, "depth first, in order of birth");
	is_number(depth[0] * 1000 + depth[1] * 100 + depth[2] * 10 + depth[3], 121, "and how deep");
	for (pid_t tid = 100; tid < 5000; tid++)
		tree_put_task(&tree, tid, tid % 2 ? root : TREE_NONE, 0);
	ok(tree_find_task(&tree, 4999) && tree_find_task(&tree, 101) && tree_find_task(&tree, 13), "many tasks");
	ok(!tree_find_task(&tree, 99) && !tree_find_task(&tree, -1) && !tree_find_task(&tree, 0), "and no others");
	tree_free(&tree);
}

int main(void)
{
	test_order();
	test_tree();
	return tap_done();
}
