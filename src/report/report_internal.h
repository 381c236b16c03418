/* report_internal: what report.c and the renderings (report_*.c) share; only they include it. */
#pragma once

#include "lib/number.h"
#include "lib/util.h"
#include "os/replacement.h"
#include "os/writer.h"
#include "report/report.h"
#include "report/series.h"
#include "rows/totals.h"

/* One rendering; functions that it does not need are NULL. It writes to report->out; report.c checks for errors. */
struct report_ops {
	void (*start)(struct report *report, const struct result *result);
	void (*rows)(struct report *report, const struct result *result);
	void (*row)(struct report *report, const struct row *row); /* instead of rows: called for each */
	void (*end)(struct report *report, const struct result *result);
	void (*rows_end)(struct report *report,
			 const struct result *result); /* after the rows of an interval or a run */
	bool lists_processes;                          /* see report_lists_processes */
	bool replaces; /* what it writes between report_rows and the next takes the place of the whole file */
};

extern const struct report_ops report_table_ops;
extern const struct report_ops report_x_ops;
extern const struct report_ops report_csv_ops;
extern const struct report_ops report_json_ops;
extern const struct report_ops report_perf_ops;
extern const struct report_ops report_folded_ops;
extern const struct report_ops report_markdown_ops;
extern const struct report_ops report_svg_ops;
extern const struct report_ops report_openmetrics_ops;
extern const struct report_ops report_bencher_ops;
extern const struct report_ops report_github_benchmark_ops;
extern const struct report_ops report_junit_ops;
extern const struct report_ops report_github_ops;
/* --metric-only of the table, -x and -j. */
extern const struct report_ops report_columns_table_ops;
extern const struct report_ops report_columns_x_ops;
extern const struct report_ops report_columns_json_ops;

/* Why events have no value, or what their value leaves out, and which events. */
struct report_reason {
	bool counted; /* they have a value */
	bool metric;  /* they are metrics */
	bool asked;   /* the user named one of them */
	char *text;
	char *subject; /* whose rows: " of program 'cat'"; "": there are no others, or it is all */
	struct strings names;
};

struct report {
	const struct report_ops *ops;
	struct report_options options;
	char *separator;
	char *name; /* of the file, for messages */
	struct writer writer;
	struct replacement replacement; /* with a path: instead of the writer */
	int replace_error;              /* why the file was not replaced, the first time */
	bool failure_told;
	FILE *out;
	bool tty, color;
	size_t width; /* columns of the terminal, or 80 */
	bool started;
	bool is_file;         /* -o, a regular file */
	bool is_new;          /* ... that was not there before */
	bool locked;          /* with --append: others wait */
	bool taken;           /* something is written: what the file held has gone, or is continued */
	bool continues;       /* appended to a file that is not empty */
	unsigned clocks_seen; /* bit i: the i-th of result_clocks has been among the rows */

	size_t *follow; /* report_link_metrics */
	size_t n_follow;

	/* --metric-only: of each column the metric's name, what people see above it, and its label in formats of
	 * perf's */
	struct strings columns, headings, labels;
	size_t lines;             /* of rows since the last heading of columns */
	size_t *widths, n_widths; /* of the table's columns at that heading */
	unsigned fields;          /* -x: those before the metrics */
	enum aggr_mode scope;     /* -x: of the lines that are not about the whole */

	char *missing;       /* --folded: why there is nothing to report; NULL: there is */
	bool intervals_seen; /* -x: rows of intervals have been written */

	/* the table */
	struct number_style style; /* of the user's locale */
	const char *plus_minus;    /* in its character set */
	bool heading_done, interval_heading_done;
	/* a ~, an unknown error, a !: to be explained below the table */
	bool approximate_seen, unknown_seen, beyond_seen;
	struct report_reason *reasons;
	size_t n_reasons;
	struct strings notes;     /* of the table itself */
	struct strings verdicts;  /* of a comparison (report_verdict.c) */
	struct series_set series; /* what it draws pictures from */

	struct totals totals; /* --openmetrics */
};

/* A row as the columns of --csv and the keys of --json; a cell that is empty in the one is null in the other. */
#define REPORT_COLUMNS 26
struct cell {
	const char *name;
	enum { CELL_NONE, CELL_STRING, CELL_COUNT, CELL_REAL } type;
	const char *string;
	uint64_t count;
	double real;
};
void report_cells(const struct row *row, struct cell cells[REPORT_COLUMNS]);

/* Write those of result_clocks that have not been among the rows, with the rendering's `row`. */
void report_put_clocks(struct report *report, const struct result *result);

/* A field of CSV: quoted as in RFC 4180 if it must be; on a terminal without control characters, elsewhere UTF-8 with
 * U+FFFD for what is none, as in JSON. */
void report_put_field(struct report *report, const char *text);

/* For renderings that put metrics beside their counts, a linked list: follow[i] is the row number of the first metric
 * of count i, or of the next metric after metric i; SIZE_MAX: none. Good until the next call. */
const size_t *report_link_metrics(struct report *report, const struct result *result);

/* A metric as people see it: value with so many decimals, suffix, then prefix and label: `2.34`, `%`, ``, `of all
 * branches`; `1.234`, ``, `K`, `/sec`. */
struct metric_text {
	double value; /* NAN: there is none */
	int decimals; /* negative: with an exponent (number.h) */
	const char *suffix, *prefix, *label;
	const char *unit; /* as perf has it before the label: "%"; "": none */
};
/* " ± 0.8", " ± unknown", or "": exact, or of a usual ratio. For the caller to free. */
char *report_metric_error(const struct report *report, const struct row *row);
/* "%  tma_retiring", "K/sec": the figure's label in formats of perf's. For the caller to free. */
char *report_metric_label(const struct metric_text *text);
struct metric_text report_metric_text(const struct row *row);
/* "2.34", "4.83e-05", "none"; style NULL: for machines, "nan". */
const char *report_metric_number(char buf[NUMBER_MAX], const struct number_style *style,
				 const struct metric_text *text);
/* Decimals that show three digits of a figure, and no fewer than `least`; negative: it needs an exponent. */
int report_decimals(double figure, int least);
/* "!": the metric is beyond its threshold; or "". */
const char *report_threshold_mark(struct report *report, const struct row *row);
/* Is it a metric whose definition gives no value here? */
bool report_is_none(const struct row *row);

/* --metric-only. A metric as its column has it. Add columns for those of the result's metrics that have none; true:
 * there was one. For each line of the result: its metrics in the order of the columns, NULL where it has none, and the
 * first of them. */
struct metric_text report_column_text(const struct row *row);
bool report_take_columns(struct report *report, const struct result *result);
void report_each_line(struct report *report, const struct result *result,
		      void (*put)(struct report *report, const struct row *const *cells, const struct row *first,
				  void *arg),
		      void *arg);
void report_markdown_columns(struct report *report, const struct result *result);

/* How people see a count: clocks of the kernel in msec, means of counts as whole numbers. */
struct count_text {
	bool whole; /* count, or else real with so many decimals */
	uint64_t count;
	double real;
	int decimals;
	bool mean;     /* of counts */
	bool at_least; /* a lower bound */
	const char *unit;
};
struct count_text report_count_text(const struct row *row);
/* Its number; style NULL: for machines. */
const char *report_number(char buf[NUMBER_MAX], const struct number_style *style, const struct count_text *text);
/* A row's number in tables: without -v, means of counts are whole numbers, as in perf's, which scripts read. One that
 * is no 0 is none: ">0". */
const char *report_count_number(char buf[NUMBER_MAX], const struct report *report, const struct row *row);

/* The name of a program where only text tells it from rows of pfmstat's own: "\\x28idle)". For the caller to free. */
char *report_program_text(const char *name);

/* The event's name for programs that know perf, which adds a "u" to what it counted in user space only,
 * "page-faults:u"; and as people see it, without blanks at its end. For the caller to free. */
char *report_name_text(const struct row *row);
char *report_event_text(const struct row *row);

/* What a row is about, as -x and the table call it: "CPU0", "sh-42"; NULL: the total or a cgroup. For the caller to
 * free. */
char *report_subject_text(const struct row *row);

/* The share of the enabled time on a counter, in per cent; 100.00 and 0.00 only if it is exactly that. */
double report_running_share(struct sample raw);

/* The standard error of the mean, in per cent. */
double report_relative_error(const struct row *row);
/* "( +-  4.15% )", as perf's tables have it. For the caller to free. */
char *report_relative_error_text(const struct report *report, const struct row *row);

/* min, median and so on of a row's runs; NULL without -v. For the caller to free. */
char *report_spread_text(struct report *report, const struct row *row);

/* A line of the table: a row, or, with zeros, so many rows about the same that are 0. */
struct report_line {
	const struct row *row;
	size_t zeros;
};
struct report_lines {
	struct report_line *v; /* to be freed */
	size_t n;
};

/* An event that is one of the many matches of a glob. */
bool report_is_of_long_glob(const struct row *row);
bool report_is_zero(const struct row *row);
/* The order of rows in a list: by *sort, an enum report_sort, then as they were. Of the first command's values, the
 * largest comes first, and what has none last. */
int report_compare_sorted(const struct row *a, const struct row *b, const enum report_sort *sort);

/* The table's lines, in order. Adds the reasons of their rows. */
void report_choose_lines(struct report *report, const struct result *result, struct report_lines *lines);

/* A picture of how the runs of a row are distributed; NULL without -v. For the caller to free. */
char *report_histogram(const struct report *report, const struct row *row);

/* How counts went on over the intervals. */
void report_put_series(struct report *report);

/* --by, in the table: is the row one of those in a table of their own below; and write that table. */
bool report_is_share(const struct result *result, const struct row *row);
void report_put_shares(struct report *report, const struct result *result);

/* The same of --regions. */
void report_put_regions(struct report *report, const struct result *result);

/* Figures of a comparison, for the caller to free: "CPU0 task-clock", and with its unit, "CPU0 task-clock, msec";
 * "6.101", "~0.52"; "± 1.84%", of a mean of 0 the error itself, or "± unknown"; "5.925 … 6.353"; "+2.92% ± 0.10%", of a
 * reference of 0 "+12 ± 3" (of a row that has a difference). "" for what is not known. */
char *report_counted_text(const struct row *row);
/* The same, or "elapsed time". */
char *report_compared_text(const struct row *row);
char *report_heading_text(const struct row *row);
struct comparison_block;
char *report_block_heading(const struct comparison_block *block);
char *report_mean_text(const struct report *report, const struct row *row);
bool report_error_is_unknown(const struct row *row);
char *report_error_text(const struct report *report, const struct row *row);
/* The same with two decimals, as the tables of counts have it. */
char *report_count_error_text(const struct report *report, const struct row *row);
char *report_range_text(const struct report *report, const struct row *row);
/* "more", "new", "undecided" */
const char *report_verdict_brief(const struct row *difference);
/* "page-faults", of more than two commands "page-faults of command 3"; "program"; "cat", "make/cc (3)"; and "+0.1% ±
 * 0.2%" of those without a line of their own. For the caller to free. */
struct culprit;
struct culprits;
char *report_culprits_event(const struct result *result, const struct row *whole);
const char *report_task_word(enum aggr_mode scope);
char *report_culprit_name(const struct culprit *c);
char *report_rest_text(const struct report *report, const struct culprits *c);
char *report_difference_text(const struct report *report, const struct result *result, const struct row *count);

/* A figure in the unit of the row's heading; of a count all digits. For the caller to free. */
char *report_figure_text(const struct report *report, const struct row *row, struct value v);

/* Reports that were merged: which they are and the table; the same in Markdown. */
void report_merge_rows(struct report *report, const struct result *result);
void report_markdown_merge(struct report *report, const struct result *result);

void report_markdown_compare(struct report *report, const struct result *result);

/* The tasks that explain a comparison's differences; the table of a comparison. */
struct comparison;
void report_put_culprits(struct report *report, const struct comparison *compared);
void report_compare_rows(struct report *report, const struct result *result);

/* What the user calls a command (from 1); NULL: nothing. */
const char *report_label(const struct result *result, unsigned command);
/* Of a comparison: why events have no value, or what it leaves out, and in which commands if not in all; before
 * comparison_choose, which leaves some out. How many events are not listed. */
void report_add_compared_reasons(struct report *report, const struct comparison *compared);
void report_note_zeros(struct report *report, const struct comparison *compared);

/* What the user calls a command, or its words, made safe; "" if there are none. For the caller to free. */
char *report_command_text(const struct result *result, unsigned command);

/* report_verdict.c. Sentences to quote from a comparison: for the elapsed time, then for the first event of -e. */
void report_list_verdicts(const struct report *report, const struct comparison *compared, struct strings *lines);
/* One of them, for a row of a later command; NULL if it has no difference. The caller frees it. */
char *report_verdict_text(const struct report *report, const struct result *result, const struct row *count);
/* "page-faults>1%: +107% ± 4%"; PASS, FAIL or NOT JUDGED. */
char *report_judgement_text(const struct report *report, const struct result *result, const struct judgement *j);
const char *report_judgement_word(const struct judgement *j);
void report_put_verdicts(struct report *report, const struct result *result);

/* The decimals by which a value is known of which this is the error, with so many digits of the error; may be negative:
 * hundreds. At most 6. */
int report_decimals_of_error(double error, int digits);

/* The colour of a difference's verdict. */
enum color_role report_verdict_color(const struct row *difference);

/* Text in a colour, if there are any. */
void report_put_color(const struct report *report, enum color_role color, const char *text);

/* Text made safe for terminals; the same for a command, in quotes. */
void report_put_safe(FILE *out, const char *text);
void report_put_words(FILE *out, char *const *words);
/* The words with blanks between them, for the caller to free. */
char *report_words_text(char *const *words);

/* Above the table: the first line of a file, as perf has it; what was counted. */
void report_put_started(struct report *report, const struct result *result);
void report_put_heading(struct report *report, const struct session *session);

/* Below it: the times; the result's notes, with the reasons of rows that were added before. */
void report_put_times(struct report *report, const struct result *result);
const char *report_reason_text(const struct row *row); /* NULL: none */
void report_add_reason(struct report *report, const struct row *row);
/* With the name of its event and a subject to be told. */
void report_add_reason_of(struct report *report, const struct row *row, const char *name, const char *subject);
void report_list_notes(const struct report *report, const struct result *result, struct strings *notes);
/* Words in lines that fit the terminal, the first of a colour of its own, further lines indented by two more columns.
 * No line after the first looks like a count (report_notes.c). */
void report_put_wrapped(struct report *report, const struct result *result, size_t indent, const char *text,
			enum color_role first, enum color_role others);
void report_put_notes(struct report *report, const struct result *result);
