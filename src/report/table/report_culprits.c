/* The tasks (--by) that explain the differences of a comparison, above its table: for each event, the tasks with a
 * separate difference, and the sum of all others. */
#include <math.h>
#include <string.h>

#include "compare/culprits.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/table/table.h"

enum { NAME, CHANGE, VERDICT, COLUMNS };

#define FOLD 8 /* indentation of a continued line */

struct drawing {
	struct report *report;
	const struct result *result;
	struct text_table table;
	enum aggr_mode scope; /* of the tasks; AGGR_TOTAL without tasks */
};

static void set_change(struct drawing *d, const struct row *count, const char *verdict)
{
	auto_free char *change = report_difference_text(d->report, count);
	enum color_role color = report_verdict_color(count->difference);

	text_table_set(&d->table, CHANGE, change);
	text_table_set(&d->table, VERDICT, verdict);
	text_table_color(&d->table, CHANGE, color);
	text_table_color(&d->table, VERDICT, color);
}

static void add_event_line(struct drawing *d, const struct row *whole)
{
	auto_free char *name = report_culprits_event(d->result, whole);

	text_table_line(&d->table);
	text_table_set_safe(&d->table, NAME, name);
	text_table_color(&d->table, NAME, COLOR_HEADING);
	set_change(d, whole, report_verdict_brief(whole->difference));
}

static void add_culprit(struct drawing *d, const struct culprit *c)
{
	auto_free char *name = report_culprit_name(c), *safe = text_safe(name);
	auto_free char *shown = text_shorten(safe, d->report->width / 2, report_ellipsis(d->report));

	text_table_line(&d->table);
	text_table_format(&d->table, NAME, "  %-4s  %s", c->mark, shown);
	set_change(d, c->count, c->named && *c->mark ? "" : report_verdict_brief(c->difference));
}

static void add_others(struct drawing *d, const struct culprits *c)
{
	auto_free char *change = report_rest_text(d->report, c);

	text_table_line(&d->table);
	text_table_format(&d->table, NAME, "        %zu other%s", c->n - c->shown, c->n - c->shown == 1 ? "" : "s");
	text_table_set(&d->table, CHANGE, change);
}

static void add_block(struct drawing *d, const struct row *whole)
{
	struct culprits c;

	if (culprits_find(&c, d->result, whole, d->report->options.top, d->report->options.verbose)) {
		d->scope = c.v->count->subject->scope;
		add_event_line(d, whole);
		for (size_t i = 0; i < c.shown; i++)
			add_culprit(d, &c.v[i]);
		if (c.shown < c.n)
			add_others(d, &c);
	}
	culprits_free(&c);
}

void report_put_culprits(struct report *report, const struct comparison *compared)
{
	struct text_column columns[COLUMNS] = {[NAME] = {.gap = 0},
					       [CHANGE] = {.gap = 2, .kind = TEXT_VERDICT, .name = "change"},
					       [VERDICT] = {.gap = 2, .folds = true, .hidden = true}};
	struct drawing d = {.report = report,
			    .result = compared->result,
			    .table = report_new_table(report, columns, COLUMNS, 3, FOLD)};

	for (size_t i = 0; i < compared->n; i++)
		for (size_t k = 0; k < compared->v[i].n; k++)
			if (compared->v[i].rows[k]->command > 1)
				add_block(&d, compared->v[i].rows[k]);
	if (d.scope != AGGR_TOTAL) {
		auto_free char *caption =
			xasprintf("By %s, in shares of the reference's total:", aggr_mode_word(d.scope));

		report->page->table(report, &d.table, caption);
		report->page->gap(report);
	}
	text_table_free(&d.table);
}
