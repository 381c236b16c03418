#include "result/fill.h"

#include <errno.h>
#include <string.h>

static struct value value_make(const struct event *event, uint64_t count)
{
	struct value v = {.type = VALUE_COUNT, .count = count};

	if (event->scale != 1.0) {
		v.type = VALUE_REAL;
		v.real = (double)count * event->scale;
	}
	return v;
}

static void set_reason(struct filling *f, const struct advice *advice)
{
	auto_free char *text = advice_text(advice);

	f->row->reason = result_text(f->result, text);
	f->row->reason_of_error = false;
}

static void set_state(struct filling *f, const struct advice *advice)
{
	f->row->status = advice->status;
	set_reason(f, advice);
}

/* A sum that is short of something says so. */
static void set_gaps(struct filling *f)
{
	const struct tally *t = f->tally;
	struct advice advice = {.why = "its CPU went offline: it was counted until then"};
	char why[sizeof(advice.why)];

	if (t->refused && !f->context->on_task) {
		advice_for_open(&advice, f->machine, f->event, t->error, false);
		snprintf(why, sizeof(why), "%s", advice.why);
		snprintf(advice.why, sizeof(advice.why), "counted on %u of %u CPUs alone: %.180s",
			 t->slots - t->refused, t->slots, why);
		set_reason(f, &advice);
	} else if (t->refused && f->event->parts) {
		snprintf(advice.why, sizeof(advice.why), "not counted on all kinds of cores: see its parts with -v");
		set_reason(f, &advice);
	} else if (t->ended) {
		set_reason(f, &advice);
	}
}

/* It could not be opened, or not read: which of the states without a value, and why. */
static void fill_missing(struct filling *f)
{
	struct advice advice = {.status = STATUS_UNSUPPORTED};
	/* PMUs of packages know cgroups no better than tasks; the permission is that for CPUs */
	bool apart = f->context->on_task || (f->key->cgroup && f->tally->error == EINVAL);

	if (f->key->obstacle && f->tally->error == ENOENT) {
		f->row->status = STATUS_UNSUPPORTED;
		f->row->reason = result_text(f->result, f->key->obstacle);
		return;
	}
	if (f->tally->no_fit) {
		snprintf(advice.why, sizeof(advice.why), "its group has more events than its PMU can count together");
	} else if (f->tally->slots == 0 && f->event->cpu >= 0) {
		snprintf(advice.why, sizeof(advice.why), "it is bound to CPU %d, which is not among those counted",
			 f->event->cpu);
	} else if (f->tally->slots == 0 && f->event->cpus) {
		snprintf(advice.why, sizeof(advice.why), "its PMU counts on CPU %.100s alone, which is not counted",
			 f->event->cpus);
	} else if (f->tally->error) {
		advice_for_open(&advice, f->machine, f->event, f->tally->error, apart);
	} else {
		advice.status = STATUS_LOST;
		snprintf(advice.why, sizeof(advice.why), "nothing was left to count it on");
	}
	set_state(f, &advice);
}

static bool is_zero_by_exclusion(const struct event *event, const struct tally *t)
{
	return t->raw.value == 0 &&
	       ((event->kernel_side && event->attr.exclude_kernel) || (event->user_side && event->attr.exclude_user));
}

static void fill_excluded(struct filling *f)
{
	struct advice advice;

	advice_for_exclusion(&advice, f->event);
	set_state(f, &advice);
}

static void fill_starved(struct filling *f)
{
	struct advice advice = {.status = STATUS_STARVED};

	snprintf(advice.why, sizeof(advice.why), "%s",
		 f->tally->no_counter ? "pinned, and no counter was free for it"
				      : "it never got on its PMU: its group is too large, or others hold the counters");
	set_state(f, &advice);
}

/* A value without an error says why in the place of a reason. */
static void fill_error(struct filling *f, struct variance variance)
{
	f->row->error = variance_half_width(variance) * fabs(f->event->scale);
	f->row->reason_of_error = isnan(f->row->error);
	if (f->row->reason_of_error)
		f->row->reason = result_text(
			f->result,
			"error not known: too few slices (on a counter too seldom, or for too short a time)");
}

static void fill_value(struct filling *f)
{
	const struct tally *t = f->tally;
	struct variance variance = t->variance;
	uint64_t count = t->ran.value;
	struct advice advice;

	if (t->starved_for) { /* what the slots where it ran say of those where it did not */
		struct sample known = {t->ran.value, t->ran.enabled + t->starved_for, t->ran.enabled};

		count = sample_scale(known);
		variance.value += (double)(count - t->ran.value) * (double)(count - t->ran.value);
	}
	f->row->status = t->scaled || t->starved_for ? STATUS_SCALED : STATUS_EXACT;
	if (t->raw.enabled == 0)
		f->row->status = STATUS_IDLE;
	f->row->value = value_make(f->event, count);
	if (f->row->status == STATUS_SCALED)
		fill_error(f, variance);
	set_gaps(f);
	f->row->user_only = t->user_only;
	if (f->event->not_inherited) {
		advice_for_not_inherited(&advice, f->event);
		set_reason(f, &advice);
	} else if (t->user_only) {
		advice_for_user_only(&advice, f->machine);
		set_reason(f, &advice);
	}
}

static void fill_lost(struct filling *f)
{
	f->row->status = STATUS_LOST;
	f->row->reason = result_text(f->result, f->context->lost);
}

static void fill_unread(struct filling *f)
{
	struct advice advice = {.status = STATUS_LOST};

	/* the kernel's name for this error, "no child processes", is about something else */
	snprintf(advice.why, sizeof(advice.why), "its counter could not be read: %s",
		 f->tally->read_error == ECHILD ? "a child that was born at that moment has a part of its group alone"
						: strerror(f->tally->read_error));
	set_state(f, &advice);
}

void fill_count(struct filling *f)
{
	const struct tally *t = f->tally;

	f->row->has_raw = t->open;
	f->row->raw = t->raw;
	if (!t->open)
		fill_missing(f);
	else if (f->context->lost)
		fill_lost(f);
	else if (t->read_error)
		fill_unread(f);
	else if (is_zero_by_exclusion(f->event, t))
		fill_excluded(f);
	else if (t->no_counter || (t->starved_for && t->ran.enabled == 0))
		fill_starved(f);
	else
		fill_value(f);
}

void fill_tool(struct filling *f)
{
	const struct collect_context *c = f->context;
	enum event_tool tool = f->event->tool;
	uint64_t ns[] = {
		[TOOL_DURATION_TIME] = c->elapsed_ns,
		[TOOL_USER_TIME] = c->user_ns,
		[TOOL_SYSTEM_TIME] = c->system_ns,
	};

	if (tool != TOOL_DURATION_TIME && !c->has_usage) {
		f->row->status = STATUS_UNSUPPORTED;
		f->row->reason = result_text(f->result, "it is known only of a command that is itself counted");
		return;
	}
	f->row->status = STATUS_EXACT;
	f->row->value = (struct value){.type = VALUE_COUNT, .count = ns[tool]};
	f->row->has_raw = true;
	f->row->raw = (struct sample){ns[tool], c->elapsed_ns, c->elapsed_ns};
}
