/* list: events are listed in their sections, patterns select, and a section that cannot be listed has a reason. */
#include <errno.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "cli/list.h"
#include "lib/text.h"
#include "lib/util.h"
#include "pfm_names.h"
#include "tap.h"

static const struct pfm_sources no_sources = {.errata = ERRATA_FIX};

static char *list(const char *pattern, bool json, int *rc, struct error *e)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*e = (struct error){0};
	*rc = list_print(out, pattern, json, &no_sources, e);
	fclose(out);
	return text;
}

#ifndef PFM_NAMES_NONE
static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}
#endif

static void test_patterns(void)
{
	struct error e;
	int rc;
	auto_free char *word = list("context-sw", false, &rc, &e);
	auto_free char *glob = list("CONTEXT-*", false, &rc, &e);
	auto_free char *alias = list("cs", false, &rc, &e);
	auto_free char *alias_glob = list("c[s]", false, &rc, &e);
	auto_free char *part = list("context", true, &rc, &e);
	auto_free char *description = list("perf::cpu-cycles", true, &rc, &e);
	auto_free char *none = NULL;

	ok(strstr(word, "Kernel events:\n  context-switches"), "a part of a name");
	ok(strncmp(glob, "Kernel events:\n  context-switches", 33) == 0, "a glob, in any case");
	ok(strstr(alias, "  context-switches"), "an alias");
	ok(strncmp(alias_glob, "Kernel events:\n  context-switches", 33) == 0, "a glob for an alias");
	ok(strstr(part, "\"name\":\"context-switches\",\"source\":\"kernel\""), "JSON has name and source");
	ok(!strstr(part, "Kernel events"), "and no headings");
	ok(!strstr(description, "\"source\":\"kernel\""), "a word with a PMU does not match the kernel's events");
	free(description);
	description = list("switches", false, &rc, &e);
	ok(!strstr(description, "perf::CONTEXT-SWITCHES"), "an event of the kernel is not listed by each of its names");
	free(description);
	description = list("perf::cs", false, &rc, &e);
	ok(strstr(description, "  perf::CS"), "unless the pattern has the PMU of these names");
	free(description);
	description = list("hits of no cache", false, &rc, &e);
	is_number(rc, -ENOENT, "words that no description has");
	free(description);
	description = list("Needed no DISK", false, &rc, &e);
	ok(strstr(description, "  minor-faults"), "words of a description");
	none = list("no-such-event-at-all", false, &rc, &e);
	ok(rc == -ENOENT && strstr(e.text, "no-such-event-at-all"), "nothing matches: an error that names the pattern");
	is_string(none, "", "and nothing printed");
}

#ifndef PFM_NAMES_NONE
static void test_foreign(void)
{
	struct error e;
	int rc;
	auto_free char *one = list(LIST_NAME, false, &rc, &e);
	auto_free char *glob = list(LIST_OTHER_GLOB, true, &rc, &e);
	auto_free char *all = list(LIST_PMU_GLOB, true, &rc, &e);

	free(list("nosuch::*", false, &rc, &e)); /* whether the library is there */
	if (rc == -ENOENT && strstr(e.hint, "libpfm.so.4")) {
		printf("ok %d - other machines' PMUs # SKIP libpfm.so.4 cannot be loaded\n", ++tap_run);
		return;
	}
	ok(strstr(one, "libpfm4 events:\n  " LIST_NAME) && count_lines(one) == 2, "one event of a PMU");
	ok(strstr(one, LIST_WORD), "with the library's description");
	ok(count_lines(all) >= FORCED_EVENTS && strstr(all, LIST_NAME), "a glob of PMUs alone: all of their events");
	ok(strstr(glob, "\"pmu\":\"" LIST_OTHER_PMU "\"") && !strstr(glob, "\"pmu\":\"" FORCED_PMU "\""),
	   "a glob over PMUs");
	is_number(rc, -ENOENT, "an unknown PMU has no events");
}
#endif

static void test_all(void)
{
	static const char *const headings[] = {"Kernel events:\n", "PMU events:\n", "Tracepoints:\n",
					       "libpfm4 events:\n"};
	const char *at;
	struct error e;
	int rc;
	auto_free char *text = list(NULL, false, &rc, &e);

	is_number(rc, 0, "everything can be listed");
	at = text;
	for (size_t i = 0; i < ARRAY_SIZE(headings) && at; i++) {
		at = strstr(at, headings[i]);
		is_string(at ? "there" : headings[i], "there", "each section in its place");
	}
	/* in a file an event is a line: each begins with two spaces and its name */
	for (at = strchr(text, '\n'); at && at[1]; at = strchr(at + 1, '\n'))
		if (at[1] == ' ' && (at[2] != ' ' || at[3] == ' '))
			break;
	ok(!at || !at[1], "one line each");
}

/* Every record is one object on one line with the five keys; a section that cannot be listed has no name. */
static void test_json(void)
{
	static const char *const keys[] = {"\"name\":", "\"source\":", "\"pmu\":", "\"aliases\":[", "\"description\":"};
	bool complete = true;
	struct error e;
	int rc;
	auto_free char *text = list(NULL, true, &rc, &e);

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		complete &= line[0] == '{' && line[strlen(line) - 1] == '}';
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			complete &= strstr(line, keys[i]) != NULL;
	}
	ok(rc == 0 && complete, "JSON Lines with all keys");
}

#ifndef PFM_NAMES_NONE
static bool is_one_word(const char *line)
{
	return strchr(line + strspn(line, " "), ' ') == NULL;
}

/* In a terminal of 80 columns no line is longer, unless it is one word. */
static void test_terminal(void)
{
	struct winsize size = {.ws_col = 80, .ws_row = 24};
	size_t longest = 0, lines = 0;
	char line[512];
	int master;
	pid_t pid;
	FILE *in;

	fflush(stdout);
	pid = forkpty(&master, NULL, NULL, &size);
	if (pid < 0) {
		ok(false, "a terminal");
		return;
	}
	if (pid == 0) {
		struct error e;

		_exit(list_print(stdout, LIST_LONG_GLOB, false, &no_sources, &e) < 0 || fflush(stdout));
	}
	in = fdopen(master, "r");
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\r\n")] = '\0';
		if (text_width(line) > longest && !is_one_word(line))
			longest = text_width(line);
		lines++;
	}
	fclose(in);
	waitpid(pid, NULL, 0);
	if (lines > 5)
		ok(longest <= 80 && longest > 60, "descriptions are wrapped at the terminal's width");
	else
		printf("ok %d - wrapping # SKIP libpfm.so.4 cannot be loaded\n", ++tap_run);
}

#endif

int main(void)
{
	test_patterns();
#ifndef PFM_NAMES_NONE
	test_foreign();
	test_terminal();
#endif
	test_all();
	test_json();
	return tap_done();
}
