/* Terminal safety on bytes chosen by hand from the Unicode standard; edit distance against a plain recursive
 * definition on random words. */
#include "lib/text.h"

#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/util.h"
#include "tap.h"

static void is_safe(const char *bytes, const char *expected, const char *what)
{
	char *safe = text_safe(bytes);

	is_string(safe, expected, what);
	is_number(text_width(bytes), text_width(expected), "... and its width is that of the safe text");
	free(safe);
}

static void test_safe(void)
{
	is_safe("cycles:u", "cycles:u", "plain text is untouched");
	is_safe("a\\b", "a\\b", "a backslash stays");
	is_safe("a\nb\tc", "a\\nb\\tc", "newline and tab");
	is_safe("\x1b[31mred\x07\x7f\r", "\\x1b[31mred\\x07\\x7f\\x0d", "C0 and DEL");
	is_safe("\xc2\x9b"
		"31m",
		"\\xc2\\x9b31m", "C1, a CSI in UTF-8");
	is_safe("\x9b"
		"31m",
		"\\x9b31m", "C1 as a single byte");
	is_safe("\xc2\xa0\xc3\xa9", "\xc2\xa0\xc3\xa9", "the first code point above C1, and a letter");
	is_safe("\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80", "three and four bytes");
	is_safe("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "U+10FFFF");
	is_safe("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "above U+10FFFF");
	is_safe("\xc0\xaf", "\\xc0\\xaf", "overlong, two bytes");
	is_safe("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", "overlong, three bytes");
	is_safe("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", "overlong, four bytes");
	is_safe("\xed\xa0\x80", "\\xed\\xa0\\x80", "a surrogate");
	is_safe("\xe2\x82", "\\xe2\\x82", "cut short");
	is_safe("\xe2(\xa1", "\\xe2(\\xa1", "no continuation");
	is_safe("\xe2\x80\xae"
		"abc",
		"\\xe2\\x80\\xae"
		"abc",
		"right-to-left override");
	is_safe("\xe2\x81\xa6", "\\xe2\\x81\\xa6", "left-to-right isolate");
	is_safe("\xe2\x81\xaa", "\xe2\x81\xaa", "the code point after the isolates");
	is_number(text_width("\xc3\xa9t\xc3\xa9"), 3, "a code point is one column");
}

static void test_put(void)
{
	char *buf = NULL;
	size_t size;
	FILE *out = open_memstream(&buf, &size);

	text_put_safe(out, "a\0b\xe2\x82\xac", 5);
	fclose(out);
	is_string(buf, "a\\x00b\\xe2\\x82", "n is obeyed, NUL is a byte like others, a sequence cut by n is not UTF-8");
	free(buf);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The definition, without any table. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned d;

	if (n == 0 || m == 0)
		return (unsigned)(n + m);
	d = distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
	d = least(d, distance(a, n - 1, b, m) + 1);
	d = least(d, distance(a, n, b, m - 1) + 1);
	if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1])
		d = least(d, distance(a, n - 2, b, m - 2) + 1);
	return d;
}

static void random_word(char *word, unsigned *seed)
{
	size_t n = 1 + (size_t)rand_r(seed) % 7;

	for (size_t i = 0; i < n; i++)
		word[i] = (char)('a' + rand_r(seed) % 3);
	word[n] = '\0';
}

static void test_distance(void)
{
	unsigned seed = 1;
	int wrong = 0, near = 0;

	for (int i = 0; i < 3000; i++) {
		char word[8], candidate[8], buf[64];
		struct suggest s = {.word = word};
		unsigned d, limit, got;

		random_word(word, &seed);
		random_word(candidate, &seed);
		d = distance(word, strlen(word), candidate, strlen(candidate));
		limit = least(2, (unsigned)strlen(word) - 1);
		suggest_offer(&s, candidate);
		got = s.n ? s.distance[0] : 99;
		wrong += d <= limit ? got != d : s.n != 0;
		near += d <= limit;
		suggest_finish(&s, buf, sizeof(buf));
	}
	is_number(wrong, 0, "3000 random pairs have the distance of the definition");
	ok(near > 500, "... of which many are near");
}

static const char *nearest(const char *word, const char *const *candidates, char *buf, size_t size)
{
	struct suggest s = {.word = word};

	for (; *candidates; candidates++)
		suggest_offer(&s, *candidates);
	return suggest_finish(&s, buf, size);
}

static void test_suggest(void)
{
	static const char *const names[] = {"cycles",     "ref-cycles", "instructions", "branch-misses",
					    "bus-cycles", "branches",   "cache-misses", NULL};
	static const char *const same[] = {"abcdeX", "Xbcdef", "abXdef", "abcXef", "abcdeX", NULL};
	static const char *const words[] = {"cs", "ab", "x", NULL};
	char buf[128];

	is_string(nearest("cylces", names, buf, sizeof(buf)), "did you mean cycles?", "a swap");
	is_string(nearest("INSTRUCTION", names, buf, sizeof(buf)), "did you mean instructions?",
		  "case does not matter");
	is_string(nearest("branch-mises", names, buf, sizeof(buf)), "did you mean branch-misses or branches?",
		  "the nearest first");
	is_string(nearest("frobnicate", names, buf, sizeof(buf)), "", "nothing near");
	is_string(nearest("abcdef", same, buf, sizeof(buf)), "did you mean abcdeX, abcXef or abXdef?",
		  "at most three, the longest common prefix first, none twice");
	is_string(nearest("de", words, buf, sizeof(buf)), "", "a word that is replaced as a whole is not near");
	is_string(nearest("", words, buf, sizeof(buf)), "", "the empty text is near to nothing");
	is_string(nearest("cylces", names, buf, 12), "did you mea", "a small buffer is never overrun");
}

/* Counted in rows of the distance tables: a time would depend on the machine and its load. */
static void test_cost(void)
{
	static const char word[] = "MEM_LOAD_RETIRED.L3_MISSES";
	struct suggest s = {.word = word};
	char buf[256];

	for (unsigned i = 0; i < 20000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "MEM_EVENT_%05u.L3_MISS_%x", i, i * 2654435761u);
		suggest_offer(&s, name);
	}
	printf("# 20,000 candidates: %zu rows, whole tables have %zu\n", s.rows, 20000 * strlen(word));
	ok(s.rows > 0 && s.rows < 20000 * strlen(word) * 3 / 5 && s.n == 0,
	   "candidates cost less than computing whole tables");
	suggest_offer(&s, "MEM_LOAD_RETIRED.L3_MISS");
	ok(s.n > 0 && s.distance[0] == 2, "and the near one of 20,000 is found");
	suggest_finish(&s, buf, sizeof(buf));
}

static void is_cut(const char *text, size_t most, const char *expected, const char *what)
{
	auto_free char *cut = text_cut(text, strlen(text), most);

	is_string(cut, expected, what);
	ok(strlen(cut) <= most, "... and it is short enough");
}

static void test_cut(void)
{
	char name[2000];
	struct error e;

	is_cut("abcdefghij", 10, "abcdefghij", "a short text is kept");
	is_cut("abcdefghijk", 10, "abc...ijk", "a long one loses its middle");
	is_cut("abcdefghijk", 9, "abc...ijk", "an odd number");
	is_cut("a\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xacz", 12, "a\xe2\x82\xac...\xe2\x82\xacz",
	       "not within a character");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	error_set(&e, 1, "cannot read '%s': it is gone", name);
	ok(strncmp(e.text, "cannot read 'xxx", 16) == 0 && strlen(e.text) > 1000, "a long error keeps its beginning");
	ok(strstr(e.text, "xxx': it is gone"), "and its end");
}

static void test_items(void)
{
	static const char *const expected[] = {"a,b", "c\\d", "", "f(g,h)", "i"};
	const char *list = "a\\,b,c\\d,,f(g,h),i", *plain = "f(g,h)";

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		auto_free char *item = text_item(&list, true);

		is_string(item, expected[i], "an item of a list");
	}
	ok(!text_item(&list, true), "... which then ends");
	free(text_item(&plain, false));
	is_string(plain, "h)", "not all lists have nested commas");
}

int main(void)
{
	test_safe();
	test_put();
	test_distance();
	test_suggest();
	test_cost();
	test_cut();
	test_items();
	return tap_done();
}
