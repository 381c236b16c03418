/* text: UTF-8; bytes from outside made harmless for terminals; and the nearest name to a mistyped one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UTF8_INVALID     UINT32_MAX
#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The code point that the n bytes, n >= 1, begin with, and its size in bytes. UTF8_INVALID: the bytes are ill-formed;
 * the size is then that of the longest prefix that could have been well-formed, or 1 (the Unicode standard, table 3-7
 * and "U+FFFD substitution of maximal subparts"). */
size_t utf8_decode(const char *text, size_t n, uint32_t *code);

/* The byte is not the first one of a character. */
bool utf8_continues(char c);

/* The column, from 1, of a byte: counted in characters. */
size_t text_column(const char *text, size_t at);

/* Write n bytes so that a terminal takes them as text: control characters (C0, DEL, C1), bytes that are not UTF-8
 * and the controls of bidirectional text as \xNN, newline and tab as \n and \t; a backslash stays as it is. */
void text_put_safe(FILE *out, const char *s, size_t n);

/* The same as a new string, for the caller to free. */
char *text_safe(const char *s);

/* Write a safe text into an element or an attribute of XML. */
void text_put_xml(FILE *out, const char *safe);

/* A copy with each ill-formed sequence replaced by one U+FFFD; for the caller to free. */
char *text_valid(const char *s);

/* How many of the n bytes, from the first on, are plain ASCII: safe as they are, one column each. */
size_t text_plain(const char *s, size_t n);

/* How many columns the text takes once made safe: one for each code point; good enough for alignment. */
size_t text_width(const char *s);
/* And as it is: numbers may be in another character set, whose bytes take one each. */
size_t text_columns(const char *s);

/* The words of a safe text from the column indent on, where the line is already, on lines of at most width columns (0:
 * on one line). A word that is wider is not broken. */
void text_put_wrapped(FILE *out, const char *text, size_t indent, size_t width);

/* Of n bytes, without the white space around them; for the caller to free. */
char *text_trimmed(const char *s, size_t n);

/* A text that is safe as it is, for the caller to free; if it takes more columns than most (at least as many as the
 * mark and 2), its middle is replaced by the mark: `uprobe:/usr…malloc`. */
char *text_shorten(const char *text, size_t most, const char *mark);

/* n bytes, for the caller to free; if they are more than most, without their middle, so that the end of a message,
 * which says what is wrong, is there however long the name is that it is about. most: more than 3. */
char *text_cut(const char *text, size_t n, size_t most);

/* FNV-1a of a text, after what was hashed before; of the first one TEXT_HASH. */
#define TEXT_HASH      0xcbf29ce484222325u
#define TEXT_HASH_STEP 0x100000001b3u
uint64_t text_hash(uint64_t hash, const char *text);

/* The up to SUGGEST_MAX nearest candidates offered so far: by edit distance (insert, delete, replace, swap of
 * neighbours) without regard to case; among equals, those with the longer common prefix first; none further than a
 * third of the word's length, or 2 for short words (but not the whole word). Zero-initialize, set word, offer every
 * candidate, then ask. */
#define SUGGEST_MAX 3
struct suggest {
	const char *word; /* what was typed */
	char *best[SUGGEST_MAX];
	unsigned distance[SUGGEST_MAX];
	size_t n;
	size_t rows; /* of tables of distances: what it has cost, at most the word's length for each candidate */
};
void suggest_offer(struct suggest *s, const char *candidate);
/* "did you mean A, B or C?" into buf, "" when nothing is near; frees the candidates. Returns buf. */
const char *suggest_finish(struct suggest *s, char *buf, size_t size);
