/* columns: the schema of records, by one table: the columns of --csv, which are keys of --json, and which saved reports
 * are read by. pfmstat-output(5) explains them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/result.h"

/* New columns of --csv go before COLUMNS_CSV; those after it are only in --json. */
enum column {
	COLUMN_KIND,
	COLUMN_TIME,
	COLUMN_RUN,
	COLUMN_COMMAND,
	COLUMN_SCOPE,
	COLUMN_SCOPE_ID,
	COLUMN_NAME,
	COLUMN_UNIT,
	COLUMN_STATUS,
	COLUMN_VALUE,
	COLUMN_ERROR,
	COLUMN_N,
	COLUMN_STDDEV,
	COLUMN_MIN,
	COLUMN_MEDIAN,
	COLUMN_MAX,
	COLUMN_RAW,
	COLUMN_ENABLED,
	COLUMN_RUNNING,
	COLUMN_GROUP,
	COLUMN_REASON,
	COLUMN_PID,
	COLUMN_PPID,
	COLUMN_COMM,
	COLUMN_CGROUP,
	COLUMN_THRESHOLD,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_WORDS, /* of a comparison: the command's words, the user's name for it, and its parameters; not of a row
		       */
	COLUMN_LABEL,
	COLUMN_PARAMETERS,
	COLUMNS_CSV,
	COLUMN_EVENT = COLUMNS_CSV,
	COLUMN_METRIC,
	COLUMN_USER_ONLY,
	COLUMN_APPROXIMATE,
	COLUMNS
};

/* A row while it is read or written: its spread, item and subject are members, not of a result. */
struct record {
	struct row row;
	struct spread spread;
	struct item item;
	struct subject subject;
};

/* Makes a record of another kind about a row, without a value. Its subject is the row's. */
void record_about(struct record *record, const struct row *row, enum item_kind kind);
/* Makes the record of one of the row's variants. */
void record_of_variant(struct record *record, const struct row *row, const struct variant *variant);

struct column_type {
	const char *name;
	enum {
		COLUMN_IS_TEXT,
		COLUMN_IS_CHOICE,
		COLUMN_IS_NUMBER,
		COLUMN_IS_REAL,
		COLUMN_IS_VALUE,
		COLUMN_IS_TRUTH
	} is;
	/* of the member of a part of struct record; size 0: it is only written */
	enum { PART_row, PART_spread, PART_item, PART_subject } part;
	size_t offset, size;
	uint64_t most;                     /* the largest number, also of a choice */
	const char *(*choice)(int number); /* the name of a choice */
};

/* The type of each column; the name of unknown ones is NULL. */
extern const struct column_type columns[COLUMNS];

/* Returns the column of this name, COLUMNS if there is none. It is looked for from `expected`, as in a record in which
 * it follows others. */
enum column column_find(const char *name, enum column expected);

/* What a column of a row contains; an empty cell is null in JSON. */
struct cell {
	enum { CELL_NONE, CELL_STRING, CELL_COUNT, CELL_REAL, CELL_TRUTH } type;
	const char *string;
	uint64_t count;
	double real;
	bool truth;
};
void column_cells(const struct row *row, struct cell cells[COLUMNS]);
/* Returns a cell of this text; NULL or "": an empty one. */
struct cell column_text(const char *text);
