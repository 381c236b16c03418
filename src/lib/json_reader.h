/* json_reader: all objects of a JSON text, at any depth, as records. A record contains, as text, the members of its
 * object that are strings, numbers, true, false or null. Members that are objects become separate records, as do the
 * objects in an array. Every other element of an array becomes a member of the surrounding object, under the array's
 * name; an array in an array begins with a member JSON_ARRAY.
 *
 * For large files of small objects: the text is decoded in place, and the records point into it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

#define JSON_DEPTH_MAX 64
#define JSON_ARRAY     "["

struct json_member {
	const char *name, *value; /* numbers as written; null as "" */
	bool is_string;
};

struct json_record {
	const char *value_of; /* the member of the surrounding object that has this value, or NULL */
	size_t first, n;      /* its members */
	size_t line;          /* the line of its first byte */
};

struct json_records {
	struct json_record *v; /* in the order in which they end */
	size_t n;
	struct json_member *members;
	size_t n_members;
};

/* text must end with a NUL at text[size]; it is changed, and must stay as long as the records. line: the number of its
 * first line, from 1. Returns 0, or -EINVAL with an error that begins with path, line and column (in bytes). The caller
 * frees the records in either case. */
int json_read(struct json_records *records, char *text, size_t size, const char *path, size_t line, struct error *e);

/* Returns the last of several members of one name, like most parsers, or NULL. */
const struct json_member *json_member_find(const struct json_member *members, size_t n, const char *name);

void json_records_free(struct json_records *records);
