/* The items and subjects of a result, and of one result in another one. */
#include <stdlib.h>

#include "rows/result.h"

const struct item *result_item(struct result *result, const struct item *item)
{
	return items_intern(&result->items, item);
}

const struct subject *result_subject(struct result *result, const struct subject *subject)
{
	return subjects_intern(&result->subjects, subject);
}

void translation_init(struct translation *t, struct result *to, const struct result *from)
{
	*t = (struct translation){.to = to};
	t->items = xcalloc(from->items.n + 1, sizeof(*t->items));
	t->subjects = xcalloc(from->subjects.n + 1, sizeof(*t->subjects)); /* at least the whole */
}

const struct item *translate_item(struct translation *t, const struct item *item)
{
	const struct item **known = &t->items[item->place];

	return *known ? *known : (*known = result_item(t->to, item));
}

const struct subject *translate_subject(struct translation *t, const struct subject *subject)
{
	const struct subject **known = &t->subjects[subject->place];

	return *known ? *known : (*known = result_subject(t->to, subject));
}

void translation_free(struct translation *t)
{
	free(t->items);
	free(t->subjects);
}
