/* The rows that have no value: which state, and why. */
#include <errno.h>
#include <string.h>

#include "result/collect_internal.h"
#include "result/reason.h"

void filling_set_state(struct filling *f, enum status status, const char *reason)
{
	f->row->status = status;
	f->row->reason = reason;
	f->row->reason_of_error = false;
}

void filling_set_advice(struct filling *f, enum status status, const struct advice *advice)
{
	auto_free char *text = advice_text(advice);

	filling_set_state(f, status, result_text(f->result, text));
}

#define NO_FIT "its group has more events than its PMU can count together"

/* Why perf_event_open, or switching what it gave on or off, has failed. */
static void advise_refusal(struct filling *f, struct advice *advice)
{
	const struct tally *t = f->tally;
	/* a PMU that cannot count tasks cannot count a cgroup either, though it is opened on CPUs */
	bool as_task = (f->context->on_task && !t->cpus) || (f->key->cgroup && t->error == EINVAL);

	if (t->not_switched) {
		*advice = (struct advice){.status = STATUS_LOST};
		snprintf(advice->why, sizeof(advice->why), "its counter could not be switched on or off: %s",
			 strerror(t->error));
	} else {
		advice_for_open(advice, &f->machine, f->event, t->error, as_task);
	}
}

static bool is_partial(const struct tally *t)
{
	return t->open && (t->refused || t->cpus_refused);
}

/* It was not counted on a part of what was asked for: the sum is no count of the whole. */
static void fill_partial(struct filling *f)
{
	const struct tally *t = f->tally;
	auto_free char *why = t->no_fit ? xstrdup(NO_FIT) : NULL, *but = NULL;
	unsigned of = t->cpus ? t->cpus : t->slots, refused = t->cpus ? t->cpus_refused : t->refused;
	struct advice advice;

	if (!t->cpus && f->event->parts) {
		filling_set_state(f, STATUS_LOST,
				  f->event->instances ? "not counted on all PMUs of its kind: --no-merge shows each"
						      : "not counted on all kinds of cores: see its parts with -v");
		return;
	}
	if (!why) {
		advise_refusal(f, &advice);
		why = advice_text(&advice);
	}
	if (t->cpus)
		but = refused > 1 ? xasprintf(", not on CPU %d and %u more", t->cpu, refused - 1)
				  : xasprintf(", not on CPU %d", t->cpu);
	filling_set_state(f, STATUS_LOST,
			  result_format(f->result, "only on %u of %u %s%s: %s", of - refused, of,
					t->cpus ? "CPUs" : "threads", but ? but : "", why));
}

/* It could not be opened: which of the states without a value, and why. */
static void fill_unopened(struct filling *f)
{
	const struct tally *t = f->tally;
	struct advice advice;

	if (f->key->obstacle && t->error == ENOENT) {
		filling_set_state(f, STATUS_UNSUPPORTED, result_text(f->result, f->key->obstacle));
	} else if (t->no_fit) {
		filling_set_state(f, STATUS_UNSUPPORTED, NO_FIT);
	} else if (t->slots == 0 && f->event->cpu >= 0) {
		filling_set_state(f, STATUS_UNSUPPORTED,
				  result_format(f->result, "it is bound to CPU %d, which is not among those counted",
						f->event->cpu));
	} else if (t->slots == 0 && f->event->only_cpus) {
		filling_set_state(f, STATUS_UNSUPPORTED,
				  result_format(f->result,
						"it is bound to CPU %.100s, which is not among those counted",
						f->event->only_cpus));
	} else if (t->slots == 0 && f->event->cpus) {
		filling_set_state(f, STATUS_UNSUPPORTED,
				  result_format(f->result,
						"its PMU counts only on CPU %.100s, which is not among those counted",
						f->event->cpus));
	} else if (t->error) {
		advise_refusal(f, &advice);
		filling_set_advice(f, advice.status, &advice);
	} else {
		filling_set_state(f, STATUS_LOST, "nothing was left to count it on");
	}
}

static void fill_unread(struct filling *f)
{
	/* the kernel's name for this error, "no child processes", is about something else */
	const char *why = f->tally->read_error == ECHILD
				  ? "a child that was started at that moment has only a part of its group"
				  : strerror(f->tally->read_error);

	filling_set_state(f, STATUS_LOST, result_format(f->result, "its counter could not be read: %s", why));
}

/* Pinned, and for a part of the time or the whole of it without a counter. */
static void fill_pinned(struct filling *f)
{
	auto_free char *why = reason_of_pinned(&f->tallies, f->key_index, f->index);

	filling_set_state(f, f->tally->raw.running ? STATUS_LOST : STATUS_STARVED, result_text(f->result, why));
}

bool filling_set_missing(struct filling *f)
{
	const struct tally *t = f->tally;
	struct advice advice;

	if (!t->open) {
		fill_unopened(f);
	} else if (f->context->left) {
		filling_set_state(f, STATUS_LOST, result_text(f->result, f->context->left));
	} else if (t->read_error) {
		fill_unread(f);
	} else if (is_partial(t)) {
		fill_partial(f);
	} else if (advice_for_file(&advice, f->event)) {
		filling_set_advice(f, advice.status, &advice);
	} else if (tally_is_excluded(t, f->event)) {
		advice_for_exclusion(&advice, f->event);
		filling_set_advice(f, advice.status, &advice);
	} else if (t->no_counter) {
		fill_pinned(f);
	} else if (t->starved_for && t->ran.enabled == 0) {
		filling_set_state(f, STATUS_STARVED, reason_of_starved(&f->tallies, f->key_index, f->index));
	} else {
		return false;
	}
	return true;
}
