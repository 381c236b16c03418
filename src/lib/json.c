#include "lib/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/number.h"

/* The well-formed sequences of the Unicode standard (table 3-7): by first byte, how many bytes, and what the second
 * may be; the others are 80..BF. */
static const struct sequence {
	unsigned char first, last, length, second_min, second_max;
} sequences[] = {
	{0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

/* How many bytes of s, which ends at NUL, are one character; *valid: whether they are one at all. */
static size_t sequence_length(const unsigned char *s, bool *valid)
{
	const struct sequence *q = sequences;
	size_t n = 1;

	*valid = false;
	while (q < sequences + sizeof(sequences) / sizeof(*sequences) && (*s < q->first || *s > q->last))
		q++;
	if (q == sequences + sizeof(sequences) / sizeof(*sequences))
		return 1;
	if (q->length > 1 && (s[1] < q->second_min || s[1] > q->second_max))
		return 1;
	for (n = q->length > 1 ? 2 : 1; n < q->length; n++)
		if (s[n] < 0x80 || s[n] > 0xbf)
			return n;
	*valid = true;
	return n;
}

static void put_escaped(FILE *out, unsigned char c)
{
	static const char letters[] = "\bb\ff\nn\rr\tt\"\"\\\\";

	for (const char *l = letters; *l; l += 2) {
		if (c == (unsigned char)l[0]) {
			putc('\\', out);
			putc(l[1], out);
			return;
		}
	}
	fprintf(out, "\\u%04x", c);
}

static void put_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		bool valid;
		size_t n = sequence_length(s, &valid);

		if (!valid)
			fputs("\xef\xbf\xbd", out);
		else if (n == 1 && (*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\'))
			put_escaped(out, *s);
		else if (*s == 0xc2 && s[1] < 0xa0) /* a C1 control: its second byte is its code */
			put_escaped(out, s[1]);
		else
			fwrite(s, 1, n, out);
		s += n;
	}
	putc('"', out);
}

static void put_key(struct json *j, const char *key)
{
	if (j->comma)
		putc(',', j->out);
	j->comma = true;
	if (key) {
		put_string(j->out, key);
		putc(':', j->out);
	}
}

static void begin(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	putc(bracket, j->out);
	j->comma = false;
}

static void end(struct json *j, char bracket)
{
	putc(bracket, j->out);
	j->comma = true;
}

void json_object_begin(struct json *j, const char *key)
{
	begin(j, key, '{');
}

void json_object_end(struct json *j)
{
	end(j, '}');
}

void json_array_begin(struct json *j, const char *key)
{
	begin(j, key, '[');
}

void json_array_end(struct json *j)
{
	end(j, ']');
}

void json_string(struct json *j, const char *key, const char *s)
{
	put_key(j, key);
	if (s)
		put_string(j->out, s);
	else
		fputs("null", j->out);
}

void json_u64(struct json *j, const char *key, uint64_t n)
{
	char buf[NUMBER_MAX];

	put_key(j, key);
	fputs(number_u64(buf, n), j->out);
}

void json_i64(struct json *j, const char *key, int64_t n)
{
	put_key(j, key);
	fprintf(j->out, "%" PRId64, n);
}

void json_double(struct json *j, const char *key, double v)
{
	char buf[NUMBER_MAX];

	put_key(j, key);
	fputs(isfinite(v) ? number_exact(buf, v) : "null", j->out);
}

void json_bool(struct json *j, const char *key, bool b)
{
	put_key(j, key);
	fputs(b ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	put_key(j, key);
	fputs("null", j->out);
}

void json_newline(struct json *j)
{
	putc('\n', j->out);
	j->comma = false;
}
