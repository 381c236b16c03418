/* How often do the intervals of multiplexed counts hold the truth, and how wide are they? Against simulated rotation,
 * of groups of one's own and with others', and loads that are unlike each other. The simulation has the same random
 * numbers each time. With a number as argument: so many runs of each cell, longer ones too, and a table of all cells.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/util.h"
#include "rows/estimate.h"
#include "stats/mux_stats.h"
#include "tap.h"

#define STEP     0.05 /* ms */
#define INTERVAL 4.0

struct load {
	double a, b;     /* parameters of the kind */
	double t, total; /* ms */
	double rate, until, level, phase;
	bool on;                   /* the CPU */
	bool forks, parent, other; /* a process and its children; it is on the CPU, and not a child; since this step */
	double new_level;
	uint64_t random;
};

/* The claim for a rate. ROUGH: so few bursts that some runs see none, or tasks that sleep and seldom run. NEAR: a
 * wave about as long as a rotation interval. FAR: another wave. UNCLAIMED: with one of the numbers of groups it is in
 * step with the rotation, or almost; then the error is as large as the wave, and only an alarm would help. */
enum claim { GOOD, ROUGH, NEAR, FAR, UNCLAIMED, N_CLAIMS };

struct kind {
	const char *name;
	void (*step)(struct load *l);
	double a, b;
	bool cpu; /* a CPU is counted: including idle time */
	enum claim claim;
};

/* ---- loads ---- */

static double uniform(struct load *l)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (double)(l->random >> 11) / 9007199254740992.0;
}

static double exponential(struct load *l, double mean)
{
	return -mean * log(1 - uniform(l));
}

static double pareto(struct load *l, double least, double shape)
{
	return least * pow(1 - uniform(l), -1 / shape);
}

/* Noise of a for each step. */
static void flat(struct load *l)
{
	l->rate = 1 + l->a * (uniform(l) - 0.5);
}

static void spiky(struct load *l)
{
	l->rate = 4 * uniform(l) * uniform(l);
}

/* A new level after a ms on average. */
static void phases(struct load *l)
{
	if (l->t >= l->until) {
		l->level = 0.1 + uniform(l);
		l->until = l->t + exponential(l, l->a);
	}
	l->rate = l->level + 0.02 * (uniform(l) - 0.5);
}

/* Of random lengths, most of them short and few very long; a ms between them. */
static void bursts(struct load *l)
{
	if (l->t >= l->until) {
		l->level = 1.05 - l->level;
		l->until = l->t + (l->level > 0.5 ? pareto(l, 0.2, 1.2) : exponential(l, l->a));
	}
	l->rate = l->level + 0.02 * (uniform(l) - 0.5);
}

static void begin_bursts(struct load *l)
{
	if (l->t == 0)
		l->level = 1;
	bursts(l);
}

static void ramp(struct load *l)
{
	l->rate = 0.05 + l->t / l->total + 0.02 * (uniform(l) - 0.5);
}

static void step_once(struct load *l)
{
	if (l->t == 0)
		l->until = l->total * uniform(l);
	l->rate = (l->t < l->until ? 0.3 : 1) + 0.02 * (uniform(l) - 0.5);
}

/* Processes of about a ms; each is busy in its first half. */
static void children(struct load *l)
{
	if (l->t >= l->until) {
		l->phase = l->t;
		l->level = l->a * (0.8 + 0.4 * uniform(l));
		l->until = l->t + l->level;
	}
	l->rate = (l->t - l->phase < l->level / 2 ? 1.5 : 0.5) + 0.1 * (uniform(l) - 0.5);
}

/* Processes of about 2 ms, one after the other, which begin with a third of nothing; their parent needs 1 ms for each.
 * A new level after a ms on average. */
static void forks(struct load *l)
{
	l->forks = true;
	l->other = l->t >= l->until;
	if (l->t >= l->new_level) {
		l->level = uniform(l);
		l->new_level = l->t + exponential(l, l->a);
	}
	if (l->other) {
		l->parent = !l->parent;
		l->phase = l->t;
		l->until = l->t + (l->parent ? 1 : 2) * (0.5 + uniform(l));
	}
	l->rate = l->parent || l->t - l->phase < (l->until - l->phase) / 3 ? 0 : l->level;
}

/* On the CPU for a ms, off for b ms, on average. */
static void ping_pong(struct load *l)
{
	if (l->t >= l->until) {
		l->on = !l->on;
		l->level = 0.5 + uniform(l);
		l->until = l->t + exponential(l, l->on ? l->a : l->b);
	}
	l->rate = l->on ? l->level : 0;
}

static void begin_ping_pong(struct load *l)
{
	if (l->t == 0)
		l->on = false;
	ping_pong(l);
}

/* A wave with a period of a ms, whose periods differ by b. */
static void wave(struct load *l)
{
	if (l->t == 0) {
		l->phase = uniform(l);
		l->level = l->a;
	}
	l->phase += STEP / l->level;
	if (l->phase >= 1) {
		l->phase -= 1;
		l->level = l->a * (1 + l->b * (uniform(l) - 0.5));
	}
	l->rate = 1 + 0.5 * sin(2 * M_PI * l->phase) + 0.02 * (uniform(l) - 0.5);
}

static void square(struct load *l)
{
	double rate;

	wave(l);
	rate = l->phase < 0.5 ? 1.6 : 0.4;
	l->rate = rate + 0.02 * (uniform(l) - 0.5);
}

static const struct kind kinds[] = {
	{"flat", flat, 0.02, 0, false, GOOD},
	{"spiky", spiky, 0, 0, false, GOOD},
	{"phases 3", phases, 3, 0, false, GOOD},
	{"phases 20", phases, 20, 0, false, GOOD},
	{"phases 150", phases, 150, 0, false, GOOD},
	{"bursts 3", begin_bursts, 3, 0, false, GOOD},
	{"bursts 15", begin_bursts, 15, 0, false, ROUGH},
	{"ramp", ramp, 0, 0, false, GOOD},
	{"step", step_once, 0, 0, false, ROUGH},
	{"children 0.5", children, 0.5, 0, false, GOOD},
	{"children 3", children, 3, 0, false, UNCLAIMED},
	{"ping-pong", begin_ping_pong, 0.1, 0.2, false, GOOD},
	{"half duty", begin_ping_pong, 2, 2, true, GOOD},
	{"5% duty", begin_ping_pong, 0.5, 9.5, true, ROUGH},
	{"5% task", begin_ping_pong, 0.5, 9.5, false, ROUGH},
	{"wave 1.3", wave, 1.3, 0, false, FAR},
	{"wave 4", wave, 4, 0, false, UNCLAIMED},
	{"wave 4~", wave, 4, 0.1, false, NEAR},
	{"wave 4.2", wave, 4.2, 0, false, NEAR},
	{"wave 7", wave, 7, 0, false, FAR},
	{"wave 8", wave, 8, 0, false, UNCLAIMED},
	{"wave 8~", wave, 8, 0.1, false, UNCLAIMED},
	{"wave 12", wave, 12, 0, false, UNCLAIMED},
	{"wave 13", wave, 13, 0, false, UNCLAIMED},
	{"wave 20~", wave, 20, 0.1, false, UNCLAIMED},
	{"wave 50", wave, 50, 0, false, FAR},
	{"square 4.1", square, 4.1, 0, false, NEAR},
	{"square 6~", square, 6, 0.05, false, UNCLAIMED},
	{"square 30", square, 30, 0, false, UNCLAIMED},
};

/* ---- rotation ---- */

/* The groups of one PMU under the kernel's timer: it is armed when a task comes to the CPU, and when it finds none it
 * is not armed again. */
struct rotation {
	double interval, fires;
	bool armed;
	size_t groups; /* 0: others come and go, and leave this group alone for that time */
	size_t current;
	size_t of_parent; /* with which children begin */
};

static void rotate(struct rotation *r, double t, bool on, struct load *random)
{
	if (r->groups == 0) {
		if (t >= r->fires) {
			r->current = !r->current;
			r->fires = t + exponential(random, r->current ? 10 : 20);
		}
		return;
	}
	if (random->forks && random->other)
		r->current = r->of_parent;
	if (r->armed && t >= r->fires) {
		r->armed = on;
		r->current = (r->current + on) % r->groups;
		r->of_parent = random->parent ? r->current : r->of_parent;
		r->fires += r->interval;
	}
	if (!r->armed && on) {
		r->armed = true;
		r->fires = t + r->interval;
	}
}

/* ---- a run ---- */

struct run {
	double error, half_width; /* relative */
	bool in_step;
};

struct cell {
	const struct kind *kind;
	size_t groups; /* 0: others come and go */
	double total;
	bool others; /* the groups but one are theirs */
	bool slow;   /* readings are expensive */
};

struct counting {
	double truth, enabled, count, running; /* of the whole */
	double slice_enabled, slice_count, slice_running;
	double read_enabled, read_running, moment; /* of the slice up to the last reading, as mux_sampler has it */
	struct mux_stats *stats;
};

static void end_slice(struct counting *c, double least)
{
	double rate;

	c->moment += (c->slice_running - c->read_running) * (c->slice_enabled + c->read_enabled) / 2;
	c->read_running = c->slice_running;
	c->read_enabled = c->slice_enabled;
	if (c->slice_running < least - STEP / 2)
		return;
	rate = c->slice_count / c->slice_running;
	mux_stats_add(c->stats, &rate, c->slice_running, c->slice_enabled, c->moment / c->slice_running);
	c->slice_enabled = c->slice_count = c->slice_running = 0;
	c->read_enabled = c->read_running = c->moment = 0;
}

static void count(struct counting *c, double rate, bool running)
{
	c->truth += rate * STEP;
	c->enabled += STEP;
	c->slice_enabled += STEP;
	if (!running)
		return;
	c->count += rate * STEP;
	c->running += STEP;
	c->slice_count += rate * STEP;
	c->slice_running += STEP;
}

static struct run judge(struct counting *c)
{
	double estimate = c->count / c->running * c->enabled;
	struct run run = {.error = NAN, .half_width = NAN};
	struct variance v;

	if (c->running <= 0 || c->truth <= 0)
		return run;
	mux_stats_close(c->stats);
	v = estimate_variance(mux_stats_of(c->stats, 0, 0, 0), c->running, c->enabled);
	run.error = fabs(estimate - c->truth) / c->truth;
	run.half_width = estimate > 0 ? variance_half_width(v) / c->truth : NAN;
	run.in_step = variance_is_in_step(v);
	return run;
}

/* As mux_sampler has it: when the first reading is made, and after how long the next one. */
struct readings {
	size_t n;
	double cycle, next; /* cycle 0: nothing has been seen of others */
	bool slow;
};

static void readings_init(struct readings *r, const struct cell *cell, struct load *random)
{
	*r = (struct readings){.next = 10, .slow = cell->slow};
	if (cell->others)
		return;
	r->cycle = INTERVAL * (double)cell->groups;
	r->next = INTERVAL * (0.75 + 0.5 * uniform(random));
}

/* False: that was only to see whether others are there. */
static bool readings_take(struct readings *r, const struct counting *c, double t, struct load *random)
{
	double share = c->running > 0 ? c->enabled / c->running : 2;

	if (r->cycle <= 0 && c->running > c->enabled - STEP / 2) {
		r->next = 2 * t;
		return false;
	}
	if (r->cycle <= 0)
		r->cycle = INTERVAL * (share > 2 ? share : 2);
	r->next = t + (++r->n < 48 ? INTERVAL
		       : r->slow   ? 20 * INTERVAL
				   : r->cycle / 2) *
			      (0.75 + 0.5 * uniform(random));
	return true;
}

static struct run simulate(const struct cell *cell, size_t group, uint64_t *random)
{
	struct load l = {.a = cell->kind->a, .b = cell->kind->b, .on = true, .random = *random};
	struct rotation r = {.interval = INTERVAL, .groups = cell->groups};
	double cycle = cell->others ? 0 : INTERVAL * (double)cell->groups;
	struct counting c = {.stats = mux_stats_new(1, INTERVAL, cycle)};
	struct readings readings;
	struct run run;

	l.total = cell->total + 8 * INTERVAL * uniform(&l);
	readings_init(&readings, cell, &l);
	for (size_t i = 0; l.t < l.total; l.t = (double)++i * STEP) {
		bool here;

		cell->kind->step(&l);
		here = l.on || cell->kind->cpu;
		rotate(&r, l.t, here, &l);
		if (here)
			count(&c, l.rate, r.current == group);
		if (l.t >= readings.next && readings_take(&readings, &c, l.t, &l))
			end_slice(&c, INTERVAL / 4);
	}
	end_slice(&c, INTERVAL / 4);
	run = judge(&c);
	mux_stats_free(c.stats);
	*random = l.random;
	return run;
}

/* ---- a cell ---- */

struct result {
	size_t runs, known, in_step, inside;
	double squares, widths;
};

static struct result run_cell(const struct cell *cell, size_t runs)
{
	struct result result = {.runs = runs};
	uint64_t random = 88172645463325252u;

	for (size_t i = 0; i < runs; i++) {
		struct run run = simulate(cell, cell->groups ? i % cell->groups : 0, &random);

		result.in_step += run.in_step;
		if (isnan(run.half_width))
			continue;
		result.known++;
		result.inside += run.error <= run.half_width;
		result.squares += run.error * run.error;
		result.widths += run.half_width;
	}
	return result;
}

static void print_cell(const struct cell *cell, const struct result *r)
{
	double known = (double)r->known, rms = sqrt(r->squares / known), width = r->widths / known;
	double inside = 100 * (double)r->inside / known, part = (double)r->runs - known - (double)r->in_step;

	printf("# %-13s %zu %s %5.0f ms %5.1f%% unknown %5.1f%% in step %5.1f%% inside %7.2f%% error %5.1f x%s%s\n",
	       cell->kind->name, cell->groups, cell->others ? "others" : "groups", cell->total,
	       100 * part / (double)r->runs, 100 * (double)r->in_step / (double)r->runs, inside, 100 * rms, width / rms,
	       r->known * 4 > r->runs && inside < 93 ? " LOW" : "",
	       r->known * 4 > r->runs && width > 3 * rms ? " WIDE" : "");
}

/* ---- claims ---- */

/* All cells with a claim. */
struct sum {
	size_t runs, known, in_step, inside, cells;
	double ratios; /* half-width and error of the cells of 300 ms and more where most runs have an interval */
};

static void sum_add(struct sum *sum, const struct cell *cell, const struct result *r)
{
	sum->runs += r->runs;
	sum->known += r->known;
	sum->in_step += r->in_step;
	sum->inside += r->inside;
	if (cell->total < 300 || r->known * 2 < r->runs)
		return;
	sum->cells++;
	sum->ratios += r->widths / (double)r->known / sqrt(r->squares / (double)r->known);
}

static void is_inside(const struct sum *sum, double least, double widest, const char *what)
{
	double inside = 100 * (double)sum->inside / (double)sum->known, ratio = sum->ratios / (double)sum->cells;

	printf("# %.1f%% of %zu inside, %zu in step; half-width %.1f times the error\n", inside, sum->known,
	       sum->in_step, ratio);
	ok(inside >= least, what);
	ok(ratio <= widest, "... and not much wider than stated");
}

/* All kinds and numbers of groups: 2, 3, 5, and with others also 0. */
static void run_cells(struct sum sums[N_CLAIMS], bool others, size_t runs, bool print)
{
	static const size_t groups[] = {2, 3, 5, 0};
	const double totals[] = {60, 100, 300, print ? 2000 : 600};
	size_t n = ARRAY_SIZE(groups) - !others;

	for (size_t i = 0; i < ARRAY_SIZE(totals) * ARRAY_SIZE(kinds) * n; i++) {
		const struct kind *kind = &kinds[i / n % ARRAY_SIZE(kinds)];
		struct cell cell = {kind, groups[i % n], totals[i / n / ARRAY_SIZE(kinds)], others, false};
		struct result result;

		if (kind->claim == UNCLAIMED && !print)
			continue;
		result = run_cell(&cell, runs);
		sum_add(&sums[kind->claim], &cell, &result);
		if (print)
			print_cell(&cell, &result);
	}
}

static void claim(const struct sum sums[N_CLAIMS])
{
	is_inside(&sums[GOOD], 95, 3, "rates without a period: the truth is in the interval");
	is_inside(&sums[ROUGH], 86, 3.5, "rare bursts and sleepers: almost as often");
	/* neighbouring slices differ by the whole wave, the estimate hardly: the intervals are wide */
	is_inside(&sums[NEAR], 98, 60, "waves about as long as a rotation");
	is_inside(&sums[FAR], 98, 30, "other waves");
	ok(sums[GOOD].known * 100 >= sums[GOOD].runs * 98, "runs of 60 ms and more have an interval");
	ok(sums[GOOD].in_step * 1000 <= 3 * sums[GOOD].runs, "none of these rates is considered in step");
}

/* Children begin with the group that their parent would begin with now. */
static void test_forks(size_t runs, bool print)
{
	static const struct kind kind = {"forks", forks, 60, 0, false, GOOD};
	static const size_t groups[] = {2, 3, 5};
	struct sum sum = {0};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(groups); i++) {
		struct cell cell = {.kind = &kind, .groups = groups[i / 2], .total = 900, .slow = i % 2};
		struct result result = run_cell(&cell, runs);

		sum_add(&sum, &cell, &result);
		if (print)
			print_cell(&cell, &result);
	}
	is_inside(&sum, 92, 4, "short children: the truth is in the interval almost as often");
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
	struct sum own[N_CLAIMS] = {0}, shared[N_CLAIMS] = {0};

	run_cells(own, false, runs, argc > 1);
	claim(own);
	run_cells(shared, true, runs, argc > 1);
	printf("# with others\n");
	claim(shared);
	test_forks(5 * runs, argc > 1);
	return tap_done();
}
