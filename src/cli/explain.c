#include "cli/explain.h"

#include <inttypes.h>
#include <string.h>

#include "count/counters.h"
#include "count/schedulability.h"
#include "lib/text.h"
#include "result/advice.h"

struct explanation {
	FILE *out;
	const struct plan *plan;
	struct counters *counters; /* opened on the own task; no slot if even that failed */
	bool all_count;
	struct advice_machine machine;
};

static void put_field(FILE *out, const char *label)
{
	fprintf(out, "  %-12s ", label);
}

static void put_text_field(FILE *out, const char *label, const char *text)
{
	put_field(out, label);
	text_put_safe(out, text, strlen(text));
	putc('\n', out);
}

static const char *type_name(uint32_t type)
{
	static const char *const names[] = {
		[PERF_TYPE_HARDWARE] = "hardware",
		[PERF_TYPE_SOFTWARE] = "software",
		[PERF_TYPE_TRACEPOINT] = "tracepoint",
		[PERF_TYPE_HW_CACHE] = "hardware cache",
		[PERF_TYPE_RAW] = "raw",
		[PERF_TYPE_BREAKPOINT] = "breakpoint",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "dynamic";
}

static void put_configs(FILE *out, const struct event *event)
{
	const struct perf_event_attr *a = &event->attr;

	put_field(out, "type");
	fprintf(out, "%" PRIu32 " (%s)\n", a->type, type_name(a->type));
	put_field(out, "config");
	fprintf(out, "0x%" PRIx64 "\n", (uint64_t)a->config);
	if (event->source == EVENT_BREAKPOINT) {
		put_field(out, "breakpoint");
		fprintf(out, "bp_type=%" PRIu32 " bp_addr=0x%" PRIx64 " bp_len=%" PRIu64 "\n", a->bp_type,
			(uint64_t)a->bp_addr, (uint64_t)a->bp_len);
		return;
	}
	if (event->config1_string)
		put_text_field(out, "config1", event->config1_string);
	else if (a->config1) {
		put_field(out, "config1");
		fprintf(out, "0x%" PRIx64 "\n", (uint64_t)a->config1);
	}
	if (a->config2 || event->config1_string) {
		put_field(out, "config2");
		fprintf(out, "0x%" PRIx64 "\n", (uint64_t)a->config2);
	}
}

static void put_modes(FILE *out, const struct event *event, const struct count *count)
{
	const struct perf_event_attr *a = &event->attr;
	bool user_only = count && count->user_only;

	put_field(out, "exclude");
	fprintf(out, "user=%u kernel=%u hv=%u idle=%u host=%u guest=%u\n", a->exclude_user,
		a->exclude_kernel || user_only, a->exclude_hv || user_only, a->exclude_idle, a->exclude_host,
		a->exclude_guest && !(count && count->guest_included));
	if (a->precise_ip || a->pinned || a->exclusive) {
		put_field(out, "mode");
		fprintf(out, "precise_ip=%u pinned=%u exclusive=%u\n",
			count && count->open ? count->precise_ip : a->precise_ip, a->pinned, a->exclusive);
	}
}

static void put_scaling(FILE *out, const struct event *event)
{
	if (event->scale == 1.0 && !*event->unit)
		return;
	put_field(out, "value");
	fprintf(out, "count * %.17g %s\n", event->scale, event->unit);
}

/* What would be said of it in a report. */
static void put_verdict(struct explanation *x, const struct event *event, const struct count *count)
{
	auto_free char *text = NULL;
	struct advice advice;

	put_field(x->out, "kernel");
	if (!count || (count->open && !count->user_only && !event->not_inherited)) {
		fputs("takes it\n", x->out);
	} else if (count->open && event->not_inherited) {
		advice_for_not_inherited(&advice, event);
		text = advice_text(&advice);
		fprintf(x->out, "takes it, %s\n", text);
	} else if (count->open) {
		advice_for_user_only(&advice, &x->machine);
		text = advice_text(&advice);
		fprintf(x->out, "takes it; %s\n", text);
	} else if (count->no_fit) {
		x->all_count = false;
		fputs("takes it alone, but not in its group\n", x->out);
	} else {
		x->all_count = false;
		advice_for_open(&advice, &x->machine, event, count->error, true);
		text = advice_text(&advice);
		fprintf(x->out, "refuses it (%s): %s\n", strerror(count->error), text);
	}
}

static void explain_event(struct explanation *x, size_t i)
{
	const struct event *event = &x->plan->events[i];
	const struct count *count =
		counters_slots(x->counters) && event->source != EVENT_TOOL ? counters_get(x->counters, 0, i) : NULL;

	text_put_safe(x->out, event->name, strlen(event->name));
	putc('\n', x->out);
	put_text_field(x->out, "resolved by", event_source_name(event->source));
	put_text_field(x->out, "name", event->full_name);
	put_text_field(x->out, "PMU", event->pmu);
	if (event->source == EVENT_TOOL) {
		put_text_field(x->out, "kernel", "not needed: pfmstat measures it itself");
		return;
	}
	if (event->parts) {
		put_text_field(x->out, "kernel", "is asked for its parts, one for each core PMU; this is their sum");
		return;
	}
	put_configs(x->out, event);
	put_modes(x->out, event, count);
	if (event->filter)
		put_text_field(x->out, "filter", event->filter);
	if (event->cpus)
		put_text_field(x->out, "CPUs", event->cpus);
	put_scaling(x->out, event);
	put_verdict(x, event, count);
}

/* Asked again, rather than read from what is open: there the groups may have to take turns. */
static bool group_gets_on(const struct explanation *x, const struct plan_group *group)
{
	const struct event **events = xcalloc(group->n, sizeof(*events));
	struct schedulability_options options = {.plan = x->plan};
	bool fits;

	for (size_t i = 0; i < group->n; i++)
		events[i] = &x->plan->events[group->members[i]];
	fits = schedulability_probe(&options, events, group->n);
	free(events);
	return fits;
}

static void explain_group(struct explanation *x, size_t g)
{
	const struct plan_group *group = &x->plan->groups[g];
	size_t open = 0;
	bool fits = group_gets_on(x, group);

	fprintf(x->out, "  %-2zu ", g + 1);
	for (size_t i = 0; i < group->n; i++) {
		const struct event *event = &x->plan->events[group->members[i]];
		const struct count *count =
			counters_slots(x->counters) ? counters_get(x->counters, 0, group->members[i]) : NULL;

		fputs(i ? ", " : "", x->out);
		text_put_safe(x->out, event->name, strlen(event->name));
		fputs(group->members[i] >= x->plan->n_shown ? " (added: how typical are the group's turns?)" : "",
		      x->out);
		open += count && count->open;
	}
	if (open == 0)
		fputs(": not counted\n", x->out);
	else if (!fits)
		fputs(": opens, but never gets on the PMU\n", x->out);
	else
		fprintf(x->out, ": scheduled%s\n", open < group->n ? ", without those refused" : "");
	x->all_count &= fits;
}

bool explain_print(FILE *out, const struct plan *plan)
{
	const struct counters_options options = {.inherit = true};
	struct explanation x = {.out = out, .plan = plan, .counters = counters_new(plan, &options), .all_count = true};
	struct error e;

	if (counters_open(x.counters, &(struct slot){.pid = 0, .cpu = -1}, &e) < 0) {
		error_print(stderr, &e);
		x.all_count = false;
	}
	for (size_t i = 0; i < plan->n_shown; i++)
		explain_event(&x, i);
	if (plan->n_groups)
		fputs("groups\n", out);
	for (size_t g = 0; g < plan->n_groups; g++)
		explain_group(&x, g);
	for (size_t i = 0; i < plan->notes.n; i++)
		fprintf(out, "note: %s\n", plan->notes.v[i]);
	for (size_t i = 0; i < plan->list->notes.n; i++)
		fprintf(out, "note: %s\n", plan->list->notes.v[i]);
	counters_free(x.counters);
	return x.all_count;
}
