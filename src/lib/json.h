/* json: a streaming writer of JSON, which places commas.
 *
 * Start with `struct json j = {.out = file}`, then write values; write errors stay in the FILE (ferror). Each function
 * that writes a value takes its key: a string within an object, NULL within an array or at the top. json_newline ends a
 * record of JSON Lines.
 *
 * Text: '"', '\\' and control characters (C0, DEL, C1) are escaped; other valid UTF-8 is copied. JSON cannot hold other
 * bytes: each ill-formed sequence becomes one U+FFFD (see utf8_decode). Numbers never depend on the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

struct json {
	FILE *out;
	bool comma;  /* the next value is not the first of its object or array */
	bool spaced; /* with blanks around the colons and after the commas */
};

void json_object_begin(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array_begin(struct json *j, const char *key);
void json_array_end(struct json *j);

void json_string(struct json *j, const char *key, const char *s); /* NULL becomes null */
void json_u64(struct json *j, const char *key, uint64_t n);
void json_i64(struct json *j, const char *key, int64_t n);
/* Writes the shortest text that reads back the same; null for NAN and infinity. */
void json_double(struct json *j, const char *key, double v);
void json_fixed(struct json *j, const char *key, double v, int decimals); /* v must be finite */
void json_bool(struct json *j, const char *key, bool b);
void json_null(struct json *j, const char *key);
void json_known(struct json *j, const char *key, bool known, uint64_t n); /* null if it is not known */
void json_strings(struct json *j, const char *key, const struct strings *strings);
void json_words(struct json *j, const char *key, char **words); /* NULL-terminated; NULL becomes null */
void json_newline(struct json *j);
