/* Pools the reports of a baseline: each report is one observation, its mean or median. */
#include <stdlib.h>

#include "rows/row_index.h"
#include "saved/saved.h"
#include "stats/summary.h"

struct pool_entry {
	double *values;
	size_t n;
	unsigned last_report;
	bool scaled, unknown;
};

struct pool {
	struct result *result; /* of the saved reports: pooled rows are appended */
	size_t first;          /* the first pooled row */
	struct row_index index;
	struct pool_entry *entries; /* of the pooled rows */
	size_t n;
};

/* Returns the index of the entry to which the row belongs, which is added if needed. Several events may have one name:
 * each row of a report has another entry. */
static size_t entry_find(struct pool *pool, const struct row *row, unsigned report)
{
	const struct row like = *row; /* a copy: the rows may move */
	size_t item = like.item->number, subject = like.subject->number;
	struct subject without_ids = *like.subject;
	size_t i = SIZE_MAX;
	struct row *added;

	while ((i = row_index_find(&pool->index, pool->result, item, subject, i)) != SIZE_MAX)
		if (i >= pool->first && pool->entries[i - pool->first].last_report != report &&
		    !row_differs(&pool->result->rows[i], &like))
			return i - pool->first;
	added = result_add_copy(pool->result, &like);
	added->command = 1;
	added->has_raw = false;
	without_ids.pid = without_ids.ppid = 0;
	added->subject = result_subject(pool->result, &without_ids);
	row_index_add(&pool->index, pool->result);
	ARRAY_PUSH(pool->entries, pool->n);
	return pool->n - 1;
}

static void pool_row(struct pool *pool, size_t at, unsigned report)
{
	size_t k = entry_find(pool, &pool->result->rows[at], report);
	const struct row *row = &pool->result->rows[at];
	struct pool_entry *entry = &pool->entries[k];

	entry->last_report = report;
	if (!row_has_value(row) || !row_is_known(row))
		return;
	entry->scaled |= row->status == STATUS_SCALED;
	entry->unknown |= row_lacks_error(row);
	*ARRAY_PUSH(entry->values, entry->n) =
		value_real(pool->result->session.medians && row->spread->n > 1 ? row->spread->median : row->value);
}

static void finish_row(struct result *result, struct row *row, struct pool_entry *entry, unsigned reports)
{
	struct spread *spread;
	struct summary s;

	while (subject_is_task(row->subject) && entry->n < reports) /* a task that did not run did nothing */
		*ARRAY_PUSH(entry->values, entry->n) = 0;
	if (entry->n == 0)
		return;
	spread = result_spread(result, row);
	spread->values = NULL; /* those of the first report */
	spread->runs = NULL;
	s = spread_make(spread, entry->values, entry->n);
	row->status = entry->scaled ? STATUS_SCALED : STATUS_EXACT;
	row->value = real_value(s.mean);
	row->error = entry->unknown ? NAN : summary_half_width(&s);
	row->low = row->high = NAN;
	row_set_bound_ends(row);
	if (entry->n < reports)
		row_explain_text(row, result_format(result, "%zu of %u pooled reports contain it", entry->n, reports));
}

/* Moves the rows of the last report behind the pooled rows, and removes the others. */
static void keep_rows(struct pool *pool, unsigned last)
{
	struct result *result = pool->result;
	size_t n = 0;

	for (size_t i = 0; i < pool->first; i++)
		if (result->rows[i].command == last)
			result_add_copy(result, &result->rows[i])->command = 2;
	for (size_t i = pool->first; i < result->n; i++)
		result->rows[n++] = result->rows[i];
	result->n = n;
}

/* The last report is compared with all others: what differs in one of them may explain the difference. */
static void pool_session(struct saved *saved, size_t reports)
{
	struct result *result = &saved->result;
	struct session *s = &result->session;
	const char **names = result_allocate(result, 2 * sizeof(*names));
	const char **failures = result_allocate(result, 2 * sizeof(*failures));
	const char **targets = result_allocate(result, 2 * sizeof(*targets));
	unsigned *machines = result_allocate(result, 2 * sizeof(*machines));
	size_t failed = 0;

	targets[0] = targets[1] = NULL;
	machines[0] = machines[1] = 0;
	for (size_t i = 0; i <= reports; i++) {
		failed += i < reports && s->failures[i];
		targets[1] = targets[1] ? targets[1] : s->other_targets[i];
		machines[1] |= s->other_machines[i];
	}
	names[0] = result_format(result, "%zu pooled reports: %s …", reports, saved->names[0]);
	names[1] = saved->names[reports];
	failures[0] = failed ? result_format(result, "failed in %zu of %zu pooled reports", failed, reports) : NULL;
	failures[1] = s->failures[reports];
	s->command_names = names;
	s->failures = failures;
	s->other_targets = targets;
	s->other_machines = machines;
	s->n_commands = 2;
	s->pooled = (unsigned)reports;
}

void saved_pool(struct saved *saved)
{
	struct result *result = &saved->result;
	struct pool pool = {.result = result, .first = result->n};
	unsigned reports = (unsigned)saved->n - 1;

	row_index_add(&pool.index, result);
	for (size_t i = 0; i < pool.first; i++)
		if (result->rows[i].command <= reports)
			pool_row(&pool, i, result->rows[i].command);
	for (size_t i = 0; i < pool.n; i++)
		finish_row(result, &result->rows[pool.first + i], &pool.entries[i], reports);
	keep_rows(&pool, reports + 1);
	pool_session(saved, reports);
	for (size_t i = 0; i < pool.n; i++)
		free(pool.entries[i].values);
	free(pool.entries);
	row_index_free(&pool.index);
}
