/* Shared by the files of saved: a report while it is read, the events of its rows, and the fields of its records. A
 * field that is missing, or of another type, is 0, NaN or "". A number that is out of range, for example 1e400, is an
 * error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/index.h"
#include "lib/json_reader.h"
#include "rows/columns.h"
#include "saved/saved.h"

/* The values of repeated runs, in whose order they are. */
struct run_values {
	struct run_value {
		size_t item, subject; /* their numbers */
		unsigned command, last_run;
		double *values;
		unsigned *runs;
		size_t n, n_runs;
		bool scaled, taken;
	} * v;
	size_t n;
	struct index index;
};

/* A metric with the name and the unit of its rows. */
struct made_metric {
	const struct metric *of; /* the definition; NULL: unknown */
	const struct metric *metric;
};

struct reader {
	struct saved *saved;
	const char *path;
	unsigned command;    /* number of the report */
	unsigned commands;   /* that the report compares; 1: it is no comparison */
	bool alone;          /* it is the only report, which may be a comparison */
	const char **labels; /* of these commands */
	struct run_values runs;
	size_t line;
	struct json_records records;               /* of the line */
	const struct json_member *fields[COLUMNS]; /* of the line's record; NULL without one */
	const char *wrong;                         /* the name of a field that is out of range, or NULL */
	struct made_metric *made;                  /* each once */
	size_t n_made;
	struct index made_index;          /* of them, by name and unit */
	size_t first_event, first_metric; /* of the report */
	bool started, complete;
	bool has_own_run;               /* the last of saved->runs, until its end has been read */
	bool has_intervals, has_totals; /* for events */
};

/* Compares targets and machines with the first report: adds notes, and sets other_targets and other_machines of the
 * session. */
void saved_compare_origins(struct saved *saved);

/* saved_comparison.c: a comparison (A ::: B), whose rows get what the rows of a running one have.
 *
 * Takes its commands from the record `start`; sets r->commands. */
void comparison_start(struct reader *r, const struct json_record *record);
void comparison_end(struct reader *r, const struct json_record *record);
/* Takes the name of a row's command. */
void comparison_take_name(struct reader *r, const struct row *row);
/* Take the value of a single run, and give a record of a row over all runs its values. */
void run_values_take(struct reader *r, const struct row *row);
void run_values_give(struct reader *r, struct record *record);
void run_values_free(struct run_values *runs);

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
/* Returns a copy of the text, which the result owns. */
char *copy_text(struct reader *r, const char *text);
/* Returns the strings of an array. */
struct strings field_strings(const struct reader *r, const struct json_record *record, const char *key);

/* Takes the events and metrics of the line's record `start`. */
void take_definitions(struct reader *r);
/* Returns NULL if the report does not identify the event. */
const struct event *find_event(const struct reader *r, size_t number);
/* Returns the metric by expression to which the row belongs; NULL if its definition is not known. */
const struct metric *find_metric(struct reader *r);
/* Returns a metric by expression with this definition, or without one (NULL), and the item's name and unit: the same
 * one for all such rows of the report. */
const struct metric *make_metric(struct reader *r, const struct item *item, const struct metric *of);
