/* The renderings: results built by hand against tests/golden, and the handling of files that cannot be written. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "host/target.h"
#include "lib/util.h"
#include "plan/plan.h"
#include "rendering.h"
#include "resolve/eventlist.h"
#include "rows/usual_ratios.h"
#include "tap.h"

struct setting {
	struct result result;
	struct plan plan;
};

static void setting_init(struct setting *s, char **command, const char *target)
{
	*s = (struct setting){.plan.n_groups = 0};
	/* rows point to events, which must not move */
	s->plan.events = xcalloc(32, sizeof(*s->plan.events));
	s->plan.group_of = xcalloc(32, sizeof(*s->plan.group_of));
	s->plan.groups = xcalloc(32, sizeof(*s->plan.groups)); /* each of no pass */
	s->result = (struct result){0};
	s->result.session = (struct session){
		.version = "1.2.3",
		.command = command,
		.target = target,
		.target_kind = command ? "command" : "system",
		.plan = &s->plan,
		.start_time = 1700000000.25,
		.elapsed_ns = 1051629517,
		.has_usage = command != NULL,
		.user_ns = command ? 1515000 : 0,
		.system_ns = command ? 250000000 : 0,
		.max_rss = command ? 12345678 : 0,
		.wait_status = 3 << 8,
		.runs = 1,
	};
}

static void setting_free(struct setting *s)
{
	for (size_t i = 0; i < s->plan.n_shown; i++)
		event_free(&s->plan.events[i]);
	free(s->plan.events);
	free(s->plan.group_of);
	free(s->plan.groups);
	result_free(&s->result);
}

static const struct event *add_event(struct setting *s, const char *name, uint32_t type, uint64_t config, int group)
{
	struct event *event = &s->plan.events[s->plan.n_shown];

	event_init(event, type == PERF_TYPE_TRACEPOINT ? EVENT_TRACEPOINT : EVENT_ABI);
	event->name = xstrdup(name);
	event->full_name = xstrdup(name);
	event->pmu = xstrdup(type == PERF_TYPE_SOFTWARE ? "software" : "cpu");
	event->attr.type = type;
	event->attr.config = config;
	s->plan.group_of[s->plan.n_shown++] = group - 1;
	return event;
}

static struct row *add_row(struct setting *s, const struct event *event, int group)
{
	struct row *row = result_add(&s->result, &(struct item){.name = event->name,
								.unit = event->unit,
								.counted = true,
								.event = event,
								.event_number = (size_t)(event - s->plan.events) + 1});

	row->group = group;
	return row;
}

static void set_unit(struct setting *s, struct row *row, const char *unit)
{
	struct item item = *row->item;

	item.unit = unit;
	row->item = result_item(&s->result, &item);
}

static struct row *set_count(struct row *row, uint64_t value, uint64_t enabled, uint64_t running)
{
	row->has_raw = true;
	row->raw = (struct sample){value, enabled, running};
	row->status = row->raw.enabled == 0         ? STATUS_IDLE
		      : sample_is_starved(row->raw) ? STATUS_STARVED
		      : sample_is_scaled(row->raw)  ? STATUS_SCALED
						    : STATUS_EXACT;
	if (status_has_value(row->status))
		row->value = (struct value){.type = VALUE_COUNT, .count = sample_scale(row->raw)};
	return row;
}

static struct row *add_count(struct setting *s, const char *name, uint32_t type, uint64_t config, int group,
			     uint64_t value)
{
	return set_count(add_row(s, add_event(s, name, type, config, group), group), value, 14163057, 14163057);
}

static struct event *add_clock_event(struct setting *s)
{
	add_event(s, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1);
	free(s->plan.events[s->plan.n_shown - 1].unit);
	s->plan.events[s->plan.n_shown - 1].unit = xstrdup("ns");
	return &s->plan.events[s->plan.n_shown - 1];
}

static struct row *add_missing(struct setting *s, const char *name, uint64_t config, enum status status,
			       const char *reason)
{
	struct row *row = add_row(s, add_event(s, name, PERF_TYPE_HARDWARE, config, 2), 2);

	row->status = status;
	row->reason = reason;
	return row;
}

static char *word(const char *s)
{
	union {
		const char *in;
		char *out;
	} u = {s};

	return u.out;
}

/* Every status, several metrics of one event, an approximate one, notes. */
static void make_states(struct setting *s)
{
	static const char *const words[] = {"sleep", "1", NULL};
	static char *command[3];
	struct row *row;

	for (size_t i = 0; i < 2; i++)
		command[i] = word(words[i]);
	setting_init(s, command, "'sleep 1'");
	set_count(add_row(s, add_clock_event(s), 1), 14163057, 14163057, 14163057);
	add_count(s, "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 2);
	set_count(add_row(s, add_event(s, "cpu-migrations", PERF_TYPE_SOFTWARE, 4, 1), 1), 0, 0, 0);
	add_count(s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, 77);
	add_count(s, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2, 40123456789);
	row = add_count(s, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2, 60185185183);
	row = add_count(s, "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 3, 0);
	set_count(row, 3333333, 3000000, 1001000);
	row->error = 120000.5;
	row = add_count(s, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 4, 0);
	set_count(row, 1000000, 3000000, 2999999);
	row = add_count(s, "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 4, 0);
	set_count(row, 12345, 3000000, 2999999);
	set_count(add_row(s, add_event(s, "r1a8", PERF_TYPE_RAW, 0x1a8, 5), 5), 0, 3000000, 0)->reason =
		"never got onto a counter: 5 groups share them; fix: count fewer events at once";
	add_missing(s, "cache-misses", 3, STATUS_UNSUPPORTED, "this machine has no such event");
	add_missing(s, "bus-cycles", 6, STATUS_UNSUPPORTED, "this machine has no such event");
	add_missing(s, "ref-cycles", 9, STATUS_DENIED, "not permitted; fix: sysctl kernel.perf_event_paranoid=1");
	add_missing(s, "cycles:k", 0, STATUS_LOST, "");
	add_count(s, "a_tracepoint_subsystem_of_its_own:with_a_long_name_too", PERF_TYPE_TRACEPOINT, 42, 1, UINT64_MAX);
	row = add_row(s, add_event(s, "power/energy-pkg/", 30, 2, 6), 6);
	row->value = (struct value){.type = VALUE_REAL, .real = 12.34375};
	set_unit(s, row, "Joules");
	metrics_add(&s->result);
	strings_add(&s->result.notes, "cycles: counted in user space alone; fix: run as root");
}

/* Names that would break a parser or a terminal. */
static void make_hostile(struct setting *s)
{
	static const char *const words[] = {"sh", "-c", "printf '\"a,b\"\n\t\x1b[31m\x9b\xff \xc3\xa9 \\'", "", NULL};
	static const char *const names[] = {"comma,comma",      "quote\"quote",         "line\nfeed",
					    "carriage\rreturn", "esc\x1b[2Jape",        "tab\tsemi;colon:pipe|",
					    "bad\xff\xc3(utf8", "\xe2\x82\xac\xc2\x9b", "'=cmd|' /C calc",
					    " blanks "};
	static char *command[5], *target;
	struct row *row;

	for (size_t i = 0; i < 4; i++)
		command[i] = word(words[i]);
	free(target);
	target = target_describe(&(struct target){.kind = TARGET_COMMAND}, command);
	setting_init(s, command, target);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		set_unit(s, add_count(s, names[i], PERF_TYPE_TRACEPOINT, i, 1, i), "");
	row = add_row(s, &s->plan.events[0], 1);
	set_count(row, 5, 10, 10);
	row->subject = result_subject(
		&s->result,
		&(struct subject){.scope = AGGR_THREAD, .id = "3727", .pid = 3727, .ppid = 1, .comm = "a,\"b\"\n\x1b"});
	row = add_row(s, &s->plan.events[1], 1);
	set_count(row, 6, 10, 10);
	row->subject = result_subject(
		&s->result, &(struct subject){.scope = AGGR_CGROUP, .id = "/a,b\"c\n", .cgroup = "/a,b\"c\n"});
	add_missing(s, "x,\ny", 0, STATUS_LOST, "gone,\n\"away\"\x1b");
	strings_add(&s->result.notes, "a note\x1b[0m with\nbreaks");
}

/* Rows of cgroups on cores, with metrics, one of them in a separate line; and rows of all tasks there. */
static void make_cgroups(struct setting *s)
{
	static const char *const cgroups[] = {"web", "a;b|\"\x1b", ""}, *const cores[] = {"S0-D0-C0", "S1-D0-C0"};
	const struct event *clock, *cycles, *stalled, *instructions;

	setting_init(s, NULL, "'system wide'");
	clock = add_clock_event(s);
	cycles = add_event(s, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 2);
	stalled = add_event(s, "stalled", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 2);
	instructions = add_event(s, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2);
	for (unsigned i = 0; i < 6; i++) {
		const struct event *events[] = {clock, cycles, stalled, instructions};
		const uint64_t values[] = {10000000, 20000000, 1000000 * i, 10000000 * (i + 1)};

		for (size_t k = 0; k < ARRAY_SIZE(events); k++) {
			struct row *row = set_count(add_row(s, events[k], k ? 2 : 1), values[k], 10000000, 10000000);

			row->subject = result_subject(
				&s->result,
				&(struct subject){.scope = AGGR_CORE, .id = cores[i % 2], .cgroup = cgroups[i / 2]});
			row->scope_count = 2;
		}
	}
	metrics_add(&s->result);
}

/* Two intervals of two CPUs; the clocks of the whole are not those of the intervals. */
static void make_interval(struct setting *s)
{
	const struct event *clock, *faults;

	setting_init(s, NULL, "'system wide'");
	clock = add_clock_event(s);
	faults = add_event(s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	for (unsigned i = 0; i < 4; i++) {
		struct row *row = set_count(add_row(s, clock, 1), 10000000 + i, 20000000, 20000000);

		row->time = 0.5 * (1 + i / 2) + 1e-9;
		row->subject =
			result_subject(&s->result, &(struct subject){.scope = AGGR_CPU, .id = i % 2 ? "1" : "0"});
		row = set_count(add_row(s, faults, 1), 1000 * i, 20000000, 20000000);
		row->time = 0.5 * (1 + i / 2) + 1e-9;
		row->subject =
			result_subject(&s->result, &(struct subject){.scope = AGGR_CPU, .id = i % 2 ? "1" : "0"});
		if (i % 2 == 0)
			continue;
		row = result_add(&s->result, &(struct item){.name = "duration_time", .unit = "ns"});
		row->value = (struct value){.type = VALUE_COUNT, .count = 500000000};
		row->time = 0.5 * (1 + i / 2) + 1e-9;
	}
	metrics_add(&s->result);
}

/* Means of five runs; also per core; an event that the user named is not repeated among the clocks. */
static void make_repeat(struct setting *s)
{
	static const char *const words[] = {"true", NULL};
	static char *command[2];
	struct row *row;

	command[0] = word(words[0]);
	setting_init(s, command, "'true'");
	s->result.session.runs = 5;
	s->result.session.wait_status = SIGKILL;
	row = set_count(add_row(s, add_clock_event(s), 1), 4000000, 4000000, 4000000);
	row->value = (struct value){.type = VALUE_REAL, .real = 4000000.4};
	*result_spread(&s->result, row) = (struct spread){.n = 5,
							  .stddev = 100000,
							  .min = count_value(3900000),
							  .median = count_value(4000000),
							  .max = count_value(4100000)};
	row->error = 124166;
	row = add_count(s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, 50);
	row->value = (struct value){.type = VALUE_REAL, .real = 50.6};
	*result_spread(&s->result, row) = (struct spread){.n = 5,
							  .stddev = 0.8944271909999159,
							  .min = {.type = VALUE_COUNT, .count = 50},
							  .median = {.type = VALUE_COUNT, .count = 50},
							  .max = {.type = VALUE_COUNT, .count = 52}};
	row->error = 1.1105;
	add_missing(s, "cycles", 0, STATUS_UNSUPPORTED, "this machine has no such event");
	row = add_row(s, add_event(s, "duration_time", PERF_TYPE_SOFTWARE, 0, 0), 0);
	s->plan.events[s->plan.n_shown - 1].tool = TOOL_DURATION_TIME;
	s->plan.events[s->plan.n_shown - 1].source = EVENT_TOOL;
	set_unit(s, row, "ns");
	row->value = (struct value){.type = VALUE_COUNT, .count = 1051629517};
	row = add_count(s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, 7);
	row->subject = result_subject(&s->result, &(struct subject){.scope = AGGR_CORE, .id = "S0-D0-C1"});
	row->scope_count = 2;
	metrics_add(&s->result);
}

/* Make a key's string the same on every machine: "key":"..." becomes "key":"*". */
static void mask(char *text, const char *key)
{
	auto_free char *start = xasprintf("\"%s\":", key);
	char *value = strstr(text, start), *end;

	if (!value)
		return;
	value += strlen(start);
	for (end = value + 1; *end && (*end != '"' || end[-1] == '\\') && *value == '"';)
		end++;
	if (*value != '"')
		end = value + strlen("null") - 1;
	memmove(value + 3, end + 1, strlen(end + 1) + 1);
	memcpy(value, "\"*\"", 3);
}

static void check_start_record(const char *text)
{
	auto_free char *host = NULL;
	struct utsname uts;

	uname(&uts);
	host = xasprintf("\"host\":\"%s\",\"kernel\":\"%s\",\"arch\":\"%s\"", uts.nodename, uts.release, uts.machine);
	ok(strstr(text, host), "the start record names host, kernel and architecture");
}

static void test_golden(const char *name, void (*make)(struct setting *))
{
	static const struct {
		const char *extension;
		struct report_options options;
	} formats[] = {
		{"table", {.format = REPORT_TABLE, .big_num = true}},
		{"md", {.format = REPORT_MARKDOWN, .big_num = true}},
		{"x", {.format = REPORT_X, .separator = ","}},
		{"csv", {.format = REPORT_CSV}},
		{"json", {.format = REPORT_JSON}},
		{"perf.json", {.format = REPORT_PERF_JSON}},
	};
	struct setting s;

	make(&s);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		auto_free char *text = render(formats[i].options, &s.result);

		if (formats[i].options.format == REPORT_JSON) {
			check_start_record(text);
			mask(text, "host");
			mask(text, "kernel");
			mask(text, "arch");
			mask(text, "cpu");
		}
		is_golden(name, formats[i].extension, text);
		if (formats[i].options.format == REPORT_TABLE)
			ok(!strstr(text, " \n"), "no line ends in a blank");
	}
	setting_free(&s);
}

static void test_variants(void)
{
	auto_free char *verbose = NULL, *markdown = NULL, *semicolons = NULL, *tabs = NULL, *utf8 = NULL;
	struct setting s;

	make_states(&s);
	verbose = render((struct report_options){.format = REPORT_TABLE, .verbose = true}, &s.result);
	is_golden("verbose", "table", verbose);
	markdown = render((struct report_options){.format = REPORT_MARKDOWN, .verbose = true}, &s.result);
	is_golden("verbose", "md", markdown);
	semicolons = render((struct report_options){.format = REPORT_X, .separator = "::"}, &s.result);
	is_golden("separator", "x", semicolons);
	tabs = render((struct report_options){.format = REPORT_X, .separator = "\\t"}, &s.result);
	ok(strstr(tabs, "\n2\t\tcontext-switches\t"), "-x '\\t' is a tab");
	setenv("LC_ALL", "C.UTF-8", 1);
	utf8 = render((struct report_options){.format = REPORT_TABLE}, &s.result);
	ok(strstr(utf8, "\u00b1 1.20%"), "a plus-minus sign where the locale has one");
	setenv("LC_ALL", "C", 1);
	setting_free(&s);
}

/* As `awk '$2 ~ /^cycles/'` sees the notes: returns whether any line looks like a count. */
static bool is_like_count(const struct result *result, const char *line)
{
	const char *second = line + strspn(line, " ");

	second += strcspn(second, " \n");
	second += strspn(second, " ");
	for (size_t i = 0; i < result->n; i++)
		if (strncmp(second, result->rows[i].item->name, strlen(result->rows[i].item->name)) == 0)
			return true;
	return false;
}

static void check_notes(const struct result *result, const char *notes)
{
	size_t longest = 0, alike = 0, lines = 0;

	for (const char *line = notes; *line && *line != '\n'; line += strcspn(line, "\n") + 1, lines++) {
		size_t width = strcspn(line, "\n");

		longest = width > longest ? width : longest;
		alike += is_like_count(result, line);
		if (strncmp(line, " note: ", 7) != 0 && strncmp(line, "   ", 3) != 0)
			printf("# neither a note nor the rest of one: %.*s\n", (int)width, line);
	}
	ok(lines > 8, "lines of notes");
	is_number(alike, 0, "no line has an event's name as its second word");
	ok(longest <= 80, "no line is wider than 80 columns");
}

static void test_notes(void)
{
	static const char *const names[] = {"cycles", "instructions", "branches", "branch-misses", "LLC-loads"};
	auto_free char *text = NULL;
	struct setting s;

	setting_init(&s, NULL, "'system wide'");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_missing(&s, names[i], i, STATUS_UNSUPPORTED, "no hardware PMU is visible here");
	add_missing(&s, "a_subsystem_with_a_long_name:and_an_event_with_a_long_name", 9, STATUS_DENIED, "not now");
	add_missing(&s, "another_subsystem_with_a_long_name:and_an_event_with_a_long_name", 9, STATUS_DENIED,
		    "not now");
	strings_add(&s.result.notes, "cycles is not counted on cpu_atom, which has no such event");
	for (size_t blanks = 0; blanks < 8; blanks++)
		strings_add(&s.result.notes,
			    "%.*s the group of 5 events that begins with cycles is too much for its PMU: cycles, "
			    "instructions, branches and cycles cycles fit together, but branches LLC-loads cycles do "
			    "not; take branches out of it, or else cycles",
			    (int)blanks, "xxxxxxxx");
	text = render((struct report_options){.format = REPORT_TABLE, .verbose = true}, &s.result);
	ok(strstr(text, " note: not counted: cycles, instructions, branches and 2 others: no hardware PMU\n"),
	   "three events are named, and the others counted");
	check_notes(&s.result, strstr(text, " note: "));
	free(text);
	text = render((struct report_options){.format = REPORT_TABLE}, &s.result);
	ok(strstr(text, "\n 8 more notes: -v\n"), "without -v, three notes are shown");
	setting_free(&s);
}

static void test_append(void)
{
	struct report_options options = {.format = REPORT_CSV, .append = true};
	auto_free char *path = temp_path();
	auto_free char *text = NULL;
	struct setting s;
	struct error e;

	options.path = path;
	make_interval(&s);
	render_to(&options, &s.result, &e);
	render_to(&options, &s.result, &e);
	text = read_file(path);
	ok(strncmp(text, "kind,time,", 10) == 0 && !strstr(text + 1, "kind,time,"), "one header for appended reports");
	free(text);
	options.append = false;
	options.format = REPORT_X;
	render_to(&options, &s.result, &e);
	text = read_file(path);
	ok(strncmp(text, "# started on ", 13) == 0 && !strstr(text, "kind,time,"),
	   "without --append the file is emptied");
	unlink(path);
	setting_free(&s);
}

static void test_errors(void)
{
	struct report_options options = {.format = REPORT_JSON, .path = "/dev/full"};
	int pipe_fds[2];
	struct setting s;
	struct error e;

	make_states(&s);
	for (int format = REPORT_TABLE; format <= REPORT_JSON; format++) {
		options.format = (enum report_format)format;
		is_number(render_to(&options, &s.result, &e), -ENOSPC, "a full disk is reported");
		ok(strstr(e.text, "/dev/full") && strstr(e.text, strerror(ENOSPC)), "with the path and the reason");
	}
	options.path = "/nonexistent/report";
	is_number(render_to(&options, &s.result, &e), -ENOENT, "so is a missing directory");
	options.path = NULL;
	options.log_fd = 987;
	is_number(render_to(&options, &s.result, &e), -EBADF, "and a closed descriptor");
	options.log_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	is_number(render_to(&options, &s.result, &e), -EBADF, "and a descriptor that is open for reading only");
	close(options.log_fd);
	signal(SIGPIPE, SIG_IGN);
	ok(pipe(pipe_fds) == 0, "a pipe");
	close(pipe_fds[0]);
	options.log_fd = pipe_fds[1];
	is_number(render_to(&options, &s.result, &e), -EPIPE, "a reader that went away");
	ok(fcntl(pipe_fds[1], F_GETFD) == 0, "--log-fd stays open, and open for the command");
	close(pipe_fds[1]);
	is_number(report_close(NULL, &e), 0, "closing nothing");
	setting_free(&s);
}

/* All that was written to a terminal, which hands it on piece by piece: until what is written there now. */
static void read_terminal(int master, int slave, char *text, size_t size)
{
	static const char end[] = "that is all";
	size_t used = 0;
	ssize_t n;

	if (write(slave, end, strlen(end)) < 0)
		abort();
	while (!memmem(text, used, end, strlen(end)) && used < size - 1 &&
	       (n = read(master, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
}

/* Hostile names on a terminal, in all formats that do not escape them anyway. */
static void test_terminal(void)
{
	struct setting s;

	make_hostile(&s);
	for (int format = REPORT_TABLE; format <= REPORT_CSV; format++) {
		struct report_options options = {.format = (enum report_format)format, .color = COLOR_NEVER};
		struct winsize wide = {.ws_col = 500};
		int master, slave;
		char text[8192];
		struct error e;

		if (openpty(&master, &slave, NULL, NULL, &wide) < 0) {
			printf("ok %d - a terminal # SKIP there are none here\n", ++tap_run);
			continue;
		}
		options.log_fd = slave;
		is_number(render_to(&options, &s.result, &e), 0, "rendered to a terminal");
		read_terminal(master, slave, text, sizeof(text));
		ok(strstr(text, "esc\\x1b[2Jape"), "an escape is made visible");
		ok(!strpbrk(text, "\x1b\xff") && !strstr(text, "\xc2\x9b"), "and no control character gets through");
		close(slave);
		close(master);
	}
	setting_free(&s);
}

/* A process that waits in poll(2) reports it in this pipe, if it is open. */
static int waiting = -1;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	const struct timespec limit = {.tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000L};

	if (waiting >= 0 && timeout != 0 && write(waiting, "", 1) < 0)
		abort();
	return ppoll(fds, n, timeout < 0 ? NULL : &limit, NULL);
}

/* Reads a pipe to its end after a process waits; exits with 0 if the end record was the last thing in it. */
static void read_late(int fd, int others_wait)
{
	static const char end[] = "\"notes\":[]}\n";
	char last[sizeof(end)] = "", c;

	if (read(others_wait, &c, 1) != 1)
		_exit(70);
	while (read(fd, &c, 1) == 1) {
		memmove(last, last + 1, sizeof(last) - 2);
		last[sizeof(last) - 2] = c;
	}
	_exit(strcmp(last, end) != 0);
}

/* A shell's standard error may be a pipe with O_NONBLOCK: a report larger than the pipe must wait. */
static void test_nonblocking(void)
{
	struct report_options options = {.format = REPORT_JSON};
	struct setting s;
	int fds[2], waits[2], status;
	struct error e;
	pid_t pid;

	make_interval(&s);
	for (unsigned i = 0; i < 1000; i++)
		set_count(add_row(&s, &s.plan.events[0], 1), i, 1, 1);
	ok(pipe2(fds, O_NONBLOCK) == 0 && fcntl(fds[1], F_SETPIPE_SZ, 65536) > 0 && pipe2(waits, O_CLOEXEC) == 0,
	   "a pipe that does not block");
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		close(waits[1]);
		fcntl(fds[0], F_SETFL, 0);
		read_late(fds[0], waits[0]);
	}
	close(fds[0]);
	options.log_fd = fds[1];
	waiting = waits[1];
	is_number(render_to(&options, &s.result, &e), 0, "takes all of a large report");
	waiting = -1;
	close(waits[0]);
	close(waits[1]);
	close(fds[1]);
	ok(waitpid(pid, &status, 0) == pid && status == 0, "to its last byte");
	setting_free(&s);
}

static void test_columns(void)
{
	static const char published[] =
		"kind,time,run,command,scope,scope_id,name,unit,status,value,error,n,stddev,min,median,max,raw,"
		"enabled_ns,running_ns,group,reason,pid,ppid,comm";
	auto_free char *csv = NULL;
	struct setting s;

	make_interval(&s);
	csv = render((struct report_options){.format = REPORT_CSV}, &s.result);
	/* new columns go to the end */
	ok(strncmp(csv, published, strlen(published)) == 0, "the published columns, in order");
	setting_free(&s);
}

/* A column of Markdown may first have a value in a later interval; the following intervals keep it. */
static void test_markdown_intervals(void)
{
	auto_free char *path = temp_path(), *text = NULL;
	struct report_options options = {.format = REPORT_MARKDOWN, .path = path};
	const struct event *event;
	struct report *report;
	struct setting s;
	struct error e;

	setting_init(&s, NULL, "'system wide'");
	event = add_event(&s, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1);
	ok(report_open(&report, &options, &(struct signals){0}, &e) == 0, "opened");
	for (unsigned i = 1; i <= 4; i++) {
		result_clear(&s.result);
		set_count(add_row(&s, event, 1), 10 * i, 100, i == 2 ? 50 : 100)->time = i;
		report_start(report, &s.result);
		report_rows(report, &s.result);
	}
	report_close(report, &e);
	text = read_file(path);
	is_string(text,
		  "### Performance counter stats for 'system wide'\n"
		  "\n| time, s | count | event |\n|--:|--:|:--|\n"
		  "| 1.000000000 | 10 | `cycles` |\n"
		  "\n| time, s | count | event | error | counted for |\n|--:|--:|:--|:--|--:|\n"
		  "| 2.000000000 | 40 | `cycles` | ± unknown | (50.00%) |\n"
		  "| 3.000000000 | 30 | `cycles` | | |\n"
		  "| 4.000000000 | 40 | `cycles` | | |\n",
		  "Markdown: each row has the columns of its heading");
	unlink(path);
	setting_free(&s);
}

static void test_error_of_zero(void)
{
	auto_free char *text = NULL;
	struct setting s;
	struct row *row;

	setting_init(&s, NULL, "'system wide'");
	row = set_count(add_row(&s, add_event(&s, "user_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 1), 0), 0, 1,
			1);
	set_unit(&s, row, "ns");
	row->status = STATUS_SCALED;
	row->error = 2318440.25;
	text = render((struct report_options){.format = REPORT_TABLE}, &s.result);
	ok(strstr(text, " 0 ns   user_time") && strstr(text, "+- 2318440\n"), "the error of a 0 has the unit of the 0");
	setting_free(&s);
}

int main(void)
{
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC0", 1);
	test_columns();
	test_golden("states", make_states);
	test_golden("hostile", make_hostile);
	test_golden("interval", make_interval);
	test_golden("cgroups", make_cgroups);
	test_golden("repeat", make_repeat);
	test_markdown_intervals();
	test_error_of_zero();
	test_variants();
	test_notes();
	test_append();
	test_errors();
	test_terminal();
	test_nonblocking();
	return tap_done();
}
