#include "rows/subject.h"

#include <stdlib.h>
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "lib/util.h"

const struct subject subject_whole = {.scope = AGGR_TOTAL, .id = "", .cgroup = ""};

static const char *keep_text(struct subjects *subjects, const char *text)
{
	size_t size = strlen(text) + 1;

	return size > 1 ? memcpy(arena_allocate(&subjects->memory, size), text, size) : "";
}

/* The number is the index of the first subject that is the same, or of this one. */
static const struct subject *add(struct subjects *subjects, const struct subject *subject, uint64_t hash, size_t first)
{
	struct subject *copy = arena_allocate(&subjects->memory, sizeof(*copy));

	*copy = *subject;
	copy->id = keep_text(subjects, subject->id);
	copy->cgroup = keep_text(subjects, subject->cgroup);
	copy->comm = subject->comm ? keep_text(subjects, subject->comm) : NULL;
	copy->number = first == SIZE_MAX ? subjects->n : first;
	copy->place = subjects->n;
	copy->whole = NULL;
	index_add(&subjects->index, hash);
	*ARRAY_PUSH(subjects->v, subjects->n) = copy;
	if (subject_is_task(copy))
		copy->whole = subjects_intern(subjects, &(struct subject){.scope = AGGR_TOTAL, .cgroup = copy->cgroup});
	return copy;
}

static bool is_equal(const struct subject *a, const struct subject *b)
{
	return a->pid == b->pid && a->ppid == b->ppid && !a->comm == !b->comm &&
	       (!a->comm || strcmp(a->comm, b->comm) == 0);
}

static uint64_t hash_of(const struct subject *s)
{
	return text_hash(text_hash(TEXT_HASH ^ s->scope, s->id) * TEXT_HASH_STEP, s->cgroup);
}

const struct subject *subjects_intern(struct subjects *subjects, const struct subject *subject)
{
	struct subject like = *subject;
	size_t first = SIZE_MAX, i = SIZE_MAX;
	uint64_t hash;

	if (subject->place < subjects->n && subjects->v[subject->place] == subject)
		return subject;
	like.id = like.id ? like.id : "";
	like.cgroup = like.cgroup ? like.cgroup : "";
	hash = hash_of(&like);
	if (!subjects->n) {
		index_add(&subjects->index, hash_of(&subject_whole));
		*ARRAY_PUSH(subjects->v, subjects->n) = &subject_whole;
	}
	while ((i = index_find(&subjects->index, hash, i)) != SIZE_MAX) {
		if (subject_compare(subjects->v[i], &like) != 0)
			continue;
		if (is_equal(subjects->v[i], &like))
			return subjects->v[i];
		first = subjects->v[i]->number;
	}
	return add(subjects, &like, hash, first);
}

void subjects_clear(struct subjects *subjects)
{
	subjects->n = 0;
	index_clear(&subjects->index);
	arena_clear(&subjects->memory);
}

void subjects_free(struct subjects *subjects)
{
	free(subjects->v);
	index_free(&subjects->index);
	arena_free(&subjects->memory);
	*subjects = (struct subjects){.n = 0};
}

int subject_compare(const struct subject *a, const struct subject *b)
{
	int order = (a->scope > b->scope) - (a->scope < b->scope);

	if (order == 0)
		order = strcmp(a->cgroup, b->cgroup);
	if (order == 0)
		order = strcmp(a->id, b->id);
	/* the row (idle) and a program of that name */
	return order || a->scope != AGGR_COMM ? order : !a->comm - !b->comm;
}

bool subject_id_is_others(const char *id)
{
	return strcmp(id, SUBJECT_OTHERS) == 0 ||
	       (*id == '(' && strcmp(id + 1 + strspn(id + 1, "0123456789"), " others)") == 0);
}

bool subject_is_rest(const struct subject *subject)
{
	return subject_is_of_by(subject) && !subject->pid && (subject->scope != AGGR_COMM || !subject->comm) &&
	       strcmp(subject->id, UNATTRIBUTED) == 0;
}

bool subject_is_task(const struct subject *subject)
{
	return aggr_mode_is_of_tasks(subject->scope);
}

bool subject_is_of_by(const struct subject *subject)
{
	return subject_is_task(subject) || subject->scope == AGGR_CGROUP;
}

bool subject_is_process(const struct subject *subject)
{
	return subject_is_task(subject) && subject->scope != AGGR_COMM;
}
