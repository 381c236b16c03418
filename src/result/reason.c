#include "result/reason.h"

#include "lib/util.h"
#include "result/summary.h"

/* More than any turn of a group (perf_event_mux_interval_ms is 10 ms at the most, unless it was changed). */
#define TURN_NS 50000000u

/* With fewer returns, there were not so many calls at a time that the kernel would miss any: MAX_URETPROBE_DEPTH in
 * include/linux/uprobes.h, and the least that register_kretprobe of kernel/kprobes.c takes. */
#define USER_RETURNS_MIN   64
#define KERNEL_RETURNS_MIN 10

/* Of a sum over core PMUs that of its first part. */
static size_t group_of(const struct plan *plan, size_t event)
{
	const struct event *e = &plan->events[event];

	return (size_t)plan->group_of[e->parts ? e->first_part : event];
}

/* Was another group of its PMU counted meanwhile: one that takes turns with it, or one that is pinned? */
static bool others_ran(const struct tallies *t, size_t key, size_t group, bool pinned)
{
	const struct plan *plan = t->plan;

	for (size_t g = 0; g < plan->n_groups; g++) {
		size_t leader = plan->groups[g].members[0];
		bool held = plan->events[leader].attr.pinned && rotation_pmu(plan, g) == rotation_pmu(plan, group);

		if (g != group && plan->groups[g].pass == plan->groups[group].pass &&
		    (pinned ? held : rotation_share(plan, g, group)) && tallies_at(t, key, leader)->raw.running > 0)
			return true;
	}
	return false;
}

const char *reason_of_starved(const struct tallies *t, size_t key, size_t event)
{
	size_t group = group_of(t->plan, event);

	if (!others_ran(t, key, group, false))
		return others_ran(t, key, group, true)
			       ? "it never got on its PMU: the pinned events, or others, held the counters"
			       : REASON_HELD;
	if (tallies_at(t, key, event)->raw.enabled < rotation_count(t->plan, group) * TURN_NS)
		return "its group takes turns with others, and its turn did not come before the end";
	return "it never got on its PMU, though other groups did: others held counters that its group needs";
}

char *reason_of_pinned(const struct tallies *t, size_t key, size_t event)
{
	const struct plan *plan = t->plan;
	uint64_t ran = tallies_at(t, key, event)->raw.running, whole = 0;
	auto_free char *share = NULL;

	if (ran == 0)
		return xstrdup("pinned, and no counter was free for it");
	if (plan->has_clock)
		whole = tallies_at(t, key, plan->clock)->raw.enabled;
	share = whole > ran ? xasprintf("%.0f%%", 100 * (double)ran / (double)whole) : xstrdup("a part");
	return xasprintf("pinned, and others took its counter: it counted for %s of the time only", share);
}

/* Turns in which nothing was counted agree about nothing but themselves: a burst between them leaves no trace. */
const char *reason_of_no_error(const struct tallies *t, enum aggr_mode scope, size_t event, const struct tally *tally,
			       bool *in_every_run)
{
	size_t group = group_of(t->plan, event);
	bool before_exec = tally->before_exec && !tally->scaled && !tally->starved_for;
	bool others = rotation_count(t->plan, group) < 2 || t->plan->groups[group].pass;
	struct error ignored;

	*in_every_run = before_exec || others || tally_is_vague(tally);
	if (before_exec)
		return "error unknown: it includes what the command did before its exec, since no counter was left to "
		       "tell that apart, or the kernel did not";
	if (tally_is_vague(tally))
		return "error unknown: some of it may be among what could not be attributed to any task";
	if (tally->raw.value == 0)
		return "error unknown: it did not occur in its turns, but may have between them";
	if (scope == AGGR_REGION)
		return "error unknown: the turns within a region are not watched; with -r the mean of the runs has one";
	if (variance_is_in_step(tally->variance))
		return "error unknown: its rate may be in step with the rotation of the groups; count fewer events";
	if (student_load(&ignored) < 0)
		return "error unknown: the mathematical library (libm) cannot be loaded";
	if (others)
		return "error unknown: others held its counter at times that are not known";
	return "error unknown: too few slices (on a counter too seldom or too briefly)";
}

/* What events of this kind leave out or include, whatever happened. */
static const char *reason_of_kind(const struct event *event, uint64_t count)
{
	if (event_is_clock(event) && event->modes_given && (event->attr.exclude_user || event->attr.exclude_kernel))
		return "it is the time in user space and in the kernel, which the kernel's clocks do not tell apart: "
		       "user_time and system_time do";
	if (event->guest_given && event->attr.exclude_host && !event_is_hardware(event))
		return "it is what the host did: of the kernel's own events none is told apart as a guest's";
	if (event->at_return && event->user_side && count >= USER_RETURNS_MIN)
		return "the kernel leaves out returns of calls that are nested more than 64 deep, if there were any";
	if (event->at_return && event->kernel_side && count >= KERNEL_RETURNS_MIN)
		return "the kernel leaves out returns of calls when too many are under way at a time, if there were "
		       "any";
	return "";
}

const char *reason_of_rest(const struct key *key, const struct event *event, const struct tally *tally,
			   const char *left_out)
{
	if (tally->ended && tally->came)
		return "its CPU went offline and came online: it was counted only while it was there";
	if (tally->ended)
		return "its CPU went offline: it was counted until then";
	if (tally->came)
		return "its CPU came online: it was counted from then on";
	if (left_out)
		return left_out;
	if (key->remark)
		return key->remark;
	if (tally_is_short(tally, key->scope))
		return tally->unattributed ? "it includes what could not be attributed to any task: other tasks' work "
					     "or idle time may be in it"
					   : "some of it may be among what could not be attributed to any task";
	return reason_of_kind(event, tally->raw.value);
}
