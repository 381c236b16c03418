/* Lists of CPUs: valid ones, and which part of an invalid one is to blame. */
#include "lib/cpuset.h"

#include <errno.h>
#include <stdlib.h>

#include "tap.h"

static void check_list(const char *list, const char *expected)
{
	struct cpuset set = {0};
	struct error e;
	char *text;

	is_number(cpuset_parse(&set, list, &e), 0, list);
	text = cpuset_text(&set);
	is_string(text, expected, "and back");
	free(text);
	cpuset_free(&set);
}

static void check_bad(const char *list, size_t at, const char *token)
{
	struct cpuset set = {0};
	struct error e;

	is_number(cpuset_parse(&set, list, &e), -EINVAL, *list ? list : "(an empty list)");
	is_number(e.at, at, "the token's place");
	is_number(e.length, strlen(token), "its length");
	ok(strstr(e.text, token) != NULL, "its name in the message");
	is_number(set.n, 0, "nothing is added");
	cpuset_free(&set);
}

static void test_lists(void)
{
	check_list("0", "0");
	check_list("0-3,8", "0-3,8");
	check_list("8,3,0-2", "0-3,8");
	check_list("5,5,5-5", "5");
	check_list("0-1,1-2,4-5", "0-2,4-5");
	check_list("65535", "65535");
	check_bad("", 0, "");
	check_bad("a", 0, "a");
	check_bad("1,x,3", 2, "x");
	check_bad("1,", 2, "");
	check_bad("0,3-1", 2, "3-1");
	check_bad("-1", 0, "-1");
	check_bad("1-", 0, "1-");
	check_bad("1-2-3", 0, "1-2-3");
	check_bad("0,65536", 2, "65536");
	check_bad("0 ,1", 0, "0 ");
	check_bad("+1", 0, "+1");
}

/* Against an array of bits, in an order that is not sorted. */
static void test_members(void)
{
	struct cpuset set = {0};
	bool member[512] = {false};
	bool right = true, sorted = true;

	for (unsigned i = 0; i < 2000; i++) {
		int cpu = (int)(i * 197 % 512);

		if (i % 3) {
			cpuset_add(&set, cpu);
			member[cpu] = true;
		} else {
			cpuset_remove(&set, cpu);
			member[cpu] = false;
		}
	}
	for (int cpu = -1; cpu < 520; cpu++)
		right &= cpuset_has(&set, cpu) == (cpu >= 0 && cpu < 512 && member[cpu]);
	for (size_t i = 1; i < set.n; i++)
		sorted &= set.cpus[i - 1] < set.cpus[i];
	ok(right, "added and removed");
	ok(sorted, "sorted, each once");
	cpuset_free(&set);
}

int main(void)
{
	test_lists();
	test_members();
	return tap_done();
}
