/* The statistics of a command, and what the session's figures are made of. */
#include <string.h>

#include "lib/number.h"
#include "run/repeat.h"

bool repeat_is_single(const struct repeat *c)
{
	return c->options->runs == 1 && c->n_commands == 1;
}

struct run_stats *repeat_stats_of(const struct repeat *c, size_t command)
{
	if (c->good[command].runs || c->n_commands > 1)
		return c->good[command].runs || !c->bad[command].runs ? &c->good[command] : &c->bad[command];
	return c->bad[command].runs ? &c->bad[command] : &c->partial[command];
}

static void set_run_times(struct repeat *c, const struct run_stats *stats)
{
	for (size_t i = 0; i < stats->n; i++) {
		const struct row *row = &stats->result.rows[i];
		const struct history *h = &stats->histories[i];
		double *times;

		if (row_clock(row) != CLOCK_DURATION)
			continue;
		times = result_allocate(&c->result, h->n * sizeof(*times));
		for (size_t k = 0; k < h->n; k++)
			times[k] = h->values[k] / 1e9;
		c->result.session.run_times = times;
		c->result.session.n_run_times = h->n;
		return;
	}
}

void repeat_set_session(struct repeat *c)
{
	struct session *s = &c->result.session;
	uint64_t *const figures[] = {&s->elapsed_ns, &s->user_ns, &s->system_ns, &s->max_rss};
	const struct session *of = &repeat_stats_of(c, 0)->result.session;
	struct row clocks[RESULT_CLOCKS];

	result_clocks(&c->result, clocks); /* for their names */
	for (size_t i = 0; i < c->result.n; i++) {
		const struct row *row = &c->result.rows[i];

		for (int k = 0; k < RESULT_CLOCKS; k++)
			if (row->command == 1 && row->scope == AGGR_TOTAL && status_has_value(row->status) &&
			    strcmp(row->name, clocks[k].name) == 0)
				*figures[k] = row->value.type == VALUE_COUNT ? row->value.count
									     : (uint64_t)(row->value.real + 0.5);
	}
	if (repeat_is_single(c)) {
		s->tree = of->tree ? &c->single.tree : NULL;
		s->begin = of->begin;
		s->ranked = of->ranked;
	}
	set_run_times(c, repeat_stats_of(c, 0));
	s->has_usage = of->has_usage;
	s->wait_status = c->wait_status ? c->wait_status : of->wait_status;
	s->runs = 1;
	for (size_t i = 0; i < c->n_commands; i++)
		if (c->good[i].runs + c->bad[i].runs > s->runs)
			s->runs = c->good[i].runs + c->bad[i].runs;
}
