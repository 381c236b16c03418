#include "rows/totals.h"

#include <stdlib.h>
#include <string.h>

#include "count/aggr_map.h"
#include "lib/text.h"

/* A subject that did nothing for this many seconds makes room: longer than Prometheus's interval. */
#define IDLE_S 60

/* State while a result's rows are added. */
struct adding {
	struct totals *totals;
	const struct result *result;
	double now;
	bool sums; /* its counts are new, to be added */
};

/* ---- subjects ---- */

/* True for tasks; rows of other subjects, as (idle), are few. */
static bool is_task(const struct row *row)
{
	return row->scope == AGGR_COMM ? row->comm != NULL
				       : (row->scope == AGGR_PROCESS || row->scope == AGGR_THREAD) && row->pid;
}

static bool texts_are_equal(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The texts of a subject. */
struct subject_texts {
	char *id, *cgroup, *comm;
};

static struct subject_texts texts_make(const struct row *row)
{
	return (struct subject_texts){text_valid(row->scope_id), text_valid(row->cgroup),
				      row->comm ? text_valid(row->comm) : NULL};
}

static void texts_free(struct subject_texts *texts)
{
	free(texts->id);
	free(texts->cgroup);
	free(texts->comm);
}

static bool subject_is(const struct total_subject *s, const struct row *row, const struct subject_texts *texts)
{
	return s->scope == row->scope && s->pid == row->pid && strcmp(s->id, texts->id) == 0 &&
	       strcmp(s->cgroup, texts->cgroup) == 0 && texts_are_equal(s->comm, texts->comm);
}

/* Takes ownership of the texts. */
static struct total_subject *subject_add(struct totals *t, const struct row *row, struct subject_texts texts, bool task)
{
	struct total_subject *s = xcalloc(1, sizeof(*s));

	*s = (struct total_subject){.scope = row->scope,
				    .id = texts.id,
				    .cgroup = texts.cgroup,
				    .comm = texts.comm,
				    .pid = row->pid,
				    .task = task};
	*ARRAY_PUSH(t->subjects, t->n) = s;
	t->tasks += task;
	return s;
}

/* Returns NULL if not found. */
static struct total_subject *subject_find(struct totals *t, const struct row *row, const struct subject_texts *texts)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t k = (t->next + i) % t->n;

		if (subject_is(t->subjects[k], row, texts)) {
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
	texts_free(&(struct subject_texts){s->id, s->cgroup, s->comm});
	free(s->totals);
	free(s);
}

/* The others of a scope share a subject that is not a task. */
static struct total_subject *find_others(struct totals *t, const struct row *row)
{
	char id[] = AGGR_OTHERS;
	const struct row others = {.scope = row->scope, .scope_id = id, .cgroup = ""};
	struct subject_texts texts = texts_make(&others);
	struct total_subject *s = subject_find(t, &others, &texts);

	if (!s)
		return subject_add(t, &others, texts, false);
	texts_free(&texts);
	return s;
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

	for (size_t i = 0; a->result->rows && i < a->result->n; i++) {
		const struct row *row = &a->result->rows[i];

		if (row->kind != ROW_COUNT || !is_task(row))
			continue;
		if (!last || row_compare_subjects(last->row, row) != 0 || last->row->pid != row->pid) {
			struct subject_texts texts = texts_make(row);

			last = ARRAY_PUSH(found, *n);
			*last = (struct candidate){.row = row, .rank = row->has_raw ? row->raw.value : 0};
			last->subject = subject_find(a->totals, row, &texts);
			texts_free(&texts);
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
		if (candidates[i].subject || !make_room(a, candidates[i].active))
			continue;
		struct subject_texts texts = texts_make(row);

		if (subject_find(a->totals, row, &texts))
			texts_free(&texts);
		else
			subject_add(a->totals, row, texts, true)->seen = a->now;
	}
}

/* ---- totals ---- */

/* Numbers the events of each name. */
static void number_occurrences(struct totals *t, const struct plan *plan)
{
	if (t->occurrences || !plan)
		return;
	t->occurrences = xcalloc(plan->n_shown + 1, sizeof(*t->occurrences));
	for (size_t i = 0; i < plan->n_shown; i++) {
		t->occurrences[i] = 1;
		for (size_t k = i; k-- > 0 && t->occurrences[i] == 1;)
			if (strcmp(plan->events[k].name, plan->events[i].name) == 0)
				t->occurrences[i] = t->occurrences[k] + 1;
	}
}

/* Returns the number of earlier metrics with its name and subject but of other events: metrics of "task-clock" and
 * "task-clock:u" have equal names. Rows of one subject are contiguous. */
static unsigned find_namesakes(const struct adding *a, const struct row *metric)
{
	const struct row *rows = a->result->rows;
	unsigned n = 0;

	for (const struct row *r = metric; r-- > rows && r->kind == ROW_METRIC && row_compare_subjects(r, metric) == 0;)
		if (r->of < a->result->n && rows[r->of].event != rows[metric->of].event)
			n += strcmp(r->name, metric->name) == 0;
	return n;
}

/* Metrics without an event are of a group. */
static unsigned find_occurrence(const struct adding *a, const struct row *row)
{
	const struct plan *plan = a->result->session.plan;

	if (row->kind == ROW_COUNT)
		return row->event && plan ? a->totals->occurrences[row->event - plan->events] : 1;
	if (row->metric)
		return 1;
	if (row->of >= a->result->n)
		return row->group > 0 ? (unsigned)row->group : 1;
	return find_namesakes(a, row) + 1;
}

static bool total_is(const struct total *t, const struct row *row, const char *name, unsigned occurrence)
{
	return t->kind == row->kind && t->occurrence == occurrence && strcmp(t->name, name) == 0;
}

static struct total *total_find(struct total_subject *s, const struct row *row, unsigned occurrence)
{
	auto_free char *name = text_valid(row->name);
	struct total *t;

	for (size_t i = 0; i < s->n; i++) {
		size_t k = (s->next + i) % s->n;

		if (total_is(&s->totals[k], row, name, occurrence)) {
			s->next = k + 1;
			return &s->totals[k];
		}
	}
	t = ARRAY_PUSH(s->totals, s->n);
	*t = (struct total){.kind = row->kind, .occurrence = occurrence, .event = row->event};
	t->name = name;
	name = NULL;
	return t;
}

static void replace_text(char **text, const char *new)
{
	free(*text);
	*text = text_valid(new);
}

/* The reason of a loss contains its amount. Keeps the first reason while the loss lasts, since each reason is another
 * state. */
static void total_set_values(struct total *t, const struct row *row)
{
	bool keeps_reason = t->reason && t->status == STATUS_LOST && row->status == STATUS_LOST;

	t->status = row->status;
	t->value = row_has_value(row) ? row->value : (struct value){.type = VALUE_NONE};
	t->error = row_has_value(row) ? row->error : NAN;
	t->threshold = (int)row->threshold;
	replace_text(&t->unit, row->unit);
	if (!keeps_reason)
		replace_text(&t->reason, row->reason);
}

static void total_add(const struct adding *a, struct total *t, const struct row *row)
{
	if (row->kind != ROW_COUNT || !row->has_raw || !a->sums)
		return;
	t->sum = sample_add(t->sum, row->raw);
	t->was_counted |= status_has_value(row->status);
}

static void total_add_row(struct adding *a, const struct row *row)
{
	struct subject_texts texts = texts_make(row);
	struct total_subject *s = subject_find(a->totals, row, &texts);
	struct total *t;

	if (!s && !is_task(row)) {
		s = subject_add(a->totals, row, texts, false);
		texts = (struct subject_texts){NULL, NULL, NULL};
	}
	texts_free(&texts);
	if (s) {
		t = total_find(s, row, find_occurrence(a, row));
		t->is_current = ++t->rows == 1;
		total_set_values(t, row);
		total_add(a, t, row);
	} else if (row->kind == ROW_COUNT && row->has_raw && row->raw.enabled) {
		total_add(a, total_find(find_others(a->totals, row), row, find_occurrence(a, row)), row);
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

		if (row->kind == ROW_COUNT && row->scope == AGGR_TOTAL && row_has_value(row) &&
		    strcmp(row->name, "duration_time") == 0)
			return (uint64_t)value_real(row->value);
	}
	return result->session.elapsed_ns;
}

void totals_add(struct totals *t, const struct result *result)
{
	const struct row *first = result->n > 0 ? result->rows : NULL;
	bool of_several = first && (!isnan(first->time) || first->run > 0);
	struct adding a = {.totals = t, .result = result, .now = first ? first->time : NAN};

	a.sums = of_several || t->results == 0;
	if (t->results == 0)
		t->start_time = result->session.start_time;
	number_occurrences(t, result->session.plan);
	forget_values(t);
	choose_tasks(&a);
	for (size_t i = 0; first && i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if ((row->kind == ROW_COUNT && row->event) || row->kind == ROW_METRIC)
			total_add_row(&a, row);
	}
	t->last_ns = elapsed_ns(result);
	if (a.sums) {
		t->elapsed_ns += t->last_ns;
		t->results++;
	}
}

void totals_free(struct totals *t)
{
	for (size_t i = 0; i < t->n; i++)
		subject_free(t->subjects[i]);
	free(t->subjects);
	free(t->occurrences);
	*t = (struct totals){.n = 0};
}
