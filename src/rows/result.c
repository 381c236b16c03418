#include "rows/result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "metric/metric.h"
#include "plan/plan.h"
#include "rows/usual_ratios.h"

#define TICK_NS      1e7 /* the longest tick */
#define CPU_NS_LEAST (10 * TICK_NS)

const struct spread spread_none = {.stddev = NAN};

void *result_allocate(struct result *result, size_t size)
{
	return arena_allocate(&result->text, size);
}

void result_clear(struct result *result)
{
	result->n = result->n_differences = 0;
	strings_free(&result->notes);
	arena_clear(&result->text);
	items_clear(&result->items);
	subjects_clear(&result->subjects);
}

const char *result_text(struct result *result, const char *s)
{
	size_t size = strlen(s) + 1;

	return size > 1 ? memcpy(result_allocate(result, size), s, size) : "";
}

const char *result_format(struct result *result, const char *format, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, format);
	text = arena_vprintf(&result->text, format, ap);
	va_end(ap);
	return text;
}

static struct row row_empty(const struct item *item)
{
	return (struct row){
		.item = item,
		.time = NAN,
		.command = 1,
		.subject = &subject_whole,
		.error = NAN,
		.low = NAN,
		.high = NAN,
		.spread = &spread_none,
		.reason = "",
	};
}

static struct row *push_row(struct result *result)
{
	if (result->n == result->room) {
		result->room = result->room ? 2 * result->room : 32;
		result->rows = xreallocarray(result->rows, result->room, sizeof(*result->rows));
	}
	return &result->rows[result->n++];
}

struct row *result_add(struct result *result, const struct item *item)
{
	struct row *row = push_row(result);

	*row = row_empty(result_item(result, item));
	return row;
}

struct spread *result_spread(struct result *result, struct row *row)
{
	struct spread *spread = result_allocate(result, sizeof(*spread));

	*spread = *row->spread;
	row->spread = spread;
	return spread;
}

struct variant *variants_add(struct variants *variants, enum item_kind kind)
{
	struct variant *variant = ARRAY_PUSH(variants->v, variants->n);

	*variant = (struct variant){.kind = kind, .command = 1, .reason = "", .error = NAN, .spread = {.stddev = NAN}};
	return variant;
}

void variants_give(struct variants *variants, struct result *result, struct row *row)
{
	struct variant *v = result_allocate(result, (variants->n + 1) * sizeof(*v));

	v[variants->n] = (struct variant){.kind = ITEM_COUNT};
	row->variants = memcpy(v, variants->v, variants->n * sizeof(*v));
	free(variants->v);
	*variants = (struct variants){.n = 0};
}

void result_append(struct result *result, const struct result *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct row *row = push_row(result);

		*row = from->rows[i];
		row->item = result_item(result, row->item);
		row->subject = result_subject(result, row->subject);
	}
}

struct row *result_add_copy(struct result *result, const struct row *from)
{
	struct row *row, copy = *from; /* from may be a row of the result, and rows may move */

	copy.item = result_item(result, copy.item);
	copy.subject = result_subject(result, copy.subject);
	copy.reason = result_text(result, copy.reason);
	row = push_row(result);
	*row = copy;
	return row;
}

void result_clocks(const struct result *result, struct row rows[RESULT_CLOCKS])
{
	const struct session *s = &result->session;
	const uint64_t values[RESULT_CLOCKS] = {s->elapsed_ns, s->user_ns, s->system_ns, s->max_rss};

	for (int i = 0; i < RESULT_CLOCKS; i++) {
		rows[i] = row_empty(item_of_clock(CLOCK_DURATION + (enum clock)i));
		if (i == 0 || s->has_usage) {
			rows[i].value = count_value(values[i]);
			if (s->plan && plan_is_simulated(s->plan)) {
				rows[i].status = STATUS_SCALED;
				row_explain(&rows[i], WHY_SIMULATED);
			} else {
				row_set_clock_accuracy(&rows[i], s->user_ns + s->system_ns, s->max_rss_is_bound);
			}
		} else {
			rows[i].status = STATUS_UNSUPPORTED;
			row_explain(&rows[i], WHY_NO_COMMAND);
		}
	}
}

bool clock_is_sampled(enum clock clock)
{
	return clock == CLOCK_USER || clock == CLOCK_SYSTEM;
}

void row_set_clock_accuracy(struct row *row, uint64_t cpu_ns, bool peak_is_bound)
{
	double value = value_real(row->value), all = (double)cpu_ns;

	if (row->item->clock == CLOCK_MAX_RSS && peak_is_bound) {
		row_explain(row, WHY_PEAK);
		row->low = 0;
		row->high = value;
	} else if (clock_is_sampled(row->item->clock) && cpu_ns) {
		row_explain(row, WHY_SAMPLED);
		share_interval(value / all, all / TICK_NS, &row->low, &row->high);
		row->low *= all;
		row->high *= all;
		row->low = number_smaller(row->low, value); /* the ends are rounded */
		row->high = number_larger(row->high, value);
	} else {
		return;
	}
	row->status = STATUS_SCALED;
	row->error = (row->high - row->low) / 2;
}

enum clock row_clock(const struct row *row)
{
	return row->item->kind == ITEM_COUNT && row->subject->scope == AGGR_TOTAL ? row->item->clock : CLOCK_NONE;
}

/* By its status: the reason may be another one, for example of missing runs. */
bool row_is_upper_bound(const struct row *row)
{
	return row->item->clock == CLOCK_MAX_RSS && row->status == STATUS_SCALED && row->why != WHY_SIMULATED;
}

void row_set_bound_ends(struct row *row)
{
	if (!row_is_upper_bound(row))
		return;
	row->low = 0;
	row->high = value_real(row->value) + row->error;
}

bool row_is_chance(const struct row *row)
{
	enum clock clock = row->item->event ? CLOCK_NONE : row_clock(row);

	return (clock_is_sampled(clock) && value_real(row->value) < CPU_NS_LEAST) ||
	       (clock == CLOCK_MAX_RSS && *row->reason);
}

bool row_is_same(const struct row *a, const struct row *b)
{
	return item_is_same(a->item, b->item) && subject_compare(a->subject, b->subject) == 0;
}

static bool metrics_differ(const struct row *a, const struct row *b)
{
	const struct metric *x = a->item->metric, *y = b->item->metric;

	if (!x || !y || x == y)
		return false;
	if (x->text && y->text && (strcmp(x->text, y->text) != 0 || x->scale != y->scale))
		return true;
	if (!x->events || !y->events)
		return false;
	for (size_t i = 0; i < x->n_events && i < y->n_events; i++)
		if (!x->events[i] != !y->events[i] || (x->events[i] && event_differs(x->events[i], y->events[i])))
			return true;
	return x->n_events != y->n_events;
}

bool row_is_of_simulation(const struct row *row)
{
	return row_clock(row) && row->why == WHY_SIMULATED;
}

bool row_is_absent(const struct row *row)
{
	return row->why == WHY_ABSENT || row->why == WHY_ABSENT_IN_ALL;
}

bool row_differs(const struct row *a, const struct row *b)
{
	const struct event *x = a->item->event ? a->item->event : a->item->beside,
			   *y = b->item->event ? b->item->event : b->item->beside;

	return a->user_only != b->user_only || row_is_of_simulation(a) != row_is_of_simulation(b) ||
	       strcmp(a->item->unit, b->item->unit) != 0 || (x && y && event_differs(x, y)) || metrics_differ(a, b);
}

bool row_is_comparable(const struct row *row)
{
	return row->item->kind == ITEM_COUNT || (row->item->kind == ITEM_METRIC && row->item->metric);
}

bool row_is_part(const struct row *row)
{
	return row->item->event && row->item->event->parent >= 0;
}

bool rows_are_of_same_time(const struct row *a, const struct row *b)
{
	return a->run == b->run && a->command == b->command &&
	       (a->time == b->time || (isnan(a->time) && isnan(b->time)));
}

bool rows_are_of_same_runs(const struct row *a, const struct row *b)
{
	const struct spread *x = a ? a->spread : &spread_none, *y = b ? b->spread : &spread_none;

	return !x->runs || !y->runs || (x->n == y->n && memcmp(x->runs, y->runs, x->n * sizeof(*x->runs)) == 0);
}

void row_copy_subject(struct row *row, const struct row *from)
{
	row->subject = from->subject;
	row->scope_count = from->scope_count;
}

bool row_is_time(const struct row *row)
{
	return strcmp(row->item->unit, "ns") == 0;
}

struct value count_value(uint64_t count)
{
	return (struct value){.type = VALUE_COUNT, .count = count};
}

struct value real_value(double real)
{
	return (struct value){.type = VALUE_REAL, .real = real};
}

struct value scaled_count(uint64_t count, double scale)
{
	bool whole = scale >= 1 && scale < 0x1p64 && number_is_whole(scale);

	if (whole && count <= UINT64_MAX / (uint64_t)scale)
		return count_value(count * (uint64_t)scale);
	return real_value((double)count * scale);
}

double value_real(struct value value)
{
	switch (value.type) {
	case VALUE_COUNT:
		return (double)value.count;
	case VALUE_REAL:
		return value.real;
	case VALUE_NONE:
		break;
	}
	return NAN;
}

int value_compare(struct value a, struct value b)
{
	double x, y;

	if (a.type == VALUE_COUNT && b.type == VALUE_COUNT)
		return (a.count > b.count) - (a.count < b.count);
	x = value_real(a);
	y = value_real(b);
	return (x > y) - (x < y);
}

static struct value value_of(double v)
{
	return v >= 0 && v < 0x1p64 && number_is_whole(v) ? count_value((uint64_t)v) : real_value(v);
}

struct summary spread_make(struct spread *spread, const double *values, size_t n)
{
	struct summary s;

	summary_make(&s, values, n);
	spread->n = (unsigned)n;
	spread->stddev = n > 1 ? s.stddev : NAN;
	spread->min = value_of(s.min);
	spread->median = value_of(s.median);
	spread->max = value_of(s.max);
	return s;
}

const char *status_name(enum status status)
{
	static const char *const names[] = {
		[STATUS_EXACT] = "exact",   [STATUS_SCALED] = "scaled",   [STATUS_PARTIAL] = "partial",
		[STATUS_IDLE] = "idle",     [STATUS_STARVED] = "starved", [STATUS_UNSUPPORTED] = "unsupported",
		[STATUS_DENIED] = "denied", [STATUS_LOST] = "lost",
	};

	return names[status];
}

bool status_has_value(enum status status)
{
	return status <= STATUS_IDLE;
}

bool row_has_value(const struct row *row)
{
	return status_has_value(row->status) && isfinite(value_real(row->value));
}

bool row_is_known(const struct row *row)
{
	return row_has_value(row) && row->status != STATUS_PARTIAL;
}

bool row_lacks_error(const struct row *row)
{
	return row->status == STATUS_SCALED && row->spread->n > 1 && isnan(row->error);
}

struct interval row_interval(const struct row *row)
{
	double value = value_real(row->value), least = row->item->kind == ITEM_COUNT ? 0 : -INFINITY;

	if (!isnan(row->low) || !isfinite(row->error))
		return (struct interval){row->low, row->high};
	return (struct interval){number_larger(value - row->error, least), value + row->error};
}

bool row_is_multiplexed(const struct row *row)
{
	return row && row->status == STATUS_SCALED && !(row->has_raw && row->raw.running == row->raw.enabled);
}

void result_free(struct result *result)
{
	free(result->rows);
	free(result->differences);
	free(result->judgements);
	strings_free(&result->notes);
	arena_free(&result->text);
	items_free(&result->items);
	subjects_free(&result->subjects);
	usual_expressions_free(result->expressions);
	*result = (struct result){0};
}
