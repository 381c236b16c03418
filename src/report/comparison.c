#include "report/comparison.h"

#include <string.h>

#include "compare/differences.h"
#include "lib/number.h"
#include "report/picture.h"
#include "report/report_internal.h"
#include "rows/call_kinds.h"

#define LIMIT_LEAST 0.01
#define FAR         3 /* an interval this many times as far is drawn separately */

static bool is_shown(const struct row *row)
{
	return row_is_comparable(row) && row->run == 0 && !row->of_task && !call_row_is_detail(row);
}

/* The clocks that are always there, with a meaning in some command. */
struct clocks {
	bool known[CLOCKS];
};

static struct clocks known_clocks(const struct result *result)
{
	struct clocks clocks = {{false}};

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		enum clock clock = row->item->event || !is_shown(row) ? CLOCK_NONE : row_clock(row);

		if (clock)
			clocks.known[clock] |= status_has_value(row->status) && !row_is_chance(row);
	}
	return clocks;
}

static bool is_void(const struct clocks *clocks, const struct row *row)
{
	enum clock clock = row->item->event ? CLOCK_NONE : row_clock(row);

	return clock && !clocks->known[clock];
}

/* Returns for each row the next one that is compared with the same row, as its index plus 1; 0: none. The caller frees
 * it. */
static size_t *chain_rows(const struct result *result)
{
	auto_free size_t *first = xcalloc(result->n + 1, sizeof(*first));
	size_t *next = xcalloc(result->n + 1, sizeof(*next));

	for (size_t i = result->n; i-- > 0;) {
		next[i] = first[result->rows[i].like];
		first[result->rows[i].like] = i + 1;
	}
	return next;
}

/* Adds a block: the first command's row, and for each later command the next row that is compared with it. A command
 * may have the event more often than the first one: its further rows are in further blocks. */
static void fill_block(struct comparison *c, const size_t *next, bool *done, size_t at)
{
	const struct row *rows = c->result->rows;
	struct comparison_block *block = ARRAY_PUSH(c->v, c->n);
	size_t first = rows[at].like;
	bool with_kernel = false;

	for (size_t i = first + 1; i; i = next[i - 1]) {
		const struct row *row = &rows[i - 1];

		if ((done[i - 1] && i != first + 1) || !is_shown(row) ||
		    (block->n && block->rows[block->n - 1]->command == row->command))
			continue;
		done[i - 1] = true;
		block->counted |= status_has_value(row->status);
		with_kernel |= status_has_value(row->status) && !row->user_only;
		*ARRAY_PUSH(block->rows, block->n) = row;
	}
	block->user_only = block->counted && !with_kernel;
}

static int compare_reals(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns the increase that is as far from no change as this change: 25% for -20%. */
static double extent(double change)
{
	return change >= 0 ? change : change > -1 ? 1 / (1 + change) - 1 : INFINITY;
}

/* Returns the larger extent of the ends of a row's interval; at most twice that of its value if this is certain. */
static double extent_of(const struct difference *d)
{
	double value = extent(d->relative), most = number_larger(extent(d->low), extent(d->high));
	bool certain = d->verdict == VERDICT_LESS || d->verdict == VERDICT_MORE;

	if (isnan(d->low))
		return value;
	return isinf(most) || (certain && most > 2 * value) ? 2 * value : most;
}

/* Returns the largest of the lower two thirds of the extents, or a larger one, as long as none is more than FAR times
 * as far on the axis, which is logarithmic, as the one before. */
static double common_extent(double *extents, size_t n)
{
	size_t i = (2 * n + 2) / 3;

	if (n == 0)
		return 0;
	qsort(extents, n, sizeof(*extents), compare_reals);
	i = i ? i - 1 : 0;
	while (i + 1 < n && number_log2(1 + extents[i + 1]) <= FAR * number_log2(1 + extents[i]))
		i++;
	return extents[i];
}

/* Returns the common extent of the decided intervals; if none is decided, the median extent of the others. */
static double find_extent(const struct result *result, const bool *shown)
{
	auto_free double *undecided = xcalloc(result->n + 1, sizeof(*undecided));
	auto_free double *decided = xcalloc(result->n + 1, sizeof(*decided));
	size_t n = 0, n_decided = 0;

	for (size_t i = 0; i < result->n_differences; i++) {
		size_t of = result->differences[i].of;
		const struct difference *d = result->rows[of].difference;

		if (!shown[of] || !difference_has_change(d) || !isfinite(extent_of(d)))
			continue;
		if (d->verdict == VERDICT_LESS || d->verdict == VERDICT_MORE)
			decided[n_decided++] = extent_of(d);
		else
			undecided[n++] = extent_of(d);
	}
	if (n_decided)
		return common_extent(decided, n_decided);
	qsort(undecided, n, sizeof(*undecided), compare_reals);
	return undecided[n / 2];
}

static bool is_decided(const struct comparison_block *block)
{
	for (size_t k = 0; k < block->n; k++) {
		const struct difference *d = block->rows[k]->difference;

		if (d && (d->verdict == VERDICT_LESS || d->verdict == VERDICT_MORE))
			return true;
	}
	return false;
}

/* True for a row that is in each report, but is neither an event of -e nor the elapsed time. */
static bool is_unasked(const struct comparison_block *block)
{
	enum clock clock = row_clock(block->rows[0]);

	return !block->rows[0]->item->event && clock > CLOCK_DURATION && clock <= CLOCK_MAX_RSS;
}

/* Leaves out CPU times and memory that nobody asked for, unless only they differ. shown: for each row of the result. */
static void leave_out_unasked(struct comparison *c, bool *shown)
{
	bool others_differ = false;
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		others_differ |= !is_unasked(&c->v[i]) && is_decided(&c->v[i]);
	for (size_t i = 0; i < c->n; i++)
		if (is_unasked(&c->v[i]) && (others_differ || !is_decided(&c->v[i]))) {
			for (size_t k = 0; k < c->v[i].n; k++)
				shown[c->v[i].rows[k] - c->result->rows] = false;
			free(c->v[i].rows);
		} else {
			c->v[kept++] = c->v[i];
		}
	c->n = kept;
}

void comparison_make(struct comparison *c, const struct result *result, bool all)
{
	auto_free bool *done = xcalloc(result->n + 1, sizeof(*done));
	auto_free size_t *next = chain_rows(result);
	const struct clocks clocks = known_clocks(result);

	*c = (struct comparison){.result = result};
	for (size_t i = 0; i < result->n; i++)
		if (!done[i] && is_shown(&result->rows[i]) && !is_void(&clocks, &result->rows[i]))
			fill_block(c, next, done, i);
	if (!all)
		leave_out_unasked(c, done);
	c->limit = picture_limit(number_larger(find_extent(result, done), LIMIT_LEAST));
	if (c->limit >= 1) /* a round factor */
		c->limit = picture_limit(1 + c->limit) - 1;
}

double comparison_place(const struct comparison *c, double change)
{
	if (isnan(change) || isinf(change))
		return change;
	return change > -1 ? number_log2(1 + change) / number_log2(1 + c->limit) : -INFINITY;
}

void comparison_scale(const struct comparison *c, const struct report *report, char *left, char *right, size_t size)
{
	const char *times = report->style.utf8 ? "\u00d7" : "x", *by = report->style.utf8 ? "\u00f7" : "/";
	double more = 100 * c->limit, less = 100 * c->limit / (1 + c->limit);
	char number[NUMBER_MAX];

	if (c->limit >= 1) {
		number_real(number, &report->style, 1 + c->limit, !number_is_whole(1 + c->limit));
		snprintf(left, size, "%s%s", by, number);
		snprintf(right, size, "%s%s", times, number);
		return;
	}
	number_real(number, &report->style, less, less < 10);
	number_strip(number);
	snprintf(left, size, "-%s%%", number);
	number_real(number, &report->style, more, more < 10);
	number_strip(number);
	snprintf(right, size, "+%s%%", number);
}

static bool is_long(const struct comparison_block *block)
{
	return report_is_of_long_glob(block->rows[0]);
}

static bool is_zero(const struct comparison_block *block)
{
	for (size_t i = 0; i < block->n; i++)
		if (!report_is_zero(block->rows[i]))
			return false;
	return true;
}

static int compare_blocks(const void *a, const void *b, void *sort)
{
	const struct comparison_block *x = a, *y = b;

	return report_compare_sorted(x->rows[0], y->rows[0], sort);
}

/* Returns the end of the list that begins here and is sorted as a whole: events of one subject. */
static size_t find_end(const struct comparison *c, size_t first, bool all)
{
	const struct row *row = c->v[first].rows[0];
	size_t end = first + 1;

	while (end < c->n && row->item->counted && c->v[end].rows[0]->item->counted &&
	       subject_compare(row->subject, c->v[end].rows[0]->subject) == 0 &&
	       (all || (is_long(&c->v[first]) && is_long(&c->v[end]))))
		end++;
	return end;
}

/* The elapsed time comes first: most people look for it. */
static void put_elapsed_first(struct comparison *c)
{
	for (size_t i = 1; i < c->n; i++) {
		const struct comparison_block block = c->v[i];

		if (row_clock(block.rows[0]) != CLOCK_DURATION)
			continue;
		memmove(c->v + 1, c->v, i * sizeof(*c->v));
		c->v[0] = block;
		return;
	}
}

static bool is_zero_in_all(const struct comparison *c, const struct comparison_block *block)
{
	return block->rows[0]->item->counted && block->n == c->result->session.n_commands && is_zero(block);
}

/* Returns the name of an event that is 0, with the place unless it is 0 at all places. */
static char *zero_text(const struct comparison *c, const struct row *row)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].rows[0]->item->name, row->item->name) == 0 && !is_zero_in_all(c, &c->v[i]))
			return report_counted_text(row);
	return xstrdup(row->item->name);
}

static void leave_out_zeros(struct comparison *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		auto_free char *text = is_zero_in_all(c, &c->v[i]) ? zero_text(c, c->v[i].rows[0]) : NULL;

		if (text && !strings_has(&c->zeros, text))
			strings_add(&c->zeros, "%s", text);
	}
	for (size_t i = 0; i < c->n; i++)
		if (is_zero_in_all(c, &c->v[i]))
			free(c->v[i].rows);
		else
			c->v[kept++] = c->v[i];
	c->n = kept;
}

/* Returns the change, as a share of the first command's value, of the command that changed most. Certain changes come
 * before all others, and events without a value last. */
static double size_of_change(const struct comparison_block *block)
{
	double most = block->counted ? 0 : -1;

	for (size_t k = 1; k < block->n; k++) {
		const struct difference *difference = block->rows[k]->difference;
		bool certain =
			difference && (difference->verdict == VERDICT_LESS || difference->verdict == VERDICT_MORE);
		double size = difference && difference_has_change(difference) ? fabs(difference->relative) : INFINITY;

		most = number_larger(most, certain ? 1 + size : !difference ? 0 : size / (1 + size));
	}
	return most;
}

static void leave_out_lesser(struct comparison *c, size_t changes)
{
	size_t first = c->n && row_clock(c->v[0].rows[0]) == CLOCK_DURATION, n = c->n;
	auto_free double *sizes = xcalloc(n + 1, sizeof(*sizes));

	for (size_t i = first; i < n; i++)
		sizes[i] = size_of_change(&c->v[i]);
	c->n = first;
	for (size_t i = first; i < n; i++) {
		size_t larger = 0;

		for (size_t k = first; k < n; k++)
			larger += sizes[k] > sizes[i] || (k < i && sizes[k] == sizes[i]);
		if (larger < changes && sizes[i] >= 0) {
			c->v[c->n++] = c->v[i];
			continue;
		}
		c->lesser += sizes[i] >= 0;
		free(c->v[i].rows);
	}
}

void comparison_choose(struct comparison *c, const struct report_options *options)
{
	enum report_sort sort = options->sort, order;

	for (size_t first = 0, end; first < c->n; first = end) {
		end = find_end(c, first, sort != REPORT_SORT_DEFAULT);
		order = sort == REPORT_SORT_DEFAULT && is_long(&c->v[first]) ? REPORT_SORT_VALUE : sort;
		qsort_r(&c->v[first], end - first, sizeof(*c->v), compare_blocks, &order);
	}
	if (!options->verbose)
		leave_out_zeros(c);
	put_elapsed_first(c);
	if (options->changes)
		leave_out_lesser(c, options->changes);
}

unsigned comparison_runs(const struct result *result, unsigned command)
{
	unsigned runs = 0;

	if (command == 1 && result->session.pooled) /* reports, not runs */
		return 0;
	for (size_t i = 0; i < result->n; i++)
		if (is_shown(&result->rows[i]) && result->rows[i].command == command &&
		    result->rows[i].spread->n > runs)
			runs = result->rows[i].spread->n;
	return runs;
}

void comparison_free(struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].rows);
	free(c->v);
	strings_free(&c->zeros);
}
