/* A comparison in Markdown: a row for each event, a column for each command. */
#include "compare/culprits.h"
#include "compare/differences.h"
#include "report/comparison.h"
#include "report/formats/markdown.h"
#include "report/report_internal.h"

static void put_mean(const struct report *report, const struct row *row)
{
	auto_free char *mean = report_mean_text(report, row);

	fputs("| ", report->out);
	if (!status_has_value(row->status))
		fprintf(report->out, "\\<%s\\>", status_name(row->status));
	else
		markdown_put_text(report->out, mean);
	fputs(report_error_is_unknown(row) ? " ± unknown " : " ", report->out);
}

static void put_change(const struct report *report, const struct row *row)
{
	static const char *const marks[] = {
		[VERDICT_SAME] = "⚪",         [VERDICT_LESS] = "🟢",    [VERDICT_MORE] = "🔴",
		[VERDICT_UNDECIDED] = "🟡", [VERDICT_UNKNOWN] = "🟡",
	};
	auto_free char *text = report_difference_text(report, row);

	fprintf(report->out, "| %s | %s ", text, marks[row->difference->verdict]);
	markdown_put_text(report->out, row->difference->text);
	putc(' ', report->out);
}

static void put_difference(const struct report *report, const struct row *row)
{
	if (row->difference)
		put_change(report, row);
	else
		fputs("| | ", report->out);
}

/* ---- the tasks (--by) that explain the differences ---- */

static void put_culprits_of(struct report *report, const struct result *result, const struct row *whole, bool *begun)
{
	auto_free char *event = report_culprits_event(result, whole);
	FILE *out = report->out;
	struct culprits c;

	if (culprits_find(&c, result, whole, report->options.top, report->options.verbose)) {
		auto_free char *rest = report_rest_text(report, &c);

		if (!*begun)
			fprintf(out, "\n| by %s | share of the reference's total | |\n|:--|--:|:--|\n",
				report_task_word(c.v->count->subject->scope));
		*begun = true;
		fputs("| ", out);
		markdown_put_code(out, event, true);
		putc(' ', out);
		put_change(report, whole);
		fputs("|\n", out);
		for (size_t i = 0; i < c.shown; i++) {
			auto_free char *name = report_culprit_name(&c.v[i]);

			fprintf(out, "| … %s%s", c.v[i].named ? "" : c.v[i].mark,
				*c.v[i].mark && !c.v[i].named ? " " : "");
			markdown_put_code(out, name, true);
			putc(' ', out);
			put_change(report, c.v[i].count);
			fputs("|\n", out);
		}
		if (c.shown < c.n)
			fprintf(out, "| … %zu other%s | %s | |\n", c.n - c.shown, c.n - c.shown == 1 ? "" : "s", rest);
	}
	culprits_free(&c);
}

static void put_culprits(struct report *report, const struct comparison *compared)
{
	bool begun = false;

	for (size_t i = 0; i < compared->n; i++)
		for (size_t k = 0; k < compared->v[i].n; k++)
			if (compared->v[i].rows[k]->command > 1)
				put_culprits_of(report, compared->result, compared->v[i].rows[k], &begun);
}

/* ---- the table ---- */

static void put_comparison_header(FILE *out, const struct result *result)
{
	fputs("\n| event ", out);
	for (unsigned i = 1; i <= result->session.n_commands; i++) {
		const char *label = report_label(result, i);

		fputs("| ", out);
		if (label)
			markdown_put_code(out, label, true);
		else
			fprintf(out, "%u", i);
		fputs(i > 1 ? " | change | " : " ", out);
	}
	fputs("|\n|:--", out);
	for (size_t i = 1; i <= result->session.n_commands; i++)
		fputs(i > 1 ? "|--:|--:|:--" : "|--:", out);
	fputs("|\n", out);
}

void report_markdown_compare(struct report *report, const struct result *result)
{
	struct comparison compared;
	FILE *out = report->out;

	report_compare(report, &compared, result);
	put_culprits(report, &compared);
	put_comparison_header(out, result);
	for (size_t i = 0; i < compared.n; i++) {
		const struct comparison_block *block = &compared.v[i];
		auto_free char *heading = report_block_heading(block);
		unsigned command = 1;

		if (!block->counted) /* a note names it */
			continue;
		fputs("| ", out);
		markdown_put_code(out, heading, true);
		putc(' ', out);
		for (size_t k = 0; k < block->n; k++) {
			for (; command < block->rows[k]->command; command++) /* commands without a row */
				fputs(command > 1 ? "| | | " : "| ", out);
			put_mean(report, block->rows[k]);
			if (command++ > 1)
				put_difference(report, block->rows[k]);
		}
		fputs("|\n", out);
	}
	comparison_free(&compared);
}
