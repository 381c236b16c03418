/* Runs that were disturbed: their figures in the report, --undisturbed, and the note on them. */
#include <string.h>

#include "lib/number.h"
#include "run/repeat.h"

#define NAMED 2 /* disturbed runs that a note names; of more, it has the number */

static void add_row(struct result *run, const struct disturbance *d, enum disturbance_kind kind)
{
	const struct item item = {
		.name = disturbance_name(kind), .unit = disturbance_unit(kind), .kind = ITEM_DISTURBANCE};

	result_add(run, &item)->value = count_value(d->v[kind]);
}

void repeat_take_disturbance(struct repeat *c, size_t command, unsigned number, const struct disturbance *d,
			     struct result *run)
{
	*ARRAY_PUSH(c->disturbed, c->n_disturbed) = (struct disturbed_run){command, number, *d};
	for (int kind = 0; kind < DISTURBANCE_KINDS; kind++)
		if (d->v[kind] != DISTURBANCE_UNKNOWN)
			add_row(run, d, (enum disturbance_kind)kind);
}

/* Returns the number of runs before the round. */
static size_t runs_before(const struct repeat *c, unsigned round)
{
	size_t n = c->n_disturbed;

	while (n && c->disturbed[n - 1].run == round)
		n--;
	return n;
}

static bool is_disturbed_since(const struct repeat *c, size_t first)
{
	for (size_t i = first; i < c->n_disturbed; i++)
		if (disturbance_is_large(&c->disturbed[i].disturbance))
			return true;
	return false;
}

bool repeat_leave_out_round(struct repeat *c, unsigned number, bool again)
{
	size_t first = runs_before(c, number);
	bool disturbed = c->options->undisturbed && is_disturbed_since(c, first), left_out = disturbed && again;

	for (size_t i = 0; i < c->n_pending; i++)
		if (left_out)
			result_free(&c->pending[i].rows);
		else
			repeat_add_run(c, &c->pending[i]);
	free(c->pending);
	c->pending = NULL;
	c->n_pending = 0;
	c->rounds_again += left_out;
	c->rounds_given_up += disturbed && !again;
	if (left_out)
		c->n_disturbed = first;
	return left_out;
}

const struct disturbance *repeat_disturbance_of(const struct repeat *c, size_t command, unsigned run)
{
	for (size_t i = 0; i < c->n_disturbed; i++)
		if (c->disturbed[i].command == command && c->disturbed[i].run == run &&
		    disturbance_is_large(&c->disturbed[i].disturbance))
			return &c->disturbed[i].disturbance;
	return NULL;
}

/* Returns the largest share that the run lost by one cause. */
static double lost_share(const struct disturbed_run *run)
{
	double most = 0;

	for (int i = 0; i < DISTURBANCE_KINDS; i++)
		most = number_larger(disturbance_share(&run->disturbance, (enum disturbance_kind)i), most);
	return most;
}

static char *run_text(const struct repeat *c, const struct disturbed_run *run)
{
	auto_free char *what = disturbance_text(&run->disturbance);

	return c->n_commands > 1 ? xasprintf("run %u of command %zu %s", run->run, run->command + 1, what)
				 : xasprintf("run %u %s", run->run, what);
}

void repeat_note_disturbances(struct repeat *c)
{
	const struct disturbed_run *worst = NULL;
	auto_strings struct strings named = {0};
	auto_free char *text = NULL;
	const char *fix = c->options->undisturbed ? "" : "; fix: --undisturbed repeats such rounds";
	size_t n = 0;

	for (size_t i = 0; i < c->n_disturbed; i++) {
		if (!disturbance_is_large(&c->disturbed[i].disturbance))
			continue;
		if (!worst || lost_share(&c->disturbed[i]) > lost_share(worst))
			worst = &c->disturbed[i];
		if (n++ < NAMED) {
			auto_free char *run = run_text(c, &c->disturbed[i]);

			strings_add(&named, "%s", run);
		}
	}
	text = n > NAMED ? run_text(c, worst) : strings_join(&named, "; ");
	if (n > NAMED)
		strings_add(&c->minor_notes, "%zu of %zu runs were disturbed, the worst: %s%s", n, c->n_disturbed, text,
			    fix);
	else if (n)
		strings_add(&c->minor_notes, "%s%s", text, fix);
	if (c->rounds_again)
		strings_add(&c->minor_notes, "%u disturbed rounds were repeated%s", c->rounds_again,
			    c->rounds_given_up ? "; some were still disturbed at the third attempt, and are kept" : "");
}
