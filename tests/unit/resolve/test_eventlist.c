/* The grammar of -e on names that every Linux has, against the constants of the uapi header; and what is said of a
 * list that is wrong: where, why and what is near. */
#include "resolve/eventlist.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/text.h"
#include "lib/util.h"
#include "machine.h"
#include "resolve/resolve.h"
#include "tap.h"
#include "trace/tracefs.h"

#define skip(what, why) printf("ok %d - %s # SKIP %s\n", ++tap_run, what, why)

static bool ok_list(bool passed, const char *text, const char *what)
{
	auto_free char *safe = text_safe(text);
	char line[128];

	snprintf(line, sizeof(line), "'%.80s' %s", safe, what);
	return tap_ok(passed, __FILE__, __LINE__, line);
}

static struct event_list parse(const char *text)
{
	struct event_list list = {0};
	struct error e = {0};

	if (!ok_list(event_list_parse(&list, text, &e) == 0, text, "is accepted"))
		printf("# %s\n", e.text);
	return list;
}

static bool is_event(const struct event *event, const char *name, uint32_t type, uint64_t config)
{
	return strcmp(event->name, name) == 0 && event->attr.type == type && event->attr.config == config;
}

static void test_plain(void)
{
	struct event_list list = parse(" cycles ,cs:u,\n\ttask-clock\n,r1a8:k,mem:0x404040/4:rw,duration_time,cycles");

	if (tap_ok(list.n == 7, __FILE__, __LINE__, "seven events")) {
		ok(is_event(&list.events[0], "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), "hardware");
		ok(is_event(&list.events[1], "cs:u", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES), "software");
		ok(list.events[1].attr.exclude_kernel && !list.events[1].attr.exclude_user, "with :u");
		ok(!list.events[0].attr.exclude_kernel && !list.events[0].modes_given, "and without");
		ok(is_event(&list.events[2], "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK),
		   "white space belongs to no name");
		ok(is_event(&list.events[3], "r1a8:k", PERF_TYPE_RAW, 0x1a8), "raw");
		ok(list.events[3].attr.exclude_user, "raw with :k");
		is_number(list.events[4].attr.type, PERF_TYPE_BREAKPOINT, "breakpoint");
		is_number(list.events[4].attr.bp_addr, 0x404040, "its address");
		is_number(list.events[4].attr.bp_len, 4, "the slash in it begins no PMU's terms");
		is_number(list.events[5].tool, TOOL_DURATION_TIME, "tool event");
		ok(is_event(&list.events[6], "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
		   "an event may be repeated");
		is_number(list.events[6].group, -1, "an event outside braces is in no group");
	}
	is_number(list.n_groups, 0, "no groups");
	is_number(list.last, 6, "the last item");
	event_list_free(&list);
}

static void test_pmu(void)
{
	struct event_list list = parse("software/config=0x2,config1=0/u,software/config=3/:k,software/config=4/");

	if (tap_ok(list.n == 3, __FILE__, __LINE__, "commas inside slashes separate terms")) {
		ok(is_event(&list.events[0], "software/config=0x2,config1=0/u", PERF_TYPE_SOFTWARE, 2), "terms");
		ok(list.events[0].attr.exclude_kernel, "a modifier behind the slash");
		ok(list.events[1].attr.exclude_user && list.events[1].attr.config == 3, "a modifier behind a colon");
		ok(!list.events[2].attr.exclude_user && list.events[2].attr.config == 4, "no modifier");
		ok(list.events[0].source == EVENT_SYSFS, "resolved by sysfs");
	}
	event_list_free(&list);
	list = parse("software/config=2,name='a/b, c'/,cs");
	if (tap_ok(list.n == 2, __FILE__, __LINE__, "quotes hide slashes and commas"))
		is_string(list.events[0].name, "a/b, c", "name= is the user's name");
	event_list_free(&list);
}

static void test_groups(void)
{
	struct event_list list = parse("cs,{ cycles , instructions:k }:uW,{page-faults,duration_time}:k,faults");

	if (tap_ok(list.n == 6 && list.n_groups == 2, __FILE__, __LINE__, "six events in two groups")) {
		ok(list.groups[0].first == 1 && list.groups[0].n == 2 && list.groups[0].weak, "the first, weak");
		ok(list.groups[1].first == 3 && list.groups[1].n == 2 && !list.groups[1].weak, "the second, not");
		ok(list.events[1].weak && list.events[2].weak && !list.events[3].weak, "weakness of the members");
		is_string(list.events[1].name, "cycles", "the group's letters are not in the name");
		ok(list.events[1].attr.exclude_kernel && !list.events[1].attr.exclude_user, "but have their effect");
		ok(!list.events[2].attr.exclude_kernel && !list.events[2].attr.exclude_user, ":k and :u are both");
		is_number(list.events[0].group, -1, "before the groups");
		is_number(list.events[2].group, 0, "in the first");
		is_number(list.events[4].group, 1, "in the second");
		is_number(list.events[5].group, -1, "after the groups");
		ok(!list.events[4].attr.exclude_user, "a tool event in a group has no modes");
		ok(!list.events[5].attr.exclude_user, "letters end with their group");
	}
	event_list_free(&list);

	list = parse("{cs:W,faults}");
	ok(list.n == 2 && list.groups[0].weak && list.events[1].weak, "a weak member makes its group weak");
	event_list_free(&list);
}

static void test_append(void)
{
	struct event_list list = parse("{cs,faults}");
	struct error e = {0};

	is_number(event_list_parse(&list, "cycles:S,{cpu-clock,task-clock}", &e), 0, "a second -e");
	is_number(list.n, 5, "appends its events");
	is_number(list.n_groups, 2, "and groups");
	ok(list.groups[1].first == 3 && list.events[4].group == 1, "which are counted on");
	is_number(list.last, 3, "the last item is the group");
	is_number(list.notes.n, 1, "one note");
	is_string(list.notes.n ? list.notes.v[0] : "",
		  "modifier S of 'cycles:S' is ignored: it has no effect on counting", "its text");
	ok(event_list_parse(&list, "cs,cycles:S,{cs}:S,nosuch", &e) < 0, "a third one is wrong at its end");
	ok(list.n == 5 && list.n_groups == 2 && list.notes.n == 1 && list.last == 3, "and appends nothing");
	event_list_free(&list);

	list = parse("{cs,faults}:S");
	is_number(list.notes.n, 1, "a group's ignored letter is one note");
	is_string(list.notes.n ? list.notes.v[0] : "",
		  "modifier S of '{cs,faults}:S' is ignored: it has no effect on counting", "its text");
	event_list_free(&list);
}

/* The hint's last two lines, the list and the underline below it: returns whether they point at the token. */
static bool caret_points_at(const struct error *e, const char *token)
{
	const char *below = strrchr(e->hint, '\n'), *line;
	size_t indent;

	if (!below)
		return false;
	for (line = below; line > e->hint && line[-1] != '\n'; line--)
		continue;
	indent = strspn(below + 1, " ");
	return below[1 + indent] == '^' && strncmp(line + indent, token, strlen(token)) == 0 &&
	       strlen(below + 1 + indent) == strlen(token);
}

/* An error at this column and token, whose text has this word. */
static void fails(const char *text, size_t column, const char *token, const char *word)
{
	struct event_list list = {0};
	struct error e = {0};
	char expected[64];
	int r = event_list_parse(&list, text, &e);

	snprintf(expected, sizeof(expected), "(column %zu)", column);
	if (!ok_list(r < 0 && r == -e.code && list.n == 0, text, "is refused"))
		return event_list_free(&list);
	ok(strstr(e.text, expected) != NULL, "at its column");
	ok(strstr(e.text, word) != NULL, "with the reason");
	ok(e.length == strlen(token) && strncmp(text + e.at, token, e.length) == 0, "for this token");
	ok(*token == '\0' || (unsigned char)*text > 0x7f || strlen(token) > 40 || caret_points_at(&e, token),
	   "which the caret points at");
	ok(strchr(e.text, '\n') == NULL, "in one line");
	if (!strstr(e.text, expected) || !strstr(e.text, word) || e.length != strlen(token))
		printf("# at %zu, length %zu, %s\n# %s\n", e.at, e.length, e.text, e.hint);
	event_list_free(&list);
}

static void test_syntax_errors(void)
{
	fails("", 1, "", "empty");
	fails("  \n", 1, "", "empty");
	fails("{a,b", 1, "{", "'{' has no closing '}'");
	fails("cs, {a,b", 5, "{", "'{' has no closing '}'");
	fails("a}", 2, "}", "without a '{'");
	fails("{a}}", 4, "}", "without a '{'");
	fails("}", 1, "}", "without a '{'");
	fails("{a,{b}}", 4, "{", "nested");
	fails("{{b}}", 2, "{", "nested");
	fails("{}", 1, "{}", "without events");
	fails("cs,{ },cs", 4, "{ }", "without events");
	fails("a,,b", 3, ",", "no event before");
	fails(",b", 1, ",", "no event before");
	fails("cs,", 3, ",", "no event after");
	fails("cs, ", 3, ",", "no event after");
	fails("{cs,}", 5, "}", "no event before");
	fails("{", 1, "{", "no event after");
	fails("cs{faults}", 3, "{", "within a name");
	fails("{cs}faults", 5, "f", "expected after '}'");
	fails("cpu/event=1,cs", 4, "/", "no closing '/'");
	fails("\xc3\xa4\xc3\xb6,,cs", 4, ",", "no event before"); /* columns are characters, not bytes */
}

static void test_event_errors(void)
{
	fails("cycels", 1, "cycels", "event 'cycels'");
	fails("cs,cycels,cs", 4, "cycels", "event 'cycels'");
	fails("\xc3\xa4,cycels", 1, "\xc3\xa4", "no");
	fails("cs:Z", 4, "Z", "modifier");
	fails("cs,cycles:uZ,faults", 12, "Z", "modifier");
	fails("{cycles}:Q", 10, "Q", "modifier");
	fails("{cycles:ppp,cs}:p", 2, "cycles:ppp", "p");
	fails("duration_time:u", 14, ":u", "tool event");
	fails("software/config=1/Z", 19, "Z", "modifier");
	fails("software/config=1/Z/,cs", 19, "Z", "modifier");
	fails("software/evnt=1/", 10, "evnt", "evnt");
	fails("cs,software/config=1,confg=2/", 22, "confg", "confg");
	fails("nopmu/,period=1/", 1, "nopmu", "no PMU");
	fails("cs,mem:zzz", 8, "zzz", "zzz");
}

static void error_of(const char *text, struct error *e)
{
	struct event_list list = {0};

	*e = (struct error){0};
	ok_list(event_list_parse(&list, text, e) < 0, text, "is refused");
	event_list_free(&list);
}

static void test_near_names(void)
{
	auto_tracefs struct tracefs tracefs = {0};
	struct error e, why;

	error_of("cycels", &e);
	ok(strncmp(e.hint, "did you mean cycles?", 12) == 0 && strstr(e.hint, "cycles"), "near a kernel name");
	error_of("task-clokc:u", &e);
	ok(strstr(e.hint, "task-clock") != NULL, "modifiers are not part of the name");
	error_of("sched:sched_swich", &e);
	ok(strstr(e.text, "sched:sched_swich") != NULL, "names the event");
	if (!machine_has_no_tracefs()) {
		ok(strstr(e.hint, "sched:sched_switch") != NULL, "near a tracepoint");
		ok(strstr(e.text, "tracepoint") != NULL, "says that it is no tracepoint");
	} else {
		tracefs_check(&tracefs, &why);
		ok(strstr(e.text, why.text) != NULL, "says why tracepoints cannot be looked up");
	}
	/* they exist only on some machines, and never in this form */
	error_of("INST_RETIRED:ANYP", &e);
	error_of("cpu/evnt=1/", &e);
	error_of("r", &e);
	error_of("nosuchpmu::CYCLES", &e);
}

static void test_long(void)
{
	enum { LONG = 10000 };
	auto_free char *name = xmalloc(LONG + 1), *list = xmalloc(LONG + 16);
	struct event_list parsed;
	const char *window;
	struct error e;

	memset(name, 'a', LONG);
	name[LONG] = '\0';
	fails(name, 1, name, "10000 bytes");
	name[4096] = '\0';
	fails(name, 1, name, "no");

	list[0] = '\0';
	for (size_t at = 0; at < LONG; at += 3)
		memcpy(list + at, "cs,", 4);
	memcpy(list + 9999, "cycels,cs", 10);
	fails(list, 10000, "cycels", "event 'cycels'");
	error_of(list, &e);
	window = strstr(e.hint, "\n...");
	if (tap_ok(window != NULL, __FILE__, __LINE__, "a window of the list is shown"))
		is_number(strcspn(window + 1, "\n"), strlen("...") + 70, "of 70 columns");
	list[9998] = '\0';
	parsed = parse(list);
	is_number(parsed.n, 3333, "a long list is accepted like a short one");
	event_list_free(&parsed);
}

static void test_harmless(void)
{
	struct error e;
	const char *line, *below;

	error_of("cs,\x1b[31m\xff,cs", &e);
	line = strstr(e.hint, "cs,\\x1b[31m\\xff,cs");
	below = line ? strchr(line, '\n') : NULL;
	ok(line && below, "control characters are escaped");
	is_string(below ? below + 1 : "", "   ^~~~~~~~~~~~", "and the caret's line stays below them");
	error_of("\xc3\xa4\xc3\xb6", &e);
	ok(strstr(e.hint, "\n^~") && !strstr(e.hint, "^~~"), "a character is one column, however many bytes");
	error_of("cs,\nnosuch", &e);
	ok(strstr(e.hint, "cs,\\nnosuch\n     ^~~~~~") != NULL, "a newline does not break the line");
}

static void test_escapes(void)
{
	struct error e;

	error_of("cs,a\\,b\\{c\\}", &e);
	ok(e.at == 3 && e.length == strlen("a\\,b\\{c\\}"), "an escaped comma does not end a name");
	error_of("cs,a\\b,cs", &e);
	ok(e.at == 3 && e.length == strlen("a\\b"), "another backslash is itself");
	error_of("cs,cycles:\\,Z", &e);
	ok(e.at >= 10, "a token behind an escape");
	error_of("uprobe:/no/such,dir:main", &e);
	ok(!resolve_is_glob("uprobe:/a*/b:read") && !resolve_is_glob("kprobe:do_*"), "a probe is no glob");
	ok(resolve_is_glob("uretprobe:bash:read*:u") && resolve_is_glob("usdt:a:b:?"), "unless its place is");
	ok(resolve_is_glob("sched:sched_s*:u"), "a pattern of tracepoints is one");
	ok(e.at + e.length <= strlen("uprobe:/no/such"), "an unescaped comma in a path ends it");
	error_of("uprobe:/no/such\\,dir/x:main", &e);
	ok(strstr(e.text, "column") && e.at < strlen("uprobe:/no/such\\,dir/x"), "an escaped one does not");
}

static void test_pfm(void)
{
	struct event_list list;
	struct error e;

	if (!dlopen("libpfm.so.4", RTLD_LAZY)) {
		skip("libpfm4", "libpfm.so.4 cannot be loaded");
		return;
	}
#if !defined(__x86_64__) && !defined(__i386__)
	skip("libpfm4", "the library knows the events of its own architecture alone");
	return;
#endif
	list = parse("{skl::INST_RETIRED:ANY_P:u,cs}:W,skl::inst_retired:any_p:k");
	if (tap_ok(list.n == 3, __FILE__, __LINE__, "three events")) {
		ok(is_event(&list.events[0], "skl::INST_RETIRED:ANY_P:u", PERF_TYPE_RAW, 0xc0), "its encoding");
		ok(list.events[0].source == EVENT_PFM, "by libpfm4");
		ok(list.events[0].attr.exclude_kernel && !list.events[0].attr.exclude_user, ":u");
		ok(list.events[2].attr.exclude_user && !list.events[2].attr.exclude_kernel, ":k");
		ok(list.events[0].weak, "the group's letter");
	}
	event_list_free(&list);
	fails("cs,skl::INST_RETIRED:ANYP", 22, "ANYP", "ANYP");
	error_of("skl::INST_RETIRED:ANYP", &e);
	ok(strstr(e.hint, "ANY_P") != NULL, "near umasks");
	error_of("skl::INST_RETIRD:ANY_P", &e);
	ok(strstr(e.hint, "INST_RETIRED") != NULL, "near events");
}

static void test_filter(void)
{
	struct event_list list = {0};
	struct error e = {0};

	is_number(event_list_filter(&list, "prev_pid == 0", &e), -EINVAL, "a filter before any event");
	event_list_free(&list);
	list = parse("cs");
	is_number(event_list_filter(&list, "prev_pid == 0", &e), -EINVAL, "a filter behind another event");
	ok(strstr(e.text, "'cs'") != NULL, "which is named");
	event_list_free(&list);
	if (machine_has_no_tracefs()) {
		skip("filters of tracepoints", "machine: tracefs cannot be read");
		return;
	}
	list = parse("sched:sched_switch,{cs,sched:sched_wakeup*}");
	ok(list.n > 3 && strcmp(list.events[2].name, "sched:sched_wakeup") == 0, "a glob's matches have their names");
	is_number(event_list_filter(&list, " ", &e), -EINVAL, "an empty filter");
	is_number(event_list_filter(&list, "prio > 1", &e), 0, "a filter for the last item");
	ok(!list.events[0].filter && !list.events[1].filter, "not for events before it, nor for other events");
	for (size_t i = 2; i < list.n; i++)
		is_string(list.events[i].filter, "prio > 1", "for each match");
	is_number(event_list_filter(&list, "pid > 2", &e), 0, "a second filter");
	is_string(list.events[2].filter, "(prio > 1) && (pid > 2)", "holds as well as the first");
	event_list_free(&list);
	error_of("sched:nosuch*", &e);
}

static void test_restrict(void)
{
	struct event_list list = parse("cycles,cs:k,duration_time");

	event_list_restrict(&list, false, false);
	ok(!list.events[0].modes_given, "without either option nothing changes");
	event_list_restrict(&list, true, false);
	ok(list.events[0].attr.exclude_kernel && !list.events[0].attr.exclude_user && list.events[0].modes_given,
	   "--all-user");
	ok(list.events[1].attr.exclude_user && !list.events[1].attr.exclude_kernel, "modes that were given stay");
	ok(!list.events[2].attr.exclude_kernel && !list.events[2].modes_given, "a tool event has none");
	event_list_free(&list);
	list = parse("r1:p");
	event_list_restrict(&list, false, true);
	ok(list.events[0].attr.exclude_user && !list.events[0].attr.exclude_kernel && list.events[0].modes_given,
	   "--all-kernel");
	event_list_free(&list);
}

int main(void)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	test_plain();
	test_pmu();
	test_groups();
	test_append();
	test_syntax_errors();
	test_event_errors();
	test_near_names();
	test_long();
	test_harmless();
	test_escapes();
	test_pfm();
	test_filter();
	test_restrict();
	return tap_done();
}
