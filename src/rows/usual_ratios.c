#include "rows/usual_ratios.h"

#include <stdlib.h>
#include <string.h>

#include "event/abi.h"
#include "rows/metric_rows.h"

/* clang-format off */
#define HARDWARE(event) {true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event}
#define SOFTWARE(event) {true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event}
#define READ_MISS(cache) \
	{true, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				   PERF_COUNT_HW_CACHE_RESULT_MISS << 16}
#define SHARE .unit = "", .display = 100, .suffix = "%", .decimals = 2
#define RATIO .unit = "", .display = 1, .suffix = "", .decimals = 2
#define CPUS .unit = "CPUs", .display = 1, .suffix = "", .decimals = 3
#define RATE "/sec", .unit = "/s", .display = 1, .suffix = "", .decimals = 3, .prefixed = true, .any_modes = true
#define PER_CLOCK(count) {count " / task\\-clock", count " / cpu\\-clock"}

/* The rates are last, for events that have no other ratio. */
static const struct usual_ratio usual_ratios[] = {
	{"CPUs utilized", "CPUs utilized", CPUS, .event = SOFTWARE(TASK_CLOCK), .any_modes = true,
	 .expressions = {"task\\-clock / duration_time"}},
	{"CPUs utilized by cpu-clock", "CPUs utilized", CPUS, .event = SOFTWARE(CPU_CLOCK), .any_modes = true,
	 .expressions = {"cpu\\-clock / duration_time"}},
	{"frequency", "GHz", .unit = "GHz", .display = 1, .suffix = "", .decimals = 3,
	 .event = HARDWARE(CPU_CYCLES), .any_modes = true, .all_modes = true, .expressions = PER_CLOCK("cycles")},
	{"insn per cycle", "insn per cycle", RATIO, .event = HARDWARE(INSTRUCTIONS), .expressions = {"instructions / cycles"}},
	{"stalled cycles per insn", "stalled cycles per insn", RATIO, .event = HARDWARE(INSTRUCTIONS),
	 .expressions = {"max(stalled\\-cycles\\-frontend, stalled\\-cycles\\-backend) / instructions",
			 "stalled\\-cycles\\-frontend / instructions", "stalled\\-cycles\\-backend / instructions"}},
	{"frontend cycles idle", "frontend cycles idle", SHARE, .event = HARDWARE(STALLED_CYCLES_FRONTEND),
	 .expressions = {"stalled\\-cycles\\-frontend / cycles"}},
	{"backend cycles idle", "backend cycles idle", SHARE, .event = HARDWARE(STALLED_CYCLES_BACKEND),
	 .expressions = {"stalled\\-cycles\\-backend / cycles"}},
	{"branch-misses of all branches", "of all branches", SHARE, .event = HARDWARE(BRANCH_MISSES),
	 .expressions = {"branch\\-misses / branches"}},
	{"cache-misses of all cache refs", "of all cache refs", SHARE, .event = HARDWARE(CACHE_MISSES),
	 .expressions = {"cache\\-misses / cache\\-references"}},
	{"L1-dcache-load-misses of all L1-dcache accesses", "of all L1-dcache accesses", SHARE, .event = READ_MISS(L1D),
	 .expressions = {"L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads"}},
	{"L1-icache-load-misses of all L1-icache accesses", "of all L1-icache accesses", SHARE, .event = READ_MISS(L1I),
	 .expressions = {"L1\\-icache\\-load\\-misses / L1\\-icache\\-loads"}},
	{"LLC-load-misses of all LL-cache accesses", "of all LL-cache accesses", SHARE, .event = READ_MISS(LL),
	 .expressions = {"LLC\\-load\\-misses / LLC\\-loads"}},
	{"dTLB-load-misses of all dTLB cache accesses", "of all dTLB cache accesses", SHARE, .event = READ_MISS(DTLB),
	 .expressions = {"dTLB\\-load\\-misses / dTLB\\-loads"}},
	{"iTLB-load-misses of all iTLB cache accesses", "of all iTLB cache accesses", SHARE, .event = READ_MISS(ITLB),
	 .expressions = {"iTLB\\-load\\-misses / iTLB\\-loads"}},
	{"per second", RATE, .of = RATIO_OF_INTERVAL, .expressions = {"1e9 * event / duration_time"}},
	{"per second", RATE, .of = RATIO_OF_WHOLE, .expressions = PER_CLOCK("1e9 * event")},
};
/* clang-format on */

#define NAMES_MOST 3 /* in an expression of the table */

/* An expression of the table, parsed when a row needs it. */
struct parsed {
	struct metric metric;
	size_t n; /* its events; unknown: any event, or the elapsed time */
	struct encoding events[NAMES_MOST];
	bool is_elapsed[NAMES_MOST];
	size_t absent_in[NAMES_MOST]; /* the last bucket without the event */
};

/* Of each ratio. */
struct usual_expressions {
	struct parsed v[ARRAY_SIZE(usual_ratios)][RATIO_EXPRESSIONS];
	size_t bucket; /* the current one, counted from 1 */
};

/* The rows of one scope, run, command and time. */
struct bucket {
	struct result *result;
	const size_t *rows; /* indices */
	size_t n;
	const size_t *clocks; /* rows of the whole with the elapsed time and other clocks; found once */
	size_t n_clocks;
	struct metric_inputs inputs; /* of the ratio that is computed */
};

static struct perf_event_attr row_modes(const struct row *row)
{
	struct perf_event_attr attr = row->item->event->attr;

	if (row->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* Also on the same core PMU. */
static bool rows_have_same_modes(const struct row *row_a, const struct row *row_b)
{
	struct perf_event_attr a = row_modes(row_a), b = row_modes(row_b);

	return event_modes_equal(&a, &b) && a.config >> 32 == b.config >> 32;
}

static bool row_is_counted(const struct row *row)
{
	return row->item->kind == ITEM_COUNT && row->item->event && event_is_opened(row->item->event) &&
	       row_is_known(row);
}

static bool row_is_of(const struct row *row, const struct encoding *event)
{
	const struct perf_event_attr *attr = row->item->event ? &row->item->event->attr : NULL;

	return event->known && attr && attr->type == event->type && (uint32_t)attr->config == event->config &&
	       row_is_counted(row);
}

/* Returns the row of the expression's i-th event to combine with the row at `of`, preferably of its group, or SIZE_MAX.
 * A bucket without such rows is searched once. */
static size_t bucket_find(const struct bucket *b, const struct usual_ratio *ratio, struct parsed *p, size_t i,
			  size_t of)
{
	const struct row *rows = b->result->rows, *self = &rows[of];
	size_t found = SIZE_MAX;
	bool absent = true;

	if (p->absent_in[i] == b->result->expressions->bucket)
		return SIZE_MAX;
	for (size_t k = 0; k < b->n; k++) {
		size_t at = b->rows[k];

		if (!row_is_of(&rows[at], &p->events[i]))
			continue;
		absent = false;
		if (at == of || (!ratio->any_modes && !rows_have_same_modes(self, &rows[at])))
			continue;
		if (self->group && rows[at].group == self->group)
			return at;
		if (found == SIZE_MAX)
			found = at;
	}
	if (absent)
		p->absent_in[i] = b->result->expressions->bucket;
	return found;
}

/* A region has a separate elapsed time. */
static size_t find_elapsed(const struct bucket *b, const struct row *self)
{
	bool region = self->subject->scope == AGGR_REGION;

	for (size_t i = 0; i < (region ? b->n : b->n_clocks); i++) {
		size_t at = region ? b->rows[i] : b->clocks[i];
		const struct row *row = &b->result->rows[at];

		if (region ? row->item->kind == ITEM_COUNT && row->item->clock == CLOCK_DURATION
			   : row_clock(row) == CLOCK_DURATION && row->value.type != VALUE_NONE &&
				     rows_are_of_same_time(row, self))
			return at;
	}
	return SIZE_MAX;
}

/* Numbers the expression's names, which are the kernel's, or "event". */
static void bind_names(struct parsed *p, struct expr *x)
{
	struct event event = {.tool = TOOL_NONE};
	struct error ignored;

	for (size_t i = 0; i < expr_arguments(x); i++)
		bind_names(p, x->arguments[i]);
	if (x->kind != EXPR_NAME)
		return;
	x->event = p->n++;
	p->events[x->event].known = abi_resolve(x->name, &event, &ignored) > 0 && event.tool == TOOL_NONE;
	p->events[x->event].type = event.attr.type;
	p->events[x->event].config = event.attr.config;
	p->is_elapsed[x->event] = event.tool != TOOL_NONE;
	event_free(&event);
}

/* Returns the ratio's expression of this number, with the counts of its names. NULL if a name has no count. */
static const struct metric *try_expression(struct bucket *b, const struct usual_ratio *ratio, size_t number, size_t of)
{
	const struct session *session = &b->result->session;
	const struct row *self = &b->result->rows[of];
	struct parsed *p = &b->result->expressions->v[ratio - usual_ratios][number];
	struct error ignored;

	p->metric = (struct metric){.text = ratio->expressions[number], .scale = 1, .expr = p->metric.expr};
	if (!p->metric.expr && expr_parse(&p->metric.expr, p->metric.text, &ignored) == 0)
		bind_names(p, p->metric.expr);
	b->inputs.n = p->n;
	metric_inputs_clear(&b->inputs);
	for (size_t i = 0; i < p->n; i++) {
		size_t at = p->is_elapsed[i] ? find_elapsed(b, self) : of;

		if (p->events[i].known && !row_is_of(self, &p->events[i]))
			at = bucket_find(b, ratio, p, i, of);
		if (at != SIZE_MAX)
			metric_inputs_set(&b->inputs, i, at, 1);
		else if (p->is_elapsed[i] && self->subject->scope != AGGR_REGION && isnan(self->time) && !self->run)
			b->inputs.values[i] = (double)session->elapsed_ns; /* the time of the whole measurement */
		if (isnan(b->inputs.values[i]))
			return NULL;
	}
	return &p->metric;
}

/* Returns the modes in which a row counts, as modifiers; "" for all. */
static const char *modes_suffix(const struct row *row, char buf[8])
{
	struct perf_event_attr attr = row_modes(row);
	char *p = buf;

	*p++ = ':';
	if (attr.exclude_user || attr.exclude_kernel || attr.exclude_hv) {
		if (!attr.exclude_user)
			*p++ = 'u';
		if (!attr.exclude_kernel)
			*p++ = 'k';
		if (!attr.exclude_hv)
			*p++ = 'h';
	}
	if (attr.exclude_host)
		*p++ = 'G';
	*p = '\0';
	return buf[1] ? buf : "";
}

static const char *ratio_row_name(struct result *result, const struct usual_ratio *ratio, const struct row *self)
{
	bool is_part = self->item->event->parent >= 0;
	char modes[8];

	if (!ratio->event.known)
		return result_format(result, "%s %s", self->item->name, ratio->name);
	if (ratio->any_modes && !is_part)
		return ratio->name;
	return result_format(result, "%s%s%s%s", ratio->name, ratio->any_modes ? "" : modes_suffix(self, modes),
			     is_part ? " on " : "", is_part ? self->item->event->pmu : "");
}

static bool add_ratio(struct bucket *b, const struct usual_ratio *ratio, size_t of)
{
	const struct row *self = &b->result->rows[of];
	const struct metric *metric = NULL;
	struct item item = {.unit = ratio->unit, .usual = ratio};
	struct row *row;

	/* cycles:u over the clock would be too few; and a clock continues while the task is on another kind of core */
	if (ratio->all_modes &&
	    (row_modes(self).exclude_user || row_modes(self).exclude_kernel || self->item->event->parent >= 0))
		return false;
	for (size_t i = 0; i < RATIO_EXPRESSIONS && ratio->expressions[i] && !metric; i++)
		metric = try_expression(b, ratio, i, of);
	if (!metric)
		return false;
	item.name = ratio_row_name(b->result, ratio, self);
	row = metric_row_add(&b->inputs, metric, item, of);
	if (!row_has_value(row)) /* a division by zero */
		b->result->n--;
	return row_has_value(row);
}

static void bucket_add_ratios(struct bucket *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t of = b->rows[i];
		enum ratio_of other = isnan(b->result->rows[of].time) ? RATIO_OF_INTERVAL : RATIO_OF_WHOLE;
		bool any = false;

		/* rows for metrics of -M get no other metrics */
		if (!row_is_counted(&b->result->rows[of]) || b->result->rows[of].item->event->of_metric)
			continue;
		for (size_t m = 0; m < ARRAY_SIZE(usual_ratios); m++) {
			const struct row *row = &b->result->rows[of]; /* rows may move when one is added */

			if (usual_ratios[m].of == other)
				continue;
			if (usual_ratios[m].event.known ? row_is_of(row, &usual_ratios[m].event)
							: !any && !*row->item->unit)
				any |= add_ratio(b, &usual_ratios[m], of);
		}
	}
}

static int compare_row_keys(const struct row *a, const struct row *b)
{
	double time_a = isnan(a->time) ? INFINITY : a->time, time_b = isnan(b->time) ? INFINITY : b->time;

	if (a->command != b->command)
		return a->command < b->command ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return subject_compare(a->subject, b->subject);
}

static int compare_rows(const void *a, const void *b, void *rows)
{
	const size_t *i = a, *j = b;
	int order = compare_row_keys((const struct row *)rows + *i, (const struct row *)rows + *j);

	return order ? order : (*i > *j) - (*i < *j);
}

/* Sorts rows by their keys; nearly all results are already sorted. */
static void sort_rows(const struct result *result, size_t *order)
{
	bool sorted = true;

	for (size_t i = 0; i < result->n; i++) {
		order[i] = i;
		sorted = sorted && (i == 0 || compare_row_keys(&result->rows[i - 1], &result->rows[i]) <= 0);
	}
	if (!sorted)
		qsort_r(order, result->n, sizeof(*order), compare_rows, result->rows);
}

void usual_expressions_free(struct usual_expressions *expressions)
{
	for (size_t i = 0; expressions && i < ARRAY_SIZE(usual_ratios); i++)
		for (size_t k = 0; k < RATIO_EXPRESSIONS; k++)
			expr_free(expressions->v[i][k].metric.expr);
	free(expressions);
}

void metrics_add(struct result *result)
{
	size_t n = result->n;
	auto_free size_t *order = xcalloc(n, sizeof(*order)), *clocks = NULL;
	struct metric_input inputs[NAMES_MOST];
	double values[NAMES_MOST];
	bool used[NAMES_MOST];
	struct bucket b = {.result = result,
			   .inputs = {.result = result, .v = inputs, .values = values, .used = used, .of_usual = true}};

	for (size_t i = 0; i < n; i++)
		if (row_clock(&result->rows[i]))
			*ARRAY_PUSH(clocks, b.n_clocks) = i;
	b.clocks = clocks;
	if (!result->expressions)
		result->expressions = xcalloc(1, sizeof(*result->expressions));
	sort_rows(result, order);
	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && compare_row_keys(&result->rows[order[first]], &result->rows[order[i]]) == 0)
			continue;
		b.rows = order + first;
		b.n = i - first;
		result->expressions->bucket++;
		bucket_add_ratios(&b);
		if (result->session.metrics)
			metric_rows_add(result, b.rows, b.n, clocks, b.n_clocks);
		first = i;
	}
}

const struct usual_ratio *usual_ratio_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual_ratios); i++) {
		size_t n = strlen(usual_ratios[i].name);
		const char *at = name;

		/* the event's name precedes the name of a rate */
		if (usual_ratios[i].prefixed && !(at = strstr(name, usual_ratios[i].name)))
			continue;
		/* modes and a core PMU may follow */
		if (strncmp(at, usual_ratios[i].name, n) == 0 &&
		    (!at[n] || at[n] == ':' || strncmp(at + n, " on ", 4) == 0))
			return &usual_ratios[i];
	}
	return NULL;
}
