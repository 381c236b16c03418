#include "rows/totals.h"

#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "rows/usual_ratios.h"

/* A subject that did nothing for this many seconds makes room: longer than Prometheus's interval. */
#define IDLE_S 60

/* State while a result's rows are added. */
struct adding {
	struct totals *totals;
	const struct row *rows; /* copies, with valid texts */
	size_t n;
	double now;
	bool sums; /* its counts are new, to be added */
};

/* Returns the text, or a valid copy, which the list owns. */
static const char *made_valid(const char *text, struct strings *copies)
{
	size_t n = text ? strlen(text) : 0;

	return text_plain(text, n) == n ? text : (*ARRAY_PUSH(copies->v, copies->n) = text_valid(text));
}

static const struct item *valid_item(const struct item *item, struct items *valid, struct strings *copies)
{
	struct item copy = *item;

	copy.name = made_valid(copy.name, copies);
	copy.unit = made_valid(copy.unit, copies);
	return items_intern(valid, &copy);
}

static const struct subject *valid_subject(const struct subject *subject, struct subjects *valid,
					   struct strings *copies)
{
	struct subject copy = *subject;

	copy.id = made_valid(copy.id, copies);
	copy.cgroup = made_valid(copy.cgroup, copies);
	copy.comm = made_valid(copy.comm, copies);
	return subjects_intern(valid, &copy);
}

static struct row *valid_rows(const struct result *result, struct items *items, struct subjects *subjects,
			      struct strings *copies)
{
	struct row *rows = xcalloc(result->n, sizeof(*rows));

	for (size_t i = 0; i < result->n; i++) {
		rows[i] = result->rows[i];
		rows[i].item = valid_item(rows[i].item, items, copies);
		rows[i].subject = valid_subject(rows[i].subject, subjects, copies);
		rows[i].reason = made_valid(rows[i].reason, copies);
	}
	return rows;
}

/* ---- subjects ---- */

/* True for tasks; rows of other subjects, as (idle), are few. */
static bool is_task(const struct row *row)
{
	return row->subject->scope == AGGR_COMM ? row->subject->comm != NULL
						: subject_is_process(row->subject) && row->subject->pid;
}

static bool texts_are_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool subject_is(const struct total_subject *s, const struct row *row)
{
	return s->scope == row->subject->scope && s->pid == row->subject->pid && strcmp(s->id, row->subject->id) == 0 &&
	       strcmp(s->cgroup, row->subject->cgroup) == 0 && texts_are_equal(s->comm, row->subject->comm);
}

static struct total_subject *subject_add(struct totals *t, const struct row *row, bool task)
{
	struct total_subject *s = xcalloc(1, sizeof(*s));

	*s = (struct total_subject){.scope = row->subject->scope,
				    .id = xstrdup(row->subject->id),
				    .cgroup = xstrdup(row->subject->cgroup),
				    .comm = row->subject->comm ? xstrdup(row->subject->comm) : NULL,
				    .pid = row->subject->pid,
				    .task = task};
	*ARRAY_PUSH(t->subjects, t->n) = s;
	t->tasks += task;
	return s;
}

/* Returns NULL if not found. */
static struct total_subject *subject_find(struct totals *t, const struct row *row)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t k = (t->next + i) % t->n;

		if (subject_is(t->subjects[k], row)) {
			t->next = k + 1;
			return t->subjects[k];
		}
	}
	return NULL;
}

static void subject_free(struct total_subject *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->totals[i].name);
		free(s->totals[i].unit);
		free(s->totals[i].reason);
	}
	free(s->id);
	free(s->cgroup);
	free(s->comm);
	free(s->totals);
	free(s);
}

/* The others of a scope share a subject that is not a task. */
static struct total_subject *find_others(struct totals *t, const struct row *row)
{
	const struct subject everybody = {.scope = row->subject->scope, .id = SUBJECT_OTHERS, .cgroup = ""};
	const struct row others = {.subject = &everybody};
	struct total_subject *s = subject_find(t, &others);

	return s ? s : subject_add(t, &others, false);
}

/* ---- tasks with totals ---- */

/* A task's work in the result. */
struct candidate {
	const struct row *row;
	struct total_subject *subject; /* or NULL */
	uint64_t rank;                 /* the count of its first event */
	bool active;
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? 1 : -1;
	return a->row < b->row ? -1 : 1;
}

static struct candidate *find_candidates(struct adding *a, size_t *n)
{
	struct candidate *found = NULL, *last = NULL;

	for (size_t i = 0; i < a->n; i++) {
		const struct row *row = &a->rows[i];

		if (row->item->kind != ITEM_COUNT || !is_task(row))
			continue;
		if (!last || subject_compare(last->row->subject, row->subject) != 0 ||
		    last->row->subject->pid != row->subject->pid) {
			last = ARRAY_PUSH(found, *n);
			*last = (struct candidate){.row = row, .rank = row->has_raw ? row->raw.value : 0};
			last->subject = subject_find(a->totals, row);
		}
		last->active |= row->has_raw && row->raw.value > 0;
	}
	return found;
}

/* Returns false if all places are taken or, for an idle subject, if none is free. */
static bool make_room(struct adding *a, bool active)
{
	struct totals *t = a->totals;
	size_t oldest = SIZE_MAX;

	if (t->tasks < t->most)
		return true;
	if (!active)
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->subjects[i]->task && (oldest == SIZE_MAX || t->subjects[i]->seen < t->subjects[oldest]->seen))
			oldest = i;
	/* not if the time is unknown */
	if (oldest == SIZE_MAX || !(t->subjects[oldest]->seen < a->now - IDLE_S))
		return false;
	subject_free(t->subjects[oldest]);
	memmove(&t->subjects[oldest], &t->subjects[oldest + 1], (--t->n - oldest) * sizeof(*t->subjects));
	t->tasks--;
	return true;
}

static void choose_tasks(struct adding *a)
{
	size_t n = 0;
	auto_free struct candidate *candidates = find_candidates(a, &n);

	for (size_t i = 0; i < n; i++)
		if (candidates[i].subject && candidates[i].active)
			candidates[i].subject->seen = a->now;
	if (n)
		qsort(candidates, n, sizeof(*candidates), compare_candidates);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = candidates[i].row;

		/* the same name may occur twice, see struct total */
		if (!candidates[i].subject && make_room(a, candidates[i].active) && !subject_find(a->totals, row))
			subject_add(a->totals, row, true)->seen = a->now;
	}
}

/* ---- totals ---- */

/* Returns the event of a count or of a usual ratio: ratios of "task-clock" and "task-clock:u" have equal names. */
static const struct event *event_of(const struct row *row)
{
	return row->item->kind == ITEM_COUNT ? row->item->event : row->item->metric ? NULL : row->item->beside;
}

static struct total *total_find(struct total_subject *s, const struct row *row)
{
	const struct event *event = event_of(row);
	unsigned namesakes = 0;
	struct total *t;

	for (size_t i = 0; i < s->n; i++) {
		size_t k = (s->next + i) % s->n;

		t = &s->totals[k];
		if (t->kind != row->item->kind || strcmp(t->name, row->item->name) != 0)
			continue;
		if (t->event == event) {
			s->next = k + 1;
			return t;
		}
		namesakes++;
	}
	t = ARRAY_PUSH(s->totals, s->n);
	*t = (struct total){.kind = row->item->kind,
			    .name = xstrdup(row->item->name),
			    .occurrence = namesakes + 1,
			    .event = event,
			    .unit = xstrdup(row->item->unit)};
	return t;
}

static void replace_text(char **text, const char *new)
{
	free(*text);
	*text = xstrdup(new);
}

/* The reason of a loss contains its amount. Keeps the first reason while the loss lasts, since each reason is another
 * state. The moment of a peak is none. */
static void total_set_values(struct total *t, const struct row *row)
{
	bool keeps_reason = t->reason && t->status == STATUS_LOST && row->status == STATUS_LOST;

	t->status = row->status;
	t->value = row_has_value(row) ? row->value : (struct value){.type = VALUE_NONE};
	t->error = row_has_value(row) ? row->error : NAN;
	t->threshold = (int)row->threshold;
	replace_text(&t->unit, row->item->unit);
	if (!keeps_reason)
		replace_text(&t->reason, row->why == WHY_MOMENT ? "" : row->reason);
}

static void total_add(const struct adding *a, struct total *t, const struct row *row)
{
	if (row->item->kind != ITEM_COUNT || !row->has_raw || !a->sums)
		return;
	t->sum = sample_add(t->sum, row->raw);
	t->was_counted |= status_has_value(row->status);
}

/* A rate per second on a CPU: readers compute rates per second of elapsed time from the totals. */
static bool is_cpu_rate(const struct row *row)
{
	return row->item->usual && row->item->usual->of == RATIO_OF_WHOLE;
}

/* Clocks of the run are no rows here; the time and the calls of a region are. */
static bool has_total(const struct row *row)
{
	if (row->item->kind == ITEM_METRIC)
		return !is_cpu_rate(row);
	return row->item->kind == ITEM_COUNT && (row->item->event || row->subject->scope == AGGR_REGION) &&
	       !row_is_part(row);
}

static void total_add_row(struct adding *a, const struct row *row)
{
	struct total_subject *s = subject_find(a->totals, row);
	struct total *t;

	if (!s && !is_task(row))
		s = subject_add(a->totals, row, false);
	if (s) {
		t = total_find(s, row);
		t->is_current = ++t->rows == 1;
		total_set_values(t, row);
		total_add(a, t, row);
	} else if (row->item->kind == ITEM_COUNT && row->has_raw && row->raw.enabled) {
		total_add(a, total_find(find_others(a->totals, row), row), row);
	}
}

/* ---- results ---- */

static void forget_values(struct totals *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->subjects[i]->n; k++) {
			t->subjects[i]->totals[k].is_current = false;
			t->subjects[i]->totals[k].rows = 0;
		}
}

/* Returns how long counting was on. */
static uint64_t elapsed_ns(const struct result *result)
{
	for (size_t i = 0; result->rows && i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row_clock(row) == CLOCK_DURATION && row_has_value(row))
			return (uint64_t)value_real(row->value);
	}
	return result->session.elapsed_ns;
}

void totals_add(struct totals *t, const struct result *result)
{
	auto_strings struct strings copies = {0};
	struct items items = {0};
	struct subjects subjects = {0};
	auto_free struct row *rows = valid_rows(result, &items, &subjects, &copies);
	bool of_several = result->n && (!isnan(rows->time) || rows->run > 0);
	struct adding a = {t, rows, result->n, result->n ? rows->time : NAN, false};

	a.sums = of_several || t->results == 0;
	if (t->results == 0)
		t->start_time = result->session.start_time;
	forget_values(t);
	choose_tasks(&a);
	for (size_t i = 0; i < a.n; i++)
		if (has_total(&rows[i]))
			total_add_row(&a, &rows[i]);
	t->last_ns = elapsed_ns(result);
	if (a.sums) {
		t->elapsed_ns += t->last_ns;
		t->results++;
	}
	items_free(&items);
	subjects_free(&subjects);
}

void totals_free(struct totals *t)
{
	for (size_t i = 0; i < t->n; i++)
		subject_free(t->subjects[i]);
	free(t->subjects);
	*t = (struct totals){.n = 0};
}
