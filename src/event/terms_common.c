/* Terms as text, and those that are for all events. */
#include <errno.h>
#include <string.h>

#include "event/terms_internal.h"
#include "lib/text.h"
#include "lib/util.h"

void terms_free(struct terms *terms)
{
	free(terms->text);
	free(terms->v);
}

size_t terms_span(const char *s, const char *stop)
{
	bool quoted = false;
	size_t n;

	for (n = 0; s[n]; n++) {
		if (s[n] == '\'')
			quoted = !quoted;
		else if (!quoted && strchr(stop, s[n]))
			break;
	}
	return n;
}

void terms_split(struct terms *terms, const char *text, size_t n, size_t at)
{
	*terms = (struct terms){.text = xstrndup(text, n)};
	for (char *s = n ? terms->text : NULL, *next; s; s = next) {
		struct term *t = ARRAY_PUSH(terms->v, terms->n);
		size_t length = terms_span(s, ",");

		next = s[length] ? s + length + 1 : NULL;
		s[length] = '\0';
		*t = (struct term){s, strchr(s, '='), at + (size_t)(s - terms->text), length};
		if (t->value)
			*t->value++ = '\0';
	}
}

int term_value_error(const struct term *t, struct error *e)
{
	if (!t->value)
		return error_token(e, t->at, t->length);
	return error_token(e, t->at + (size_t)(t->value - t->name), strlen(t->value));
}

int term_number(const struct term *t, uint64_t *value, struct error *e)
{
	int ret;

	*value = 1;
	ret = t->value ? parse_number(t->value, value) : 0;
	if (ret == -ERANGE)
		error_set(e, ERANGE, "value %s of term '%s' does not fit into 64 bits", t->value, t->name);
	else if (ret)
		error_set(e, EINVAL, "value '%s' of term '%s' is not a number", t->value, t->name);
	else
		return 0;
	return term_value_error(t, e);
}

/* name=TEXT or name='TEXT' */
static int term_name(struct event *event, const struct term *t, struct error *e)
{
	const char *value = t->value ? t->value : "";
	size_t n = strlen(value);

	if (n >= 2 && value[0] == '\'' && value[n - 1] == '\'') {
		value++;
		n -= 2;
	}
	if (n == 0)
		return error_set_at(e, EINVAL, t->at, t->length, "term 'name' needs a value");
	free(event->name);
	event->name = xstrndup(value, n);
	return 0;
}

int term_common(struct event *event, const struct term *t, struct error *e)
{
	bool is_percore = strcmp(t->name, "percore") == 0;
	uint64_t number;
	int ret;

	if (strcmp(t->name, "name") == 0)
		return term_name(event, t, e);
	if (!is_percore && strcmp(t->name, "period") != 0 && strcmp(t->name, "freq") != 0)
		return -ENOENT;
	ret = term_number(t, &number, e);
	if (ret == 0 && is_percore)
		event->percore = number != 0;
	return ret;
}

int terms_apply_common(const char *text, size_t n, size_t at, struct event *event, struct error *e)
{
	__attribute__((cleanup(terms_free))) struct terms terms = {0};
	int ret = 0;

	terms_split(&terms, text, n, at);
	for (size_t i = 0; i < terms.n && ret == 0; i++) {
		const struct term *t = &terms.v[i];

		ret = term_common(event, t, e);
		if (ret == -ENOENT)
			error_set_at(e, ENOENT, t->at, t->length,
				     "kernel events have no term '%s'; their terms are name, percore, period and freq",
				     t->name);
	}
	return ret;
}
