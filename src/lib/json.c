#include "lib/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"

/* A record has dozens of small pieces, and no other thread writes to the file: the locks of stdio would cost more. */

static void put_code_escaped(FILE *out, uint32_t code)
{
	static const char codes[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
	const char *known = strchr(codes, (int)code); /* code is not 0 */

	if (known)
		fprintf(out, "\\%c", letters[known - codes]);
	else
		fprintf(out, "\\u%04x", (unsigned)code);
}

/* Returns the number of bytes of ASCII that need no escape. */
static size_t plain_length(const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

static void put_string(FILE *out, const char *s)
{
	const char *end = s + strlen(s);

	putc_unlocked('"', out);
	for (size_t n; s < end; s += n) {
		uint32_t code;

		n = plain_length(s);
		if (n) {
			fwrite_unlocked(s, 1, n, out);
			continue;
		}
		n = utf8_decode(s, (size_t)(end - s), &code);
		if (code == UTF8_INVALID)
			fputs_unlocked(UTF8_REPLACEMENT, out);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == '"' || code == '\\')
			put_code_escaped(out, code);
		else
			fwrite_unlocked(s, 1, n, out);
	}
	putc_unlocked('"', out);
}

static void put_key(struct json *j, const char *key)
{
	if (j->comma)
		putc_unlocked(',', j->out);
	if (j->comma && j->spaced)
		putc_unlocked(' ', j->out);
	j->comma = true;
	if (!key)
		return;
	put_string(j->out, key);
	if (j->spaced)
		fputs_unlocked(" : ", j->out);
	else
		putc_unlocked(':', j->out);
}

/* Writes a value that is already JSON. */
static void put_value(struct json *j, const char *key, const char *value)
{
	put_key(j, key);
	fputs_unlocked(value, j->out);
}

static void open_bracket(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	putc_unlocked(bracket, j->out);
	j->comma = false;
}

static void close_bracket(struct json *j, char bracket)
{
	putc_unlocked(bracket, j->out);
	j->comma = true;
}

void json_object_begin(struct json *j, const char *key)
{
	open_bracket(j, key, '{');
}

void json_object_end(struct json *j)
{
	close_bracket(j, '}');
}

void json_array_begin(struct json *j, const char *key)
{
	open_bracket(j, key, '[');
}

void json_array_end(struct json *j)
{
	close_bracket(j, ']');
}

void json_string(struct json *j, const char *key, const char *s)
{
	put_key(j, key);
	if (s)
		put_string(j->out, s);
	else
		fputs_unlocked("null", j->out);
}

void json_u64(struct json *j, const char *key, uint64_t n)
{
	char buf[NUMBER_MAX];

	put_value(j, key, number_u64(buf, n));
}

void json_i64(struct json *j, const char *key, int64_t n)
{
	put_key(j, key);
	fprintf(j->out, "%" PRId64, n);
}

void json_double(struct json *j, const char *key, double v)
{
	char buf[NUMBER_MAX];

	put_value(j, key, isfinite(v) ? number_exact(buf, v) : "null");
}

void json_fixed(struct json *j, const char *key, double v, int decimals)
{
	char buf[NUMBER_MAX];

	put_value(j, key, number_fixed(buf, v, decimals));
}

void json_bool(struct json *j, const char *key, bool b)
{
	put_value(j, key, b ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	json_string(j, key, NULL);
}

void json_known(struct json *j, const char *key, bool known, uint64_t n)
{
	known ? json_u64(j, key, n) : json_null(j, key);
}

void json_newline(struct json *j)
{
	putc_unlocked('\n', j->out);
	j->comma = false;
}

void json_strings(struct json *j, const char *key, const struct strings *strings)
{
	json_array_begin(j, key);
	for (size_t i = 0; i < strings->n; i++)
		json_string(j, NULL, strings->v[i]);
	json_array_end(j);
}

void json_words(struct json *j, const char *key, char **words)
{
	struct strings strings = {.v = words};

	while (words && words[strings.n])
		strings.n++;
	words ? json_strings(j, key, &strings) : json_null(j, key);
}
