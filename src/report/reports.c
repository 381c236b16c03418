#include "report/reports.h"

#include <errno.h>
#include <string.h>

#include "report/report_internal.h"

int report_format_of_path(const char *path)
{
#define NAME_END(name, ops, end) [REPORT_##name] = end,
	static const char *const ends[] = {REPORT_FORMATS(NAME_END)};
	size_t length = strlen(path), longest = 0;
	int format = strcmp(path, "-") == 0 ? REPORT_MARKDOWN : -1;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const char *end = ends[i] ? ends[i] : "";
		size_t n = strlen(end);

		if (n > longest &&
		    ((length > n && path[length - n - 1] == '.' && strcmp(path + length - n, end) == 0) ||
		     (strncmp(path, end, n) == 0 && strcmp(path + n, ":-") == 0))) {
			format = (int)i;
			longest = n;
		}
	}
	return format;
}

static struct report_options options_of_copy(const struct report_options *options, const struct report_copy *copy)
{
	struct report_options o = *options;

	o.format = copy->format;
	o.path = copy->path;
	o.append = o.quiet = false;
	if (!copy->path)
		o.log_fd = STDERR_FILENO;
	return o;
}

bool reports_need(enum report_need need, const struct report_options *options, const struct report_copy *copies,
		  size_t n)
{
	bool any = report_need(options->format) == need;

	for (size_t i = 0; i < n; i++)
		any |= report_need(copies[i].format) == need;
	return any;
}

static int check_path(const struct reports *reports, size_t n, const char *path, struct error *e)
{
	for (size_t i = 0; i < n; i++)
		if (report_is_same_file(reports->v[i], reports->v[n]))
			return error_set(e, EINVAL, "'%s' is named for two reports; each needs a separate file", path);
	return 0;
}

int reports_open(struct reports *reports, const struct report_options *options, const struct report_copy *copies,
		 size_t n, const struct signals *signals, struct error *e)
{
	int error = report_open(ARRAY_PUSH(reports->v, reports->n), options, signals, e);

	for (size_t i = 0; i < n && error == 0; i++) {
		const struct report_options copy = options_of_copy(options, &copies[i]);

		error = report_open(ARRAY_PUSH(reports->v, reports->n), &copy, signals, e);
		if (error == 0 && copy.format != REPORT_GITHUB)
			error = check_path(reports, i + 1, copy.path, e);
	}
	return error;
}

int reports_check_inputs(const struct reports *reports, char *const *paths, struct error *e)
{
	for (size_t i = 0; i < reports->n; i++)
		for (size_t k = 0; paths[k]; k++)
			if (report_writes_to(reports->v[i], paths[k]))
				return error_set(
					e, EINVAL,
					"'%s' is read and would be overwritten; write the report to another file",
					paths[k]);
	return 0;
}

void reports_start(struct reports *reports, const struct result *result)
{
	for (size_t i = 0; i < reports->n; i++)
		report_start(reports->v[i], result);
}

void reports_rows(struct reports *reports, const struct result *result)
{
	for (size_t i = 0; i < reports->n; i++)
		report_rows(reports->v[i], result);
}

void reports_clear(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++)
		report_clear(reports->v[i]);
}

/* github-action-benchmark expects values of which smaller is better, and compares them with the last ones by their
 * ratio. */
static void note_unusable(struct result *result)
{
	auto_strings struct strings names = {0};
	auto_free char *joined = NULL;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row->run || !isnan(row->time) || !row_has_value(row) || !report_is_unusable(row) ||
		    (row->item->kind == ITEM_METRIC ? !row->item->metric : !row->item->counted) ||
		    strings_has(&names, row->item->name))
			continue;
		strings_add(&names, "%s", row->item->name);
	}
	joined = strings_join(&names, ", ");
	if (joined)
		strings_add(&result->notes,
			    "the .gab.json file leaves out counts of 0 and metrics (%s); "
			    "--metric-only writes metrics alone",
			    joined);
}

void reports_note_left_out(const struct report_copy *copies, size_t n, bool metric_only, struct result *result)
{
	size_t commands = result->session.n_commands ? result->session.n_commands : 1;
	bool any = false, github = false;

	for (size_t i = 0; i < n; i++)
		github |= copies[i].format == REPORT_GITHUB_BENCHMARK;
	for (size_t i = 0; i < n; i++)
		any |= copies[i].format == REPORT_BENCHER || github;
	if (github && !metric_only)
		note_unusable(result);
	for (unsigned i = 1; any && i <= commands; i++)
		if (session_failure(&result->session, i))
			strings_add(&result->notes,
				    "benchmarks leave out command %u, which %s; fix: --ignore-failure includes it", i,
				    session_failure(&result->session, i));
}

void reports_end(struct reports *reports, const struct result *result, bool rows)
{
	for (size_t i = 0; i < reports->n; i++)
		report_end(reports->v[i], result, rows);
}

bool reports_have_failed(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++)
		if (writer_has_failed(&reports->v[i]->writer))
			return true;
	return false;
}

int reports_tell_failure(struct reports *reports, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < reports->n && error == 0; i++)
		error = report_tell_failure(reports->v[i], e);
	return error;
}

bool reports_are_behind(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++)
		if (writer_is_behind(&reports->v[i]->writer))
			return true;
	return false;
}

void reports_drain(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++)
		writer_drain(&reports->v[i]->writer, -1);
}

int reports_close(struct reports *reports, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < reports->n; i++) {
		struct error other;
		int closed = report_close(reports->v[i], error ? &other : e);

		if (error && closed)
			error_hint(e, "%s", other.text);
		error = error ? error : closed;
	}
	free(reports->v);
	*reports = (struct reports){.n = 0};
	return error;
}
