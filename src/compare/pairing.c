#include "compare/pairing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds the rows that the result has more than before. */
static void pairing_extend(struct pairing *p)
{
	while (p->taken.n < p->result->n) {
		size_t i = p->taken.n;
		struct numbers *of = &p->of[p->result->rows[i].command];

		*ARRAY_PUSH(of->v, of->n) = i;
		*ARRAY_PUSH(p->taken.v, p->taken.n) = 0;
	}
	row_index_add(&p->index, p->result);
}

void pairing_begin(struct pairing *p, struct result *result)
{
	*p = (struct pairing){.result = result, .last = 1};
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].command > p->last)
			p->last = result->rows[i].command;
	p->of = xcalloc(p->last + 1, sizeof(*p->of));
	pairing_extend(p);
	for (size_t i = 0; i < result->n; i++) {
		result->rows[i].like = i;
		result->rows[i].of_task = row_index_find_whole(&p->index, result, &result->rows[i]) != SIZE_MAX;
		result->has_tasks |= result->rows[i].of_task;
	}
}

void pairing_end(struct pairing *p)
{
	for (unsigned i = 0; i <= p->last; i++)
		free(p->of[i].v);
	free(p->of);
	free(p->taken.v);
	row_index_free(&p->index);
}

bool row_is_compared(const struct row *row)
{
	return row_is_comparable(row) && row->run == 0 && isnan(row->time);
}

bool row_is_compared_task(const struct row *row)
{
	return row->of_task && row->item->kind == ITEM_COUNT &&
	       (row->subject->comm || !subject_id_is_others(row->subject->id));
}

static size_t find_same(const struct pairing *p, const struct row *row, size_t after)
{
	return row_index_find(&p->index, p->result, row->item->number, row->subject->number, after);
}

/* Returns the first row of the same kind in earlier commands: an event may be named twice. again: also rows that are
 * already paired with this command. Returns `at` if there is no such row. */
static size_t find_like(const struct pairing *p, size_t at, unsigned commands, bool exact, bool again)
{
	const struct row *row = &p->result->rows[at];
	size_t i = SIZE_MAX;

	if (again && !row->item->event) /* not known to be the same */
		return at;
	while ((i = find_same(p, row, i)) != SIZE_MAX) {
		const struct row *other = &p->result->rows[i];

		if (row_is_compared(other) && other->command < commands && other->like == i &&
		    (again || p->taken.v[i] != row->command) && !(exact && row_differs(other, row)))
			return i;
	}
	return at;
}

static void pair_rows(struct pairing *p, unsigned command)
{
	const struct numbers *own = &p->of[command];
	static const struct {
		bool first, exact, again;
	} rounds[] = {{true, true, false}, {true, true, true}, {true, false, false}, {false, true, false}};

	for (size_t round = 0; round < ARRAY_SIZE(rounds); round++) {
		for (size_t k = 0; k < own->n; k++) {
			struct row *row = &p->result->rows[own->v[k]];

			if (!row_is_compared(row) || row->like != own->v[k])
				continue;
			row->like = find_like(p, own->v[k], rounds[round].first ? 2 : command, rounds[round].exact,
					      rounds[round].again);
			p->taken.v[row->like] = command;
		}
	}
}

/* ---- tasks of one side alone ---- */

/* Returns the row of all tasks of a command that is paired with another command's row, or SIZE_MAX. */
static size_t find_paired(const struct pairing *p, size_t whole, unsigned command)
{
	const struct result *result = p->result;
	size_t like = result->rows[whole].like, i = SIZE_MAX;

	if (command == 1)
		return result->rows[like].command == 1 ? like : SIZE_MAX;
	while ((i = find_same(p, &result->rows[whole], i)) != SIZE_MAX)
		if (result->rows[i].command == command && result->rows[i].like == whole)
			break;
	return i;
}

static const double *make_zeros(struct result *result, size_t n)
{
	double *zeros = result_allocate(result, (n + 1) * sizeof(*zeros));

	return memset(zeros, 0, (n + 1) * sizeof(*zeros));
}

/* Adds a row of 0 for the task of another command, if the count of all tasks is known. Returns its index, or SIZE_MAX.
 */
static size_t add_absent(struct pairing *p, size_t of, unsigned command)
{
	struct result *result = p->result;
	const struct value zero = {.type = VALUE_COUNT};
	size_t whole = find_paired(p, row_index_find_whole(&p->index, result, &result->rows[of]), command);
	struct spread *spread;
	struct row *row;

	if (whole == SIZE_MAX || !row_is_known(&result->rows[whole]))
		return SIZE_MAX;
	row = result_add_copy(result, &result->rows[whole]);
	row_copy_subject(row, &result->rows[of]);
	spread = result_spread(result, row);
	row->value = spread->min = spread->median = spread->max = zero;
	row->status = STATUS_EXACT;
	row->error = row->low = row->high = NAN;
	spread->stddev = spread->n > 1 ? 0 : NAN;
	spread->outliers = 0;
	spread->values = result->session.medians ? make_zeros(result, spread->n) : NULL;
	row->has_raw = false;
	row->of_task = true;
	row_explain(row, spread->n > 1 ? WHY_ABSENT_IN_ALL : WHY_ABSENT);
	pairing_extend(p);
	return result->n - 1;
}

/* True if a row of 0 stands for this one in a command that lacks it. */
static bool is_missed(const struct row *row)
{
	return row_is_compared_task(row) && row_is_compared(row) && !row_is_absent(row);
}

/* Adds the rows of the first command that this one lacks, and the rows of this one that the first lacks, so that all
 * are paired. */
static void add_all_absent(struct pairing *p, unsigned command)
{
	struct row *const *rows = &p->result->rows; /* which move when one is added */
	size_t n = p->of[command].n, n_first = p->of[1].n, added;

	for (size_t k = 0; k < n; k++)
		p->taken.v[(*rows)[p->of[command].v[k]].like] = command;
	for (size_t k = 0; k < n_first; k++) {
		size_t i = p->of[1].v[k];

		if (p->taken.v[i] != command && is_missed(&(*rows)[i]) &&
		    (added = add_absent(p, i, command)) != SIZE_MAX)
			(*rows)[added].like = i;
	}
	for (size_t k = 0; k < n; k++) {
		size_t i = p->of[command].v[k];

		if ((*rows)[i].like == i && is_missed(&(*rows)[i]) && (added = add_absent(p, i, 1)) != SIZE_MAX)
			(*rows)[i].like = (*rows)[added].like = added;
	}
}

void pairing_pair(struct pairing *p, unsigned command)
{
	pair_rows(p, command);
	add_all_absent(p, command);
}
