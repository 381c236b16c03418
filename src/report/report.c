#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/differences.h"
#include "os/descriptors.h"
#include "report/report_internal.h"
#include "rows/columns.h"

#define WIDTH       80 /* of lines without a terminal */
#define WIDTH_LEAST 40
#define WIDTH_MOST  (1 << 20) /* of files for display elsewhere */

/* The time to wait for other processes that append to the same file. */
#define LOCK_MS      5000
#define LOCK_STEP_MS 5

#define RENDERING(name, ops, end) [REPORT_##name] = &report_##ops##_ops,
static const struct report_ops *const renderings[] = {REPORT_FORMATS(RENDERING)};

/* For stdio, which would wait for a slow reader itself, and forget the errno. */
static ssize_t write_all(void *cookie, const char *buf, size_t size)
{
	struct report *report = cookie;

	if (report->replacement.path)
		replacement_put(&report->replacement, buf, size);
	else
		writer_put(&report->writer, buf, size);
	return (ssize_t)size;
}

static int open_path(struct report *report, const char *path, int *fd, struct error *e)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (report->options.append ? O_APPEND : 0), error;
	struct stat st;

	report->name = xasprintf("'%s'", path);
	if (report->ops->replaces && !report->options.quiet && replacement_open(&report->replacement, path, &error))
		return error ? error_set(e, error, "cannot write the report to %s: %s", report->name, strerror(error))
			     : 0;
	*fd = open(path, flags | O_EXCL, 0666);
	report->is_new = *fd >= 0;
	if (*fd < 0 && errno == EEXIST)
		*fd = open(path, flags, 0666);
	if (*fd < 0)
		return error_set(e, errno, "cannot write the report to %s: %s", report->name, strerror(errno));
	report->is_file = fstat(*fd, &st) == 0 && S_ISREG(st.st_mode);
	return 0;
}

/* Writes to a copy of the descriptor: the original stays open, and without FD_CLOEXEC for the command. */
static int open_copy(struct report *report, int original, int *fd, struct error *e)
{
	int flags = fcntl(original, F_GETFL);

	if (original == STDOUT_FILENO || original == STDERR_FILENO)
		report->name = xstrdup(original == STDOUT_FILENO ? "standard output" : "standard error");
	else
		report->name = xasprintf("file descriptor %d", original);
	if (flags < 0)
		return error_set(e, errno, "cannot write the report to %s: it is not open", report->name);
	if ((flags & O_ACCMODE) == O_RDONLY || flags & O_PATH)
		return error_set(e, EBADF, "cannot write the report to %s: it is not open for writing", report->name);
	*fd = fcntl(original, F_DUPFD_CLOEXEC, 3);
	if (*fd < 0)
		return error_set(e, errno, "cannot write the report to %s: %s", report->name, strerror(errno));
	return 0;
}

/* Other processes may append to the file at the same time, for a short time each; a stopped process must not block the
 * others forever. These locks are independent of the locks of flock(1), which users hold around a whole run. */
static void file_lock(const struct report *report)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	for (int i = 0; i < LOCK_MS / LOCK_STEP_MS && fcntl(report->writer.fd, F_OFD_SETLK, &lock) < 0; i++) {
		if (errno != EAGAIN && errno != EACCES)
			return; /* a file system without locks */
		poll(NULL, 0, LOCK_STEP_MS);
	}
}

/* True if the file ends within a line, as after a full disk. False if it cannot be read. */
static bool is_unfinished(const char *path, off_t size)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char last;

	return fd >= 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* The file keeps its content until there is something to write: the run may fail early. */
static void file_begin(struct report *report)
{
	struct stat st;

	if (!report->options.append) {
		if (ftruncate(report->writer.fd, 0) < 0)
			report->writer.error = errno;
		return;
	}
	report->continues = fstat(report->writer.fd, &st) == 0 && st.st_size > 0;
	if (report->continues && is_unfinished(report->options.path, st.st_size))
		fputc('\n', report->out);
}

/* Text written between these two calls is contiguous in the file. A batch that has already begun continues. */
static void batch_begin(struct report *report)
{
	if (report->is_file && report->options.append && !report->locked)
		file_lock(report);
	report->locked = true;
	if (report->is_file && !report->taken)
		file_begin(report);
	report->taken = true;
}

/* The next document may succeed: the first failure is remembered, but the report continues. */
static void replace_file(struct report *report)
{
	int error = replacement_commit(&report->replacement);

	if (!report->replace_error)
		report->replace_error = error;
}

static void batch_end(struct report *report)
{
	fflush(report->out);
	if (report->replacement.path)
		replace_file(report);
	if (report->is_file && report->options.append)
		fcntl(report->writer.fd, F_OFD_SETLK, &(struct flock){.l_type = F_UNLCK, .l_whence = SEEK_SET});
	report->locked = false;
}

/* Sets how the table writes numbers. The reader of a file or a pipe may be a program made for perf stat, which groups
 * by the locale. */
static void init_style(struct report *report)
{
	number_style_init(&report->style, !report->options.big_num ? NUMBER_UNGROUPED
					  : report->tty            ? NUMBER_GROUPED
								   : NUMBER_BY_LOCALE);
	report->plus_minus = report->style.utf8 ? "\u00b1" : "+-";
}

/* Files for display elsewhere are the same on every terminal and locale. */
static void init_file_style(struct report *report)
{
	report->style = (struct number_style){.point = ".", .separator = ",", .grouping = "\3", .utf8 = true};
	if (!report->options.big_num)
		report->style.separator[0] = '\0';
	report->plus_minus = "\u00b1";
	report->width = WIDTH_MOST;
}

static int open_output(struct report *report, struct error *e)
{
	size_t width = descriptor_columns(report->writer.fd);

	report->out = fopencookie(report, "w", (cookie_io_functions_t){.write = write_all});
	if (!report->out)
		return error_set(e, errno, "cannot write the report to %s: %s", report->name, strerror(errno));
	setvbuf(report->out, NULL, _IOFBF, 1 << 16);
	report->tty = isatty(report->writer.fd);
	report->color = report->options.format == REPORT_TABLE && color_is_on(report->options.color, report->writer.fd);
	if (width)
		report->width = width < WIDTH_LEAST ? WIDTH_LEAST : width;
	if (report->options.format == REPORT_TABLE)
		init_style(report);
	else
		init_file_style(report);
	return 0;
}

static void report_free(struct report *report)
{
	if (report->out)
		fclose(report->out);
	writer_close(&report->writer);
	replacement_free(&report->replacement);
	if (report->ops->free)
		report->ops->free(report->state);
	free(report->state);
	for (size_t i = 0; i < report->n_reasons; i++) {
		free(report->reasons[i].text);
		free(report->reasons[i].subject);
		strings_free(&report->reasons[i].names);
	}
	free(report->reasons);
	free(report->columns_shown);
	strings_free(&report->notes);
	answers_free(&report->answers);
	series_free(&report->series);
	strings_free(&report->columns);
	strings_free(&report->headings);
	strings_free(&report->labels);
	free(report->separator);
	free(report->missing);
	free(report->name);
	free(report);
}

enum report_need report_need(enum report_format format)
{
	return renderings[format]->need;
}

int report_open(struct report **out, const struct report_options *options, const struct signals *signals,
		struct error *e)
{
	struct report *report = xcalloc(1, sizeof(*report));
	const struct report_ops *ops = renderings[options->format];
	const char *path = options->path;
	bool has_own = options->format == REPORT_X && options->separator;
	const char *separator = has_own ? options->separator : ",";
	int fd = -1, r;

	*report = (struct report){.ops = options->metric_only && ops->columns ? ops->columns : ops,
				  .options = *options,
				  .writer.fd = -1,
				  .width = WIDTH};
	report->options.each_run &= options->format == REPORT_X || options->format == REPORT_PERF_JSON;
	report->state = xcalloc(1, report->ops->state_size);
	report->page = report->ops->page;
	/* in a shell, '\t' is two characters, which perf also takes for a tab */
	report->separator = xstrdup(strcmp(separator, "\\t") == 0 ? "\t" : separator);
	if (options->quiet)
		path = "/dev/null";
	if (path && strcmp(path, "-") != 0)
		r = open_path(report, path, &fd, e);
	else
		r = open_copy(report, path ? STDOUT_FILENO : options->log_fd, &fd, e);
	if (r == 0) {
		writer_open(&report->writer, fd, signals);
		r = open_output(report, e);
	}
	if (r < 0) {
		report_free(report);
		return r;
	}
	*out = report;
	return 0;
}

static bool stat_file(const struct report *report, struct stat *st)
{
	const char *path = report->replacement.path;

	return (path ? stat(path, st) : fstat(report->writer.fd, st)) == 0 && S_ISREG(st->st_mode);
}

bool report_is_same_file(const struct report *report, const struct report *other)
{
	const char *path = report->replacement.path;
	struct stat a, b;

	if (path && other->replacement.path && strcmp(path, other->replacement.path) == 0) /* it may not exist yet */
		return true;
	return stat_file(report, &a) && stat_file(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool report_writes_to(const struct report *report, const char *path)
{
	struct stat a, b;

	return stat_file(report, &a) && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void report_start(struct report *report, const struct result *result)
{
	if (report->started)
		return;
	batch_begin(report);
	if (report->ops->start)
		report->ops->start(report, result);
	report->started = true; /* the following call ends the batch */
}

static void put_difference(struct report *report, const struct row *row)
{
	struct record record;

	for (enum item_kind kind = ITEM_DIFFERENCE; kind <= ITEM_CHANGE; kind++)
		if (difference_record(&record, row, kind))
			report->ops->row(report, &record.row);
}

static void put_variants(struct report *report, const struct row *row)
{
	struct record record;

	for (const struct variant *variant = row->variants; variant && variant->kind; variant++) {
		record_of_variant(&record, row, variant);
		report->ops->row(report, &record.row);
	}
}

static void put_rows(struct report *report, const struct result *result)
{
	const struct difference_place *next = result->differences, *end = next + result->n_differences;

	if (report->ops->rows)
		report->ops->rows(report, result);
	for (size_t i = 0; report->ops->row && i < result->n; i++) {
		const struct row *row = &result->rows[i];

		for (; next < end && next->before == i; next++)
			put_difference(report, &result->rows[next->of]);
		/* of the whole measurement */
		enum clock clock = isnan(row->time) && !row->run && row->command <= 1 ? row_clock(row) : CLOCK_NONE;

		if (report->options.metric_only && row->item->kind == ITEM_COUNT && row->item->counted && !clock)
			continue;
		report->clocks_seen |= 1u << clock;
		report->ops->row(report, row);
	}
	for (; report->ops->row && next < end; next++)
		put_difference(report, &result->rows[next->of]);
	for (size_t i = 0; report->ops->row && i < result->n; i++)
		put_variants(report, &result->rows[i]);
}

void report_rows(struct report *report, const struct result *result)
{
	batch_begin(report);
	put_rows(report, result);
	if (report->ops->rows_end)
		report->ops->rows_end(report, result);
	batch_end(report);
}

void report_put_clocks(struct report *report, const struct result *result)
{
	struct row rows[RESULT_CLOCKS];

	result_clocks(result, rows);
	for (int i = 0; i < RESULT_CLOCKS; i++)
		if (!(report->clocks_seen & 1u << rows[i].item->clock))
			report->ops->row(report, &rows[i]);
}

void report_clear(struct report *report)
{
	if (!report->tty)
		return;
	fputs("\033[H\033[2J", report->out);
	report->interval_heading_done = false;
}

void report_end(struct report *report, const struct result *result, bool rows)
{
	batch_begin(report);
	if (rows)
		put_rows(report, result);
	if (report->ops->end)
		report->ops->end(report, result);
	batch_end(report);
}

int report_tell_failure(struct report *report, struct error *e)
{
	if (!report->replace_error || report->failure_told)
		return 0;
	report->failure_told = true;
	return error_set(e, report->replace_error,
			 "cannot write the report to %s: %s; it is tried again at the next interval", report->name,
			 strerror(report->replace_error));
}

int report_close(struct report *report, struct error *e)
{
	int error, closed, r = 0;

	if (!report)
		return 0;
	fflush(report->out);
	/* a run that failed early leaves no new file, unless others may append to it */
	if (report->is_new && !report->taken && !report->options.append &&
	    report_writes_to(report, report->options.path))
		unlink(report->options.path);
	writer_drain(&report->writer, -1);
	error = report->writer.error;
	closed = writer_close(&report->writer);
	error = error ? error : closed;
	if (!error && !report->failure_told)
		error = report->replace_error;
	if (error)
		r = error_set(e, error, "cannot write the report to %s: %s", report->name,
			      error == EINTR ? "its reader has stopped reading" : strerror(error));
	else if (report->missing)
		r = error_set(e, ENODATA, "%s", report->missing);
	report_free(report);
	return r;
}
