#include "rows/metric.h"

#include <stdlib.h>
#include <string.h>

#include "event/abi.h"
#include "rows/formula_rows.h"

/* clang-format off */
#define HARDWARE(event) {true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event}
#define SOFTWARE(event) {true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event}
#define READ_MISS(cache) \
	{true, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				   PERF_COUNT_HW_CACHE_RESULT_MISS << 16}
#define SHARE .unit = "", .display = 100, .suffix = "%", .decimals = 2
#define RATIO .unit = "", .display = 1, .suffix = "", .decimals = 2
#define CPUS .unit = "CPUs", .display = 1, .suffix = "", .decimals = 3
#define PER_CLOCK(figure) {figure " / task\\-clock", figure " / cpu\\-clock"}

/* The rate is last, for events that have no other metric. */
static const struct metric metrics[] = {
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
	{"per second", "/sec", .unit = "/s", .display = 1, .suffix = "", .decimals = 3, .prefixed = true,
	 .any_modes = true, .expressions = PER_CLOCK("1e9 * event")},
};
/* clang-format on */

#define NAMES_MOST 3 /* in an expression of the table */

/* An expression of the table, parsed when a row needs it. */
struct usual {
	struct formula formula;
	size_t n; /* its events; unknown: any event, or the elapsed time */
	struct metric_event events[NAMES_MOST];
	bool is_elapsed[NAMES_MOST];
};

/* The rows of one scope, run, command and time. */
struct bucket {
	struct result *result;
	const size_t *rows; /* indices */
	size_t n;
	const size_t *clocks; /* rows of the whole with the elapsed time and the like; found once */
	size_t n_clocks;
	struct usual (*usual)[METRIC_EXPRESSIONS]; /* of each metric */
	struct formula_parts parts;                /* of the metric that is computed */
};

static struct perf_event_attr row_modes(const struct row *row)
{
	struct perf_event_attr attr = row->event->attr;

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
	return row->kind == ROW_COUNT && row->event && event_is_opened(row->event) && row_is_known(row);
}

static bool row_is_of(const struct row *row, const struct metric_event *event)
{
	const struct perf_event_attr *attr = row->event ? &row->event->attr : NULL;

	return event->known && attr && attr->type == event->type && (uint32_t)attr->config == event->config &&
	       row_is_counted(row);
}

/* Returns the row of an event to combine with that at `of`, preferably of its group; SIZE_MAX if there is none. */
static size_t bucket_find(const struct bucket *b, const struct metric *m, const struct metric_event *event, size_t of)
{
	const struct row *rows = b->result->rows, *self = &rows[of];
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < b->n; i++) {
		size_t at = b->rows[i];

		if (at == of || !row_is_of(&rows[at], event))
			continue;
		if (!m->any_modes && !rows_have_same_modes(self, &rows[at]))
			continue;
		if (self->group && rows[at].group == self->group)
			return at;
		if (found == SIZE_MAX)
			found = at;
	}
	return found;
}

/* A region has a separate elapsed time. */
static size_t find_elapsed(const struct bucket *b, const struct row *self)
{
	bool region = self->scope == AGGR_REGION;

	for (size_t i = 0; i < (region ? b->n : b->n_clocks); i++) {
		size_t at = region ? b->rows[i] : b->clocks[i];
		const struct row *row = &b->result->rows[at];

		if (region ? row->kind == ROW_COUNT && strcmp(row->name, "duration_time") == 0
			   : row_clock(row) == CLOCK_DURATION && row->value.type != VALUE_NONE &&
				     rows_are_of_same_time(row, self))
			return at;
	}
	return SIZE_MAX;
}

/* Numbers the expression's names, which are the kernel's, or "event". */
static void usual_bind(struct usual *u, struct expr *x)
{
	struct event event = {.tool = TOOL_NONE};
	struct error ignored;

	for (size_t i = 0; i < expr_arguments(x); i++)
		usual_bind(u, x->arguments[i]);
	if (x->kind != EXPR_NAME)
		return;
	x->event = u->n++;
	u->events[x->event].known = abi_resolve(x->name, &event, &ignored) > 0 && event.tool == TOOL_NONE;
	u->events[x->event].type = event.attr.type;
	u->events[x->event].config = event.attr.config;
	u->is_elapsed[x->event] = event.tool != TOOL_NONE;
	event_free(&event);
}

/* Returns the metric's expression of this number, with the counts of its names. NULL if a name has no count. */
static const struct formula *usual_take(struct bucket *b, const struct metric *m, size_t number, size_t of)
{
	const struct session *session = &b->result->session;
	const struct row *self = &b->result->rows[of];
	struct usual *u = &b->usual[m - metrics][number];
	struct error ignored;

	u->formula = (struct formula){.text = m->expressions[number], .scale = 1, .expr = u->formula.expr};
	if (!u->formula.expr && expr_parse(&u->formula.expr, u->formula.text, &ignored) == 0)
		usual_bind(u, u->formula.expr);
	b->parts.n = u->n;
	formula_parts_clear(&b->parts);
	for (size_t i = 0; i < u->n; i++) {
		const struct metric_event *event = &u->events[i];
		size_t at = u->is_elapsed[i] ? find_elapsed(b, self) : of;

		if (event->known && !row_is_of(self, event))
			at = bucket_find(b, m, event, of);
		if (at != SIZE_MAX)
			formula_parts_take(&b->parts, i, at, 1);
		else if (u->is_elapsed[i] && self->scope != AGGR_REGION && isnan(self->time) && !self->run)
			b->parts.values[i] = (double)session->elapsed_ns; /* that of the whole measurement */
		else
			return NULL;
	}
	return &u->formula;
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

static const char *metric_row_name(struct result *result, const struct metric *m, const struct row *self)
{
	bool is_part = self->event->parent >= 0;
	char modes[8];

	if (!m->event.known)
		return result_format(result, "%s %s", self->name, m->name);
	if (m->any_modes && !is_part)
		return m->name;
	return result_format(result, "%s%s%s%s", m->name, m->any_modes ? "" : modes_suffix(self, modes),
			     is_part ? " on " : "", is_part ? self->event->pmu : "");
}

static bool add_metric(struct bucket *b, const struct metric *m, size_t of)
{
	const struct row *self = &b->result->rows[of];
	const struct formula *formula = NULL;
	struct row *row;

	/* cycles:u over the clock would be too few; and a clock continues while the task is on another kind of core */
	if (m->all_modes &&
	    (row_modes(self).exclude_user || row_modes(self).exclude_kernel || self->event->parent >= 0))
		return false;
	for (size_t i = 0; i < METRIC_EXPRESSIONS && m->expressions[i] && !formula; i++)
		formula = usual_take(b, m, i, of);
	if (!formula)
		return false;
	row = formula_row_add(&b->parts, formula, metric_row_name(b->result, m, self), m->unit, of);
	row->metric = m;
	if (!row_has_value(row)) /* a division by zero */
		b->result->n--;
	return row_has_value(row);
}

static void bucket_add_metrics(struct bucket *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t of = b->rows[i];
		bool any = false;

		/* rows for metrics of -M get no other metrics */
		if (!row_is_counted(&b->result->rows[of]) || b->result->rows[of].event->of_metric)
			continue;
		for (size_t m = 0; m < ARRAY_SIZE(metrics); m++) {
			const struct row *row = &b->result->rows[of]; /* rows may move when one is added */

			if (metrics[m].event.known ? row_is_of(row, &metrics[m].event) : !any && !*row->unit)
				any |= add_metric(b, &metrics[m], of);
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
	return row_compare_subjects(a, b);
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

void metrics_add(struct result *result)
{
	size_t n = result->n;
	auto_free size_t *order = xcalloc(n, sizeof(*order)), *clocks = NULL;
	struct usual usual[ARRAY_SIZE(metrics)][METRIC_EXPRESSIONS] = {0};
	struct formula_part parts[NAMES_MOST];
	double values[NAMES_MOST];
	bool used[NAMES_MOST];
	struct bucket b = {.result = result,
			   .usual = usual,
			   .parts = {.result = result, .v = parts, .values = values, .used = used, .of_usual = true}};

	for (size_t i = 0; i < n; i++)
		if (row_clock(&result->rows[i]) >= 0)
			*ARRAY_PUSH(clocks, b.n_clocks) = i;
	b.clocks = clocks;
	sort_rows(result, order);
	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && compare_row_keys(&result->rows[order[first]], &result->rows[order[i]]) == 0)
			continue;
		b.rows = order + first;
		b.n = i - first;
		bucket_add_metrics(&b);
		if (result->session.formulas)
			formula_rows_add(result, b.rows, b.n, clocks, b.n_clocks);
		first = i;
	}
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		for (size_t k = 0; k < METRIC_EXPRESSIONS; k++)
			expr_free(usual[i][k].formula.expr);
}

const struct metric *metric_find_usual(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		size_t n = strlen(metrics[i].name);
		const char *at = name;

		/* the event's name precedes that of a rate */
		if (metrics[i].prefixed && !(at = strstr(name, metrics[i].name)))
			continue;
		/* modes and a core PMU may follow */
		if (strncmp(at, metrics[i].name, n) == 0 && (!at[n] || at[n] == ':' || strncmp(at + n, " on ", 4) == 0))
			return &metrics[i];
	}
	return NULL;
}
