/* What the files of saved share: a report as it is read, what its rows are of, and the fields of its records. A field
 * that is missing, or of another type, is 0, NaN or "". One that has a number that it cannot hold, as 1e400, is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/json_reader.h"
#include "saved/saved.h"

struct reader {
	struct saved *saved;
	const char *path;
	unsigned command; /* number of the report */
	size_t line;
	struct json_records records;       /* of the line */
	const char *wrong;                 /* a field of it that has a number that it cannot hold; NULL: none */
	size_t first_event, first_formula; /* of the report */
	bool started, ended;
	bool has_own_run;               /* the last of saved->runs, until its end has been read */
	bool has_intervals, has_totals; /* of events */
};

const char *field_string(const struct reader *r, const struct json_record *record, const char *key);
bool field_is_number(const struct reader *r, const struct json_record *record, const char *key);
double field_real(struct reader *r, const struct json_record *record, const char *key);
/* most: what the field holds. */
uint64_t field_count(struct reader *r, const struct json_record *record, const char *key, uint64_t most);
struct value field_value(struct reader *r, const struct json_record *record, const char *key);
bool field_truth(const struct reader *r, const struct json_record *record, const char *key);
/* For the caller to free; NULL: none. */
char *copy_string(const struct reader *r, const struct json_record *record, const char *key);
/* The strings of an array. */
struct strings field_strings(const struct reader *r, const struct json_record *record, const char *key);

/* The events and metrics of the record `start`, which is that of the line. */
void take_definitions(struct reader *r);
/* NULL: the report does not say what it is, as those of early versions do not where events have the same name. */
const struct event *find_event(struct reader *r, const struct row *row);
/* The metric by expression of this name, or the one whose value on a core PMU it is. NULL: there is none, or the report
 * is of an early version, and does not say. */
const struct formula *find_formula(const struct reader *r, const char *name);
/* Give the row a metric by expression, of which no more is known than what the report says. */
void make_metric(struct reader *r, struct row *row);
