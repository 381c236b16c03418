/* When repeated runs end: the looks at the intervals between the rounds. */
#include "compare/differences.h"
#include "compare/stopping.h"
#include "run/repeat.h"

/* Fewer runs may agree by chance. */
#define UNTIL_RUNS 5

void repeat_start_looks(struct repeat *c, unsigned usual, unsigned most)
{
	looks_init(&c->looks, usual, most);
}

/* --until: the mean of each command is known well enough. */
static bool is_precise(const struct repeat *c)
{
	struct summary s;
	double error;

	for (size_t i = 0; i < c->n_commands; i++)
		if (!run_stats_leading(repeat_stats_of(c, i), &s, &error) || s.n < UNTIL_RUNS ||
		    !(error <= c->options->until / 100 * fabs(s.mean)))
			return false;
	return true;
}

/* The same rows as those of the report, if the runs ended now. */
static bool is_decided(const struct repeat *c)
{
	struct result result = {.session = c->session};
	struct run_stats *copies = xcalloc(c->n_commands, sizeof(*copies));
	bool decided;

	result.session.looks = c->looks.n;
	result.session.look_share = c->looks.share;
	for (size_t i = 0; i < c->n_commands; i++) {
		run_stats_copy(&copies[i], repeat_stats_of(c, i));
		run_stats_finish(&copies[i]);
		result_append(&result, &copies[i].result);
	}
	differences_add(&result, c->threshold);
	decided = stopping_is_decided(&result, c->conditions, c->threshold);
	if (!decided && c->looks.at == c->looks.usual && c->looks.usual < c->looks.budget)
		decided = !stopping_is_near(&result, c->conditions, c->threshold,
					    sqrt((double)c->looks.usual / c->looks.budget));
	result_free(&result);
	for (size_t i = 0; i < c->n_commands; i++)
		run_stats_free(&copies[i]);
	free(copies);
	return decided;
}

bool repeat_knows_enough(struct repeat *c)
{
	if (!c->looks.budget || c->looks.at == c->rounds || !looks_is_due(&c->looks, c->rounds))
		return false;
	looks_take(&c->looks, c->rounds, c->rounds == c->looks.budget);
	return isnan(c->options->until) ? is_decided(c) : is_precise(c);
}

/* The end of the time does not depend on the results; who interrupts the runs may have seen them. */
void repeat_end_looks(struct repeat *c)
{
	struct session *session = &c->result.session;

	if (c->looks.budget && c->rounds > c->looks.at)
		looks_take(&c->looks, c->rounds, !c->signal && !c->stopped_by_control);
	session->looks = c->looks.n;
	session->look_share = isnan(c->options->until) ? c->looks.share : 1;
}
