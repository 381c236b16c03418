/* The names of metrics: which metrics -M chooses, which events they need, and the errors for others. */
#include "metric/metric_set.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>

#include "lib/util.h"
#include "metric/literal.h"
#include "scratch.h"
#include "tap.h"

static const char file[] =
	"[{\"MetricName\": \"top\", \"MetricExpr\": \"middle * 2 if #num_cpus > 0 else NO_SUCH\", \"MetricGroup\": "
	"\"G1;g2\",\n"
	"  \"ScaleUnit\": \"100%\", \"MetricThreshold\": \"top > 3 & middle > 1\"},\n"
	" {\"MetricName\": \"middle\", \"MetricExpr\": \"page\\\\-faults / task\\\\-clock\", \"MetricGroup\": \"G1\", "
	"\"ScaleUnit\": \"64e-6MB/s\"},\n"
	" {\"MetricName\": \"wrong\", \"MetricExpr\": \"NO_SUCH / 2\", \"MetricGroup\": \"G1\"},\n"
	" {\"MetricName\": \"after\", \"MetricExpr\": \"cs\", \"MetricGroup\": \"G1\", \"MetricThreshold\": \"after > "
	"NO_SUCH\"},\n"
	" {\"MetricName\": \"worse\", \"MetricExpr\": \"NO_SUCH +\", \"MetricGroup\": \"G3\"},\n"
	" {\"MetricName\": \"loop\", \"MetricExpr\": \"pool + 1\"}, {\"MetricName\": \"pool\", \"MetricExpr\": "
	"\"loop\"},\n"
	" {\"MetricName\": \"judged\", \"MetricExpr\": \"cs\", \"MetricThreshold\": \"judged > migrations\"},\n"
	" {\"MetricName\": \"maybe\", \"MetricExpr\": \"has_event(cs) + 2 * has_event(NO_SUCH)\"},\n"
	" {\"MetricName\": \"hyphen\", \"MetricExpr\": \"page-faults/2\"},\n"
	" {\"MetricName\": \"TOP\", \"MetricExpr\": \"7\"}]\n";

struct setting {
	struct vendor_files files;
	struct vendor_events vendor;
	struct event_list list;
	struct metric_set set;
	struct error e;
};

static bool has_event(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE;
}

static void setting_make(struct setting *s, const char *path)
{
	*s = (struct setting){.e.code = 0};
	vendor_files_add(&s->files, path, &s->e);
	s->vendor.files = &s->files;
	s->list.vendor = &s->vendor;
}

static void judge(struct setting *s)
{
	const struct metric_context context = {"-M", &s->list, false, has_event, NULL, false};

	metric_set_judge(&s->set, &context);
}

static int add(struct setting *s, const char *text)
{
	const struct metric_context context = {"-M", &s->list, false, has_event, NULL, false};

	if (metric_set_define(&s->set, text, &context, &s->e) < 0)
		return -s->e.code;
	return metric_set_add(&s->set, text, &context, &s->e);
}

static void setting_free(struct setting *s)
{
	metric_set_free(&s->set);
	event_list_free(&s->list);
	vendor_events_free(&s->vendor);
	vendor_files_free(&s->files);
}

static const char *events_of(const struct setting *s)
{
	static char text[512];
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < s->list.n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", s->list.events[i].name);
	return text;
}

static void test_events(const char *path)
{
	struct setting s;

	setting_make(&s, path);
	event_list_parse(&s.list, "faults,cs", &s.e);
	is_number(add(&s, "a=page\\-faults/task\\-clock,b=context\\-switches*a,TSC=duration_time"), 0,
		  "three metrics that the user defined");
	is_string(events_of(&s), "faults cs task-clock duration_time", "an event that is counted is not counted again");
	ok(!s.list.events[0].of_metric && s.list.events[2].of_metric, "an event for a metric only is marked");
	is_number(s.set.n, 3, "in their order");
	is_string(s.set.chosen[1]->name, "b", "with their names");
	is_number(add(&s, "a"), 0, "a metric that is already chosen");
	is_number(s.set.n, 3, "is not chosen again");
	setting_free(&s);
}

static void test_files(const char *path)
{
	struct setting s;

	setting_make(&s, path);
	is_number(add(&s, "Top"), 0, "by name in any case; an unused part need not exist");
	is_string(events_of(&s), "page-faults task-clock", "the events of the metrics that it names");
	is_string(s.set.chosen[0]->name, "top", "the first of its name");
	ok(s.set.chosen[0]->scale == 100, "a share in per cent");
	judge(&s);
	ok(s.set.chosen[0]->threshold_expr, "its threshold can be judged");
	setting_free(&s);

	setting_make(&s, path);
	is_number(add(&s, "G1"), 0, "a group");
	is_number(s.set.n, 4, "contains its metrics");
	ok(s.set.chosen[2]->wrong && strstr(s.set.chosen[2]->wrong, "event 'NO_SUCH'"),
	   "one metric has the reason why it cannot be computed");
	is_string(s.set.chosen[1]->unit, "MB/s", "a unit");
	ok(s.set.chosen[1]->scale == 64e-6, "with its factor");
	is_string(events_of(&s), "page-faults task-clock cs", "no event is counted for that metric");
	judge(&s);
	ok(!s.set.chosen[3]->threshold_expr, "a threshold with an unknown event is not judged");
	setting_free(&s);

	setting_make(&s, path);
	is_number(add(&s, "judged"), 0, "a threshold that needs further events");
	metric_set_judge(&s.set, NULL);
	ok(!s.set.chosen[0]->threshold_expr, "is not evaluated if no event may be added");
	is_string(events_of(&s), "cs", "and no event is added");
	judge(&s);
	ok(s.set.chosen[0]->threshold_expr && s.list.events[1].of_metric,
	   "otherwise it is evaluated, with events for it only");
	is_string(events_of(&s), "cs migrations", "once each");
	setting_free(&s);

	setting_make(&s, path);
	is_number(add(&s, "maybe"), 0, "has_event");
	ok(s.set.chosen[0]->expr->kind == EXPR_NUMBER && s.set.chosen[0]->expr->number == 1,
	   "is evaluated for each event");
	is_string(events_of(&s), "duration_time", "a metric without events is shown beside the time");
	setting_free(&s);
}

/* The error for an unknown event, with and without libpfm4. */
static const char *none_such(void)
{
	return dlopen("libpfm.so.4", RTLD_LAZY) ? "no such event" : "the kernel has no such event";
}

static void test_errors(const char *path)
{
	auto_free char *no_event = xasprintf("metric 'x' (column 6): event 'NO_SUCH': %s", none_such());
	const struct {
		const char *text, *reason;
		size_t at, length;
	} cases[] = {
		{"x=cs / NO_SUCH", no_event, 5, 7},
		{"x=cs *", "metric 'x' (column 5): a value expected at the end", 4, 0},
		{"x=#nonsense", "metric 'x' (column 1): there is no literal '#nonsense'", 0, 9},
		{"x=x+1", "metric 'x' (column 1): 'x' is defined by itself", 0, 1},
		{"x=y,y=x", "metric 'y' (column 1): 'x' is defined by itself", 0, 1},
		{"x=min(cs", "metric 'x' (column 7): ',' expected at the end", 6, 0},
		{"x=1.2.3", "metric 'x' (column 1): '1.2.3' is not a number, nor the name of an event", 0, 5},
		{"x=2*1e", "metric 'x' (column 3): '1e' is not a number, nor the name of an event", 2, 2},
		{"x=0xg", "metric 'x' (column 1): '0xg' is not a number, nor the name of an event", 0, 3},
		{"x==1", "-M: NAME=EXPR expected, not 'x==1'", 0, 0},
		{"cs*2", "-M: NAME=EXPR expected, not 'cs*2'", 0, 0},
		{"x=sched\\:\\*",
		 "metric 'x' (column 1): event 'sched:*': a metric needs the name of one event, not a pattern", 0, 9},
		{"x=1,y=2,x=3", "-M: metric 'x' is defined twice", 0, 0},
		{"x=1,X=1", "-M: metric 'X' is defined twice: case does not matter", 0, 0},
		{"x=", "-M: metric 'x' has no expression after '='", 0, 0},
		{"=cs", "-M: '' is not a metric's name: use letters, digits, '_', '-', '.' and ':'", 0, 0},
		{"cs,", "-M: no metric or group 'cs'", 0, 0},
		{"middle,", "-M: a name is empty", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct setting s;

		setting_make(&s, path);
		ok(add(&s, cases[i].text) < 0, cases[i].text);
		is_string(s.e.text, cases[i].reason, "its reason");
		ok(s.e.at == cases[i].at && s.e.length == cases[i].length, "its token");
		setting_free(&s);
	}
}

static void test_wrong_files(const char *path)
{
	auto_free char *no_event = xasprintf("/metrics.json (column 1): event 'NO_SUCH': %s", none_such());
	const struct {
		const char *text, *part;
	} cases[] = {
		{"wrong", no_event},
		{"worse", "/metrics.json (column 10): a value expected at the end"},
		{"G3", "/metrics.json (column 10): a value expected at the end"},
		{"loop", "'loop' is defined by itself"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct setting s;

		setting_make(&s, path);
		ok(add(&s, cases[i].text) < 0, cases[i].text);
		if (!ok(strstr(s.e.text, cases[i].part), "its reason"))
			printf("# got %s\n", s.e.text);
		setting_free(&s);
	}
}

/* In the user's expressions the longest name of an event counts. */
static void test_hyphens(const char *path)
{
	static const struct {
		const char *list, *events;
	} cases[] = {
		{"x=page-faults/task-clock", "page-faults task-clock"},
		{"x=page-faults - cs", "page-faults cs"},
		{"x=page-faults-cs", "page-faults cs"},
		{"x=cs-page-faults", "cs page-faults"},
		{"x=page-faults:u-page-faults:k", "page-faults:u page-faults:k"},
		{"x=-page-faults--cs", "page-faults cs"},
		{"x=10-cs", "cs"},
		{"x=has_event(page-faults)*cs", "cs"},
		{"x=page\\-faults-cs", "page-faults cs"},
	};
	struct setting s;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setting_make(&s, path);
		is_number(add(&s, cases[i].list), 0, cases[i].list);
		is_string(events_of(&s), cases[i].events, "its events");
		setting_free(&s);
	}
	setting_make(&s, path);
	ok(add(&s, "x=page-nothing") < 0 && strstr(s.e.text, "(column 1): event 'page'"), "no event with a hyphen");
	setting_free(&s);
}

/* That of the events, where it is left. */
static void test_own_units(const char *path)
{
	static const struct {
		const char *list, *unit;
		double scale;
	} cases[] = {
		{"x=task-clock", "ns", 1},
		{"x=task-clock/page-faults", "ns", 1},
		{"x=-d_ratio(task-clock, page-faults)", "ns", 1},
		{"x=page-faults*task-clock", "ns", 1},
		{"x=max(task-clock - cpu-clock, 0)", "ns", 1},
		{"x=task-clock if cs > 3 else 0", "ns", 1},
		{"x=duration_time/cs", "ns", 1e9},
		{"y=duration_time,x=y + user_time", "ns", 1e9},
		{"x=page-faults/cs", "", 1},
		{"x=page-faults/task-clock", "", 1},
		{"x=task-clock/cpu-clock", "", 1},
		{"x=task-clock/1000", "", 1},
		{"x=task-clock*duration_time", "", 1},
		{"x=task-clock + duration_time", "", 1},
		{"x=task-clock > cpu-clock", "", 1},
		{"x=task-clock | 1", "", 1},
	};
	struct setting s;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct metric *metric;

		setting_make(&s, path);
		is_number(add(&s, cases[i].list), 0, cases[i].list);
		metric = s.set.chosen[s.set.n - 1];
		is_string(metric->unit, cases[i].unit, "its unit");
		ok(metric->scale == cases[i].scale, "and the factor that makes it one");
		setting_free(&s);
	}
}

static void test_hints(const char *path)
{
	struct setting s;

	setting_make(&s, path);
	ok(add(&s, "hyphen") < 0 && strstr(s.e.hint, "for the event page-faults write each '-' with a backslash"),
	   "a hyphen that subtracts in a file");
	setting_free(&s);
	setting_make(&s, path);
	ok(add(&s, "x=sched:*") < 0 && strstr(s.e.hint, "a metric needs the name of one event"),
	   "an asterisk that multiplies");
	setting_free(&s);
	setting_make(&s, path);
	ok(add(&s, "midle") < 0 && strstr(s.e.hint, "did you mean middle?"), "a near name");
	setting_free(&s);
}

static void test_chain(const char *path)
{
	auto_free char *forwards = xstrdup("m0=cs"), *backwards = xstrdup("m0=cs");
	struct setting s;

	for (int i = 1; i <= 200; i++) {
		char *longer = xasprintf("%s,m%d=m%d", forwards, i, i - 1);
		char *before = xasprintf("m%d=m%d,%s", i, i - 1, backwards);

		free(forwards);
		free(backwards);
		forwards = longer;
		backwards = before;
	}
	setting_make(&s, path);
	is_number(add(&s, forwards), 0, "a chain of metrics, each of a known metric");
	setting_free(&s);
	setting_make(&s, path);
	is_number(add(&s, backwards), -ELOOP, "a chain that is too long");
	setting_free(&s);
}

static void test_literals(void)
{
	static const char *const names[] = {"#smt_on",       "#SMT_on",          "#core_wide",
					    "#num_cpus",     "#num_cpus_online", "#num_cores",
					    "#num_packages", "#num_dies",        "#has_pmem"};
	struct error e = {0};
	double value, online = 0, cores = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		ok(literal_value(names[i], false, false, &value, &e) == 0 && value >= 0, names[i]);
	literal_value("#num_cpus_online", false, false, &online, &e);
	literal_value("#num_cores", false, false, &cores, &e);
	is_number(online, sysconf(_SC_NPROCESSORS_ONLN), "CPUs as the C library counts them");
	ok(cores >= 1 && cores <= online, "cores are no more than CPUs");
	ok(literal_value("#target_cpu", false, false, &value, &e) == 0 && value == 0, "0 for tasks");
	ok(literal_value("#target_cpu", false, true, &value, &e) == 0 && value == 1, "... 1 for CPUs");
	ok(literal_value("#core_wide", true, true, &value, &e) == 0 && value == 1, "all threads of a core");
	is_number(literal_value("#num_cpu", false, false, &value, &e), -ENOENT, "an unknown literal");
	ok(strstr(e.hint, "#num_cpus"), "and a near name");
	ok(!literal_is_cpuid("NoSuchVendor-6-55-4") && !literal_is_cpuid("("), "the id of another CPU");
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *path = NULL;

	unsetenv("PFMSTAT_METRICS");
	scratch_make(root);
	scratch_put(root, "metrics.json", file);
	path = xasprintf("%s/metrics.json", root);
	test_events(path);
	test_files(path);
	test_errors(path);
	test_wrong_files(path);
	test_hyphens(path);
	test_own_units(path);
	test_hints(path);
	test_chain(path);
	test_literals();
	scratch_remove(root);
	return tap_done();
}
