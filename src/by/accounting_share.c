/* Whose are the figures of a group that was off its PMU at one switch or several since its last sample?
 *
 * Had there been a switch while it was on, there would be a sample. So it was taken off in the first of the stretches
 * between switches, and put on in the last one. In between it was on only in a stretch that is as long as a whole turn,
 * and that seldom: a timer would have sampled it (switch_trace.h). The time that it was off is charged to all.
 *
 * Of how long it was on in each, nothing is known but the sum, and that it is no longer than the stretch: the middle of
 * what is possible is taken. Its counts go by these times, and by the rates of the units so far. All sums stay what
 * they are. */
#include "by/accounting_internal.h"

/* Of a unit's time on the PMU so much may be another one's: then the turns of the group and of the tasks fall together,
 * and its rate may be the other's. Otherwise it is half as much, one of so many samples in a turn. */
#define DOUBTFUL (1.6 / TRACE_TICKS)

/* So much does what is uncertain weigh in the rates by which it is shared out. */
#define UNCERTAIN 0.1

/* A unit's share. */
struct portion {
	double running, value;
};

/* It was off at both ends. */
static void limit_middle(const struct cpu_group *group, struct stretch *middle)
{
	middle->most = middle->ns >= group->turn ? middle->ns : 0;
}

static void merge_middle(struct accounting *b, struct cpu_group *group)
{
	struct stretch middle = group->stretches[group->n_stretches - 1], *same = NULL;

	limit_middle(group, &middle);
	for (size_t i = group->n_stretches - 1; i-- > 1 && !same;)
		if (group->stretches[i].unit == middle.unit)
			same = &group->stretches[i];
	if (!same && group->n_stretches == WINDOW_MAX) { /* too many to keep apart */
		b->crowded = true;
		same = &group->stretches[1];
		same->unit = 0;
	}
	if (same) {
		same->ns += middle.ns;
		same->most += middle.most;
		group->n_stretches--;
	} else {
		group->stretches[group->n_stretches - 1] = middle;
	}
}

void accounting_add_stretch(struct accounting *b, struct cpu_group *group, size_t unit, uint64_t ns)
{
	struct stretch *last = group->n_stretches ? &group->stretches[group->n_stretches - 1] : NULL;

	if (last && last->unit == unit) {
		last->ns += ns;
		last->most = last->ns;
		return;
	}
	if (group->n_stretches > 1)
		merge_middle(b, group);
	else if (last && group->off)
		limit_middle(group, last);
	group->stretches[group->n_stretches++] = (struct stretch){unit, ns, ns};
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* How long it was on in each, as parts of the sum: the middle between the least and the most that is possible. */
static void share_running(const struct cpu_group *group, struct portion *portions)
{
	double running = (double)group->running, most = 0, sum = 0;

	for (size_t i = 0; i < group->n_stretches; i++)
		most += smaller((double)group->stretches[i].most, running);
	for (size_t i = 0; i < group->n_stretches; i++) {
		double here = smaller((double)group->stretches[i].most, running), others = most - here;

		portions[i].running = here + (here > 0 && running > others ? running - others : 0);
		sum += portions[i].running;
	}
	if (sum <= 0) /* two samples within a nanosecond: the last task's, or it would be nobody's */
		sum = portions[group->n_stretches - 1].running = 1;
	for (size_t i = 0; i < group->n_stretches; i++)
		portions[i].running /= sum;
}

/* From what is certain, and a little of what is not, by time: a rate that was too low once must not stay so for ever.
 * Negative: nothing is known. */
static double rate_so_far(const struct figure *figure)
{
	double running = (double)figure->sum.running - figure->doubt.running * (1 - UNCERTAIN);

	return running > 0 ? (figure->certain + figure->doubt.by_time * UNCERTAIN) / running : -1;
}

/* By the rates so far; where one of them is not known, by the times. */
static void share_value(const struct accounting *b, const struct cpu_group *group, size_t event,
			struct portion *portions)
{
	bool known = true;
	double sum = 0;

	for (size_t i = 0; i < group->n_stretches; i++) {
		double rate = rate_so_far(accounting_figure(b, group->stretches[i].unit, event));

		known &= rate >= 0 || portions[i].running <= 0;
		portions[i].value = portions[i].running > 0 ? portions[i].running * rate : 0;
		sum += portions[i].value;
	}
	for (size_t i = 0; i < group->n_stretches; i++)
		portions[i].value = known && sum > 0 ? portions[i].value / sum : portions[i].running;
}

/* Whose it is, is known if only one unit can have any of it. */
static bool is_certain(const struct cpu_group *group, const struct portion *portions)
{
	size_t unit = STRANGER, n = 0;

	for (size_t i = 0; i < group->n_stretches; i++)
		if (portions[i].running > 0 && (n == 0 || group->stretches[i].unit != unit)) {
			unit = group->stretches[i].unit;
			n++;
		}
	return n == 1;
}

/* A part of n, of which *left is left. The last one takes that. */
static uint64_t take_portion(uint64_t n, uint64_t *left, double part, bool is_last)
{
	double wanted = (double)n * part + 0.5;
	uint64_t taken = is_last || wanted >= (double)*left ? *left : (uint64_t)wanted;

	*left -= taken;
	return taken;
}

/* portion: the unit's part by time. */
static void add_doubt(struct figure *figure, struct sample s, double value, double portion)
{
	figure->certain -= (double)s.value;
	figure->doubt.squares += value * value;
	figure->doubt.values += value;
	figure->doubt.running += (double)s.running;
	figure->doubt.by_time += value * portion;
}

static void share_event(struct accounting *b, const struct cpu_group *group, size_t i, const struct portion *portions)
{
	uint64_t value = group->added[i], running = group->running;
	bool certain = is_certain(group, portions);

	b->takes_turns[group->events[i]] = true;
	for (size_t k = 0; k < group->n_stretches; k++) {
		const struct stretch *here = &group->stretches[k];
		bool is_last = k + 1 == group->n_stretches;
		struct sample s = {take_portion(group->added[i], &value, portions[k].value, is_last), here->ns,
				   take_portion(group->running, &running, portions[k].running, is_last)};
		struct figure *figure;

		if (s.enabled < s.running)
			s.enabled = s.running;
		figure = accounting_charge(b, here->unit, group->events[i], s);
		if (!certain && portions[k].running > 0)
			add_doubt(figure, s, (double)group->added[i], portions[k].running);
	}
}

static void share_out(struct accounting *b, struct cpu_group *group, bool rotated)
{
	struct portion portions[WINDOW_MAX];

	share_running(group, portions);
	for (size_t i = 0; i < group->n; i++) {
		if (group->events[i] != SIZE_MAX) {
			share_value(b, group, group->events[i], portions);
			share_event(b, group, i, portions);
		}
		group->added[i] = 0;
	}
	for (size_t k = 0; k < group->n_stretches && rotated; k++)
		accounting_end_slice(b, group->stretches[k].unit, group->turn, group->events, group->n, true);
	group->running = 0;
	group->shared = false;
}

void accounting_share_out(struct accounting *b, struct cpu_group *group, bool on)
{
	if (!on && group->n_stretches > 1)
		limit_middle(group, &group->stretches[group->n_stretches - 1]);
	if (group->shared)
		share_out(b, group, on);
	group->n_stretches = 0;
	group->off = !on;
}

uint64_t accounting_lost(const struct accounting *b)
{
	return b->lost + b->garbled + b->missed;
}

void accounting_take_lack(const struct accounting *b, size_t event, bool part, struct count *count)
{
	const struct figure *figure = accounting_figure(b, 0, event);
	struct sample rest = part ? sample_sub(figure->sum, figure->reported) : figure->sum;
	bool lost = accounting_lost(b) > (part ? b->lost_reported : 0);

	count->lacks = lost || rest.value || rest.enabled != rest.running;
	count->lack = rest.running ? sample_scale(rest) : rest.value;
	/* what was lost is in unit 0, unless nothing is there, or not even the loss was recorded */
	count->vague = count->lacks && (b->takes_turns[event] || b->missed || (lost && !rest.value));
}

/* Of each value that was shared out, anything from nothing to all of it may be the unit's own: the variance of a
 * uniform distribution. These are independent where the turns of the group and of the tasks fall together at random.
 * But where they do so in the same way each time, all of them are wrong in the same way: by up to a half, since the
 * rates by which they are shared out are known from other times. */
void accounting_take_doubt(const struct figure *figure, bool part, struct count *count)
{
	struct doubt before = part ? figure->doubt_reported : (struct doubt){0}, doubt = figure->doubt;
	double running = (double)figure->sum.running - (part ? (double)figure->reported.running : 0);
	double values = (doubt.values - before.values) / 2;

	count->doubt = (doubt.squares - before.squares + values * values) / 12;
	count->doubtful = doubt.running - before.running > DOUBTFUL * running;
}
