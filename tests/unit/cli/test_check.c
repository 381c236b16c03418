/* check: lines for people fit their terminal and are harmless; for programs they are JSON; the same is said once. */
#include <stdlib.h>
#include <string.h>

#include "cli/check_internal.h"
#include "tap.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* gcc 10 misses the fields after TEXT */
#define TEXT(literal) ((char[]){literal})                     /* it may be changed */

static struct check_line lines[] = {
	{.name = "kernel", .state = CHECK_OK, .text = TEXT("Linux 6.1")},
	{.name = "user-space",
	 .state = CHECK_FAIL,
	 .text = TEXT("a filter refuses it"),
	 .fix = TEXT("run it elsewhere")},
	{.name = "kernel-side",
	 .state = CHECK_FAIL,
	 .text = TEXT("a filter refuses it"),
	 .fix = TEXT("run it elsewhere")},
	{.name = "all-cpus", .state = CHECK_OK, .text = TEXT("a filter refuses it")},
	{.name = "container", .state = CHECK_PART, .text = TEXT("evil \033[31m \"name\"\n")},
	{.name = "core-pmu",
	 .state = CHECK_OK,
	 .text = TEXT("cpu"),
	 .pmu = TEXT("cpu"),
	 .cpus = TEXT("0-3"),
	 .counters = 7},
};
static const struct check check = {.v = lines, .n = ARRAY_SIZE(lines)};

static char *printed(const struct check *c, size_t width)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (width)
		check_print(out, c, width);
	else
		check_write(out, c);
	fclose(out);
	return text;
}

static void test_lines(void)
{
	auto_free char *wide = printed(&check, 80);
	auto_free char *json = printed(&check, 0);

	is_string(wide,
		  "kernel       ok   Linux 6.1\n"
		  "user-space   fail a filter refuses it\n"
		  "                  fix: run it elsewhere\n"
		  "kernel-side  fail for the same reason as user-space\n"
		  "all-cpus     ok   a filter refuses it\n"
		  "container    part evil \\x1b[31m \"name\"\\n\n"
		  "core-pmu     ok   cpu\n",
		  "lines for people");
	ok(strstr(json, "{\"kind\":\"check\",\"name\":\"kernel\",\"state\":\"ok\",\"text\":\"Linux 6.1\",\"fix\":null,"
			"\"pmu\":null,\"cpus\":null,\"counters\":null}\n"),
	   "a line for programs");
	ok(strstr(json, "\"name\":\"kernel-side\",\"state\":\"fail\",\"text\":\"a filter refuses it\",\"fix\":\"run it "
			"elsewhere\""),
	   "where each line is complete");
	ok(strstr(json, "\"pmu\":\"cpu\",\"cpus\":\"0-3\",\"counters\":7}\n"), "a line of a PMU");
}

static void test_width(void)
{
	char text[] = "one two three four", fix[] = "five six"; /* gcc 10 warns of literals in a local initializer */
	struct check_line line = {.name = "by", .state = CHECK_FAIL, .text = text, .fix = fix};
	const struct check one = {.v = &line, .n = 1};
	auto_free char *exact = printed(&one, 18 + 7);
	auto_free char *none = printed(&one, 1);

	is_string(exact,
		  "by           fail one two\n"
		  "                  three\n"
		  "                  four\n"
		  "                  fix:\n"
		  "                  five\n"
		  "                  six\n",
		  "wrapped below the text, and no line too wide");
	ok(strstr(none, "fail one\n                  two\n"), "a word per line without room");
}

int main(void)
{
	test_lines();
	test_width();
	return tap_done();
}
