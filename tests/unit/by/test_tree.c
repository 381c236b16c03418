/* tree: pure. */
#include "by/tree.h"

#include <stdlib.h>

#include "tap.h"

/* 10 has the children 11 and 13, 11 has 12; 13's id was that of a thread of 10. */
static void test_family(void)
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
	is_number(tree_find_task(&tree, 13)->process, 2, "a reused id means the new task");
	tree_add_process(&tree, 12, 11, child, 4);
	is_number(tree.processes[root].n_names, 1, "repeating the name adds none");
	is_number(tree.processes[child].n_names, 2, "the parent's name, and the process's");
	is_string(tree_name(&tree, 3), "make", "a child begins with its parent's name");
	tree_walk(&tree, order, depth);
	is_number(order[0] * 1000 + order[1] * 100 + order[2] * 10 + order[3], 132, "depth first, in order of start");
	is_number(depth[0] * 1000 + depth[1] * 100 + depth[2] * 10 + depth[3], 121, "and how deep");
	for (pid_t tid = 100; tid < 5000; tid++)
		tree_put_task(&tree, tid, tid % 2 ? root : TREE_NONE, 0);
	ok(tree_find_task(&tree, 4999) && tree_find_task(&tree, 101) && tree_find_task(&tree, 13), "many tasks");
	ok(!tree_find_task(&tree, 99) && !tree_find_task(&tree, -1) && !tree_find_task(&tree, 0), "and no others");
	tree_free(&tree);
}

/* A process of three threads. */
static void test_ends(void)
{
	struct tree tree = {.n = 0};
	size_t process = tree_add_process(&tree, 10, 1, TREE_NONE, 1);

	for (pid_t tid = 10; tid < 13; tid++)
		tree_put_task(&tree, tid, process, 0);
	tree_put_task(&tree, 12, process, 0);
	is_number(tree.processes[process].alive, 3, "a process reported twice is alive once");
	tree_end_task(&tree, tree_find_task(&tree, 10), 5);
	tree_end_task(&tree, tree_find_task(&tree, 11), 6);
	tree_end_task(&tree, tree_find_task(&tree, 11), 6);
	is_number(tree.processes[process].end, 0, "a process whose first thread has ended is still there");
	tree_end_task(&tree, tree_find_task(&tree, 12), 7);
	is_number(tree.processes[process].end, 7, "it ends with its last thread");
	tree_put_task(&tree, 13, process, 0);
	is_number(tree.processes[process].end, 0, "unless another thread was reported later");
	tree_end_task(&tree, tree_find_task(&tree, 13), 8);
	is_number(tree.processes[process].end, 8, "whose end is the end of the process");
	tree_free(&tree);
}

/* Thread 12 executes a program: the others end, and it is 10 from then on. */
static void test_exec(void)
{
	struct tree tree = {.n = 0};
	size_t process = tree_add_process(&tree, 10, 1, TREE_NONE, 1), other;

	for (pid_t tid = 10; tid < 13; tid++)
		tree_put_task(&tree, tid, process, 0);
	tree_end_task(&tree, tree_find_task(&tree, 10), 5);
	tree_end_task(&tree, tree_find_task(&tree, 11), 6);
	tree_exec(&tree, tree_find_task(&tree, 10));
	is_number(tree.processes[process].alive, 1, "one thread is left");
	ok(!tree_find_task(&tree, 10)->ended, "which has the process's id");
	other = tree_add_process(&tree, 12, 10, process, 7);
	tree_put_task(&tree, 12, other, 0);
	is_number(tree.processes[process].alive, 1,
		  "its former id belongs to another process, and the process has not ended");
	tree_end_task(&tree, tree_find_task(&tree, 10), 9);
	is_number(tree.processes[process].end, 9, "the process has its end");
	tree_add_process(&tree, 12, 10, process, 10);
	tree_put_task(&tree, 12, 2, 0);
	is_number(tree.processes[other].alive, 0, "a process whose id is reused has ended, reported or not");
	tree_free(&tree);
}

static void test_keep(void)
{
	static const bool keep[] = {true, false, true, true};
	struct tree tree = {.n = 0};
	size_t place[4];

	for (pid_t pid = 10; pid < 14; pid++)
		tree_put_task(&tree, pid, tree_add_process(&tree, pid, pid - 1, TREE_NONE, 1), 0);
	tree.processes[0].parent = 3; /* ids go around: a parent may come later */
	tree.processes[2].parent = 1;
	tree_rename(&tree, 3, "last");
	tree_keep(&tree, keep, place);
	is_number(tree.n, 3, "one process is forgotten");
	ok(place[0] == 0 && place[1] == TREE_NONE && place[2] == 1 && place[3] == 2, "the others stay in order");
	is_number(tree.processes[0].parent, 2, "parents are found again");
	ok(tree.processes[1].parent == TREE_NONE, "but an ended process is nobody's parent");
	is_string(tree_name(&tree, 2), "last", "names go with them");
	ok(!tree_find_task(&tree, 11), "its task is gone");
	is_number(tree_find_task(&tree, 13)->process, 2, "the tasks of the others are found");
	tree_add_process(&tree, 14, 10, 0, 2);
	is_string(tree_name(&tree, 3), "", "there is room for more");
	tree_free(&tree);
}

int main(void)
{
	test_family();
	test_ends();
	test_exec();
	test_keep();
	return tap_done();
}
