#include "resolve/eventscan.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "pmu/terms.h"
#include "resolve/resolve.h"

#define NAME_MAX_BYTES 4096 /* of an event; a probe's PATH may have the kernel's maximal length */

struct scanner {
	const char *text;
	struct event_tokens *tokens;
	struct error *e;
};

/* True for "\\,", "\\{" and so on, where the byte belongs to a name. A backslash before any other byte is literal. */
static bool byte_is_escaped(const char *s)
{
	return s[0] == '\\' && s[1] && strchr(",{}:", s[1]);
}

static PRINTF_LIKE(4, 5) int syntax_error(struct scanner *s, size_t at, size_t length, const char *format, ...)
{
	char reason[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(reason, sizeof(reason), format, ap);
	va_end(ap);
	error_set_at(s->e, EINVAL, at, length, "event list (column %zu): %s", text_column(s->text, at), reason);
	error_show_token(s->e, s->text);
	return -EINVAL;
}

static size_t skip_space(const char *text, size_t at)
{
	while (isspace((unsigned char)text[at]))
		at++;
	return at;
}

static size_t trim_space(const char *text, size_t at, size_t end)
{
	while (end > at && isspace((unsigned char)text[end - 1]))
		end--;
	return end - at;
}

/* Reports that there is no event at `at`. */
static int scan_nothing(struct scanner *s, size_t at)
{
	size_t before = trim_space(s->text, 0, at);

	if (s->text[at])
		return syntax_error(s, at, 1, "no event before '%c'", s->text[at]);
	if (before)
		return syntax_error(s, before - 1, 1, "no event after '%c'%s", s->text[before - 1],
				    s->text[before - 1] == ',' ? "; quote a list that contains blanks" : "");
	return syntax_error(s, 0, 0, "it is empty");
}

/* Returns the length of the text in brackets at s, such as the parameters of a C++ function; 0 without a ')' or '>'. */
static size_t span_brackets(const char *s)
{
	const char *pair = *s == '(' ? "()" : *s == '<' ? "<>" : NULL;
	size_t depth = 0;

	for (size_t i = 0; pair && s[i] && i < NAME_MAX_BYTES; i++) {
		depth += s[i] == pair[0];
		depth -= s[i] == pair[1];
		if (depth == 0)
			return i + 1;
	}
	return 0;
}

/* Finds the length of the event at `at`: up to a comma or a brace outside pmu/…/ and outside a probe's brackets. */
static int scan_event(struct scanner *s, size_t at, size_t *length)
{
	const char *text = s->text;
	bool is_path = resolve_is_path(text + at), terms = !is_path;
	size_t i, brackets;

	for (i = at; text[i] && !strchr(",{}", text[i]); i++) {
		brackets = is_path ? span_brackets(text + i) : 0;
		if (byte_is_escaped(text + i)) {
			i++;
		} else if (brackets) {
			i += brackets - 1;
		} else if (text[i] == '/' && terms) {
			size_t slash = i;

			i += 1 + terms_span(text + i + 1, "/");
			if (!text[i])
				return syntax_error(s, slash, 1, "'/' has no closing '/'");
			terms = false;
		}
	}
	*length = trim_space(text, at, i);
	if (*length == 0)
		return scan_nothing(s, i);
	if (*length > NAME_MAX_BYTES)
		return syntax_error(s, at, *length, "the event's name is too long: %zu bytes, at most %d", *length,
				    NAME_MAX_BYTES);
	if (text[i] == '{')
		return syntax_error(s, i, 1, "'{' within a name (write \\{ if it belongs to the name)");
	return 0;
}

static void token_add(struct scanner *s, enum event_token_kind kind, size_t at, size_t length)
{
	*ARRAY_PUSH(s->tokens->v, s->tokens->n) = (struct event_token){kind, at, length};
}

/* Scans a '{' at *at; moves *at to the first event. */
static int scan_open(struct scanner *s, size_t *at, bool in_group)
{
	size_t first = skip_space(s->text, *at + 1);

	if (in_group)
		return syntax_error(s, *at, 1, "'{' within a group: groups cannot be nested");
	if (s->text[first] == '}')
		return syntax_error(s, *at, first + 1 - *at, "a group '{}' without events");
	token_add(s, TOKEN_OPEN, *at, 1);
	*at = first;
	return 0;
}

/* Scans a '}' at *at; moves *at behind its letters. */
static int scan_close(struct scanner *s, size_t *at, bool in_group)
{
	const char *text = s->text;
	size_t letters = skip_space(text, *at + 1);
	size_t end = letters;

	if (!in_group)
		return syntax_error(s, *at, 1, "'}' without a '{' before it");
	if (text[letters] == ':')
		end += strcspn(text + letters, ",{}");
	token_add(s, TOKEN_CLOSE, letters, trim_space(text, letters, end));
	*at = end;
	if (text[end] && !strchr(",}", text[end]))
		return syntax_error(s, end, 1, "',' or ':' expected after '}'");
	return 0;
}

int event_scan(struct event_tokens *tokens, const char *text, struct error *e)
{
	struct scanner s = {.text = text, .tokens = tokens, .e = e};
	bool in_group = false;
	size_t at = 0, open = 0, length = 0;

	for (;; at++) {
		at = skip_space(text, at);
		while (text[at] == '{') {
			open = at;
			if (scan_open(&s, &at, in_group))
				return -EINVAL;
			in_group = true;
		}
		if (text[at] == '}' && !in_group)
			return scan_close(&s, &at, in_group);
		if (scan_event(&s, at, &length))
			return -EINVAL;
		token_add(&s, TOKEN_EVENT, at, length);
		at = skip_space(text, at + length);
		for (; text[at] == '}'; in_group = false)
			if (scan_close(&s, &at, in_group))
				return -EINVAL;
		if (!text[at])
			return in_group ? syntax_error(&s, open, 1, "'{' has no closing '}'") : 0;
	}
}

/* True if the backslash at s is removed. It stays before a colon: probe needs to see an escaped colon. */
static bool byte_is_dropped(const char *s)
{
	return byte_is_escaped(s) && s[1] != ':';
}

char *event_token_name(const struct event_token *token, const char *text)
{
	const char *s = text + token->at;
	char *name = xmalloc(token->length + 1);
	size_t n = 0;

	for (size_t i = 0; i < token->length; i++) {
		i += byte_is_dropped(s + i);
		name[n++] = s[i];
	}
	name[n] = '\0';
	return name;
}

size_t event_token_offset(const struct event_token *token, const char *text, size_t at)
{
	const char *s = text + token->at;
	size_t i = 0;

	for (; at && i < token->length; at--)
		i += byte_is_dropped(s + i) ? 2 : 1;
	return i < token->length ? i : token->length;
}
