#include "saved/merged_reports.h"

#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "saved/saved.h"

#define NOTES_MOST  20 /* for files that could not be read, and the same number for commands that failed */
#define KINDS_NAMED 3  /* of commands, kernels and so on */
#define KIND_WIDTH  60 /* maximal columns of each */

/* ---- labels ---- */

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (unsigned char)c >= 0x80;
}

/* Returns the length of the common prefix, without a partial word at its end. */
static size_t common_begin(char *const *paths, size_t n)
{
	size_t same = strlen(paths[0]);

	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < same; k++)
			if (paths[i][k] != paths[0][k])
				same = k;
	while (same > 0 && is_word(paths[0][same - 1]))
		same--;
	return same;
}

static size_t common_end(char *const *paths, size_t n)
{
	size_t length = strlen(paths[0]), same = length;

	for (size_t i = 1; i < n; i++) {
		size_t other = strlen(paths[i]), k = 0;

		while (k < same && k < other && paths[i][other - 1 - k] == paths[0][length - 1 - k])
			k++;
		same = k;
	}
	while (same > 0 && is_word(paths[0][length - same]))
		same--;
	return same;
}

void merged_reports_label(char *const *paths, size_t n, struct strings *labels)
{
	size_t begin = common_begin(paths, n), end = common_end(paths, n);

	for (size_t i = 0; i < n; i++)
		if (strlen(paths[i]) <= begin + end)
			begin = end = 0;
	for (size_t i = 0; i < n; i++)
		strings_add(labels, "%.*s", (int)(strlen(paths[i]) - begin - end), paths[i] + begin);
}

/* ---- the files ---- */

static int compare_paths(const void *a, const void *b)
{
	char *const *p = a, *const *q = b;

	return strverscmp(*p, *q);
}

/* A run that is added twice would count double: one file is a copy, or a merged report that contains the other. */
static int check_runs(const struct merged_reports *m, const struct strings *files, const struct strings *runs,
		      const char *path, struct error *e)
{
	for (size_t i = 0; i < runs->n; i++)
		for (size_t k = 0; k < files->n; k++)
			if (strcmp(runs->v[i], m->runs.v[k]) == 0)
				return error_set(e, EINVAL, "'%s' contains a run that '%s' also contains", path,
						 files->v[k]);
	return 0;
}

/* Rows per CPU, per process and similar rows mean nothing on other machines. */
static int check_totals(const struct saved *saved, const char *path, struct error *e)
{
	const struct row *scoped = NULL;

	for (size_t i = 0; i < saved->result.n; i++) {
		const struct row *row = &saved->result.rows[i];

		if (row->item->kind != ITEM_COUNT || row->item->clock)
			continue;
		if (merge_has_scope(row->subject->scope))
			return 0;
		scoped = row;
	}
	return scoped ? error_set(e, EINVAL, "'%s' has rows per %s but no totals, which --merge needs", path,
				  aggr_mode_name(scoped->subject->scope))
		      : 0;
}

/* ---- differences ---- */

struct kind {
	const char *text; /* owned by the origins */
	size_t first, n;
};

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *i = a, *j = b;

	return i->n != j->n ? (i->n < j->n ? 1 : -1) : (i->first > j->first) - (i->first < j->first);
}

/* "2 kernels: 6.1.0 (0 and 2 others), 6.5.1 (3)" */
static void note_kinds(struct merged_reports *m, const char *what, const struct strings *texts)
{
	auto_free struct kind *kinds = NULL;
	auto_strings struct strings named = {0};
	auto_free char *joined = NULL;
	size_t n = 0;

	for (size_t i = 0; i < texts->n; i++) {
		size_t k = 0;

		while (k < n && strcmp(kinds[k].text, texts->v[i]) != 0)
			k++;
		if (k == n)
			*ARRAY_PUSH(kinds, n) = (struct kind){texts->v[i], i, 0};
		kinds[k].n++;
	}
	if (n < 2)
		return;
	qsort(kinds, n, sizeof(*kinds), compare_kinds);
	for (size_t k = 0; k < n && k < KINDS_NAMED; k++) {
		const char *label = m->labels.v[kinds[k].first];
		auto_free char *safe = text_safe(*kinds[k].text ? kinds[k].text : "none");
		auto_free char *text = text_shorten(safe, KIND_WIDTH, "\u2026");

		if (kinds[k].n == 1)
			strings_add(&named, "%s (%s)", text, label);
		else
			strings_add(&named, "%s (%s and %zu other%s)", text, label, kinds[k].n - 1,
				    kinds[k].n == 2 ? "" : "s");
	}
	joined = strings_join(&named, ", ");
	strings_add(&m->merge.result.notes, "the reports are of %zu %s: %s%s", n, what, joined,
		    n > KINDS_NAMED ? ", …" : "");
}

/* The properties in which reports may differ. */
enum { COMMAND, TARGET, KERNEL, CPU, VERSION, PROPERTIES };

struct origins {
	struct strings of[PROPERTIES]; /* for each report that was read */
	struct strings files;          /* for each run */
};

static void add_origin(struct merged_reports *m, struct origins *origins, const struct saved *saved, const char *path)
{
	const struct saved_origin *origin = &saved->origins[0];
	const char *const texts[PROPERTIES] = {origin->command, origin->target, origin->kernel, origin->cpu,
					       origin->version};

	for (size_t i = 0; i < PROPERTIES; i++)
		strings_add(&origins->of[i], "%s", texts[i]);
	for (size_t i = 0; i < saved->runs.n; i++) {
		strings_add(&m->runs, "%s", saved->runs.v[i]);
		strings_add(&origins->files, "%s", path);
	}
}

static void set_failure(struct merged_reports *m)
{
	struct result *result = &m->merge.result;
	const char **failures = result_allocate(result, sizeof(*failures));

	failures[0] =
		m->failures ? result_format(result, "failed in %zu of %u merged reports", m->failures, m->merge.reports)
			    : NULL;
	result->session.failures = failures;
}

/* Sets the target if all reports have the same. */
static void set_target(struct result *result, const struct strings *targets)
{
	bool same = targets->n > 0;

	for (size_t i = 0; i < targets->n; i++)
		same &= *targets->v[0] && strcmp(targets->v[i], targets->v[0]) == 0;
	if (same)
		result->session.target_kind = result_text(result, targets->v[0]);
}

static void note_origins(struct merged_reports *m, struct origins *origins)
{
	static const char *const names[PROPERTIES] = {"commands", "targets", "kernels", "CPU models",
						      "versions of pfmstat"};

	for (size_t i = 0; i < PROPERTIES; i++) {
		note_kinds(m, names[i], &origins->of[i]);
		strings_free(&origins->of[i]);
	}
	strings_free(&origins->files);
}

/* ---- all of it ---- */

static void take_failures(struct merged_reports *m, const struct strings *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		if (m->failures++ < NOTES_MOST)
			strings_add(&m->merge.result.notes, "%s", notes->v[i]);
}

/* first: the error of the first file that is left out. */
static void leave_out(struct merged_reports *m, const struct error *why, struct error *first)
{
	if (m->unread == 0)
		*first = *why;
	if (m->unread++ < NOTES_MOST)
		strings_add(&m->merge.result.notes, "left out: %s", why->text);
}

static void read_one(struct merged_reports *m, struct origins *origins, char *path, const char *label,
		     struct error *first)
{
	char *const one[] = {path, NULL};
	struct error e = {0};
	struct saved saved;

	if (saved_read(&saved, one, true, &e) < 0 || check_totals(&saved, path, &e) < 0 ||
	    check_runs(m, &origins->files, &saved.runs, path, &e) < 0) {
		leave_out(m, &e, first);
	} else {
		merge_add(&m->merge, &saved.result);
		take_failures(m, &saved.result.notes);
		strings_add(&m->labels, "%s", label);
		strings_add(&m->names, "%s", saved.names[0]);
		add_origin(m, origins, &saved, path);
	}
	saved_free(&saved);
}

int merged_reports_read(struct merged_reports *m, char *const *paths, size_t n, struct error *e)
{
	auto_free char **sorted = xcalloc(n, sizeof(*sorted));
	auto_strings struct strings labels = {0};
	struct origins origins = {0};
	struct result *result = &m->merge.result;

	*m = (struct merged_reports){.unread = 0};
	memcpy(sorted, paths, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_paths);
	merged_reports_label(sorted, n, &labels);
	for (size_t i = 0; i < n; i++)
		read_one(m, &origins, sorted[i], labels.v[i], e);
	if (m->merge.reports == 0)
		return -e->code;
	if (m->unread > NOTES_MOST)
		strings_add(&result->notes, "left out: %zu more", m->unread - NOTES_MOST);
	if (m->failures > NOTES_MOST)
		strings_add(&result->notes, "%zu more commands failed", m->failures - NOTES_MOST);
	if (m->merge.reports > 1)
		strings_add(&result->notes,
			    "the totals of duration_time and max_rss are the largest values: they do not add up");
	set_failure(m);
	set_target(result, &origins.of[TARGET]);
	note_origins(m, &origins);
	merge_finish(&m->merge, m->labels.v);
	result->session.n_merged = m->merge.reports;
	result->session.merged_runs = &m->runs;
	result->session.command_names = (const char *const *)m->names.v;
	result->session.labels = (const char *const *)m->labels.v;
	return 0;
}

void merged_reports_free(struct merged_reports *m)
{
	merge_free(&m->merge);
	strings_free(&m->labels);
	strings_free(&m->names);
	strings_free(&m->runs);
}
