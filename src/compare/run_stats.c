#include "compare/run_stats.h"

#include <string.h>

#include "lib/number.h"
#include "lib/util.h"
#include "rows/usual_ratios.h"

/* Returns the index of the row's history, which is added if needed. Rows of one item and subject are in order. */
static size_t history_find(struct run_stats *s, struct translation *t, const struct row *row, unsigned number)
{
	const struct item *item = translate_item(t, row->item);
	const struct subject *subject = translate_subject(t, row->subject);
	size_t k = SIZE_MAX;
	struct row *copy;

	while ((k = row_index_find(&s->index, &s->result, item->number, subject->number, k)) != SIZE_MAX)
		if (s->result.rows[k].item == item && s->histories[k].last_run != number)
			return k;
	copy = result_add_copy(&s->result, row);
	copy->run = 0;
	copy->ratio_errors = NULL;   /* freed with their run, */
	copy->spread = &spread_none; /* ... as is this */
	ARRAY_PUSH(s->histories, s->n);
	row_index_add(&s->index, &s->result);
	return s->n - 1;
}

/* Earlier runs may have left a row without a value. */
static void history_copy_first(struct run_stats *s, size_t at, const struct row *from)
{
	struct row *row = &s->result.rows[at];

	row->status = from->status;
	row->value = from->value;
	row->error = from->error;
	row->user_only = from->user_only;
	result_explain_like(&s->result, row, from);
	row->reason_of_error = from->reason_of_error;
}

/* Returns the share of its run from which the row's value is extrapolated; 1 if it is not. */
static double share_of(const struct session *session, const struct row *row)
{
	bool multiplexed = row->has_raw && row->raw.running > 0 && row->raw.running < row->raw.enabled;

	return multiplexed && !session->no_scale ? (double)row->raw.running / (double)row->raw.enabled : 1;
}

static void history_push(struct history *h, unsigned run, double value, double share)
{
	size_t n = h->n, i = n;

	*ARRAY_PUSH(h->runs, n) = run;
	*ARRAY_PUSH(h->shares, i) = share;
	*ARRAY_PUSH(h->values, h->n) = value;
}

static void history_add(struct run_stats *s, size_t at, const struct row *from, unsigned number)
{
	struct row *row = &s->result.rows[at];
	struct history *h = &s->histories[at];
	double share = share_of(&s->result.session, from);

	h->last_run = number;
	h->seen++;
	if (from->scope_count > row->scope_count) /* processes of a program */
		row->scope_count = from->scope_count;
	h->n_raw += from->has_raw;
	if (from->has_raw)
		h->raw = sample_add(h->raw, from->raw);
	if (!row_has_value(from)) {
		if (from->biased)
			h->missing = result_text(&s->result, from->reason);
		return;
	}
	if (h->n == 0)
		history_copy_first(s, at, from);
	h->differ |= from->value.type != row->value.type || value_compare(from->value, row->value) != 0;
	history_push(h, number, value_real(from->value), share);
	h->scaled += from->status == STATUS_SCALED;
	h->partial += from->status == STATUS_PARTIAL;
	h->idle += from->status == STATUS_IDLE;
	if (isfinite(from->error) && !row_clock(from)) /* the spread of a clock over the runs contains its error */
		h->squared_errors += share * share * from->error * from->error;
	row->approximate |= from->approximate;
	row->may_miss |= from->may_miss;
	if (from->biased ? !h->biased : !*row->reason && !from->reason_of_error) {
		result_explain_like(&s->result, row, from);
		row->reason_of_error = from->reason_of_error;
	}
	h->biased |= from->biased;
}

void run_stats_add(struct run_stats *s, const struct result *run, unsigned number)
{
	struct translation t;

	translation_init(&t, &s->result, run);
	s->result.session = run->session;
	for (size_t i = 0; i < run->n; i++)
		history_add(s, history_find(s, &t, &run->rows[i], number), &run->rows[i], number);
	translation_free(&t);
	s->runs++;
}

static double sum_of_shares(const struct history *h)
{
	double sum = 0;

	for (size_t i = 0; i < h->n; i++)
		sum += h->shares[i];
	return sum;
}

/* Returns weighted values, which the caller frees: the values of the history if all weights are equal, otherwise other
 * ones. In a run shorter than a rotation cycle, a group counts nearly all of the run or hardly any of it, and the rate
 * may depend on the counted part. The mean of such values is biased; the mean over the counted parts of the runs is
 * not, if each group is equally often the first. The weighted values have this mean, and the spread of a ratio of means
 * (Cochran, Sampling Techniques, 6.3). */
static double *weighed_values(const struct history *h)
{
	double *values = xcalloc(h->n, sizeof(*values)), shares = sum_of_shares(h), mean = 0;
	bool equal = true;

	for (size_t i = 0; i < h->n; i++) {
		equal &= h->shares[i] == h->shares[0];
		mean += h->shares[i] / shares * h->values[i];
	}
	for (size_t i = 0; i < h->n; i++)
		values[i] = equal ? h->values[i] : mean + h->shares[i] * (double)h->n / shares * (h->values[i] - mean);
	return values;
}

/* The spread between runs includes the error of each run. But if a few runs happen to agree, the mean is no better
 * known than from the errors of the runs; and estimates that are all equal, for example 0, show nothing about their
 * error. */
static double history_error(const struct history *h, const struct summary *summary, bool until,
			    struct kept_factor *kept)
{
	double between = summary_half_width_of_many(summary, kept) * (until ? summary_until_factor(h->n) : 1);
	double within = sqrt(h->squared_errors) / sum_of_shares(h);
	double error = number_larger(between, within);

	return h->biased || (h->scaled && error == 0) ? NAN : error;
}

bool run_stats_leading(const struct run_stats *s, struct summary *summary, double *error)
{
	const struct history *found = NULL;
	auto_free double *weighed = NULL;

	for (size_t i = s->n; i-- > 0;) {
		const struct row *row = &s->result.rows[i];

		if (row->item->kind == ITEM_COUNT && s->runs > 0 && s->histories[i].n == s->runs &&
		    (row->item->counted || (!found && row_clock(row) == CLOCK_DURATION)))
			found = &s->histories[i];
	}
	if (!found)
		return false;
	weighed = weighed_values(found);
	summary_make(summary, weighed, found->n);
	*error = history_error(found, summary, true, &(struct kept_factor){.n = 0});
	return true;
}

/* A task counts 0 in the runs that do not contain it but counted its event. The runs are in the order of their
 * numbers. */
static void history_pad(struct run_stats *s, size_t at)
{
	size_t whole = row_index_find_whole(&s->index, &s->result, &s->result.rows[at]);
	struct history *h = &s->histories[at], *all;
	size_t from = h->n;

	if (whole == SIZE_MAX)
		return;
	all = &s->histories[whole];
	if (s->result.rows[at].item->kind != ITEM_COUNT || h->seen > h->n || h->n >= all->n)
		return;
	while (h->n < all->n) {
		history_push(h, 0, 0, 1);
		h->n_raw += h->n_raw > 0;
	}
	for (size_t i = h->n; i-- > 0;) {
		bool has = from > 0 && h->runs[from - 1] == all->runs[i];

		h->runs[i] = all->runs[i];
		from -= has;
		h->shares[i] = has ? h->shares[from] : 1;
		h->values[i] = has ? h->values[from] : 0;
	}
	h->differ = true;
	s->padded = true;
	row_explain_text(&s->result.rows[at], result_format(&s->result, "%zu of %u runs do not contain it, and count 0",
							    h->n - h->seen, s->runs));
}

static uint64_t rounded_mean(uint64_t sum, unsigned n)
{
	return sum / n + (sum % n >= (n + 1) / 2);
}

static struct sample raw_mean(const struct history *h)
{
	return (struct sample){rounded_mean(h->raw.value, h->n_raw), rounded_mean(h->raw.enabled, h->n_raw),
			       rounded_mean(h->raw.running, h->n_raw)};
}

/* A row has the reason of its first run, which may not hold for the mean of several. */
static void explain_mean(struct row *row, size_t n)
{
	if (clock_is_sampled(row_clock(row)) && row->status == STATUS_SCALED && row->why != WHY_SIMULATED)
		row_explain(row, WHY_SAMPLED);
	else if (row->why == WHY_MOMENT && n > 1)
		row_explain(row, WHY_NOT_CODED);
}

static void history_finish(struct run_stats *s, size_t at)
{
	struct row *row = &s->result.rows[at];
	struct history *h = &s->histories[at];
	auto_free bool *outliers = xcalloc(h->n, sizeof(*outliers));
	struct spread *spread;
	struct summary summary;

	if (h->n_raw)
		row->raw = raw_mean(h);
	if (h->missing) {
		row->status = STATUS_LOST;
		row->value = (struct value){.type = VALUE_NONE};
		row->error = NAN;
		row_explain_text(row, h->n ? result_format(&s->result, "in %zu of %u runs: %s", s->runs - h->n, s->runs,
							   h->missing)
					   : h->missing);
	}
	if (h->n == 0 || h->missing)
		return;
	h->weighed = weighed_values(h);
	summary_make(&summary, h->weighed, h->n);
	row->status = h->partial        ? STATUS_PARTIAL
		      : h->scaled       ? STATUS_SCALED
		      : h->idle == h->n ? STATUS_IDLE
					: STATUS_EXACT;
	if (h->differ)
		row->value = real_value(summary.mean);
	explain_mean(row, h->n);
	spread = result_spread(&s->result, row);
	spread->n = (unsigned)h->n;
	spread->runs = h->runs;
	spread->values = h->weighed;
	row->threshold = THRESHOLD_NONE; /* the first run's does not apply to all runs; the means get another one */
	spread->min = spread->median = spread->max = row->value;
	if (h->differ)
		spread_make(spread, h->values, h->n);
	if (!subject_is_task(row->subject)) /* no table shows the outliers of a task */
		spread->outliers = (unsigned)summary_outliers(h->values, h->n, outliers);
	if (h->n > 1) {
		spread->stddev = summary.stddev;
		row->error = history_error(h, &summary, s->result.session.until, &s->kept);
		row->low = row->high = NAN;
		if (row_is_upper_bound(row) && !(summary.stddev > 0))
			row->error = 0;
		row_set_bound_ends(row);
		if (row->reason_of_error && !isnan(row->error)) /* known now, from the spread */
			row_explain_text(row, "");
		row->reason_of_error &= isnan(row->error);
	}
	if (h->n < s->runs && row->subject->scope == AGGR_REGION)
		row_explain_text(row, result_format(&s->result, "in region '%s' it has a value in %zu of %u runs",
						    row->subject->id, h->n, s->runs));
	else if (h->n < s->runs)
		row_explain_text(row, result_format(&s->result, "it has a value in %zu of %u runs", h->n, s->runs));
}

/* A usual ratio becomes the ratio of the means, unless these are of different runs. Metrics by expression remain the
 * means of their values in the runs: comparisons judge them by the error of this mean, and a single unusual run may
 * dominate a ratio of means. */
static void set_ratios_of_means(struct run_stats *s)
{
	struct result *result = &s->result;
	size_t n = result->n;

	metrics_add(result);
	for (size_t i = n; i < result->n; i++) {
		const struct row *ratio = &result->rows[i];
		size_t k = SIZE_MAX;

		if (!ratio->spread->runs)
			continue;
		do
			k = row_index_find(&s->index, result, ratio->item->number, ratio->subject->number, k);
		while (k != SIZE_MAX && result->rows[k].item != ratio->item);
		if (k == SIZE_MAX)
			continue;
		if (!ratio->item->metric)
			result->rows[k].value = ratio->value;
		result->rows[k].threshold = ratio->threshold;
	}
	result->n = n;
}

void run_stats_finish(struct run_stats *s)
{
	for (size_t i = 0; i < s->n; i++) {
		history_pad(s, i);
		history_finish(s, i);
	}
	set_ratios_of_means(s);
}

static struct history history_copy(const struct history *from)
{
	struct history h = *from;

	h.values = h.shares = NULL;
	h.runs = NULL;
	h.n = 0;
	for (size_t i = 0; i < from->n; i++)
		history_push(&h, from->runs[i], from->values[i], from->shares[i]);
	return h;
}

void run_stats_copy(struct run_stats *to, const struct run_stats *from)
{
	*to = (struct run_stats){.result = {.session = from->result.session}, .runs = from->runs, .kept = from->kept};
	result_append(&to->result, &from->result);
	for (size_t i = 0; i < from->n; i++)
		*ARRAY_PUSH(to->histories, to->n) = history_copy(&from->histories[i]);
	row_index_add(&to->index, &to->result);
}

void run_stats_free(struct run_stats *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->histories[i].values);
		free(s->histories[i].weighed);
		free(s->histories[i].shares);
		free(s->histories[i].runs);
	}
	free(s->histories);
	row_index_free(&s->index);
	result_free(&s->result);
	*s = (struct run_stats){.runs = 0};
}
