/* tree_memory: pure. Sizes in MB. */
#include "by/tree_memory.h"

#include "tap.h"

#define MB 1000000u

static void size(struct tree_memory *t, pid_t pid, uint32_t space, bool own, uint64_t mb)
{
	tree_memory_size(t, pid, pid, space, own, MEMORY_ANONYMOUS, mb * MB, t->peak_time + 1);
}

/* A child of 10 with an address space of its own. */
static void start_child(struct tree_memory *t, pid_t pid, uint32_t space, uint64_t mb)
{
	size(t, 10, space, false, 1);
	tree_memory_fork(t, pid, 10, 10);
	size(t, pid, space, true, mb);
}

static void test_together_and_in_turn(void)
{
	struct tree_memory t = {.now = 0};

	tree_memory_start(&t, 10);
	size(&t, 10, 1, true, 2);
	start_child(&t, 11, 2, 20);
	start_child(&t, 12, 3, 40);
	start_child(&t, 13, 4, 60);
	is_number(t.peak / MB, 122, "children that live together");
	for (pid_t pid = 11; pid <= 13; pid++)
		tree_memory_exit(&t, pid);
	is_number(t.now / MB, 2, "what a process has ends with it, without a record");
	start_child(&t, 14, 2, 100);
	tree_memory_exit(&t, 14);
	start_child(&t, 15, 2, 110);
	is_number(t.peak / MB, 122, "children that follow each other have no sum");
	start_child(&t, 13, 5, 30);
	is_number(t.peak / MB, 142, "a process id is used again");
	tree_memory_free(&t);
}

static void test_kinds(void)
{
	struct tree_memory t = {.now = 0};

	tree_memory_start(&t, 10);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_FILE, 3, 1);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_ANONYMOUS, 20, 2);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_SHARED, 100, 3);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_SWAPPED, 1000, 4);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_KINDS, 5000, 5);
	is_number(t.peak, 123, "swapped memory is not resident");
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_SHARED, 40, 6);
	tree_memory_size(&t, 10, 10, 1, true, MEMORY_ANONYMOUS, 79, 7);
	is_number(t.now, 122, "sizes are absolute");
	is_number(t.peak_time, 3, "the time of the peak");
	tree_memory_free(&t);
}

static void test_shared_space(void)
{
	struct tree_memory t = {.now = 0};

	tree_memory_start(&t, 10);
	size(&t, 10, 1, true, 50);
	tree_memory_fork(&t, 11, 10, 10); /* vfork */
	size(&t, 11, 1, true, 51);
	is_number(t.now / MB, 51, "after vfork, the memory counts once");
	size(&t, 11, 2, false, 1);
	size(&t, 11, 2, true, 4);
	is_number(t.now / MB, 55, "at its exec, the child leaves the parent's memory");
	size(&t, 11, 3, true, 5);
	is_number(t.now / MB, 56, "at another exec, its former memory ends");
	tree_memory_fork(&t, 10, 10, 10); /* a thread */
	is_number(t.threads, 3, "threads");
	tree_memory_exit(&t, 10);
	is_number(t.now / MB, 56, "memory lives until the last thread ends");
	tree_memory_exit(&t, 10);
	is_number(t.now / MB, 5, "and no longer");
	tree_memory_exit(&t, 10);
	is_number(t.threads, 1, "an unknown end has no effect");
	tree_memory_free(&t);
}

static void test_loss(void)
{
	struct tree_memory t = {.now = 0};

	tree_memory_start(&t, 10);
	size(&t, 10, 1, true, 50);
	size(&t, 10, 2, false, 7);
	tree_memory_fork(&t, 11, 10, 10);
	tree_memory_exit(&t, 11);
	is_number(t.now / MB, 50, "what was made for a child that is killed before it runs ends with it");
	tree_memory_lose(&t);
	size(&t, 10, 1, true, 90);
	ok(t.lost && t.peak / MB == 57, "after a loss, nothing counts: who has ended is not known");
	tree_memory_free(&t);
}

int main(void)
{
	test_together_and_in_turn();
	test_kinds();
	test_shared_space();
	test_loss();
	return tap_done();
}
