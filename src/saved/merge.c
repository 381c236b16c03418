#include "saved/merge.h"

#include <string.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/text.h"
#include "metric/metric.h"
#include "rows/usual_ratios.h"
#include "stats/summary.h"

/* ---- adding reports ---- */

bool merge_has_scope(enum aggr_mode scope)
{
	return scope == AGGR_TOTAL || scope == AGGR_COMM || scope == AGGR_CGROUP || scope == AGGR_REGION;
}

/* Copies the event, since the original is freed with its report. Returns its number, from 1. */
static size_t keep_event(struct merge *m, const struct event *event)
{
	uint64_t hash = text_hash(TEXT_HASH, event->name);
	struct event *copy;

	for (size_t i = SIZE_MAX; (i = index_find(&m->event_index, hash, i)) != SIZE_MAX;) {
		const struct event *kept = m->events[i];

		if (strcmp(kept->name, event->name) == 0 && kept->attr.type == event->attr.type &&
		    kept->attr.config == event->attr.config && !event_differs(kept, event))
			return i + 1;
	}
	copy = xcalloc(1, sizeof(*copy));
	event_copy(copy, event);
	*ARRAY_PUSH(m->events, m->n_events) = copy;
	index_add(&m->event_index, hash);
	return m->n_events;
}

/* Returns the item with an event and a metric that live as long as the merge. */
static const struct item *keep_item(struct merge *m, const struct item *item)
{
	const struct event *event = item->event ? item->event : item->beside;
	struct item kept = *item;

	kept.event_number = event ? keep_event(m, event) : 0;
	if (event)
		*(item->event ? &kept.event : &kept.beside) = m->events[kept.event_number - 1];
	if (item->metric) {
		struct metric *metric = result_allocate(&m->result, sizeof(*metric));

		*metric = (struct metric){.name = result_text(&m->result, item->name),
					  .unit = result_allocate(&m->result, 1)};
		*metric->unit = '\0';
		kept.metric = metric;
	}
	return result_item(&m->result, &kept);
}

/* Returns true if the report's row matches this entry, and no other row of the report has matched it. */
static bool is_entry_of(const struct merge *m, size_t k, const struct row *row)
{
	return m->entries[k].last_report != m->reports && !row_differs(&m->result.rows[k], row);
}

static const struct subject *without_ids(struct result *result, const struct subject *subject)
{
	struct subject copy = *subject;

	copy.pid = copy.ppid = 0;
	return result_subject(result, &copy);
}

static size_t entry_find(struct merge *m, const struct row *row)
{
	const struct subject *subject = without_ids(&m->result, row->subject);
	size_t item = items_number(&m->result.items, row->item), k = SIZE_MAX;
	struct row kept = *row, *copy;

	while (item != SIZE_MAX && (k = row_index_find(&m->index, &m->result, item, subject->number, k)) != SIZE_MAX)
		if (is_entry_of(m, k, row))
			return k;
	kept.item = keep_item(m, row->item);
	kept.subject = subject;
	copy = result_add_copy(&m->result, &kept);
	copy->command = 1;
	copy->spread = &spread_none;
	row_explain_text(copy, "");
	row_index_add(&m->index, &m->result);
	ARRAY_PUSH(m->entries, m->n);
	m->entries[m->n - 1].total = m->n - 1;
	return m->n - 1;
}

/* The sum stays a count as long as possible. */
static void entry_sum(struct merge_entry *entry, struct value value)
{
	if (!entry->is_real && value.type == VALUE_COUNT) {
		entry->too_large |= entry->count > UINT64_MAX - value.count;
		entry->count = count_add(entry->count, value.count);
		return;
	}
	if (!entry->is_real)
		entry->real = (double)entry->count;
	entry->is_real = true;
	entry->real += value_real(value);
}

static void entry_add(struct merge *m, struct merge_entry *entry, const struct row *row)
{
	entry->last_report = m->reports;
	if (!row_has_value(row)) {
		if (!entry->missing)
			entry->missing = result_text(&m->result, row->reason);
		return;
	}
	entry_sum(entry, row->value);
	entry->scaled += row->status == STATUS_SCALED;
	entry->partial += row->status == STATUS_PARTIAL;
	entry->idle += row->status == STATUS_IDLE;
	entry->approximate |= row->approximate;
	if (isfinite(row->error))
		entry->squared_errors += row->error * row->error;
	else
		entry->unknown |= row->status == STATUS_SCALED;
	if (*row->reason && entry->remarks++ == 0)
		entry->remark = result_text(&m->result, row->reason);
	if (entry->n == 0 || value_compare(row->value, entry->values[entry->largest].value) > 0)
		entry->largest = entry->n;
	*ARRAY_PUSH(entry->values, entry->n) =
		(struct merge_value){row->value, row->error, row->low, row->high, m->reports, row->status};
}

static void note_bits(struct merge *m, struct merge_entry *entry, const struct row *row)
{
	const struct event *event = m->result.rows[entry->total].item->event;

	if (entry->other_bits || !event || !row->item->event || !event_bits_differ(event, row->item->event))
		return;
	entry->other_bits = true;
	strings_add(&m->result.notes,
		    "event %s has another encoding in some reports, where it may count something else",
		    row->item->name);
}

/* "(3 others)" of one report and "(4 others)" of another are the same row. */
static void add_row_of_report(struct merge *m, struct row row)
{
	struct subject others = *row.subject;
	size_t k;

	if (row.subject->scope == AGGR_COMM && !row.subject->comm && subject_id_is_others(row.subject->id)) {
		others.id = SUBJECT_OTHERS;
		row.subject = &others;
		m->has_others[m->reports - 1] = true;
	}
	k = entry_find(m, &row);
	if (row_has_value(&row) && m->entries[k].n == 0) {
		m->result.rows[k].status = row.status;
		m->result.rows[k].group = row.group;
	}
	if (m->result.rows[k].group != row.group)
		m->result.rows[k].group = 0;
	note_bits(m, &m->entries[k], &row);
	entry_add(m, &m->entries[k], &row);
}

void merge_add(struct merge *m, const struct result *report)
{
	size_t n = m->reports++;

	ARRAY_PUSH(m->has_others, n);
	for (size_t i = 0; i < report->n; i++)
		if (merge_has_scope(report->rows[i].subject->scope))
			add_row_of_report(m, report->rows[i]);
	if (report->session.elapsed_ns > m->result.session.elapsed_ns)
		m->result.session.elapsed_ns = report->session.elapsed_ns;
}

/* ---- totals ---- */

/* True for elapsed times and peaks, which do not add up. */
static bool is_largest(const struct row *row)
{
	return !row->item->event && (row->item->clock == CLOCK_DURATION || row->item->clock == CLOCK_MAX_RSS);
}

/* Returns true if some report did not count it. A program without a row did nothing. */
static bool is_incomplete(const struct merge *m, const struct merge_entry *entry, const struct row *row)
{
	return entry->missing || (row->subject->scope == AGGR_TOTAL && entry->n < m->reports);
}

static void finish_count(const struct merge *m, const struct merge_entry *entry, struct row *row)
{
	bool incomplete = is_incomplete(m, entry, row), too_large = entry->too_large && !is_largest(row);

	row->error = row->low = row->high = NAN;
	if (entry->n == 0) {
		row->value = (struct value){.type = VALUE_NONE};
		return;
	}
	row->status = entry->partial                             ? STATUS_PARTIAL
		      : entry->scaled || incomplete || too_large ? STATUS_SCALED
		      : entry->idle == entry->n                  ? STATUS_IDLE
								 : STATUS_EXACT;
	if (too_large)
		row_explain(row, WHY_TOO_LARGE);
	if (is_largest(row))
		row->value = entry->values[entry->largest].value;
	else
		row->value = entry->is_real ? real_value(entry->real) : count_value(entry->count);
	if (incomplete || too_large)
		return;
	if (is_largest(row)) {
		row->error = entry->values[entry->largest].error;
		row->low = entry->values[entry->largest].low;
		row->high = entry->values[entry->largest].high;
	} else if (entry->squared_errors > 0 && !entry->unknown)
		row->error = sqrt(entry->squared_errors);
}

/* Returns the ratio of the totals, which metrics_add has added after the rows of the entries; NULL if there is none. A
 * ratio is used once: metrics may have the same name. */
static const struct row *take_ratio(const struct merge *m, const struct row *row, bool *used)
{
	const struct result *result = &m->result;
	size_t k = SIZE_MAX;

	while ((k = row_index_find(&m->index, result, row->item->number, row->subject->number, k)) != SIZE_MAX) {
		const struct event *beside = row->item->beside;

		if (k < m->n || used[k] || (beside && result->rows[k].item->beside != beside))
			continue;
		used[k] = true;
		return &result->rows[k];
	}
	return NULL;
}

static void finish_metric(const struct merge *m, const struct merge_entry *entry, struct row *row,
			  const struct row *ratio)
{
	if (entry->n == 0)
		return;
	row->value = ratio ? ratio->value : (struct value){.type = VALUE_NONE};
	row->status = ratio ? ratio->status : STATUS_EXACT;
	row->error = ratio ? ratio->error : NAN;
	row->approximate = ratio && (ratio->approximate || entry->approximate);
	if (ratio && entry->unknown) { /* the counts may be exact, but of different runs of the command */
		row->status = STATUS_SCALED;
		row->error = NAN;
	}
	if (ratio && ratio->approximate)
		row_explain_text(row, ratio->reason);
	else if (!ratio && entry->n == m->reports)
		row_explain_text(row, row->item->usual ? "no total: not all reports have its counts"
						       : "metrics by expression have no total");
}

/* Counts that some reports lack are not used in ratios: numerator and denominator would be from different reports. */
static void add_ratios(struct merge *m)
{
	struct result *result = &m->result;
	auto_free enum status *statuses = xcalloc(m->n + 1, sizeof(*statuses));
	auto_free bool *used = NULL;

	for (size_t i = 0; i < m->n; i++) {
		statuses[i] = result->rows[i].status;
		if (m->entries[i].n < m->reports)
			result->rows[i].status = STATUS_LOST;
	}
	metrics_add(result);
	row_index_add(&m->index, result);
	used = xcalloc(result->n + 1, sizeof(*used));
	for (size_t i = 0; i < m->n; i++) {
		struct row *row = &result->rows[i];

		row->status = statuses[i];
		if (row->item->kind == ITEM_METRIC)
			finish_metric(m, &m->entries[i], row, take_ratio(m, row, used));
	}
	result->n = m->n; /* metrics stay where the reports have them */
}

/* ---- over the reports ---- */

/* Returns the noise of a value of this size: the root of a count, the clock tick of sampled times. */
static double noise_of(const struct row *row, double median)
{
	if (row->item->kind == ITEM_COUNT && !*row->item->unit)
		return sqrt(number_larger(median, 1));
	if (!row->item->event && (row->item->clock == CLOCK_USER || row->item->clock == CLOCK_SYSTEM))
		return 1e9 / (double)sysconf(_SC_CLK_TCK);
	return 0;
}

static struct variant *add_variant(struct variants *variants, enum item_kind kind, const struct merge_entry *entry)
{
	struct variant *variant = variants_add(variants, kind);

	variant->status = entry->scaled || entry->partial ? STATUS_SCALED : STATUS_EXACT;
	return variant;
}

static void set_report(struct merge *m, struct variant *variant, const struct merge_value *of, char *const *labels)
{
	variant->command = of->report;
	variant->reason = result_text(&m->result, labels[of->report - 1]);
}

static unsigned add_outliers(struct merge *m, struct variants *variants, const struct merge_entry *entry,
			     const double *values, double median, char *const *labels)
{
	auto_free bool *is_outlier = xcalloc(entry->n, sizeof(*is_outlier));
	unsigned found = 0;

	summary_outliers_of_reports(values, entry->n, noise_of(&m->result.rows[entry->total], median), is_outlier);
	for (size_t i = 0; i < entry->n; i++) {
		const struct merge_value *v = &entry->values[i];
		struct variant *outlier;

		if (!is_outlier[i] || fabs(values[i] - median) <= v->error ||
		    (v->status == STATUS_SCALED && isnan(v->error)))
			continue;
		outlier = add_variant(variants, ITEM_OUTLIER, entry);
		outlier->status = v->status;
		outlier->value = v->value;
		outlier->error = v->error;
		set_report(m, outlier, v, labels);
		found++;
	}
	return found;
}

/* Gives the total its variants: the spread, the imbalance, if any, and the outliers. */
static void add_spread(struct merge *m, const struct merge_entry *entry, char *const *labels)
{
	auto_free double *values = xcalloc(entry->n, sizeof(*values));
	struct row *row = &m->result.rows[entry->total];
	const struct usual_ratio *usual = row->item->usual;
	struct variants variants = {0};
	struct variant *variant;
	struct summary s;

	for (size_t i = 0; i < entry->n; i++)
		values[i] = value_real(entry->values[i].value);
	variant = add_variant(&variants, ITEM_SPREAD, entry);
	s = spread_make(&variant->spread, values, entry->n);
	variant->value = real_value(s.mean);
	if (s.n > 1 && s.min >= 0 && s.mean > 0) {
		variant = add_variant(&variants, ITEM_IMBALANCE, entry);
		variant->value = real_value(s.max / s.mean - 1);
		set_report(m, variant, &entry->values[entry->largest], labels);
	}
	if (!usual || !usual->prefixed) { /* the count of a rate already shows it, with the proper noise */
		unsigned outliers = add_outliers(m, &variants, entry, values, s.median, labels);

		variants.v->spread.outliers = outliers;
	}
	variants_give(&variants, &m->result, row);
}

void merge_finish(struct merge *m, char *const *labels)
{
	for (size_t i = 0; i < m->n; i++) {
		struct row *row = &m->result.rows[i];

		row_explain_text(row, merge_reason(m, &m->entries[i], labels));
		finish_count(m, &m->entries[i], row);
	}
	add_ratios(m);
	for (size_t i = 0; i < m->n; i++)
		if (m->entries[i].n)
			add_spread(m, &m->entries[i], labels);
	m->result.session.events = m->events;
	m->result.session.n_events = m->n_events;
}

void merge_free(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entries[i].values);
	for (size_t i = 0; i < m->n_events; i++) {
		event_free(m->events[i]);
		free(m->events[i]);
	}
	free(m->entries);
	free(m->has_others);
	row_index_free(&m->index);
	index_free(&m->event_index);
	free(m->events);
	result_free(&m->result);
	*m = (struct merge){.n = 0};
}
