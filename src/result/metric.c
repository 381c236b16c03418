#include "result/metric.h"

#include <stdlib.h>
#include <string.h>

#include "result/formula_rows.h"

/* clang-format off */
#define HARDWARE(event) {true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event}
#define SOFTWARE(event) {true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event}
#define CACHE(cache, result) \
	{true, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				   PERF_COUNT_HW_CACHE_RESULT_##result << 16}
#define SHARE .unit = "", .display = 100, .suffix = "%", .decimals = 2, .factor = 1
#define RATIO .unit = "", .display = 1, .suffix = "", .decimals = 2, .factor = 1
#define CLOCKS {SOFTWARE(TASK_CLOCK), SOFTWARE(CPU_CLOCK)}

/* The rate is last, for events that have no other metric. */
static const struct metric metrics[] = {
	{"CPUs utilized", "CPUs utilized", .unit = "CPUs", .display = 1, .suffix = "", .decimals = 3, .factor = 1,
	 .event = SOFTWARE(TASK_CLOCK), .by_elapsed = true, .any_modes = true},
	{"CPUs utilized by cpu-clock", "CPUs utilized", .unit = "CPUs", .display = 1, .suffix = "", .decimals = 3,
	 .factor = 1, .event = SOFTWARE(CPU_CLOCK), .by_elapsed = true, .any_modes = true},
	/* cycles:u over the clock would be less than the frequency, so it has a rate */
	{"frequency", "GHz", .unit = "GHz", .display = 1, .suffix = "", .decimals = 3, .factor = 1,
	 .event = HARDWARE(CPU_CYCLES), .other = CLOCKS, .any_modes = true, .all_modes = true},
	{"insn per cycle", "insn per cycle", RATIO, .event = HARDWARE(INSTRUCTIONS), .other = {HARDWARE(CPU_CYCLES)}},
	{"stalled cycles per insn", "stalled cycles per insn", RATIO, .event = HARDWARE(INSTRUCTIONS),
	 .other = {HARDWARE(STALLED_CYCLES_FRONTEND), HARDWARE(STALLED_CYCLES_BACKEND)}, .larger = true, .inverted = true},
	{"frontend cycles idle", "frontend cycles idle", SHARE,
	 .event = HARDWARE(STALLED_CYCLES_FRONTEND), .other = {HARDWARE(CPU_CYCLES)}},
	{"backend cycles idle", "backend cycles idle", SHARE,
	 .event = HARDWARE(STALLED_CYCLES_BACKEND), .other = {HARDWARE(CPU_CYCLES)}},
	{"branch-misses of all branches", "of all branches", SHARE,
	 .event = HARDWARE(BRANCH_MISSES), .other = {HARDWARE(BRANCH_INSTRUCTIONS)}},
	{"cache-misses of all cache refs", "of all cache refs", SHARE,
	 .event = HARDWARE(CACHE_MISSES), .other = {HARDWARE(CACHE_REFERENCES)}},
	{"L1-dcache-load-misses of all L1-dcache accesses", "of all L1-dcache accesses", SHARE,
	 .event = CACHE(L1D, MISS), .other = {CACHE(L1D, ACCESS)}},
	{"L1-icache-load-misses of all L1-icache accesses", "of all L1-icache accesses", SHARE,
	 .event = CACHE(L1I, MISS), .other = {CACHE(L1I, ACCESS)}},
	{"LLC-load-misses of all LL-cache accesses", "of all LL-cache accesses", SHARE,
	 .event = CACHE(LL, MISS), .other = {CACHE(LL, ACCESS)}},
	{"dTLB-load-misses of all dTLB cache accesses", "of all dTLB cache accesses", SHARE,
	 .event = CACHE(DTLB, MISS), .other = {CACHE(DTLB, ACCESS)}},
	{"iTLB-load-misses of all iTLB cache accesses", "of all iTLB cache accesses", SHARE,
	 .event = CACHE(ITLB, MISS), .other = {CACHE(ITLB, ACCESS)}},
	{"per second", "/sec", .unit = "/s", .display = 1, .suffix = "", .decimals = 3, .prefixed = true,
	 .factor = 1e9, .other = CLOCKS, .any_modes = true},
};
/* clang-format on */

/* The rows of one scope, run, command and time. */
struct bucket {
	struct result *result;
	const size_t *rows; /* indices */
	size_t n;
	const size_t
		*clocks; /* rows of the result that say how long it took, and the like; found once, as rows are many
			  */
	size_t n_clocks;
};

/* A part of a ratio: a count, or the elapsed time. */
struct part {
	double value, error;
	bool scaled, apart;
	int group;             /* 0: none */
	unsigned pass;         /* 0: any */
	const struct row *row; /* NULL: the elapsed time */
};

static struct perf_event_attr row_modes(const struct row *row)
{
	struct perf_event_attr attr = row->event->attr;

	if (row->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

/* On the same core PMU, too. */
static bool rows_have_same_modes(const struct row *row_a, const struct row *row_b)
{
	struct perf_event_attr a = row_modes(row_a), b = row_modes(row_b);

	return event_modes_equal(&a, &b) && a.config >> 32 == b.config >> 32;
}

static bool row_is_counted(const struct row *row)
{
	return row->kind == ROW_COUNT && row->event && row->event->tool == TOOL_NONE && status_has_value(row->status) &&
	       row->status != STATUS_PARTIAL && row->value.type != VALUE_NONE;
}

static bool row_is_of(const struct row *row, const struct metric_event *event)
{
	const struct perf_event_attr *attr = row->event ? &row->event->attr : NULL;

	return event->known && attr && attr->type == event->type && (uint32_t)attr->config == event->config &&
	       row_is_counted(row);
}

static struct part ratio_part(const struct row *row)
{
	return (struct part){
		.value = value_real(row->value),
		.error = row->error,
		.scaled = row->status == STATUS_SCALED,
		.apart = row->apart,
		.group = row->group,
		.pass = row->pass,
		.row = row,
	};
}

/* The row of an event that goes with self, preferably of its group. */
static const struct row *bucket_find(const struct bucket *b, const struct metric *m, const struct metric_event *event,
				     const struct row *self)
{
	const struct row *found = NULL;

	for (size_t i = 0; i < b->n; i++) {
		const struct row *row = &b->result->rows[b->rows[i]];

		if (row == self || !row_is_of(row, event))
			continue;
		if (!m->any_modes && !rows_have_same_modes(self, row))
			continue;
		if (self->group && row->group == self->group)
			return row;
		if (!found)
			found = row;
	}
	return found;
}

static bool row_is_elapsed(const struct row *row)
{
	return row->kind == ROW_COUNT && row->scope == AGGR_TOTAL && row->value.type != VALUE_NONE &&
	       (row->event ? row->event->tool == TOOL_DURATION_TIME : strcmp(row->name, "duration_time") == 0);
}

/* Those of the program's own events are of the whole. */
static bool row_is_clock(const struct row *row)
{
	return row_is_elapsed(row) || (row->kind == ROW_COUNT && row->event && row->event->tool != TOOL_NONE);
}

/* A region has a time of its own. */
static bool find_region_time(const struct bucket *b, struct part *part)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct row *row = &b->result->rows[b->rows[i]];

		if (row->kind == ROW_COUNT && strcmp(row->name, "duration_time") == 0) {
			*part = ratio_part(row);
			return true;
		}
	}
	return false;
}

static bool find_elapsed(const struct bucket *b, const struct row *self, struct part *part)
{
	const struct result *result = b->result;

	if (self->scope == AGGR_REGION)
		return find_region_time(b, part);
	for (size_t i = 0; i < b->n_clocks; i++) {
		const struct row *row = &result->rows[b->clocks[i]];

		if (row_is_elapsed(row) && rows_are_of_same_time(row, self)) {
			*part = ratio_part(row);
			return true;
		}
	}
	/* the session's elapsed time is that of the whole measurement */
	if (!isnan(self->time) || self->run || !result->session.elapsed_ns)
		return false;
	*part = (struct part){.value = (double)result->session.elapsed_ns, .error = NAN};
	return true;
}

static bool find_other(const struct bucket *b, const struct metric *m, const struct row *self, struct part *part)
{
	bool found = false;

	if (m->by_elapsed)
		return find_elapsed(b, self, part);
	for (size_t i = 0; i < ARRAY_SIZE(m->other) && (!found || m->larger); i++) {
		const struct row *row = bucket_find(b, m, &m->other[i], self);

		if (!row || (found && value_real(row->value) <= part->value))
			continue;
		*part = ratio_part(row);
		found = true;
	}
	return found;
}

/* The relative half-width of a / b by collect, if both were scaled and counted together. */
static double joint_error(const struct result *result, struct part a, struct part b)
{
	const struct plan *plan = result->session.plan;

	if (!plan || !a.row || !b.row || !a.row->ratio_errors || !b.row->event)
		return NAN;
	return a.row->ratio_errors[b.row->event - plan->events];
}

/* Half-width of factor * a / b. Parts that were not counted together are taken to be independent, so that their
 * relative variances add up. NAN: the error of a scaled part is not known. */
static double ratio_error(const struct result *result, struct part a, struct part b, double factor)
{
	double together = joint_error(result, a, b);
	double of_a = isnan(a.error) ? 0 : a.error / b.value;
	double of_b = isnan(b.error) ? 0 : b.error * a.value / (b.value * b.value);

	if (!isnan(together))
		return factor * a.value / b.value * together;
	if ((a.scaled && isnan(a.error)) || (b.scaled && isnan(b.error)) || (isnan(a.error) && isnan(b.error)))
		return NAN;
	return factor * sqrt(of_a * of_a + of_b * of_b);
}

/* The modes that a row counts in, as modifiers; "": all. */
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

static void add_metric_row(struct result *result, const struct metric *m, size_t of, struct part a, struct part b)
{
	/* now: a and b point to rows, which may move */
	double error = ratio_error(result, a, b, m->factor);
	bool same_runs = rows_are_of_same_runs(a.row, b.row);
	bool whole_time = !row_is_multiplexed(a.row) && !row_is_multiplexed(b.row);
	const char *name = metric_row_name(result, m, &result->rows[of]);
	struct row *row = result_add(result, ROW_METRIC, "");
	const struct row *self = &result->rows[of];
	bool same_pass = a.pass == b.pass || !a.pass || !b.pass;
	bool together = !a.apart && !b.apart && ((a.group && a.group == b.group) || (whole_time && same_pass));

	row->name = name;
	row->time = self->time;
	row->run = self->run;
	row->command = self->command;
	row_copy_subject(row, self);
	row->unit = m->unit;
	row->status = a.scaled || b.scaled ? STATUS_SCALED : STATUS_EXACT;
	row->value = (struct value){.type = VALUE_REAL, .real = m->factor * a.value / b.value};
	row->error = error;
	row->runs = same_runs ? self->runs : NULL;
	row->group = a.group == b.group ? a.group : 0;
	row->of = of;
	row->number = self->number;
	row->approximate = !together;
	if (!together)
		row->reason = "approximate: its events were not counted at the same time";
	row->metric = m;
}

static bool add_metric(const struct bucket *b, const struct metric *m, size_t of)
{
	const struct row *self = &b->result->rows[of];
	struct part parts[2]; /* above and below the line */

	if (m->all_modes && (row_modes(self).exclude_user || row_modes(self).exclude_kernel))
		return false;
	if (m->all_modes && self->event->parent >= 0) /* a clock goes on while the task is on another kind of core */
		return false;
	if (!find_other(b, m, self, &parts[!m->inverted]))
		return false;
	parts[m->inverted] = ratio_part(self);
	if (parts[1].value <= 0)
		return false;
	add_metric_row(b->result, m, of, parts[0], parts[1]);
	return true;
}

static void bucket_add_metrics(const struct bucket *b)
{
	for (size_t i = 0; i < b->n; i++) {
		size_t of = b->rows[i];
		bool any = false;

		/* what a metric of -M needs is for that */
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

/* In the order of their keys, which nearly all results have already. */
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
	size_t n_clocks = 0;

	for (size_t i = 0; i < n; i++)
		if (row_is_clock(&result->rows[i]))
			*ARRAY_PUSH(clocks, n_clocks) = i;
	sort_rows(result, order);
	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && compare_row_keys(&result->rows[order[first]], &result->rows[order[i]]) == 0)
			continue;
		bucket_add_metrics(&(struct bucket){result, order + first, i - first, clocks, n_clocks});
		if (result->session.formulas)
			formula_rows_add(result, order + first, i - first, clocks, n_clocks);
		first = i;
	}
}

const struct metric *metric_find_usual(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		size_t n = strlen(metrics[i].name);
		const char *at = name;

		/* of a rate, the event's name is before it */
		if (metrics[i].prefixed && !(at = strstr(name, metrics[i].name)))
			continue;
		/* modes may follow, and a core PMU */
		if (strncmp(at, metrics[i].name, n) == 0 && (!at[n] || at[n] == ':' || strncmp(at + n, " on ", 4) == 0))
			return &metrics[i];
	}
	return NULL;
}
