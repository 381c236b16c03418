#include "lib/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "lib/util.h"

/* The code point that s begins with, by the Unicode standard's table 3-7: no overlong forms, no surrogates, nothing
 * above U+10FFFF. Returns its bytes, 0 when they are not UTF-8. */
static size_t utf8_decode(const unsigned char *s, size_t n, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length;

	if (s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (length > n)
		return 0;
	*code = s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3fu);
	}
	if (*code < smallest[length] || (*code >= 0xd800 && *code <= 0xdfff) || *code > 0x10ffff)
		return 0;
	return length;
}

static bool code_is_harmful(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
		return true;
	/* the controls of bidirectional text rearrange the rest of the line */
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Bytes to take from s in one piece; *escape says whether each of them must be escaped. */
static size_t next_piece(const char *s, size_t n, bool *escape)
{
	unsigned char bytes[4] = {0};
	uint32_t code = 0;
	size_t length;

	memcpy(bytes, s, n < sizeof(bytes) ? n : sizeof(bytes));
	length = utf8_decode(bytes, n, &code);
	*escape = length == 0 || code_is_harmful(code);
	return length ? length : 1;
}

size_t text_plain(const char *s, size_t n)
{
	size_t length = 0;

	while (length < n && s[length] >= 0x20 && s[length] < 0x7f)
		length++;
	return length;
}

static void put_escaped(FILE *out, char c)
{
	if (c == '\n')
		fputs("\\n", out);
	else if (c == '\t')
		fputs("\\t", out);
	else
		fprintf(out, "\\x%02x", (unsigned)(unsigned char)c);
}

void text_put_safe(FILE *out, const char *s, size_t n)
{
	size_t plain = text_plain(s, n);

	fwrite(s, 1, plain, out);
	for (size_t i = plain, length; i < n; i += length) {
		bool escape;

		length = next_piece(s + i, n - i, &escape);
		if (!escape)
			fwrite(s + i, 1, length, out);
		else
			for (size_t k = 0; k < length; k++)
				put_escaped(out, s[i + k]);
	}
}

char *text_safe(const char *s)
{
	char *buf = NULL;
	size_t n = strlen(s), size = 0;
	FILE *out;

	if (text_plain(s, n) == n)
		return xstrdup(s);
	out = xopen_memstream(&buf, &size);
	text_put_safe(out, s, n);
	if (fclose(out) || !buf) {
		free(buf);
		return xstrdup("");
	}
	return buf;
}

size_t text_width(const char *s)
{
	size_t n = strlen(s);
	size_t width = text_plain(s, n);

	for (size_t i = width, length; i < n; i += length) {
		bool escape;

		length = next_piece(s + i, n - i, &escape);
		if (!escape)
			width++;
		else if (s[i] == '\n' || s[i] == '\t')
			width += 2;
		else
			width += 4 * length;
	}
	return width;
}

size_t text_columns(const char *s)
{
	size_t n = strlen(s), columns = text_plain(s, n);
	bool escape;

	for (size_t i = columns; i < n; i += next_piece(s + i, n - i, &escape))
		columns++;
	return columns;
}

/* ASCII only: event names are, and a locale must not change what is near. */
static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

#define WORD_MAX 255 /* longer words have no near names */

static unsigned smallest_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance of a and b; limit + 1 when it is larger than limit. Only the cells within limit
 * of the diagonal are computed, and nothing more once a whole row is beyond the limit. (A row can be at most one
 * above the row before it, so a swap, which looks two rows back, cannot come back below the limit either.) */
static unsigned edit_distance(const char *a, unsigned a_length, const char *b, unsigned b_length, unsigned limit)
{
	unsigned cells[3][WORD_MAX + 2];
	unsigned *before = cells[0], *above = cells[1], *row = cells[2];

	for (unsigned j = 0; j <= b_length; j++)
		above[j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned first = i > limit ? i - limit : 1;
		unsigned last = smallest_of(i + limit, b_length);
		unsigned best = limit + 1;
		unsigned *spare = before;

		row[first - 1] = first == 1 ? i : limit + 1;
		for (unsigned j = first; j <= last; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);
			unsigned cost = smallest_of(above[j - 1] + !same, row[j - 1] + 1);

			if (j < i + limit || i == 1) /* the cell above lies within its row's band */
				cost = smallest_of(cost, above[j] + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
				cost = smallest_of(cost, before[j - 2] + 1);
			row[j] = cost;
			best = smallest_of(best, cost);
		}
		if (best > limit)
			return limit + 1;
		before = above;
		above = row;
		row = spare;
	}
	return above[b_length];
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && lower(a[n]) == lower(b[n]))
		n++;
	return n;
}

/* A third of the word, 2 for short ones; but never all of it: `ab` is not near to `cd`. */
static unsigned distance_limit(unsigned length)
{
	unsigned limit = length / 3 > 2 ? length / 3 : 2;

	return smallest_of(limit, length - 1);
}

static bool candidate_is_known(const struct suggest *s, const char *candidate)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->best[i], candidate) == 0)
			return true;
	return false;
}

void suggest_offer(struct suggest *s, const char *candidate)
{
	size_t word_length = strlen(s->word), length = strlen(candidate);
	unsigned limit, distance;
	size_t place, prefix;

	if (word_length == 0 || word_length > WORD_MAX || length == 0 || length > WORD_MAX)
		return;
	limit = distance_limit((unsigned)word_length);
	if (s->n == SUGGEST_MAX)
		limit = smallest_of(limit, s->distance[s->n - 1]);
	if (length > word_length + limit || word_length > length + limit)
		return;
	distance = edit_distance(s->word, (unsigned)word_length, candidate, (unsigned)length, limit);
	if (distance > limit || candidate_is_known(s, candidate))
		return;

	prefix = common_prefix(s->word, candidate);
	for (place = s->n; place > 0; place--) {
		unsigned other = s->distance[place - 1];

		if (other < distance || (other == distance && common_prefix(s->word, s->best[place - 1]) >= prefix))
			break;
	}
	if (place == SUGGEST_MAX)
		return;
	if (s->n == SUGGEST_MAX)
		free(s->best[--s->n]);
	memmove(&s->best[place + 1], &s->best[place], (s->n - place) * sizeof(s->best[0]));
	memmove(&s->distance[place + 1], &s->distance[place], (s->n - place) * sizeof(s->distance[0]));
	s->best[place] = xstrdup(candidate);
	s->distance[place] = distance;
	s->n++;
}

const char *suggest_finish(struct suggest *s, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < s->n; i++) {
		const char *before = i == 0 ? "did you mean " : i + 1 == s->n ? " or " : ", ";
		int n = snprintf(buf + used, size - used, "%s%s%s", before, s->best[i], i + 1 == s->n ? "?" : "");

		used = n > 0 && used + (size_t)n < size ? used + (size_t)n : size - 1;
		free(s->best[i]);
		s->best[i] = NULL;
	}
	s->n = 0;
	return buf;
}
