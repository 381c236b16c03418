/* The table with a line for each process, program or thread (--by), below the table of counts; and code that it shares
 * with the table of regions. The name comes last: at the end of the line it is cut off on a terminal, elsewhere it
 * continues below. If lines are too wide, columns are left out; a line names the events.
 *
 * A line shows counts, the share of the first event and the time on a CPU. Processes in order of their start are drawn
 * as a tree. Columns are left out in this order: the time on a CPU if it equals the first event, the bars, errors,
 * events from the smallest on. */
#include <math.h>
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/picture.h"
#include "report/table/share_lines.h"
#include "report/table/table.h"

#define HEADING_LEAST 16
#define HEADINGS_REST 31 /* the margin, and the columns of shares, times and ids */
#define BAR_WIDTH     10
#define PATHS         4  /* columns of a line that are kept for a path */
#define DEPTH_MOST    24 /* deeper ones are not indented further */

void report_counts_write(const struct text_table *t, const struct report *report, size_t hidden)
{
	text_table_write(t, report->out);
	if (hidden)
		fprintf(report->out, "  (no room for %zu more event%s: --csv shows all)\n", hidden,
			hidden == 1 ? "" : "s");
}

void report_count_set(struct text_table *t, const struct report *report, size_t column, const struct row *row,
		      const char *mark)
{
	auto_free char *error = report_error_text(report, row);
	char buf[NUMBER_MAX];

	text_table_format(t, column, "%s%s", mark,
			  status_has_value(row->status) ? report_count_number(buf, report, row) : "-");
	text_table_set(t, column + COUNT_ERROR, isnan(row->error) ? "" : error);
}

/* The columns after the events of the first subject. */
enum { SHARE, BAR, ON_CPU, ID, NAME, COLUMNS };

/* Returns the command line of the row's process; NULL if another process had its id, or if it is not requested or
 * unknown. */
static const char *find_cmdline(const struct tree *tree, const struct row *row)
{
	const struct process *found = NULL;

	for (size_t i = 0; tree && i < tree->n && row->subject->scope == AGGR_PROCESS && row->subject->pid; i++) {
		if (tree->processes[i].pid != row->subject->pid)
			continue;
		if (found)
			return NULL;
		found = &tree->processes[i];
	}
	return found ? found->cmdline : NULL;
}

/* Shows only the ends of long paths, which are more informative than their beginnings: "…/x86_64-linux-gnu/12/cc1
 * -quiet". */
static char *shorten_paths(const struct report *report, const char *text)
{
	const char *mark = report->style.utf8 ? "\u2026" : "..";
	size_t most = report->width / PATHS, size;
	char *shorter = NULL;
	FILE *out = xopen_memstream(&shorter, &size);

	for (const char *word = text; *word;) {
		size_t n = strcspn(word, " "), blanks = strspn(word + n, " ");
		auto_free char *path = xstrndup(word, n);
		size_t columns = text_columns(path), left = most - text_columns(mark);
		const char *end = path;

		if (strchr(path, '/') && columns > most) {
			for (size_t i = columns; i > left; i--)
				for (end++; utf8_continues(*end);)
					end++;
			end = strchr(end, '/') ? strchr(end, '/') : end;
			fputs(mark, out);
		}
		fprintf(out, "%s%*s", end, (int)blanks, "");
		word += n + blanks;
	}
	fclose(out);
	return shorter;
}

static char *subject_name(const struct report *report, const struct line *subject, const struct tree *tree)
{
	const struct row *row = subject->rows;
	auto_free char *program = row->subject->scope == AGGR_COMM ? report_subject_text(row) : NULL;
	/* over several runs a process or thread has a path instead of an id, except the idle task */
	bool has_path = !tree && strcmp(row->subject->id, "0") != 0;
	const char *name = program ? program : row->subject->comm && !has_path ? row->subject->comm : row->subject->id;
	const char *cmdline =
		subject->process == TREE_NONE ? find_cmdline(tree, row) : tree->processes[subject->process].cmdline;
	unsigned depth = subject->depth < DEPTH_MOST ? subject->depth : DEPTH_MOST;
	auto_free char *safe = text_safe(cmdline ? cmdline : name);
	auto_free char *text = cmdline && report->tty ? shorten_paths(report, safe) : xstrdup(safe);

	if (row->scope_count)
		return xasprintf("%s (%u)", text, row->scope_count);
	return xasprintf("%*s%s", (int)(2 * depth), "", text);
}

/* If event names have no room, the longest ones lose their middle: the table above shows them. */
static size_t longest_heading(const struct report *report, const struct line *first)
{
	size_t used = TEXT_TABLE_NAME_LEAST + HEADINGS_REST;

	for (size_t e = 0; e < first->n; e++)
		used += text_width(first->rows[e].item->name) + 2;
	if (used <= report->width)
		return SIZE_MAX;
	return report->width / 4 > HEADING_LEAST ? report->width / 4 : HEADING_LEAST;
}

static void add_headings(struct text_table *t, const struct report *report, const struct line *first,
			 const struct tree *tree)
{
	bool comms = first->rows->subject->scope == AGGR_COMM;
	size_t longest = longest_heading(report, first), events = t->n_columns - COLUMNS;

	text_table_line(t);
	for (size_t e = 0; e < first->n; e++) {
		auto_free char *safe = text_safe(first->rows[e].item->name);
		auto_free char *heading = text_shorten(safe, longest, report->style.utf8 ? "\u2026" : "..");

		text_table_set(t, e * COUNT_COLUMNS, heading);
	}
	text_table_set(t, events + SHARE, "share");
	text_table_set(t, events + ON_CPU, "msec on CPU");
	if (!comms && tree)
		text_table_set(t, events + ID, first->rows->subject->scope == AGGR_THREAD ? "tid" : "pid");
	text_table_set(t, events + NAME, comms ? "comm (processes)" : "comm");
}

static void add_subject(struct text_table *t, const struct report *report, const struct line *subject,
			const struct tree *tree, double total)
{
	const struct row *first = subject->rows;
	size_t events = t->n_columns - COLUMNS;
	auto_free char *name = subject_name(report, subject, tree), *bar = NULL;
	uint64_t on_cpu = 0;
	char buf[NUMBER_MAX] = "-";

	text_table_line(t);
	for (size_t e = 0; e < subject->n; e++) {
		if (first[e].raw.enabled > on_cpu)
			on_cpu = first[e].raw.enabled;
		if (e * COUNT_COLUMNS < events)
			report_count_set(t, report, e * COUNT_COLUMNS, &first[e], "");
	}
	if (status_has_value(first->status) && total > 0) {
		bar = picture_bar(value_real(first->value) / total, BAR_WIDTH, report->style.utf8);
		number_real(buf, &report->style, 100 * (value_real(first->value) / total), 1);
		text_table_format(t, events + SHARE, "%s%%", buf);
		text_table_set(t, events + BAR, bar);
		text_table_color(t, events + BAR, COLOR_PICTURE);
	} else {
		text_table_set(t, events + SHARE, "-");
	}
	number_real(buf, &report->style, (double)on_cpu / 1e6, 2);
	text_table_set(t, events + ON_CPU, first->item->event && !event_is_opened(first->item->event) ? "-" : buf);
	if (first->subject->pid && first->subject->scope == AGGR_THREAD)
		text_table_format(t, events + ID, "%.10s", first->subject->id);
	else if (first->subject->pid)
		text_table_format(t, events + ID, "%d", (int)first->subject->pid);
	text_table_set(t, events + NAME, name);
}

/* Hides events after the first that have no value in any line: the table above shows the reason. */
static void hide_uncounted(struct text_table *t, const struct lines *list)
{
	for (size_t e = 1; e * COUNT_COLUMNS < t->n_columns - COLUMNS; e++) {
		bool counted = false;

		for (size_t i = 0; i < list->n && !counted; i++)
			counted = e < list->v[i].n && status_has_value(list->v[i].rows[e].status);
		t->columns[e * COUNT_COLUMNS].hidden = !counted;
	}
}

static double total_of(const struct lines *list, size_t event)
{
	double total = 0;

	for (size_t i = 0; i < list->n; i++)
		if (event < list->v[i].n && status_has_value(list->v[i].rows[event].status))
			total += value_real(list->v[i].rows[event].value);
	return total;
}

/* Returns the least important of the shown events: the event with the smallest total, except the first one and the one
 * that sorts the lines. Returns SIZE_MAX if not found. */
static size_t find_smallest(const struct text_table *t, const struct lines *list, const struct event *ranked_by)
{
	size_t found = SIZE_MAX;
	double smallest = 0;

	for (size_t e = (t->n_columns - COLUMNS) / COUNT_COLUMNS; e-- > 1;) {
		double total = total_of(list, e);

		if (t->columns[e * COUNT_COLUMNS].hidden || list->v[0].rows[e].item->event == ranked_by ||
		    (found != SIZE_MAX && total >= smallest))
			continue;
		found = e;
		smallest = total;
	}
	return found;
}

/* Hides columns without room; returns the number of events among them. */
static size_t hide_columns(struct text_table *t, const struct lines *list, const struct event *ranked_by)
{
	size_t events = t->n_columns - COLUMNS, hidden = 0, e;

	if (event_is_clock(list->v[0].rows->item->event))
		text_table_hide_wide(t, events + ON_CPU);
	text_table_hide_wide(t, events + BAR);
	for (e = events; e > 0; e -= COUNT_COLUMNS)
		text_table_hide_wide(t, e - COUNT_COLUMNS + COUNT_ERROR);
	while ((e = find_smallest(t, list, ranked_by)) != SIZE_MAX && text_table_hide_wide(t, e * COUNT_COLUMNS))
		hidden++;
	return hidden;
}

static void put_subjects(struct report *report, const struct lines *list, const struct session *session)
{
	size_t events = list->v[0].n * COUNT_COLUMNS, hidden;
	auto_free struct text_column *columns = xcalloc(events + COLUMNS, sizeof(*columns));
	struct text_table t = report_new_table(report, columns, events + COLUMNS, 2, 0);
	double total = total_of(list, 0);

	for (size_t e = 0; e < events; e += COUNT_COLUMNS) {
		columns[e] = (struct text_column){.gap = 2, .right = true};
		columns[e + COUNT_ERROR] = (struct text_column){.gap = 1, .hidden = true}; /* until there is one */
	}
	columns[events + SHARE] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + BAR] = (struct text_column){.width = BAR_WIDTH, .gap = 1};
	columns[events + ON_CPU] = (struct text_column){.width = 11, .gap = 2, .right = true, .fixed = true};
	columns[events + ID] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = !report->tty};
	add_headings(&t, report, &list->v[0], session->tree);
	for (size_t i = 0; i < list->n; i++)
		add_subject(&t, report, &list->v[i], session->tree, total);
	hide_uncounted(&t, list);
	hidden = hide_columns(&t, list, session->ranked_by);
	putc('\n', report->out);
	report_counts_write(&t, report, hidden);
	if (!report->options.top && subject_id_is_others(list->v[list->n - 1].rows->subject->id))
		fputs("  (--top=all shows all rows)\n", report->out);
	text_table_free(&t);
}

void report_put_shares(struct report *report, const struct result *result)
{
	struct lines list = {0};

	if (!result->session.by_task)
		return;
	lines_find(&list, result, report->options.top ? report->options.top : REPORT_TASKS_MOST);
	if (list.n)
		put_subjects(report, &list, &result->session);
	lines_free(&list);
}
