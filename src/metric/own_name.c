#include "metric/own_name.h"

#include <ctype.h>
#include <string.h>

#include "lib/util.h"

size_t own_name_word(const char *s)
{
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:.");
}

static bool is_event(const struct event_list *files, const char *s, size_t n)
{
	struct event_list list = {.vendor = files->vendor, .errata = files->errata};
	auto_free char *name = xstrndup(s, n);
	struct error ignored;
	bool is = event_list_add(&list, name, &ignored) == 0;

	event_list_free(&list);
	return is;
}

size_t own_name_hyphenated(const struct event_list *list, const char *s)
{
	size_t n = isalpha((unsigned char)*s) ? own_name_word(s) : 0;
	const char *hyphen;

	while ((hyphen = memrchr(s, '-', n)) && !is_event(list, s, n))
		n = (size_t)(hyphen - s);
	return hyphen ? n : 0;
}

size_t own_name_with_terms(const struct event_list *list, const char *s)
{
	size_t word = own_name_word(s);
	const char *end = word && s[word] == '/' ? strchr(s + word + 1, '/') : NULL;
	size_t n = end ? (size_t)(end + 1 - s) : 0;

	return n && is_event(list, s, n) ? n : 0;
}

size_t own_name_length(void *list, const char *s)
{
	size_t n = own_name_with_terms(list, s);

	return n ? n : own_name_hyphenated(list, s);
}
