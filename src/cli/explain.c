#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "cli/complain.h"
#include "cli/explain_internal.h"
#include "count/counters.h"
#include "count/schedulability.h"
#include "lib/text.h"
#include "pmu/sysfs.h"
#include "rows/advice.h"
#include "run/backend.h"

struct explanation {
	FILE *out;
	const struct plan *plan;
	const struct metric_set *metrics;
	const struct target *target; /* the tasks or CPUs on which the run opens counters */
	struct counts counts;        /* as opened there; without slots if nothing could be opened */
	bool all_count;
	struct advice_machine machine;
};

static const char *type_name(uint32_t type)
{
	/* PERF_TYPE_HARDWARE to PERF_TYPE_BREAKPOINT */
	static const char *const names[] = {"hardware",       "software", "tracepoint",
					    "hardware cache", "raw",      "breakpoint"};

	return type < ARRAY_SIZE(names) ? names[type] : "dynamic";
}

static void put_configs(FILE *out, const struct event *event)
{
	const struct perf_event_attr *a = &event->attr;

	explain_field(out, "type", "%" PRIu32 " (%s)", a->type, type_name(a->type));
	explain_field(out, "config", "0x%" PRIx64, (uint64_t)a->config);
	if (event->source == EVENT_BREAKPOINT) {
		explain_field(out, "breakpoint", "bp_type=%" PRIu32 " bp_addr=0x%" PRIx64 " bp_len=%" PRIu64,
			      a->bp_type, (uint64_t)a->bp_addr, (uint64_t)a->bp_len);
		return;
	}
	if (event->config1_string)
		explain_text(out, "config1", event->config1_string);
	else if (a->config1)
		explain_field(out, "config1", "0x%" PRIx64, (uint64_t)a->config1);
	if (a->config2 || event->config1_string)
		explain_field(out, "config2", "0x%" PRIx64, (uint64_t)a->config2);
	if (a->config3)
		explain_field(out, "config3", "0x%" PRIx64, (uint64_t)a->config3);
	if (a->config4)
		explain_field(out, "config4", "0x%" PRIx64, (uint64_t)a->config4);
}

static void put_modes(FILE *out, const struct event *event, const struct count *count)
{
	const struct perf_event_attr *a = &event->attr;
	bool user_only = count && count->user_only;

	explain_field(out, "exclude", "user=%u kernel=%u hv=%u idle=%u host=%u guest=%u", a->exclude_user,
		      a->exclude_kernel || user_only, a->exclude_hv || user_only, a->exclude_idle, a->exclude_host,
		      a->exclude_guest && !(count && count->guest_included));
	if (a->precise_ip || a->pinned || a->exclusive)
		explain_field(out, "mode", "precise_ip=%u pinned=%u exclusive=%u",
			      count && count->open ? count->precise_ip : a->precise_ip, a->pinned, a->exclusive);
}

/* Writes the same text as a report. */
static void put_verdict(struct explanation *x, const struct event *event, const struct count *count)
{
	auto_free char *text = NULL;
	struct advice advice;
	bool excluded = event_is_excluded(event), opens = count && count->open;

	x->all_count &= opens && !excluded;
	if (!count) {
		explain_field(x->out, "kernel", "not asked: %s",
			      x->counts.n_slots ? "its PMU counts only on CPUs that are not selected"
						: "nothing could be opened");
		return;
	}
	if (opens && excluded) {
		advice_for_exclusion(&advice, event);
		text = advice_text(&advice);
		explain_field(x->out, "kernel", "accepts it, but would count 0: %s", text);
		return;
	}
	if (count->open && !count->user_only && !event->not_inherited) {
		explain_field(x->out, "kernel", "accepts it");
		return;
	}
	if (!count->open && count->no_fit) {
		explain_field(x->out, "kernel", "accepts it alone, but not in its group");
		return;
	}
	if (!count->open)
		advice_for_open(&advice, &x->machine, event, count->error, !target_is_cpus(x->target));
	else if (event->not_inherited)
		advice_for_not_inherited(&advice, event);
	else
		advice_for_user_only(&advice, &x->machine);
	text = advice_text(&advice);
	if (count->error == COUNTS_NOTHING)
		explain_field(x->out, "kernel", "accepts it, but would not count: %s", text);
	else if (count->open)
		explain_field(x->out, "kernel", "accepts it%s %s", event->not_inherited ? ":" : ";", text);
	else
		explain_field(x->out, "kernel", "refuses it (%s): %s", strerror(count->error), text);
}

/* Returns the count on the first task or CPU that refuses it, otherwise on the first one; NULL if it is opened on
 * none. */
static const struct count *explained_count(const struct explanation *x, size_t event)
{
	const struct count *found = NULL;

	for (size_t slot = 0; slot < x->counts.n_slots; slot++) {
		const struct count *count = counts_at(&x->counts, slot, event);

		if (!count->elsewhere && (!found || (found->open && !count->open)))
			found = count;
	}
	return found;
}

/* Returns the index of the event that is opened: itself, or one of its parts on several PMUs of a kind: the first one
 * that the kernel refuses, if any. */
static size_t opened_as(const struct explanation *x, size_t i)
{
	const struct event *event = &x->plan->events[i];

	for (size_t part = event->first_part; part < event->first_part + event->parts; part++) {
		const struct count *count = explained_count(x, part);

		if (count && !count->open)
			return part;
	}
	return event->parts ? event->first_part : i;
}

static bool is_instance_event(const struct explanation *x, size_t i)
{
	int parent = x->plan->events[i].parent;

	return parent >= 0 && x->plan->events[parent].instances;
}

/* Another CPU's event, as in its vendor's file. */
static void put_fields(struct explanation *x, const struct event *event)
{
	auto_strings struct strings pmus = {0};

	sysfs_find_pmus(SYSFS_ROOT, event->pmu, &pmus);
	for (const char *s = event->fields; *s; s += strcspn(s, "\n") + 1) {
		auto_free char *field = xstrndup(s, strcspn(s, "="));

		s += strlen(field) + 1;
		explain_field(x->out, field, "%.*s", (int)strcspn(s, "\n"), s);
	}
	explain_field(x->out, "kernel", "not asked: PMU '%s' %s cannot encode these fields", event->pmu,
		      pmus.n ? "of this machine" : "is not on this machine, which");
	x->all_count = false;
}

static void explain_event(struct explanation *x, size_t i)
{
	const struct event *event = &x->plan->events[i];
	size_t opened;

	text_put_safe(x->out, event->name, strlen(event->name));
	putc('\n', x->out);
	explain_text(x->out, "resolved by", event_source_name(event->source));
	if (event->origin)
		explain_text(x->out, "defined in", event->origin);
	explain_text(x->out, "name", event->full_name);
	explain_text(x->out, "PMU", event->pmu);
	if (event->fields) {
		put_fields(x, event);
		return;
	}
	if (!event_is_opened(event)) {
		explain_text(x->out, "kernel",
			     event->source == EVENT_TOOL ? "not needed: pfmstat measures it itself"
							 : "not needed: it is simulated, in user space alone");
		return;
	}
	if (event->parts && !event->instances) {
		explain_text(x->out, "kernel", "counts its parts, one per core PMU; this event is their sum");
		return;
	}
	if (event->instances)
		explain_text(x->out, "sum over", event->instances);
	opened = opened_as(x, i);
	put_configs(x->out, event);
	put_modes(x->out, event, explained_count(x, opened));
	if (event->filter)
		explain_text(x->out, "filter", event->filter);
	if (event->only_cpus || event->cpus)
		explain_text(x->out, "CPUs", event->only_cpus ? event->only_cpus : event->cpus);
	if (event->scale != 1.0 || *event->unit)
		explain_field(x->out, "value", "count * %.17g %s", event->scale, event->unit);
	put_verdict(x, &x->plan->events[opened], explained_count(x, opened));
}

/* Opens the group once more, without other groups: the open ones may be multiplexed. */
static bool group_is_schedulable(const struct explanation *x, const struct plan_group *group)
{
	struct schedulability_options where = {
		.cpu_wide = target_is_cpus(x->target),
		.cpu = x->target->cpus.n ? x->target->cpus.cpus[0] : sched_getcpu(),
	};
	const struct plan_options options = {.probe = schedulability_probe, .probe_arg = &where};

	return plan_fits(x->plan, &options, group, NULL);
}

static const char *why_added(const struct plan *plan, size_t event)
{
	return event < plan->n_shown                       ? ""
	       : plan->events[event].source == EVENT_PROBE ? " (added to find missing returns)"
							   : " (added to measure how typical the group's slices are)";
}

static void explain_group(struct explanation *x, size_t g)
{
	const struct plan_group *group = &x->plan->groups[g];
	bool fits = group_is_schedulable(x, group);
	auto_free char *text = NULL;
	size_t open = 0, size;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < group->n; i++) {
		const struct event *event = &x->plan->events[group->members[i]];
		const struct count *count = explained_count(x, group->members[i]);

		fputs(i ? ", " : "", out);
		text_put_safe(out, event->name, strlen(event->name));
		fputs(why_added(x->plan, group->members[i]), out);
		open += count && count->open;
	}
	if (open == 0)
		fputs(": not counted", out);
	else if (!fits)
		fputs(": opens, but never gets onto the PMU", out);
	else
		fprintf(out, ": scheduled%s", open < group->n ? ", without the refused events" : "");
	fclose(out);
	fprintf(x->out, "  %-2zu ", g + 1);
	explain_put(x->out, 5, text);
	x->all_count &= fits;
}

/* ---- metrics ---- */

/* Explains the metric, and below it the metrics to which it refers, each once. */
static void explain_metric(struct explanation *x, const struct metric *metric, bool *done);

static void explain_names(struct explanation *x, const struct expr *expr, const char *pmu, bool *done)
{
	const struct metric *metric =
		expr->kind == EXPR_NAME ? catalogue_find(&x->metrics->catalogue, expr->name, pmu) : NULL;

	if (metric && metric->state == METRIC_BOUND)
		explain_metric(x, metric, done);
	for (size_t i = 0; i < expr_arguments(expr); i++)
		explain_names(x, expr->arguments[i], pmu, done);
}

/* From the text: in the tree, constant metrics have become numbers, and may have an event's name. */
static void explain_operands(struct explanation *x, const char *text, const char *pmu, bool *done)
{
	struct expr *expr;
	struct error ignored;

	if (expr_parse(&expr, text, &ignored) == 0)
		explain_names(x, expr, pmu, done);
	expr_free(expr);
}

static void put_metric_events(struct explanation *x, const struct metric_set *set, const struct metric *metric)
{
	auto_free bool *marked = xcalloc(set->n_events + 1, sizeof(*marked));
	auto_strings struct strings names = {0};
	auto_free char *text = NULL;

	metric_mark_events(set, metric, marked);
	for (size_t i = 0; i < set->n_events; i++) {
		const char *counted = marked[i] ? x->plan->events[set->events[i].index].name : NULL;

		if (counted && strcmp(counted, set->events[i].name) == 0)
			strings_add(&names, "%s", counted);
		else if (counted)
			strings_add(&names, "%s (as %s)", set->events[i].name, counted);
	}
	text = strings_join(&names, ", ");
	if (text)
		explain_text(x->out, "events", text);
}

static void explain_metric(struct explanation *x, const struct metric *metric, bool *done)
{
	auto_free char *unit = NULL;

	if (done[metric->index])
		return;
	done[metric->index] = true;
	unit = text_safe(metric->unit);
	text_put_safe(x->out, metric->name, strlen(metric->name));
	fprintf(x->out, *metric->pmu ? " on %s\n" : "\n", metric->pmu);
	if (*metric->description)
		explain_text(x->out, "description", metric->description);
	explain_text(x->out, "defined by", metric->path ? metric->path : "-M");
	if (*metric->groups)
		explain_text(x->out, "groups", metric->groups);
	explain_text(x->out, "expression", metric->text);
	if (*metric->unit)
		explain_field(x->out, "value", "expression * %.17g %s", metric->scale, unit);
	if (*metric->threshold)
		explain_text(x->out, "threshold", metric->threshold);
	if (metric->wrong)
		explain_text(x->out, "not computed", metric->wrong);
	else
		put_metric_events(x, x->metrics, metric);
	x->all_count &= !metric->wrong;
	if (metric->state == METRIC_BOUND)
		explain_operands(x, metric->text, metric->pmu, done);
}

/* Opens counters as the run would; this process stands for a command's. */
static void open_counters(struct explanation *x, const struct options *o, const struct cgroup_options *cgroups,
			  struct strings *notes)
{
	bool command = x->target->kind == TARGET_COMMAND;
	const struct backend_options options = {
		.plan = x->plan,
		.target = x->target,
		.inherit = o->inherit,
		.cgroups = cgroups->n ? cgroups : NULL,
		.command = command ? getpid() : 0,
		.enable_on_exec = command,
	};
	struct aggr_map map = {.n_keys = 0};
	struct backend *backend = NULL;
	struct error e = {0};

	if (backend_open_counters(&backend, &options, notes, &e) < 0) {
		complain_of(&e, o->report.color);
		strings_free(notes); /* the error contains it */
		x->all_count = false;
	} else {
		backend->ops->fetch(backend, &x->counts, &map, NULL);
	}
	aggr_map_free(&map);
	backend_close(backend);
}

bool explain_print(FILE *out, const struct options *options, const struct plan *plan, const struct metric_set *metrics,
		   const struct cgroup_options *cgroups)
{
	struct explanation x = {
		.out = out, .plan = plan, .metrics = metrics, .target = &options->target, .all_count = true};
	auto_free bool *done = xcalloc(metrics->catalogue.n + 1, sizeof(*done));
	auto_strings struct strings notes = {0};

	open_counters(&x, options, cgroups, &notes);
	for (size_t i = 0; i < metrics->n; i++)
		explain_metric(&x, metrics->chosen[i], done);
	for (size_t i = 0; i < plan->n_shown; i++)
		if (!is_instance_event(&x, i))
			explain_event(&x, i);
	if (plan->n_groups)
		fputs("groups\n", out);
	for (size_t g = 0; g < plan->n_groups; g++)
		explain_group(&x, g);
	explain_by(out, options);
	strings_merge(&notes, &plan->notes);
	strings_merge(&notes, &plan->list->notes);
	for (size_t i = 0; i < notes.n; i++) {
		fputs("note: ", out);
		explain_put(out, strlen("note: "), notes.v[i]);
	}
	counts_free(&x.counts);
	return x.all_count;
}
