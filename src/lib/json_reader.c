#include "lib/json_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

struct parser {
	char *s; /* the next byte to read */
	const char *end;
	const char *line_start;
	size_t line;
	unsigned depth;
	const char *name;         /* of the current member; NULL outside of objects */
	struct json_member *open; /* members of the unfinished objects */
	size_t n_open;
	struct json_records *records;
	const char *path;
	struct error *e;
};

static int parse_error(const struct parser *p, const char *at, const char *what)
{
	return error_set(p->e, EINVAL, "%s, line %zu, column %zu: %s", p->path, p->line,
			 (size_t)(at - p->line_start) + 1, what);
}

/* Returns the next byte that is not white space; NUL at the end. */
static char next_byte(struct parser *p)
{
	for (;; p->s++) {
		if (*p->s == '\n') {
			p->line++;
			p->line_start = p->s + 1;
		} else if (*p->s != ' ' && *p->s != '\t' && *p->s != '\r') {
			return *p->s;
		}
	}
}

static int unexpected(const struct parser *p, const char *expected)
{
	auto_free char *what = NULL;

	if (p->s >= p->end)
		what = xasprintf("the text ends where %s is expected", expected);
	else if (isgraph((unsigned char)*p->s))
		what = xasprintf("'%c' where %s is expected", *p->s, expected);
	else
		what = xasprintf("byte 0x%02x where %s is expected", (unsigned char)*p->s, expected);
	return parse_error(p, p->s, what);
}

/* ---- strings ---- */

static bool hex_parse(const char *s, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return false;
		*code = *code << 4 | (uint32_t)(isdigit((unsigned char)s[i]) ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	}
	return true;
}

static char *utf8_put(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* Decodes \uXXXX at s, which may begin a surrogate pair; an unpaired surrogate becomes U+FFFD. Returns NULL if it is
 * malformed, or NUL, which no name may contain. */
static char *unicode_decode(char **s, char *to)
{
	uint32_t code, low;

	if (!hex_parse(*s + 2, &code) || code == 0)
		return NULL;
	*s += 6;
	if (code >= 0xd800 && code < 0xdc00 && (*s)[0] == '\\' && (*s)[1] == 'u' && hex_parse(*s + 2, &low) &&
	    low >= 0xdc00 && low < 0xe000) {
		*s += 6;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code >= 0xd800 && code < 0xe000) {
		code = 0xfffd;
	}
	return utf8_put(to, code);
}

/* True if the text ends within the escape sequence at s. */
static bool escape_is_cut(const struct parser *p, const char *s)
{
	return s + 1 >= p->end || (s[1] == 'u' && s + 2 + strspn(s + 2, "0123456789abcdefABCDEF") >= p->end);
}

/* Decodes and terminates in place the string whose first quote is p->s. Returns NULL if it is malformed. */
static char *parse_string(struct parser *p)
{
	static const char letters[] = "\"\\/bfnrt", codes[] = "\"\\/\b\f\n\r\t";
	char *start = p->s + 1, *s = start, *to;

	while ((unsigned char)*s >= 0x20 && *s != '"' && *s != '\\')
		s++;
	for (to = s; *s != '"';) {
		const char *letter = *s == '\\' && s[1] ? strchr(letters, s[1]) : NULL;

		if (letter) {
			*to++ = codes[letter - letters];
			s += 2;
		} else if (*s == '\\' && s[1] == 'u') {
			to = unicode_decode(&s, to);
		} else if ((unsigned char)*s >= 0x20 && *s != '\\') {
			*to++ = *s++;
		} else {
			to = NULL;
		}
		if (!to) {
			parse_error(p, s,
				    s >= p->end || (*s == '\\' && escape_is_cut(p, s)) ? "the text ends within a string"
				    : *s == '\\' ? "an escape sequence that JSON does not have, or a NUL"
						 : "a control character within a string");
			return NULL;
		}
	}
	*to = '\0';
	p->s = s + 1;
	return start;
}

/* ---- values ---- */

/* Parses a number or a word, moved by one byte over what precedes it to make room for a NUL. */
static char *parse_scalar(struct parser *p)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t n = strcspn(p->s, " \t\r\n,]}:\"[{");
	char *text = p->s - 1, *end;
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		known |= strlen(words[i]) == n && memcmp(p->s, words[i], n) == 0;
	if (!known && (*p->s == '-' || isdigit((unsigned char)*p->s))) {
		strtod(p->s, &end); /* LC_NUMERIC is always C */
		known = end == p->s + n && strspn(p->s, "0123456789+-.eE") == n;
	}
	if (!known) {
		unexpected(p, "a value");
		return NULL;
	}
	p->s += n;
	memmove(text, text + 1, n);
	text[n] = '\0';
	if (strcmp(text, "null") == 0)
		*text = '\0';
	return text;
}

static int parse_container(struct parser *p);

static int parse_value(struct parser *p)
{
	char c = next_byte(p);
	const char *value;

	if (c == '{' || c == '[')
		return parse_container(p);
	value = c == '"' ? parse_string(p) : parse_scalar(p);
	if (!value)
		return -EINVAL;
	if (p->name)
		*ARRAY_PUSH(p->open, p->n_open) = (struct json_member){p->name, value, c == '"'};
	return 0;
}

static int parse_member(struct parser *p)
{
	if (next_byte(p) != '"')
		return unexpected(p, "a member's name");
	p->name = parse_string(p);
	if (!p->name)
		return -EINVAL;
	if (next_byte(p) != ':')
		return unexpected(p, "':'");
	p->s++;
	return parse_value(p);
}

/* The object has ended: its members are the last ones read. */
static void add_record(struct parser *p, size_t first, size_t line)
{
	struct json_records *records = p->records;

	*ARRAY_PUSH(records->v, records->n) = (struct json_record){
		.value_of = p->name, .first = records->n_members, .n = p->n_open - first, .line = line};
	for (size_t i = first; i < p->n_open; i++)
		*ARRAY_PUSH(records->members, records->n_members) = p->open[i];
	p->n_open = first;
}

/* Parses an object or an array; p->s points to its bracket. */
static int parse_container(struct parser *p)
{
	const char *name = p->name;
	bool is_object = *p->s == '{';
	char close = is_object ? '}' : ']';
	size_t first = p->n_open, line = p->line;
	char c;

	if (p->depth++ == JSON_DEPTH_MAX)
		return parse_error(p, p->s, "objects and arrays are nested too deeply");
	p->s++;
	c = next_byte(p);
	while (c != close) {
		if (!is_object && p->name && next_byte(p) == '[')
			*ARRAY_PUSH(p->open, p->n_open) = (struct json_member){p->name, JSON_ARRAY, false};
		if (is_object ? parse_member(p) : parse_value(p))
			return -EINVAL;
		c = next_byte(p);
		if (c != ',' && c != close)
			return unexpected(p, is_object ? "',' or '}'" : "',' or ']'");
		p->s += c == ',';
	}
	p->s++;
	p->depth--;
	p->name = name;
	if (is_object)
		add_record(p, first, line);
	return 0;
}

int json_read(struct json_records *records, char *text, size_t size, const char *path, size_t line, struct error *e)
{
	struct parser p = {.s = text,
			   .end = text + size,
			   .line_start = text,
			   .line = line,
			   .records = records,
			   .path = path,
			   .e = e};
	char c = next_byte(&p);
	int error;

	*records = (struct json_records){0};
	if (c != '{' && c != '[')
		return unexpected(&p, "'{' or '['");
	error = parse_container(&p);
	free(p.open);
	if (error)
		return error;
	next_byte(&p);
	return p.s == p.end ? 0 : unexpected(&p, "the end");
}

const struct json_member *json_member_find(const struct json_member *members, size_t n, const char *name)
{
	while (n-- > 0)
		if (strcmp(members[n].name, name) == 0)
			return &members[n];
	return NULL;
}

void json_records_free(struct json_records *records)
{
	free(records->v);
	free(records->members);
	*records = (struct json_records){0};
}
