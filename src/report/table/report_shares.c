/* The table with a line for each process, program or thread (--by), below the table of counts; and code that it shares
 * with the table of regions. The name comes last: at the end of the line it is cut off on a terminal, elsewhere it
 * continues below. If lines are too wide, columns are left out; a line names the events.
 *
 * A line shows counts, the share of the event that sorts the lines, and the time on a CPU unless a CPU clock is among
 * the events. Matches of a glob are in the order of their totals; those that are 0 are left out. Processes in order of
 * their start are drawn as a tree. Columns are left out in this order: the bars, errors, times, events from the
 * smallest on, ids.
 */
#include <string.h>

#include "by/tree.h"
#include "lib/text.h"
#include "report/picture.h"
#include "report/table/share_lines.h"
#include "report/table/shares.h"

#define HEADING_LEAST 16
#define HEADINGS_REST 31 /* the margin, and the columns of shares, times and ids */
#define BAR_WIDTH     10
#define OF_MOST       14 /* columns of the event whose shares are shown */
#define PATHS         4  /* columns of a line that are kept for a path */
#define DEPTH_MOST    24 /* deeper ones are not indented further */

void report_counts_write(const struct text_table *t, struct report *report, const char *caption, size_t hidden)
{
	auto_free char *text =
		xasprintf("(no room for %zu more event%s: --csv shows all)", hidden, hidden == 1 ? "" : "s");

	report->page->table(report, t, caption);
	if (hidden)
		report->page->remark(report, 2, text);
}

void report_count_set(struct text_table *t, const struct report *report, size_t column, const struct row *row,
		      const char *mark)
{
	auto_free char *error = report_count_error_text(report, row, -1);
	char buf[NUMBER_MAX];

	text_table_format(t, column, "%s%s", mark,
			  status_has_value(row->status) ? report_count_number(buf, report, row) : "-");
	text_table_set(t, column + COUNT_ERROR, isnan(row->error) ? "" : error);
}

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
	const char *mark = report_ellipsis(report);
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

static char *subject_name(const struct report *report, const struct share_line *subject, const struct tree *tree)
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

	if (row->scope_count && *text != '(') /* "(idle)", "(17 others)" */
		return xasprintf("%s (%u)", text, row->scope_count);
	return xasprintf("%*s%s", (int)(2 * depth), "", text);
}

/* If event names have no room, the longest ones lose their middle: the table above shows them. */
static size_t longest_heading(const struct report *report, const struct share_lines *list)
{
	const struct share_line *first = &list->v[0];
	size_t used = TEXT_TABLE_NAME_LEAST + HEADINGS_REST;

	for (size_t e = 0; e < first->n; e++)
		used += text_width(first->rows[e].item->name + list->prefix) + 2;
	if (used <= report->width)
		return SIZE_MAX;
	return report->width / 4 > HEADING_LEAST ? report->width / 4 : HEADING_LEAST;
}

static char *heading_of(const struct report *report, const struct share_lines *list, size_t event, size_t longest)
{
	auto_free char *safe = text_safe(list->v[0].rows[event].item->name + list->prefix);

	return text_shorten(safe, longest, report_ellipsis(report));
}

/* Returns "of openat", the event of the shares; NULL if there is one event. */
static char *shared_event(const struct report *report, const struct share_lines *list)
{
	auto_free char *sorting = heading_of(report, list, list->sorting, OF_MOST);

	return list->v[0].n > 1 ? xasprintf("of %s", sorting) : NULL;
}

static void add_headings(struct text_table *t, const struct report *report, const struct share_lines *list,
			 const struct tree *tree, const char *of)
{
	const struct share_line *first = &list->v[0];
	enum aggr_mode scope = first->rows->subject->scope;
	bool comms = scope == AGGR_COMM, cgroups = scope == AGGR_CGROUP;
	size_t longest = longest_heading(report, list), events = t->n_columns - COLUMNS;

	t->headings = 1;
	text_table_line(t);
	for (size_t e = 0; e < first->n; e++) {
		auto_free char *heading = heading_of(report, list, list->order[e], longest);

		text_table_set(t, e * COUNT_COLUMNS, heading);
	}
	text_table_set(t, events + SHARE, "share");
	if (of)
		text_table_set(t, events + BAR, of);
	text_table_set(t, events + ON_CPU, "msec on CPU");
	if (!comms && !cgroups && tree)
		text_table_set(t, events + ID, scope == AGGR_THREAD ? "tid" : "pid");
	text_table_set(t, events + NAME, comms ? "comm (processes)" : cgroups ? "cgroup" : "comm");
}

static void set_share(struct text_table *t, const struct report *report, const struct row *row, double total)
{
	size_t events = t->n_columns - COLUMNS;
	char buf[NUMBER_MAX];

	if (status_has_value(row->status) && total > 0) {
		double share = value_real(row->value) / total;
		auto_free char *bar = picture_bar(share, BAR_WIDTH, report->style.utf8);

		text_table_format(t, events + SHARE, "%s%%", number_real(buf, &report->style, 100 * share, 1));
		text_table_set(t, events + BAR, bar);
		text_table_color(t, events + BAR, COLOR_PICTURE);
	} else {
		text_table_set(t, events + SHARE, "-");
	}
}

static void add_subject(struct text_table *t, const struct report *report, const struct share_lines *list,
			const struct share_line *subject, const struct tree *tree)
{
	const struct row *first = subject->rows;
	size_t events = t->n_columns - COLUMNS;
	auto_free char *name = subject_name(report, subject, tree);
	uint64_t on_cpu = 0;
	char buf[NUMBER_MAX];

	text_table_line(t);
	for (size_t e = 0; e < subject->n; e++) {
		size_t event = list->order[e];

		if (first[e].raw.enabled > on_cpu)
			on_cpu = first[e].raw.enabled;
		if (event < subject->n)
			report_count_set(t, report, e * COUNT_COLUMNS, &first[event], "");
	}
	if (list->sorting < subject->n)
		set_share(t, report, &first[list->sorting], list->totals[list->sorting]);
	number_real(buf, &report->style, (double)on_cpu / 1e6, 2);
	text_table_set(t, events + ON_CPU, first->item->event && !event_is_opened(first->item->event) ? "-" : buf);
	if (first->subject->pid && first->subject->scope == AGGR_THREAD)
		text_table_format(t, events + ID, "%.10s", first->subject->id);
	else if (first->subject->pid)
		text_table_format(t, events + ID, "%d", (int)first->subject->pid);
	text_table_set(t, events + NAME, name);
}

static void put_subjects(struct report *report, const struct share_lines *list, const struct session *session)
{
	size_t events = list->v[0].n * COUNT_COLUMNS, hidden;
	auto_free struct text_column *columns = xcalloc(events + COLUMNS, sizeof(*columns));
	struct text_table t = report_new_table(report, columns, events + COLUMNS, 2, 0);
	auto_free char *of = shared_event(report, list);

	for (size_t e = 0; e < events; e += COUNT_COLUMNS) {
		columns[e] = (struct text_column){.gap = 2, .right = true};
		columns[e + COUNT_ERROR] =
			(struct text_column){.gap = 1, .hidden = true, .kind = TEXT_BESIDE}; /* until there is one */
	}
	columns[events + SHARE] = (struct text_column){.width = 6, .gap = 2, .right = true};
	columns[events + BAR] = (struct text_column){.width = BAR_WIDTH, .gap = 1};
	columns[events + ON_CPU] = (struct text_column){.width = 11, .gap = 2, .right = true, .fixed = true};
	columns[events + ID] = (struct text_column){.width = 6, .gap = 2, .right = true, .fixed = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = !report->tty, .kind = TEXT_NAME};
	add_headings(&t, report, list, session->tree, of);
	for (size_t i = 0; i < list->n; i++)
		add_subject(&t, report, list, &list->v[i], session->tree);
	shares_hide_uncounted(&t, list);
	hidden = shares_hide_columns(&t, list, of);
	report->page->gap(report);
	report_counts_write(&t, report, NULL, hidden);
	if (!report->options.top && subject_id_is_others(list->v[list->n - 1].rows->subject->id))
		report->page->remark(report, 2, "(--top=all shows all rows)");
	text_table_free(&t);
}

void report_put_shares(struct report *report, const struct result *result)
{
	size_t most = report->options.top ? report->options.top : REPORT_TASKS_MOST;
	struct share_lines list = {0};

	if (!result->session.by_task)
		return;
	lines_find(&list, result, most);
	if (list.n) {
		shares_order_events(&list, &result->session);
		lines_join_others(&list, most);
		put_subjects(report, &list, &result->session);
	}
	lines_free(&list);
}
