/* Shared by the files of saved: a report while it is read, the events of its rows, and the fields of its records. A
 * field that is missing, or of another type, is 0, NaN or "". A number that is out of range, for example 1e400, is an
 * error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/json_reader.h"
#include "rows/columns.h"
#include "saved/saved.h"

struct reader {
	struct saved *saved;
	const char *path;
	unsigned command; /* number of the report */
	size_t line;
	struct json_records records;               /* of the line */
	const struct json_member *fields[COLUMNS]; /* of the line's record; NULL without one */
	const char *wrong;                         /* the name of a field that is out of range, or NULL */
	size_t first_event, first_metric;          /* of the report */
	bool started, complete;
	bool has_own_run;               /* the last of saved->runs, until its end has been read */
	bool has_intervals, has_totals; /* for events */
};

/* Compares targets and machines with the first report: adds notes, and sets other_targets and other_machines of the
 * session. */
void saved_compare_origins(struct saved *saved);

/* Find the columns of a record. */
void take_fields(struct reader *r, const struct json_record *record);
/* Reads the columns, whose strings are valid until the next line. Returns false if the kind, scope or status is
 * unknown. */
bool take_columns(struct reader *r, struct record *record);
const char *member_string(const struct json_member *member);

const char *field_string(const struct reader *r, const struct json_record *record, const char *key);
double field_real(struct reader *r, const struct json_record *record, const char *key);
/* most: the largest valid value. */
uint64_t field_count(struct reader *r, const struct json_record *record, const char *key, uint64_t most);
/* Returns a string that the caller frees, or NULL. */
char *copy_string(const struct reader *r, const struct json_record *record, const char *key);
/* Returns the strings of an array. */
struct strings field_strings(const struct reader *r, const struct json_record *record, const char *key);

/* Takes the events and metrics of the line's record `start`. */
void take_definitions(struct reader *r);
/* Returns NULL if the report does not identify the event. */
const struct event *find_event(const struct reader *r, size_t number);
/* Returns the metric by expression to which the row belongs; NULL if its definition is not known. */
const struct metric *find_metric(struct reader *r);
/* Returns a metric by expression with this definition, or NULL, and the item's name and unit. */
const struct metric *make_metric(struct reader *r, const struct item *item, const struct metric *of);
