#include "lib/text.h"

#include <ctype.h>
#include <string.h>

#include "lib/util.h"

size_t utf8_decode(const char *text, size_t n, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char first = s[0];
	size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0x80 ? 2 : 1;
	/* limits of the second byte: they exclude overlong forms, surrogates and code points above U+10FFFF */
	unsigned char min = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	unsigned char max = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	uint32_t value = length == 1 ? first : first & (0x7fu >> length);

	*code = UTF8_INVALID;
	if ((first >= 0x80 && first < 0xc2) || first > 0xf4)
		return 1;
	for (size_t i = 1; i < length; i++) {
		if (i == n || s[i] < min || s[i] > max)
			return i;
		value = value << 6 | (s[i] & 0x3fu);
		min = 0x80;
		max = 0xbf;
	}
	*code = value;
	return length;
}

bool utf8_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_column(const char *text, size_t at)
{
	size_t column = 1;

	for (size_t i = 0; i < at && text[i]; i++)
		column += !utf8_continues(text[i]);
	return column;
}

static bool code_is_harmful(uint32_t code)
{
	if (code == UTF8_INVALID || code < 0x20 || (code >= 0x7f && code <= 0x9f))
		return true;
	/* the controls of bidirectional text rearrange the rest of the line */
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

size_t text_plain(const char *s, size_t n)
{
	size_t length = 0;

	while (length < n && s[length] >= 0x20 && s[length] < 0x7f)
		length++;
	return length;
}

static void put_byte_escaped(FILE *out, char c)
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
	for (size_t i = 0, length; i < n; i += length) {
		uint32_t code;

		length = utf8_decode(s + i, n - i, &code);
		if (!code_is_harmful(code))
			fwrite(s + i, 1, length, out);
		else
			for (size_t k = 0; k < length; k++)
				put_byte_escaped(out, s[i + k]);
	}
}

char *text_safe(const char *s)
{
	char *buf = NULL;
	size_t n = strlen(s), size;
	FILE *out;

	if (text_plain(s, n) == n)
		return xstrdup(s);
	out = xopen_memstream(&buf, &size);
	text_put_safe(out, s, n);
	fclose(out);
	return buf;
}

void text_put_coded(FILE *out, const char *text, const char *const codes[128])
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < 128 && codes[(unsigned char)*p])
			fputs(codes[(unsigned char)*p], out);
		else
			putc(*p, out);
}

/* Well-formed UTF-8 without controls is valid XML, except for U+FFFE and U+FFFF. */
void text_put_xml(FILE *out, const char *safe)
{
	static const char *const codes[128] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
	auto_free char *text = xstrdup(safe);

	for (char *p = text; (p = strstr(p, "\xef\xbf")); p += 3)
		if (p[2] == '\xbe' || p[2] == '\xbf')
			p[2] = UTF8_REPLACEMENT[2];
	text_put_coded(out, text, codes);
}

char *text_valid(const char *s)
{
	char *buf = NULL;
	size_t n = strlen(s), size = 0;
	FILE *out = xopen_memstream(&buf, &size);

	for (size_t i = 0, length; i < n; i += length) {
		uint32_t code;

		length = utf8_decode(s + i, n - i, &code);
		if (code == UTF8_INVALID)
			fputs(UTF8_REPLACEMENT, out);
		else
			fwrite(s + i, 1, length, out);
	}
	fclose(out);
	return buf;
}

size_t text_width(const char *s)
{
	size_t n = strlen(s), width = 0;

	for (size_t i = 0, length; i < n; i += length) {
		uint32_t code;

		length = utf8_decode(s + i, n - i, &code);
		if (!code_is_harmful(code))
			width++;
		else
			width += s[i] == '\n' || s[i] == '\t' ? 2 : 4 * length;
	}
	return width;
}

size_t text_columns(const char *s)
{
	size_t n = strlen(s), columns = text_plain(s, n);
	uint32_t code;

	for (size_t i = columns; i < n; i += utf8_decode(s + i, n - i, &code))
		columns++;
	return columns;
}

/* ASCII only: event names are ASCII, and a locale must not change which names are near. */
static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

#define WORD_MAX 255 /* longer words have no near names */

static unsigned smallest_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Returns the optimal string alignment distance of a and b, or any number above limit if the distance is above it.
 * Stops after a row that is wholly beyond the limit: a row's minimum is at most one above the minimum of the row
 * before, so a swap, which looks two rows back, cannot return below the limit. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length, unsigned limit,
			      size_t *rows)
{
	unsigned cells[3][WORD_MAX + 1];
	unsigned *before = cells[0], *above = cells[1], *row = cells[2];

	for (size_t j = 0; j <= b_length; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		unsigned *spare = before, best = row[0] = (unsigned)i;

		++*rows;
		for (size_t j = 1; j <= b_length; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			row[j] = smallest_of(above[j - 1] + !same, smallest_of(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = smallest_of(row[j], before[j - 2] + 1);
			best = smallest_of(best, row[j]);
		}
		if (best > limit)
			return best;
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

/* A third of the word, or 2 for short words, but never the whole word: `ab` is not near `cd`. */
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
	distance = edit_distance(s->word, word_length, candidate, length, limit, &s->rows);
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

uint64_t text_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * TEXT_HASH_STEP;
	return hash;
}

char *text_trimmed(const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return xstrndup(s, n);
}

char *text_item(const char **list, bool nested)
{
	const char *s = *list;
	char *item, *end;
	int depth = 0;

	if (!s)
		return NULL;
	for (end = item = xmalloc(strlen(s) + 1); *s && (*s != ',' || depth > 0); s++) {
		depth += nested ? (*s == '(' || *s == '<') - (*s == ')' || *s == '>') : 0;
		s += s[0] == '\\' && s[1] == ',';
		*end++ = *s;
	}
	*end = '\0';
	*list = *s ? s + 1 : NULL;
	return item;
}

char *text_one_line(const char *text)
{
	static const char white[] = " \t\n\v\f\r";
	char *line = xmalloc(strlen(text) + 1), *to = line;

	*to = '\0';
	for (text += strspn(text, white); *text; text += strspn(text, white)) {
		size_t n = strcspn(text, white);

		if (to > line)
			*to++ = ' ';
		to = mempcpy(to, text, n);
		*to = '\0';
		text += n;
	}
	return line;
}

char *text_shorten(const char *text, size_t most, const char *mark)
{
	size_t n = text_columns(text), kept = most - text_columns(mark), head = (kept + 1) / 2, tail = kept - head,
	       i = 0;
	const char *p = text, *end_of_head = text, *begin_of_tail = text;

	if (n <= most)
		return xstrdup(text);
	for (; *p; p++) {
		if (utf8_continues(*p))
			continue;
		end_of_head = i == head ? p : end_of_head;
		begin_of_tail = i++ == n - tail ? p : begin_of_tail;
	}
	return xasprintf("%.*s%s%s", (int)(end_of_head - text), text, mark, tail ? begin_of_tail : "");
}

char *text_cut(const char *text, size_t n, size_t most)
{
	static const char mark[] = "...";
	size_t head = (most - strlen(mark)) / 2, tail = n - head;

	if (n <= most)
		return xstrndup(text, n);
	while (head > 0 && utf8_continues(text[head]))
		head--;
	while (tail < n && utf8_continues(text[tail]))
		tail++;
	return xasprintf("%.*s%s%.*s", (int)head, text, mark, (int)(n - tail), text + tail);
}

void text_put_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
	size_t column = indent;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t n = strcspn(text, " ");
		auto_free char *word = xstrndup(text, n);
		size_t columns = text_width(word);

		if (width && column > indent && column + 1 + columns > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			putc(' ', out);
			column++;
		}
		fputs(word, out);
		column += columns;
		text += n;
	}
}
