/* What the files of saved share: a report as it is read, what its rows are of, and the fields of its records. A field
 * that is missing, or of another type, is 0, NaN or "". One that has a number that it cannot hold, as 1e400, is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "result/saved.h"

/* The part of json-c's ABI that is used, so that its header is not needed to build. */
struct json_object;
enum { JSON_BOOLEAN = 1, JSON_DOUBLE = 2, JSON_INTEGER = 3, JSON_OBJECT = 4, JSON_ARRAY = 5, JSON_STRING = 6 };

struct json_c {
	struct json_object *(*parse)(const char *text);
	int (*get)(const struct json_object *object, const char *key, struct json_object **value);
	int (*type)(const struct json_object *object);
	double (*real)(const struct json_object *object);
	uint64_t (*count)(const struct json_object *object);
	const char *(*string)(struct json_object *object);
	size_t (*length)(const struct json_object *array);
	struct json_object *(*item)(const struct json_object *array, size_t i);
	int (*truth)(const struct json_object *object);
	int (*put)(struct json_object *object);
};

struct reader {
	const struct json_c *json;
	struct saved *saved;
	const char *path;
	unsigned command; /* number of the report */
	size_t line;
	const char *text;                  /* of the line */
	const char *wrong;                 /* a field of it that has a number that it cannot hold; NULL: none */
	size_t first_event, first_formula; /* of the report */
	bool started, ended;
	bool has_own_run;               /* the last of saved->runs, until its end has been read */
	bool has_intervals, has_totals; /* of events */
};

int json_c_load(struct json_c *json, struct error *e);
/* NULL: absent. */
struct json_object *field_get(struct reader *r, const struct json_object *record, const char *key);
const char *field_string(struct reader *r, const struct json_object *record, const char *key);
bool is_json_number(struct reader *r, const struct json_object *value);
double field_real(struct reader *r, const struct json_object *record, const char *key);
/* most: what the field holds. */
uint64_t field_count(struct reader *r, const struct json_object *record, const char *key, uint64_t most);
struct value field_value(struct reader *r, const struct json_object *record, const char *key);
/* 0: it is no array. */
size_t array_length(struct reader *r, const struct json_object *value);
bool field_truth(struct reader *r, const struct json_object *record, const char *key);
/* For the caller to free; NULL: none. */
char *copy_string(struct reader *r, const struct json_object *record, const char *key);

/* The events and metrics of the record `start`. */
void take_definitions(struct reader *r, const struct json_object *record);
/* NULL: the report does not say what it is, as those of early versions do not where events have the same name. */
const struct event *find_event(struct reader *r, const struct row *row);
/* Call the processes and threads of a report, whose rows begin with the first, by the path of the programs' names. */
void name_tasks(struct reader *r, size_t first);
/* The metric by expression of this name, or the one whose value on a core PMU it is. NULL: there is none, or the report
 * is of an early version, and does not say. */
const struct formula *find_formula(const struct reader *r, const char *name);
/* Give the row a metric by expression, of which no more is known than what the report says. */
void make_metric(struct reader *r, struct row *row);
