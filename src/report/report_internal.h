/* report_internal: shared by report.c and the renderings (report_*.c); for these files only.
 *
 * struct report contains the state that report.c or several renderings share. State of a single rendering is a struct
 * in its file: state_size is its size, report->state points to it (zeroed at first), and the rendering's `free` frees
 * the memory that the struct owns. */
#pragma once

#include "lib/number.h"
#include "lib/util.h"
#include "os/replacement.h"
#include "os/writer.h"
#include "report/report.h"
#include "report/series.h"

/* One rendering; functions that it does not need are NULL. It writes to report->out; report.c checks for errors. */
struct report_ops {
	void (*start)(struct report *report, const struct result *result);
	void (*rows)(struct report *report, const struct result *result);
	void (*row)(struct report *report, const struct row *row); /* instead of rows: called for each */
	void (*end)(struct report *report, const struct result *result);
	/* After the rows of an interval or a run. */
	void (*rows_end)(struct report *report, const struct result *result);
	size_t state_size; /* see above */
	void (*free)(void *state);
	const struct report_ops *columns; /* used with --metric-only, if it does more than leave out rows; or NULL */
	const struct page *page;          /* of formats for people; or NULL */
	enum report_need need;
	bool replaces; /* its text between two calls of report_rows replaces the whole file */
};

#define REPORT_DECLARE(name, ops, end) extern const struct report_ops report_##ops##_ops;
REPORT_FORMATS(REPORT_DECLARE)
/* --metric-only of the table, Markdown, -x and -j. */
extern const struct report_ops report_columns_table_ops;
extern const struct report_ops report_columns_markdown_ops;
extern const struct report_ops report_columns_x_ops;
extern const struct report_ops report_columns_json_ops;

/* A reason why events have no value or a partial one, and the names of these events. */
struct report_reason {
	bool counted; /* they have a value */
	bool metric;  /* they are metrics */
	bool asked;   /* the user named one of them */
	char *text;
	char *subject; /* subject of the rows: " of program 'cat'"; "" if there is only one, or if the reason applies to
			  all */
	struct strings names;
};

/* A line of the answer to a comparison: a command, its place in the ranking, and the interval; or a text alone, with
 * the other two NULL. The texts are safe for terminals. */
struct answer {
	char *name, *text, *interval;
	bool begins; /* a ranking begins */
};
struct answers {
	struct answer *v;
	size_t n;
};

struct report {
	const struct report_ops *ops;
	void *state; /* of the rendering; or NULL */
	struct report_options options;
	char *separator;
	char *name; /* of the file, for messages */
	struct writer writer;
	struct replacement replacement; /* with a path: instead of the writer */
	int replace_error;              /* why the file was not replaced, at the first failure */
	bool failure_told;
	FILE *out;
	bool tty, color;
	size_t width; /* columns of the terminal, or 80; of files for display elsewhere: no limit */
	bool started;
	bool is_file;   /* -o, a regular file */
	bool is_new;    /* ... created by this report */
	bool locked;    /* with --append: others wait */
	bool taken;     /* writing has begun: the file's old content was removed, or the report is appended to it */
	bool continues; /* appended to a file that is not empty */
	unsigned clocks_seen; /* bits: enum clock */

	/* --metric-only: for each column the metric's name, its displayed heading, and its label in perf's formats */
	struct strings columns, headings, labels;

	char *missing; /* set by a rendering: the reason why nothing is reported, which is the error of report_close; or
			  NULL */

	/* for people */
	const struct page *page;
	struct number_style style; /* of the user's locale */
	const char *plus_minus;    /* in its character set */
	struct {                   /* the time of the last row, formatted: all rows of an interval have the same */
		double time;
		char text[NUMBER_MAX];
	} shown;
	bool heading_done, interval_heading_done;
	bool *columns_shown; /* Markdown: the columns of the last table, if the next one may continue it */
	size_t n_shown;
	/* the table contains a ~, an unknown error or a !, which a note explains */
	bool approximate_seen, unknown_seen, beyond_seen;
	struct report_reason *reasons;
	size_t n_reasons;
	struct strings notes;     /* of the rendering itself */
	struct answers answers;   /* of a comparison */
	struct series_set series; /* data for pictures */
};

/* Writes the result_clocks that were not among the rows, with the rendering's `row`. */
void report_put_clocks(struct report *report, const struct result *result);

/* Writes the first keys of perf's JSON: the time and the subject. */
struct json;
void report_put_json_place(struct json *j, const struct row *row);

/* Writes a field of CSV, quoted as in RFC 4180 if necessary; on a terminal without control characters, elsewhere UTF-8
 * with U+FFFD for invalid bytes, as in JSON. */
void report_put_field(struct report *report, const char *text);

/* True if the rendering shows the counts of the event, which may have parts, or be one. */
typedef bool report_shows(const struct report *report, const struct event *event);
report_shows report_shows_in_table;

/* For renderings that put metrics beside their counts, a linked list: follow[i] is the row number of the first metric
 * of count i, or of the next metric after metric i; or SIZE_MAX. The caller frees it. */
size_t *report_link_metrics(const struct report *report, const struct result *result, report_shows *shows);

/* A metric as displayed: value with this number of decimals, suffix, then prefix and label: `2.34`, `%`, ``, `of all
 * branches`; `1.234`, ``, `K`, `/sec`. */
struct metric_text {
	double value; /* or NAN */
	int decimals; /* negative: with an exponent (number.h) */
	const char *suffix, *prefix, *label;
	const char *unit; /* before the label in perf's formats: "%"; or "" */
	double divisor;   /* of the row's value, to be in that unit */
};
/* Returns " ± 0.8", " ± unknown", or "" if exact, or for a usual ratio. The caller frees it. */
char *report_metric_error(const struct report *report, const struct row *row, const struct metric_text *text);
/* Returns "% tma_retiring" or "K/sec": the metric's label in perf's formats. The caller frees it. */
char *report_metric_label(const struct metric_text *text);
struct metric_text report_metric_text(const struct row *row);
/* The same beside a count: a time of the usual length of clocks is in msec, as clocks are. */
struct metric_text report_metric_beside(const struct row *row);
/* Returns "2.34", "4.83e-05" or "none"; style NULL: machine-readable, "nan". */
const char *report_metric_number(char buf[NUMBER_MAX], const struct number_style *style,
				 const struct metric_text *text);
/* Returns the decimals for three digits of a number, at least `least`; negative: it needs an exponent. */
int report_decimals(double value, int least);
/* Returns "!" if the metric is beyond its threshold; otherwise "". */
const char *report_threshold_mark(struct report *report, const struct row *row);
/* True for a metric whose definition gives no value here. */
bool report_is_none(const struct row *row);

/* --metric-only. report_column_text returns a metric as in its column. report_add_columns adds the missing columns for
 * the result's metrics, and returns true if it added any. report_each_line calls back for each line of the result, with
 * its metrics in the order of the columns, NULL for missing ones, and the first of them. */
struct metric_text report_column_text(const struct row *row);
bool report_has_column(const struct report *report, const struct row *row);
bool report_add_columns(struct report *report, const struct result *result);
void report_each_line(struct report *report, const struct result *result,
		      void (*put)(struct report *report, const struct row *const *cells, const struct row *first,
				  void *arg),
		      void *arg);

/* A count as displayed: clocks of the kernel in msec, means of counts as whole numbers. */
struct count_text {
	bool whole; /* count is valid; otherwise real with this number of decimals */
	uint64_t count;
	double real;
	int decimals;
	bool mean;     /* of counts */
	bool at_least; /* a lower bound */
	const char *unit;
};
struct count_text report_count_text(const struct row *row);
/* Returns the mark of a lower bound, or "". */
const char *report_at_least(const struct number_style *style, bool at_least);
/* Returns its number; style NULL: machine-readable. */
const char *report_number(char buf[NUMBER_MAX], const struct number_style *style, const struct count_text *text);
/* Returns a row's number for tables: without -v, means of counts are whole numbers, as in perf's tables, which scripts
 * read. A small mean other than 0 is shown as ">0". */
const char *report_count_number(char buf[NUMBER_MAX], const struct report *report, const struct row *row);

/* Returns the name of a program, escaped if it looks like a row of pfmstat, "\\x28idle)", or contains a backslash. The
 * caller frees it. */
char *report_program_text(const char *name);

/* Return the event's name for programs that know perf, with a "u" if it was counted in user space only,
 * "page-faults:u"; and as displayed, without blanks at its end. The caller frees them. */
char *report_name_text(const struct row *row);
char *report_event_text(const struct row *row);

/* Returns a row's subject as in -x and the table: "CPU0", "sh-42"; NULL for the total or a cgroup. The caller frees it.
 */
char *report_subject_text(const struct row *row);

/* Returns the share of the enabled time on a counter, in per cent; 100.00 and 0.00 only if it is exactly that. */
double report_running_share(struct sample raw);

/* Returns the standard error of the mean, in per cent. */
double report_relative_error(const struct row *row);
/* Returns "( +- 4.15% )", as in perf's tables. The caller frees it. */
char *report_relative_error_text(const struct report *report, const struct row *row);

/* A line of the table: a row, or, if zeros > 0, this number of rows of one subject that are 0. */
struct report_line {
	const struct row *row;
	size_t zeros;
};
struct report_lines {
	struct report_line *v; /* the caller frees it */
	size_t n;
};

/* An event that is one of the many matches of a glob. */
bool report_is_of_long_glob(const struct row *row);
bool report_is_zero(const struct row *row);
/* Compares rows of a list by *sort, an enum report_sort, then by their order. The largest value of the first command
 * comes first, rows without a value last. */
int report_compare_sorted(const struct row *a, const struct row *b, const enum report_sort *sort);

/* Makes the table's lines, in order, and adds the reasons of their rows. */
void report_choose_lines(struct report *report, const struct result *result, struct report_lines *lines);

/* --by: true if the row is in a separate table, below the table of counts. */
bool report_is_subject(const struct result *result, const struct row *row);

/* Texts of a comparison, "" if unknown. The caller frees them. */
char *report_counted_text(const struct row *row);  /* "CPU0 task-clock" */
char *report_compared_text(const struct row *row); /* the same, or "elapsed time" */
char *report_heading_text(const struct row *row);  /* "CPU0 task-clock, msec" */
struct comparison_block;
char *report_block_heading(const struct comparison_block *block);           /* the same, or "elapsed time, msec" */
char *report_mean_text(const struct report *report, const struct row *row); /* "6.101", "~0.52" */
bool report_error_is_unknown(const struct row *row);
/* "± 1.84%"; for a mean of 0 the error itself; "hardly known" if it exceeds the value; "± unknown" */
char *report_error_text(const struct report *report, const struct row *row);
/* the same beside the text of report_count_text, in its unit; decimals of the per cent, -1: chosen for the number */
char *report_count_error_text(const struct report *report, const struct row *row, int decimals);
char *report_range_text(const struct report *report, const struct row *row); /* "5.925 … 6.353" */
/* "+2.92% (+2.82% … +3.02%)", "12.0× (11.2 … 13.1)"; for a reference of 0, "+12 (+9 … +15)". The row must have a
 * difference. */
char *report_difference_text(const struct report *report, const struct row *count);
/* The same, never as a factor: for conditions in per cent. */
char *report_percent_text(const struct report *report, const struct row *count);
/* Returns "more", "new" or "undecided". */
const char *report_verdict_brief(const struct difference *difference);

/* Texts about the tasks that explain a difference, which the caller frees. */
struct culprit;
struct culprits;
/* "page-faults"; with more than two commands, "page-faults of command 3" */
char *report_culprits_event(const struct result *result, const struct row *whole);
char *report_culprit_name(const struct culprit *c); /* "cat", "make/cc (3)" */
/* "+0.1% (-0.1% … +0.3%)", of all tasks without a separate line */
char *report_rest_text(const struct report *report, const struct culprits *c);

/* report_change.c: a change as a share, and its interval. A factor: from twice, or to half. Unknown ends are NAN. */
struct change {
	double value, low, high;
	bool percent; /* never as a factor */
};
bool report_is_factor(struct change c);
char *report_change_text(const struct report *report, struct change c);     /* "+22%", "12.0×" */
char *report_size_text(const struct report *report, struct change c);       /* the same as "22%", "12.0 ×" */
char *report_change_interval(const struct report *report, struct change c); /* "(+2% … +47%)", "(11.2 … 13.1)" */
char *report_interval_text(const struct report *report, const char *low, const char *high); /* "(low … high)" */
const char *report_ellipsis(const struct report *report);                                   /* "…", or ".." */
/* Returns a number in the unit of the row's heading, with its sign. */
char *report_signed_text(const struct report *report, const struct row *row, double v);
/* Returns a number with these decimals; one below their precision is 0: "-0.00" means nothing. */
const char *report_real(char buf[NUMBER_MAX], const struct report *report, double v, int decimals);

/* Returns a number in the unit of the row's heading; for a count all digits. The caller frees it. */
char *report_value_text(const struct report *report, const struct row *row, struct value v);

/* Returns the user's name for a command (from 1), or NULL. */
const char *report_label(const struct result *result, unsigned command);
/* Makes a comparison of the chosen events, with the reasons of all missing and partial values, the note about events
 * that are not listed, and the sentences to quote. comparison_free frees it. */
struct comparison;
void report_compare(struct report *report, struct comparison *compared, const struct result *result);
/* Adds only the reasons of an existing comparison. */
void report_add_compared_reasons(struct report *report, const struct comparison *compared);

/* Returns the user's name for a command, or its words, escaped; "" if there are none. The caller frees it. */
char *report_command_text(const struct result *result, unsigned command);

/* True for a value that github-action-benchmark cannot use: it takes each larger value for a worse one, and each value
 * after a 0 for an infinite increase. */
typedef bool report_unusable(const struct row *row);
report_unusable report_is_unusable;

/* report_standings.c. Makes the answer to a comparison: the commands ranked by the elapsed time, then by the first
 * event of -e. */
void report_make_answers(struct report *report, struct comparison *compared);
void answers_free(struct answers *answers);

/* The words for a change of a row's value. The caller frees the texts with report_words_free. */
struct change_words {
	const char *verb, *joint; /* "takes", "uses", "has"; "as", "of": "12 × as long" as, "the CPU time" of */
	char *times, *more, *less, *least;
};
struct change_words report_change_words(const struct report *report, const struct row *row);
void report_words_free(struct change_words *words);
/* Returns "12 × as long", "20% more page-faults" or "no clear difference", without the interval. */
char *report_changed_text(const struct report *report, const struct change_words *words, struct change c);

/* report_verdict.c. Returns a sentence on the difference of a later command's row; NULL if it has none. The caller
 * frees it. */
char *report_verdict_text(const struct report *report, const struct result *result, const struct row *count);
/* Returns "page-faults>1%: +45% (+41% … +49%)"; the second one PASS, FAIL or NOT JUDGED. */
char *report_judgement_text(const struct report *report, const struct result *result, const struct judgement *j);
const char *report_judgement_word(const struct judgement *j);

/* Returns the decimals of a value with this error, for this number of digits of the error; may be negative: hundreds.
 * At most 6. */
int report_decimals_of_error(double error, int digits);
/* Returns the decimals of a percentage with this error: two digits of the error, but at most two decimals. */
int report_percent_decimals(double error);

/* Returns the colour of a difference's verdict. */
enum color_role report_verdict_color(const struct difference *difference);

/* Writes text in a colour, if colours are on. */
void report_put_color(const struct report *report, enum color_role color, const char *text);

/* Writes text escaped for terminals. */
void report_put_safe(FILE *out, const char *text);
/* Returns the words with blanks between them; the caller frees it. */
char *report_words_text(char *const *words);

/* Writes the first line of a file, as in perf. */
void report_put_started(struct report *report, const struct result *result);

const char *report_reason_text(const struct row *row); /* may be NULL */
void report_add_reason(struct report *report, const struct row *row);
/* Adds a reason with the name of its event and a subject. */
void report_add_reason_of(struct report *report, const struct row *row, const char *name, const char *subject);
/* Returns all notes, with the reasons of rows that were added before; warnings come first. */
void report_list_notes(const struct report *report, const struct result *result, struct strings *notes);
