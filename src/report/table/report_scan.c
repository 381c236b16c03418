/* The table of a scan: a line for each command, that is for each value, and a column for each event. The least of each
 * column has a mark, and so have those that are not clearly more. */
#include <string.h>

#include "compare/standings.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/table/table.h"

#define HEADING_MOST 20 /* columns of an event's name */
#define LABEL_MOST   24

/* The columns of an event, after the label. */
enum { VALUE, ERROR, COLUMNS };

#define COLUMN(event, which) (1 + (event)*COLUMNS + (which))

struct matrix {
	struct report *report;
	const struct result *result;
	const struct comparison_block **blocks; /* with a value */
	size_t n;                               /* number of blocks */
	struct text_table table;
	bool **marked; /* for each block and command */
	bool has_marks;
};

/* Marks the commands that may have the least value, unless all may. */
static bool *mark_least(struct matrix *m, const struct comparison_block *block)
{
	bool *marked = xcalloc(m->result->session.n_commands + 1, sizeof(*marked)), differ = false;
	struct standings standings;

	standings_make(&standings, block->rows, block->n);
	for (size_t i = 1; i < standings.n; i++)
		differ |= standings.v[i].verdict == VERDICT_MORE;
	for (size_t i = 0; i < standings.n && differ; i++)
		marked[standings.v[i].row->command] = i == 0 || standings.v[i].verdict != VERDICT_MORE;
	m->has_marks |= differ;
	standings_free(&standings);
	return marked;
}

/* Sets "elapsed time" above "msec". */
static void add_headings(struct matrix *m)
{
	m->table.headings = 2;
	for (size_t line = 0; line < 2; line++) {
		text_table_line(&m->table);
		for (size_t e = 0; e < m->n; e++) {
			auto_free char *heading = report_block_heading(m->blocks[e]), *safe = text_safe(heading);
			char *unit = strrchr(safe, ','), *text = line ? unit : safe;
			auto_free char *shown = NULL;

			if (unit && unit[1] == ' ')
				*unit = '\0';
			else if (line)
				continue;
			shown = text_shorten(text + 2 * line, HEADING_MOST, report_ellipsis(m->report));
			text_table_set(&m->table, COLUMN(e, VALUE), shown);
			text_table_color(&m->table, COLUMN(e, VALUE), COLOR_HEADING);
		}
	}
}

static void set_cell(struct matrix *m, size_t event, const struct row *row)
{
	auto_free char *mean = report_mean_text(m->report, row), *error = report_error_text(m->report, row);
	struct text_table *t = &m->table;
	bool marked = m->marked[event][row->command];

	if (!row_has_value(row)) {
		text_table_set(t, COLUMN(event, VALUE), mean);
		text_table_color(t, COLUMN(event, VALUE), COLOR_ATTENTION);
		return;
	}
	text_table_format(t, COLUMN(event, VALUE), "%s%s", marked ? "*" : "", mean);
	text_table_set(t, COLUMN(event, ERROR), error);
	if (marked)
		text_table_color(t, COLUMN(event, VALUE), COLOR_BETTER);
}

static void add_command(struct matrix *m, unsigned command)
{
	auto_free char *name = report_command_text(m->result, command);
	auto_free char *shown = text_shorten(name, LABEL_MOST, report_ellipsis(m->report));

	text_table_line(&m->table);
	text_table_set(&m->table, 0, shown);
	for (size_t e = 0; e < m->n; e++)
		for (size_t k = 0; k < m->blocks[e]->n; k++)
			if (m->blocks[e]->rows[k]->command == command)
				set_cell(m, e, m->blocks[e]->rows[k]);
}

/* Hides errors, and then events, from the last on. Returns the number of events among them. */
static size_t hide_columns(struct matrix *m)
{
	struct text_table *t = &m->table;
	size_t hidden = 0, n = m->n;

	for (size_t e = n; e > 0 && text_table_width(t) > m->report->width; e--)
		t->columns[COLUMN(e - 1, ERROR)].hidden = true;
	for (size_t e = n; e > 1 && text_table_width(t) > m->report->width; e--, hidden++)
		t->columns[COLUMN(e - 1, VALUE)].hidden = true;
	return hidden;
}

static void build_matrix(struct matrix *m)
{
	for (size_t e = 0; e < m->n; e++) {
		m->table.columns[COLUMN(e, VALUE)] = (struct text_column){.gap = 3, .right = true};
		m->table.columns[COLUMN(e, ERROR)] =
			(struct text_column){.gap = 1, .hidden = true, .kind = TEXT_BESIDE}; /* until there is one */
		m->marked[e] = mark_least(m, m->blocks[e]);
	}
	add_headings(m);
	for (unsigned i = 1; i <= m->result->session.n_commands; i++)
		add_command(m, i);
}

void report_scan_rows(struct report *report, const struct comparison *compared)
{
	auto_free const struct comparison_block **blocks = xcalloc(compared->n + 1, sizeof(*blocks));
	auto_free struct text_column *columns = xcalloc(COLUMN(compared->n, 0), sizeof(*columns));
	auto_free bool **marked = xcalloc(compared->n + 1, sizeof(*marked));
	struct matrix m = {.report = report, .result = compared->result, .blocks = blocks, .marked = marked};

	for (size_t i = 0; i < compared->n; i++)
		if (compared->v[i].counted) /* a note names the others */
			blocks[m.n++] = &compared->v[i];
	columns[0].kind = TEXT_NAME;
	m.table = report_new_table(report, columns, COLUMN(m.n, 0), 3, 0);
	build_matrix(&m);
	report_counts_write(&m.table, report, NULL, hide_columns(&m));
	if (m.has_marks) {
		report->page->gap(report);
		report->page->remark(report, 3, "* the least, or not clearly more");
	}
	text_table_free(&m.table);
	for (size_t e = 0; e < m.n; e++)
		free(marked[e]);
}
