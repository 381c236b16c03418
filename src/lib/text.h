/* text: UTF-8; escaping bytes from outside for terminals; and the nearest name to a mistyped one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_INVALID     UINT32_MAX
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the size in bytes of the first code point of the n bytes, n >= 1. UTF8_INVALID: the bytes are ill-formed; the
 * size is then the size of the longest prefix that could have been well-formed, or 1 (the Unicode standard, table 3-7
 * and "U+FFFD substitution of maximal subparts"). */
size_t utf8_decode(const char *text, size_t n, uint32_t *code);

/* True if the byte is not the first one of a character. */
bool utf8_continues(char c);

/* Returns the column of a byte, from 1, counted in characters. */
size_t text_column(const char *text, size_t at);

/* Writes n bytes escaped for a terminal: control characters (C0, DEL, C1), bytes that are not UTF-8 and the controls of
 * bidirectional text as \xNN, newline and tab as \n and \t; a backslash stays. */
void text_put_safe(FILE *out, const char *s, size_t n);

/* The same as a new string, which the caller frees. */
char *text_safe(const char *s);

/* Writes a text, with codes in place of those ASCII characters that have one. */
void text_put_coded(FILE *out, const char *text, const char *const codes[128]);

/* Writes a safe text into an element or an attribute of XML. */
void text_put_xml(FILE *out, const char *safe);

/* Returns a copy, which the caller frees, with each ill-formed sequence replaced by one U+FFFD. */
char *text_valid(const char *s);

/* Returns the number of leading bytes that are plain ASCII: safe, and one column each. */
size_t text_plain(const char *s, size_t n);

/* Returns the columns of the escaped text: one for each code point, which is good enough for alignment. */
size_t text_width(const char *s);
/* The same without escaping: numbers may use another character set, whose bytes take one column each. */
size_t text_columns(const char *s);

/* Writes the words of a safe text on lines of at most width columns (0: one line), starting at the column indent. A
 * longer word is not broken. */
void text_put_wrapped(FILE *out, const char *text, size_t indent, size_t width);

/* Returns a copy of n bytes without the white space around them, which the caller frees. */
char *text_trimmed(const char *s, size_t n);

/* Returns a copy of the next item of a list with commas, which the caller frees; NULL after the last one. "\\," is a
 * comma in an item. nested: so are the commas in parentheses and angle brackets (C++). */
char *text_item(const char **list, bool nested);

/* Returns a copy with every run of white space as one space, which the caller frees. */
char *text_one_line(const char *text);

/* Returns a copy of a safe text, which the caller frees; if it has more columns than most (at least those of the mark
 * and 2), the mark replaces its middle: `uprobe:/usr…malloc`. */
char *text_shorten(const char *text, size_t most, const char *mark);

/* Returns a copy of n bytes, which the caller frees; if they are more than most, without their middle: the end of a
 * message, which names the problem, stays even after a long name. most > 3. */
char *text_cut(const char *text, size_t n, size_t most);

/* FNV-1a: returns the hash of a text, continued from an earlier hash, first TEXT_HASH. */
#define TEXT_HASH      0xcbf29ce484222325u
#define TEXT_HASH_STEP 0x100000001b3u
uint64_t text_hash(uint64_t hash, const char *text);

/* The nearest candidates so far, at most SUGGEST_MAX, by edit distance (insert, delete, replace, swap of neighbours)
 * without regard to case. Of two at the same distance, the one with the longer common prefix is nearer. A candidate is
 * near up to a third of the word's length, up to 2 for a short word, but not if every character differs.
 *
 * Order of calls: zero-initialize, set word; suggest_offer for each candidate; suggest_finish. */
#define SUGGEST_MAX 3
struct suggest {
	const char *word; /* the word typed */
	char *best[SUGGEST_MAX];
	unsigned distance[SUGGEST_MAX];
	size_t n;
	size_t rows; /* number of computed rows of the distances' tables, by which a test measures the cost */
};
void suggest_offer(struct suggest *s, const char *candidate);
/* Writes "did you mean A, B or C?" into buf, or "" if nothing is near; frees the candidates. Returns buf. */
const char *suggest_finish(struct suggest *s, char *buf, size_t size);
