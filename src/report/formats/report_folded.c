/* --folded=EVENT, the input of flamegraph.pl: a line for each path of program names from the command down to a process:
 * names separated by semicolons, a blank, the count. */
#include <inttypes.h>
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/report_internal.h"

#define FRAMES_MOST 128 /* of a path; deeper processes are counted for the last frame */

/* A semicolon in a name would split it into two frames. */
static void put_frame(FILE *out, const struct tree *tree, size_t process)
{
	const char *name = tree_name(tree, process);
	auto_free char *shown = tree->processes[process].pid ? report_program_text(name) : xstrdup(name);
	auto_free char *safe = text_safe(*name ? shown : "?");

	for (char *c = safe; (c = strchr(c, ';'));)
		*c = ':';
	fputs(safe, out);
}

static char *path_of(const struct tree *tree, size_t process)
{
	size_t frames[FRAMES_MOST], n = 0, depth = 0;
	char *path = NULL;
	size_t size;
	FILE *out = xopen_memstream(&path, &size);

	for (size_t p = process; p != TREE_NONE; p = tree->processes[p].parent)
		depth++;
	for (size_t p = process; p != TREE_NONE; p = tree->processes[p].parent, depth--)
		if (depth <= FRAMES_MOST)
			frames[n++] = p;
	while (n-- > 0) {
		put_frame(out, tree, frames[n]);
		if (n)
			putc(';', out);
	}
	fclose(out);
	return path;
}

struct folded {
	char *path;
	uint64_t count;
};

static int compare_paths(const void *left, const void *right)
{
	const struct folded *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static uint64_t row_count(const struct row *row)
{
	double value = value_real(row->value);

	if (row->value.type == VALUE_COUNT)
		return row->value.count;
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* The rows of processes are in the tree's order; an additional row belongs to no process in it. */
static struct folded *collect_folded(const struct report *report, const struct result *result, size_t *n)
{
	const struct tree *tree = result->session.tree;
	struct folded *lines = NULL;
	size_t process = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct folded *line;

		if (row->item->kind != ITEM_COUNT || row->subject->scope != AGGR_PROCESS ||
		    strcmp(row->item->name, report->options.folded) != 0)
			continue;
		line = ARRAY_PUSH(lines, *n);
		line->path = process < tree->n ? path_of(tree, process) : xstrdup(row->subject->id);
		line->count = row_count(row);
		process++;
	}
	return lines;
}

static void folded_rows(struct report *report, const struct result *result)
{
	size_t n = 0;
	struct folded *lines = result->session.tree ? collect_folded(report, result, &n) : NULL;

	if (n)
		qsort(lines, n, sizeof(*lines), compare_paths);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(lines[i].path, lines[i + 1].path) == 0)
			lines[i + 1].count += lines[i].count;
		else if (lines[i].count)
			fprintf(report->out, "%s %" PRIu64 "\n", lines[i].path, lines[i].count);
		free(lines[i].path);
	}
	free(lines);
}

static void put_remark(const char *text)
{
	fputs("pfmstat: ", stderr);
	report_put_safe(stderr, text);
	putc('\n', stderr);
}

static const struct row *find_whole(const struct report *report, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].item->kind == ITEM_COUNT && result->rows[i].subject->scope == AGGR_TOTAL &&
		    strcmp(result->rows[i].item->name, report->options.folded) == 0)
			return &result->rows[i];
	return NULL;
}

/* Lines of paths cannot contain text: notes about the event go to standard error. */
static void folded_end(struct report *report, const struct result *result)
{
	const struct row *whole = find_whole(report, result);

	fflush(report->out);
	if (whole && !status_has_value(whole->status))
		report->missing = xasprintf("%s: not counted: %s", whole->item->name, whole->reason);
	else if (whole && *whole->reason && !strings_has(&result->notes, whole->reason))
		put_remark(whole->reason);
	for (size_t i = 0; i < result->notes.n; i++)
		put_remark(result->notes.v[i]);
}

const struct report_ops report_folded_ops = {.rows = folded_rows, .end = folded_end, .need = REPORT_NEEDS_PROCESSES};
