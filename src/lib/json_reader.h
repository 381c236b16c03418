/* json_reader: all objects of a JSON text, however deep they are, as records: each with its members that are strings,
 * numbers, true, false or null, as text. Members that are objects become records of their own, as do the objects in an
 * array. Each other element of an array becomes a member of the object around it, under the array's name.
 *
 * For large files of small objects: the text is decoded in place, and the records point into it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

#define JSON_DEPTH_MAX 64

struct json_member {
	const char *name, *value; /* a number as it is written; null: "" */
	bool is_string;
};

struct json_record {
	const char *value_of; /* the member of the object around it; NULL: there is none */
	size_t first, n;      /* its members */
	size_t line;          /* where it begins */
};

struct json_records {
	struct json_record *v; /* in the order in which they end */
	size_t n;
	struct json_member *members;
	size_t n_members;
};

/* text ends with a NUL at text[size]; it is changed, and must stay as long as the records. line: the number of its
 * first line, from 1. 0, or -EINVAL: the error begins with path, line and column (in bytes). The caller frees records
 * in either case. */
int json_read(struct json_records *records, char *text, size_t size, const char *path, size_t line, struct error *e);

/* The last of several of one name, as most parsers take; NULL: there is none. */
const struct json_member *json_member_find(const struct json_member *members, size_t n, const char *name);

void json_records_free(struct json_records *records);
