/* reports: all reports of one measurement: the one that -o and the like are about, and the files of --export and
 * --plot beside it. Each is a report of its own (report.h), whose order of calls is that of the functions here.
 */
#pragma once

#include "report/report.h"

struct reports {
	struct report **v; /* the first one is that of the options; NULL once closed */
	size_t n;
};

/* A report beside the first one. */
struct report_copy {
	enum report_format format;
	const char *path; /* "-": standard output; NULL: standard error */
};

/* Which format the end of a path asks for (.md, .csv, .json and others); -1: none. */
int report_format_of_path(const char *path);

/* Does any of them, see report.h? */
bool reports_list_processes(const struct report_options *options, const struct report_copy *copies, size_t n);
bool reports_choose_tasks(const struct report_options *options, const struct report_copy *copies, size_t n);

int reports_open(struct reports *reports, const struct report_options *options, const struct report_copy *copies,
		 size_t n, const struct signals *signals, struct error *e);
/* paths, ended by NULL: files that are read. -EINVAL: one of them would be overwritten; nothing is written yet. */
int reports_check_inputs(const struct reports *reports, char *const *paths, struct error *e);
void reports_start(struct reports *reports, const struct result *result);
void reports_rows(struct reports *reports, const struct result *result);
void reports_clear(struct reports *reports);
void reports_end(struct reports *reports, const struct result *result, bool rows);

/* The reader of one has gone, or the disk is full: nothing more will be written. */
bool reports_have_failed(struct reports *reports);
/* That of the first that has one to tell. */
int reports_tell_failure(struct reports *reports, struct error *e);
/* True if a reader has not read everything, so that more should not be written now. */
bool reports_are_behind(struct reports *reports);
/* If so, wait for the reader, or for a signal. */
void reports_drain(struct reports *reports);

/* Closes all, and says what went wrong with the first one that failed. */
int reports_close(struct reports *reports, struct error *e);
