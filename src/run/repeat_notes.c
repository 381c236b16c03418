/* Notes on the runs, for a reader of the means. */
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "run/repeat.h"

#define LISTED  5   /* maximal number of runs in a list */
#define NOTABLE 0.1 /* deviation from the median, of runs that nothing disturbed */
#define FEW     2   /* maximal number of outliers for the advice to leave out the first run */

/* If counting was off for less than this time, it is taken as on all the time. */
#define WORTH_A_NOTE_NS 1000000u

/* Returns "command 2: ", or "" if there is only one command. */
static char *prefix_of(const struct repeat *c, size_t command)
{
	return c->n_commands > 1 ? xasprintf("command %zu: ", command + 1) : xstrdup("");
}

static char *status_text(const struct failure *f)
{
	int wait_status = f->wait_status;

	if (f->cut_off)
		return xasprintf("ended by %s", f->cut_off);
	if (WIFSIGNALED(wait_status))
		return xasprintf("killed by signal %d, %s", WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	return xasprintf("status %d", WEXITSTATUS(wait_status));
}

/* Such a run has a part of another note. */
static bool is_cut_short(const struct repeat *c, const struct failure *f)
{
	return c->partial[f->command].runs && f->run == c->rounds;
}

/* Writes "3 (status 1), 7 (killed by signal 9, Killed) and 4 more"; returns the number of failed runs. common: the
 * failure, if all are alike; NULL if they differ. */
static unsigned list_failures(const struct repeat *c, size_t command, FILE *out, const struct failure **common)
{
	const struct failure *first = NULL;
	bool alike = true;
	unsigned n = 0;

	for (size_t i = 0; i < c->n_failures; i++) {
		const struct failure *f = &c->failures[i];
		auto_free char *status = status_text(f);

		if (f->command != command || !f->run || is_cut_short(c, f))
			continue;
		first = first ? first : f;
		alike &= first->wait_status == f->wait_status && !first->cut_off == !f->cut_off;
		if (n < LISTED)
			fprintf(out, "%s%u (%s)", n ? ", " : "", f->run, status);
		n++;
	}
	if (n > LISTED)
		fprintf(out, " and %u more", n - LISTED);
	*common = alike ? first : NULL;
	return n;
}

static void note_failures(struct repeat *c, size_t command)
{
	auto_free char *list = NULL, *prefix = prefix_of(c, command);
	struct strings *notes = &c->result.notes;
	size_t size;
	FILE *out = xopen_memstream(&list, &size);
	const struct failure *common;
	unsigned failed = list_failures(c, command, out, &common), all = c->good[command].runs + c->bad[command].runs;
	auto_free char *status = common ? status_text(common) : NULL;
	const char *left_out = c->options->ignore_failure ? "" : " and are left out of the means";

	fclose(out);
	if (!failed)
		return;
	if (common && common->cut_off && failed == all)
		strings_add(notes, "%s%s", prefix,
			    all == 1 ? "the run was ended by --timeout" : "all runs were ended by --timeout");
	else if (common && common->cut_off)
		strings_add(notes, "%s%u of %u runs were ended by --timeout%s: run %s", prefix, failed, all, left_out,
			    list);
	else if (all == 1)
		strings_add(notes, "%sthe command failed (%s)", prefix, status);
	else if (failed == all && common)
		strings_add(notes, "%sall %u runs failed (%s): the means are of failed runs", prefix, all, status);
	else if (failed == all)
		strings_add(notes, "%sall %u runs failed, so the means are of failed runs: run %s", prefix, all, list);
	else
		strings_add(notes, "%s%u of %u runs failed%s: run %s", prefix, failed, all, left_out, list);
}

static void note_warmups(struct repeat *c)
{
	for (size_t i = 0; i < c->n_failures; i++) {
		auto_free char *prefix = prefix_of(c, c->failures[i].command);
		auto_free char *status = status_text(&c->failures[i]);

		if (c->failures[i].run)
			continue;
		strings_add(&c->result.notes, "%sa warm-up run failed: %s", prefix, status);
		return;
	}
}

/* False for metrics, whose counts have notes, for tasks, and for CPU times, which follow the elapsed time. */
static bool has_outlier_note(const struct row *row)
{
	return row->item->kind == ITEM_COUNT && row->spread->outliers && !subject_is_task(row->subject) &&
	       (row->item->counted || row_clock(row) == CLOCK_DURATION);
}

/* Lists outliers that are notable: "task-clock of command 2: run 3 (5.1 times the median), 7". Returns whether the
 * first run is one of at most FEW: it may be slower, because it fills caches that later runs use. */
static bool list_outliers(struct repeat *c, size_t command, struct strings *list, const struct row *row,
			  const struct history *h)
{
	bool elapsed = row_clock(row) == CLOCK_DURATION;
	double median = value_real(row->spread->median);
	auto_free char *of = c->n_commands > 1 ? xasprintf(" of command %zu", command + 1) : xstrdup("");
	auto_free bool *is = xcalloc(h->n, sizeof(*is));
	auto_free char *runs = NULL;
	unsigned n = 0;
	size_t size;
	FILE *out = xopen_memstream(&runs, &size);

	summary_outliers(h->values, h->n, is);
	for (size_t i = 0; i < h->n; i++) {
		is[i] &= fabs(h->values[i] - median) >= NOTABLE * fabs(median) ||
			 (row_is_time(row) && repeat_disturbance_of(c, command, h->runs[i]));
		if (!is[i] || n++ >= LISTED)
			continue;
		fprintf(out, "%s%u", n > 1 ? ", " : "", h->runs[i]);
		if (median > 0)
			fprintf(out, " (%.3g times the median)", h->values[i] / median);
	}
	if (n > LISTED)
		fprintf(out, " and %u more", n - LISTED);
	fclose(out);
	if (!n)
		return false;
	strings_add(list, "%s%s: run %s", elapsed ? "elapsed time" : row->item->name, of, runs);
	return is[0] && h->runs[0] == 1 && n <= FEW;
}

static void note_outliers(struct repeat *c)
{
	auto_strings struct strings list = {0};
	auto_free char *text = NULL;
	bool special = false;

	for (size_t i = 0; i < c->n_commands; i++) {
		const struct run_stats *s = c->good[i].runs ? &c->good[i] : &c->bad[i];

		for (size_t k = 0; k < s->n; k++)
			if (has_outlier_note(&s->result.rows[k]))
				special |= list_outliers(c, i, &list, &s->result.rows[k], &s->histories[k]);
	}
	text = strings_join(&list, "; ");
	if (text)
		strings_add(&c->result.notes, "outliers: %s%s", text,
			    special && !c->options->warmup ? "; --warmup=1 leaves the first run out" : "");
}

static void note_end(struct repeat *c)
{
	unsigned long made = 0;
	auto_free char *left_out = NULL;
	const char *cause = c->signal ? signal_name(c->signal) : c->stopped_by_control ? "stop" : "--timeout";

	if (!c->signal && !c->stopped_by_control && !c->out_of_time)
		return;
	for (size_t i = 0; i < c->n_commands; i++) {
		made += c->good[i].runs + c->bad[i].runs;
		if (c->partial[i].runs)
			left_out = c->n_commands > 1
					   ? xasprintf("; run %u of command %zu was cut short and is left out",
						       c->rounds, i + 1)
					   : xstrdup("; the one cut short is left out");
	}
	if (made == 0 && c->n_commands == 1)
		strings_add(&c->result.notes, "ended by %s in the first run: these are its counts until then", cause);
	else if (c->options->runs == 0 && !left_out)
		strings_add(&c->result.notes, "ended by %s after %lu run%s", cause, made, made == 1 ? "" : "s");
	else
		strings_add(&c->result.notes, "ended by %s: the means are over the %lu complete run%s%s", cause, made,
			    made == 1 ? "" : "s", left_out ? left_out : "");
}

static void note_padded(struct repeat *c)
{
	bool padded = false;

	for (size_t i = 0; i < c->n_commands; i++)
		padded |= repeat_stats_of(c, i)->padded;
	if (padded)
		strings_add(&c->result.notes, "a row that is missing in some runs counts 0 there");
}

/* Returns "failed in 3 of 6 runs (status 1)", of the first failure; or NULL. */
static const char *failure_of(struct repeat *c, size_t command)
{
	unsigned n = 0, all = 1;
	const struct failure *first = NULL;
	auto_free char *status = NULL;

	if (!repeat_is_single(c))
		all = c->good[command].runs + c->bad[command].runs + c->partial[command].runs;
	for (size_t i = c->n_failures; i-- > 0;)
		if (c->failures[i].command == command && c->failures[i].run) {
			first = &c->failures[i];
			n++;
		}
	if (!first)
		return NULL;
	status = status_text(first);
	if (all > 1)
		return result_format(&c->result, "failed in %u of %u runs (%s)", n, all, status);
	return first->cut_off || WIFSIGNALED(first->wait_status) ? result_format(&c->result, "was %s", status)
								 : result_format(&c->result, "failed (%s)", status);
}

void repeat_add_failures(struct repeat *c)
{
	const char **failures = result_allocate(&c->result, (c->n_commands + 1) * sizeof(*failures));

	failures[0] = NULL; /* without a command */
	for (size_t i = 0; i < c->n_commands; i++)
		failures[i] = failure_of(c, i);
	c->result.session.failures = failures;
	c->result.session.ignore_failure = c->options->ignore_failure;
}

void repeat_add_notes(struct repeat *c)
{
	for (size_t i = 0; i < c->n_commands; i++)
		note_failures(c, i);
	note_warmups(c);
	note_outliers(c);
	repeat_note_disturbances(c);
	note_padded(c);
	if (c->uncounted)
		strings_add(&c->result.notes, "%u of %lu runs ended before counting began (--delay)", c->uncounted,
			    (unsigned long)c->rounds * c->n_commands);
	if (c->session.has_seed && !c->session.has_order)
		strings_add(&c->result.notes, "the lengths of --randomize-env are repeated by --seed=%" PRIu64,
			    c->session.seed);
	if (c->paused)
		strings_add(&c->result.notes, "elapsed times are times during which counting was on");
	note_end(c);
}

bool repeat_was_paused(const struct measurement *run)
{
	return run->elapsed_ns == 0 || run->wall_ns > run->elapsed_ns + WORTH_A_NOTE_NS;
}

void repeat_note_wall_time(struct result *result, const struct measurement *run)
{
	if (!repeat_was_paused(run))
		return;
	result->session.wall_ns = run->wall_ns;
	if (!run->elapsed_ns) {
		strings_add(&result->notes, "counting was never on in the %.6f seconds elapsed",
			    (double)run->wall_ns / 1e9);
		return;
	}
	strings_add(&result->notes, "counting was on for %.6f of the %.6f seconds elapsed",
		    (double)run->elapsed_ns / 1e9, (double)run->wall_ns / 1e9);
}
