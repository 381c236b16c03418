/* reports: all reports of one measurement: the main report (-o, --log-fd or standard error), and the files of --export
 * and --plot. Each is a separate report (report.h); the functions are called in the order of its functions. */
#pragma once

#include "report/report.h"

struct reports {
	struct report **v; /* the first one is the main report; NULL if closed */
	size_t n;
};

/* A report in addition to the main one. */
struct report_copy {
	enum report_format format;
	const char *path; /* "-": standard output; NULL: standard error */
};

/* Returns the format for the end of a path (.md, .csv, .json and others), or for a name of standard output: -, which is
 * Markdown, md:-, csv:- and so on. Returns -1 for any other path. */
int report_format_of_path(const char *path);

/* True if any of them needs this. */
bool reports_need(enum report_need need, const struct report_options *options, const struct report_copy *copies,
		  size_t n);

int reports_open(struct reports *reports, const struct report_options *options, const struct report_copy *copies,
		 size_t n, const struct signals *signals, struct error *e);
/* paths: files that are read, ended by NULL. Returns -EINVAL if one of them would be overwritten; nothing is written
 * yet. */
int reports_check_inputs(const struct reports *reports, char *const *paths, struct error *e);
void reports_start(struct reports *reports, const struct result *result);
void reports_rows(struct reports *reports, const struct result *result);
void reports_clear(struct reports *reports);
/* Adds notes on what files for services leave out. */
void reports_note_left_out(const struct report_copy *copies, size_t n, struct result *result);
void reports_end(struct reports *reports, const struct result *result, bool rows);

/* True if a reader has gone, or the disk is full: nothing more will be written. */
bool reports_have_failed(struct reports *reports);
/* Returns the first failure of any of them. */
int reports_tell_failure(struct reports *reports, struct error *e);
/* True if a reader has not read everything, so that more should not be written now. */
bool reports_are_behind(struct reports *reports);
/* Waits for that reader, or for a signal. */
void reports_drain(struct reports *reports);

/* Closes all, and returns the first error. */
int reports_close(struct reports *reports, struct error *e);
