/* Reasons why an event has no count or a count has no error, and the work that a count leaves out. */
#include "rows/reason.h"

#include <errno.h>
#include <string.h>

#include "by/tree.h"
#include "lib/util.h"
#include "plan/entries.h"
#include "plan/rotation.h"
#include "trace/dynprobe.h"
#include "trace/probe.h"

/* More than any rotation interval (10 ms at most, unless it was changed). */
#define ROTATION_NS 50000000u

/* With fewer returns, there were not enough calls at a time for the kernel to miss any: MAX_URETPROBE_DEPTH in
 * include/linux/uprobes.h, and the minimum in register_kretprobe of kernel/kprobes.c. */
#define USER_RETURNS_MIN   64
#define KERNEL_RETURNS_MIN 10

/* A sum over core PMUs has the group of its first part. */
static size_t group_of(const struct plan *plan, size_t event)
{
	const struct event *e = &plan->events[event];

	return (size_t)plan->group_of[e->parts ? e->first_part : event];
}

/* It was enabled but never ran; when it was planned, the PMU had room for its group. */
static const char *reason_of_starved(const struct estimates *t, size_t key, size_t event)
{
	size_t group = group_of(t->plan, event), groups = rotation_count(t->plan, group);

	if (groups < 2 || t->plan->groups[group].pass)
		return plan_has_pinned(t->plan)
			       ? "it never got onto its PMU: the pinned events or other processes held the counters"
			       : REASON_HELD;
	if (estimates_at(t, key, event)->raw.enabled < groups * ROTATION_NS)
		return "its group shares the counters with others, and was not scheduled before the end";
	return "it never got onto its PMU: other processes held counters that its group needs";
}

/* It is pinned, and had no counter for some or all of the time. The caller frees the text. */
static char *reason_of_pinned(const struct estimates *t, size_t key, size_t event)
{
	const struct plan *plan = t->plan;
	uint64_t ran = estimates_at(t, key, event)->raw.running, whole = 0;
	auto_free char *share = NULL;

	if (ran == 0)
		return xstrdup("pinned, but no counter was free");
	if (plan->has_clock)
		whole = estimates_at(t, key, plan->clock)->raw.enabled;
	share = whole > ran ? xasprintf("%.0f%%", 100 * (double)ran / (double)whole) : xstrdup("a part");
	return xasprintf("pinned, but others took its counter: it was counted for only %s of the time", share);
}

/* Rotation intervals in which nothing was counted prove nothing about the other time: a burst between them leaves no
 * trace. */
const char *reason_of_no_error(const struct estimates *t, enum aggr_mode scope, size_t event,
			       const struct estimate *estimate, bool *in_every_run)
{
	size_t group = group_of(t->plan, event);
	bool before_exec = estimate->before_exec && !estimate->scaled && !estimate->starved_for;
	bool others = rotation_count(t->plan, group) < 2 || t->plan->groups[group].pass;

	*in_every_run = before_exec || (others && !estimate->passes) || estimate_is_partly_unattributed(estimate);
	if (before_exec)
		return "error unknown: it includes the command's work before its exec, which could not be separated";
	if (estimate->passes)
		return "error unknown: its parts were counted in different runs of the command (--no-multiplex)";
	if (estimate_is_partly_unattributed(estimate))
		return "error unknown: part of it may be unattributed";
	if (estimate->raw.value == 0)
		return "error unknown: it did not occur while on a counter, but may have occurred at other times";
	if (scope == AGGR_REGION)
		return "error unknown: slices within a region are not measured; with -r the mean of the runs has an "
		       "error";
	if (variance_is_in_step(estimate->variance))
		return "error unknown: its rate may be in step with the rotation of the groups; count fewer events";
	if (others)
		return "error unknown: other processes held its counter at unknown times";
	return "error unknown: too few slices (on a counter too rarely or too briefly)";
}

/* On x86, a return probe of user space returns to the kernel by a system call (arch/x86/kernel/uprobes.c, uretprobe).
 */
static bool counts_own_calls(const struct plan *plan, const struct event *event)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < plan->n_events && event->source == EVENT_TRACEPOINT; i++)
		if (event_is_user_probe(&plan->events[i]) && plan->events[i].at_return)
			return strncmp(event->full_name, "raw_syscalls:", strlen("raw_syscalls:")) == 0;
#else
	(void)plan;
	(void)event;
#endif
	return false;
}

/* Returns the work that events of this kind always leave out or include. */
static const char *reason_of_kind(const struct plan *plan, const struct event *event)
{
	if (counts_own_calls(plan, event))
		return "each return that uretprobe: counts is a system call of its own, since Linux 6.11";
	if (event_is_clock(event) && event->modes_given && (event->attr.exclude_user || event->attr.exclude_kernel))
		return "it is the time in user space and in the kernel together; user_time and system_time separate "
		       "them";
	if (event->guest_given && event->attr.exclude_host && !event_is_hardware(event))
		return "it counts the host: the kernel's software events do not distinguish guests";
	return "";
}

static const char *reason_of_kernel_returns(const struct filling *f, bool *missing)
{
	int64_t missed = dynprobe_missed(f->event);

	*missing = missed > 0 || (missed < 0 && f->estimate->raw.value >= KERNEL_RETURNS_MIN);
	return *missing ? "the kernel does not count returns of calls when too many are active at once" : "";
}

static const char *reason_of_user_returns(const struct filling *f, bool *missing)
{
	uint64_t entries, returns = f->estimate->raw.value;
	size_t i = entries_find(f->plan, f->event);
	const struct estimate *entry = i < f->plan->n_events ? estimates_at(&f->estimates, f->key_index, i) : NULL;

	if (!entry || !entry->open || entry->apart != f->estimate->apart) {
		*missing = returns >= USER_RETURNS_MIN;
		return *missing ? "the kernel does not count returns of calls that are nested more than 64 deep" : "";
	}
	entries = entry->raw.value;
	*missing = entries > returns;
	if (*missing)
		return "some calls have no return: they are left by longjmp, nested more than 64 deep or not over, or "
		       "the program switches stacks (coroutines), and the probe may have changed its results";
	return entries < returns ? "some calls began before, or returned in both processes after a fork" : "";
}

const char *reason_of_probe(const struct filling *f, bool *missing)
{
	*missing = f->event->copies > 0;
	if (*missing)
		return why_text(WHY_COPIES);
	if (f->event->source != EVENT_PROBE || !f->event->at_return)
		return "";
	return f->event->kernel_side ? reason_of_kernel_returns(f, missing) : reason_of_user_returns(f, missing);
}

const char *reason_of_excess(const struct filling *f)
{
	if (f->estimate->raw.value == 0)
		return "";
	if (f->event->folded)
		return result_format(f->result,
				     "functions of the same code have become one (%.300s), and calls of each count",
				     f->event->folded);
	return f->event->jumps ? "the function's code may jump to its first instruction (a loop), and each jump counts "
				 "as a call"
			       : "";
}

const char *reason_of_rest(const struct plan *plan, const struct key *key, const struct event *event,
			   const struct estimate *estimate, const char *left_out)
{
	if (estimate->stopped)
		return "its CPU went offline and came back: it was counted until it went";
	if (estimate->gone && estimate->came)
		return "its CPU went offline and came online: it was counted only while online";
	if (estimate->gone)
		return "its CPU went offline: it was counted until then";
	if (estimate->came)
		return "its CPU came online: it was counted from then on";
	if (left_out)
		return left_out;
	if (key->remark)
		return key->remark;
	if (estimate->uncounted)
		return "the kernel stopped counting programs that gain rights or are unreadable";
	if (estimate_is_lower_bound(estimate))
		return "a part of it is in the row " UNATTRIBUTED;
	if (estimate_is_short(estimate, key->scope))
		return estimate->unattributed ? "it includes unattributed work: idle time, or work of other tasks"
					      : "part of it may be unattributed";
	return reason_of_kind(plan, event);
}

/* ---- rows without a value ---- */

void filling_set_state(struct filling *f, enum status status, const char *reason)
{
	f->row->status = status;
	f->row->reason_of_error = false;
	row_explain_text(f->row, reason);
}

void filling_explain(struct filling *f, enum status status, enum why why)
{
	filling_set_state(f, status, "");
	row_explain(f->row, why);
}

void filling_set_advice(struct filling *f, enum status status, const struct advice *advice)
{
	auto_free char *text = advice_text(advice);

	filling_set_state(f, status, result_text(f->result, text));
}

#define NO_FIT "its group has more events than its PMU can count together"

/* Explains why perf_event_open failed, or switching its counter on or off. */
static void advise_refusal(struct filling *f, struct advice *advice)
{
	const struct estimate *t = f->estimate;
	/* a PMU that cannot count tasks cannot count a cgroup, though it is opened on CPUs */
	bool as_task = (f->context->on_task && !t->cpus) || (f->key->cgroup && t->error == EINVAL);

	if (t->not_switched) {
		*advice = (struct advice){.status = STATUS_LOST};
		snprintf(advice->why, sizeof(advice->why), "its counter could not be switched on or off: %s",
			 strerror(t->error));
	} else if (t->error == ENOENT && f->key->cgroup && !event_is_hardware(f->event)) {
		*advice = (struct advice){.status = STATUS_LOST, .why = "the cgroup was removed"};
	} else {
		advice_for_open(advice, f->context->machine, f->event, t->error, as_task);
	}
}

/* A part of the target was not counted: the sum is not a count of the whole. */
static void fill_partial(struct filling *f)
{
	const struct estimate *t = f->estimate;
	auto_free char *why = t->no_fit ? xstrdup(NO_FIT) : NULL, *but = NULL;
	unsigned of = t->cpus ? t->cpus : t->slots, refused = t->cpus ? t->cpus_refused : t->refused;
	struct advice advice;

	if (!t->cpus && f->event->parts) {
		filling_set_state(f, STATUS_LOST,
				  f->event->source == EVENT_PROBE
					  ? "not counted at all its places: --no-merge shows each"
				  : f->event->instances ? "not counted on all PMUs of its kind: --no-merge shows each"
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

/* It could not be opened: sets its status and the reason. */
static void fill_unopened(struct filling *f)
{
	auto_free char *cpu = f->event->cpu >= 0 ? xasprintf("%d", f->event->cpu) : NULL;
	const char *bound = cpu ? cpu : f->event->only_cpus;
	const struct estimate *t = f->estimate;
	struct advice advice;

	if (f->key->obstacle && t->error == ENOENT) {
		filling_set_state(f, STATUS_UNSUPPORTED, result_text(f->result, f->key->obstacle));
	} else if (t->no_fit) {
		filling_set_state(f, STATUS_UNSUPPORTED, NO_FIT);
	} else if (t->slots == 0 && (bound || f->event->cpus)) {
		filling_set_state(f, STATUS_UNSUPPORTED,
				  result_format(f->result, "%s CPU %.100s, which is not selected",
						bound ? "it is bound to" : "its PMU counts only on",
						bound ? bound : f->event->cpus));
	} else if (t->error) {
		advise_refusal(f, &advice);
		filling_set_advice(f, advice.status, &advice);
	} else if (f->event->source == EVENT_SIMULATED && f->context->lost) {
		filling_set_state(f, STATUS_LOST, result_text(f->result, f->context->lost));
	} else {
		filling_set_state(f, STATUS_LOST, "no task or CPU was left to count it on");
	}
}

static void fill_unread(struct filling *f)
{
	/* the kernel's text for this error, "no child processes", would be misleading */
	const char *why = f->estimate->read_error == ECHILD
				  ? "a child that was started at that moment has only a part of its group"
			  : f->estimate->read_error == ENODEV ? "its PMU is gone"
							      : strerror(f->estimate->read_error);

	filling_set_state(f, STATUS_LOST, result_format(f->result, "its counter could not be read: %s", why));
}

/* It is pinned, and had no counter for some or all of the time. */
static void fill_pinned(struct filling *f)
{
	auto_free char *why = reason_of_pinned(&f->estimates, f->key_index, f->index);

	filling_set_state(f, f->estimate->raw.running ? STATUS_LOST : STATUS_STARVED, result_text(f->result, why));
}

bool filling_set_missing(struct filling *f)
{
	const struct estimate *t = f->estimate;
	struct advice advice;

	if (!t->open) {
		fill_unopened(f);
	} else if (t->read_error) {
		fill_unread(f);
	} else if (t->refused || t->cpus_refused) {
		fill_partial(f);
	} else if (probe_file_changed(f->event)) { /* the executed file did not have the probe */
		filling_set_state(f, STATUS_LOST,
				  "the file was changed or replaced during the run, and the probe stayed in the old "
				  "one; fix: build it before pfmstat starts");
	} else if (estimate_is_excluded(t, f->event)) {
		advice_for_exclusion(&advice, f->event);
		filling_set_advice(f, advice.status, &advice);
	} else if (t->no_counter) {
		fill_pinned(f);
	} else if (t->starved_for && t->ran.enabled == 0) {
		filling_set_state(f, STATUS_STARVED, reason_of_starved(&f->estimates, f->key_index, f->index));
	} else {
		return false;
	}
	return true;
}
