/* The answer to a comparison, below its notes: aligned lines of the ranking, and sentences alone; and the judgements of
 * --fail-if. */
#include "lib/text.h"
#include "report/table/table.h"

enum { NAME, TEXT, INTERVAL, COLUMNS };

#define GAP  3
#define FOLD 4 /* indentation of a continued line */

static void add_answer(struct text_table *t, const struct answer *answer)
{
	text_table_line(t);
	text_table_set(t, NAME, answer->name);
	text_table_set(t, TEXT, answer->text);
	text_table_set(t, INTERVAL, answer->interval);
	text_table_color(t, NAME, COLOR_HEADING);
	text_table_color(t, TEXT, COLOR_HEADING);
}

/* Returns the width of the widest text before an interval, from `first` to the end of its ranking. */
static size_t width_before_intervals(const struct answers *answers, size_t first)
{
	size_t most = 0;

	for (size_t i = first; i < answers->n && answers->v[i].text && (i == first || !answers->v[i].begins); i++) {
		size_t width = text_columns(answers->v[i].text);

		most = *answers->v[i].interval && width > most ? width : most;
	}
	return most;
}

/* Writes the lines of one ranking. Returns the index of the next answer. */
static size_t put_ranking(struct report *report, size_t first)
{
	const struct answers *answers = &report->answers;
	struct text_column columns[COLUMNS] = {
		[NAME] = {.kind = TEXT_NAME},
		[TEXT] = {.gap = GAP, .folds = true, .fixed = true, .width = width_before_intervals(answers, first)},
		[INTERVAL] = {.gap = GAP, .folds = true, .hidden = true},
	};
	struct text_table t = report_new_table(report, columns, COLUMNS, 2, FOLD);
	size_t i = first;

	do
		add_answer(&t, &answers->v[i++]);
	while (i < answers->n && answers->v[i].text && !answers->v[i].begins);
	report->page->list(report, &t, true);
	text_table_free(&t);
	return i;
}

void report_put_answers(struct report *report, const struct result *result)
{
	for (size_t i = 0; i < report->answers.n;) {
		const struct answer *answer = &report->answers.v[i];

		if (i == 0 || answer->begins)
			report->page->gap(report);
		if (answer->text) {
			i = put_ranking(report, i);
			continue;
		}
		report->page->sentence(report, result, NULL, answer->name, COLOR_HEADING);
		i++;
	}
}

void report_put_judgements(struct report *report, const struct result *result)
{
	if (result->n_judgements)
		report->page->gap(report);
	for (size_t i = 0; i < result->n_judgements; i++) {
		const struct judgement *j = &result->judgements[i];
		auto_free char *text = report_judgement_text(report, result, j);

		report->page->sentence(report, result, report_judgement_word(j), text,
				       j->why      ? COLOR_ATTENTION
				       : j->failed ? COLOR_WORSE
						   : COLOR_BETTER);
	}
}
