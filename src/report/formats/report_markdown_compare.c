/* A comparison in Markdown: a row for each event, a column for each command. */
#include "compare/differences.h"
#include "report/comparison.h"
#include "report/formats/markdown.h"
#include "report/report_internal.h"

static void put_mean(const struct report *report, const struct row *row)
{
	auto_free char *mean = report_mean_text(report, row);

	fputs("| ", report->out);
	if (!status_has_value(row->status))
		fprintf(report->out, "*%s*", status_name(row->status));
	else
		markdown_put_text(report->out, mean);
	fputs(report_error_is_unknown(row) ? " ± unknown " : " ", report->out);
}

static void put_difference(const struct report *report, const struct result *result, const struct row *row)
{
	static const char *const marks[] = {
		[VERDICT_SAME] = "⚪",         [VERDICT_LESS] = "🟢",    [VERDICT_MORE] = "🔴",
		[VERDICT_UNDECIDED] = "🟡", [VERDICT_UNKNOWN] = "🟡",
	};
	const struct row *difference = differences_find(result, ROW_DIFFERENCE, row);
	auto_free char *text = difference ? report_difference_text(report, result, row) : NULL;

	if (!difference) {
		fputs("| | ", report->out);
		return;
	}
	fprintf(report->out, "| %s | %s ", text, marks[difference->verdict]);
	markdown_put_text(report->out, difference->reason);
	putc(' ', report->out);
}

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

	comparison_make(&compared, result);
	report_add_compared_reasons(report, &compared);
	comparison_choose(&compared, &report->options);
	report_list_verdicts(report, &compared, &report->verdicts);
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
			for (; command < block->rows[k]->command; command++) /* commands without one */
				fputs(command > 1 ? "| | | " : "| ", out);
			put_mean(report, block->rows[k]);
			if (command++ > 1)
				put_difference(report, result, block->rows[k]);
		}
		fputs("|\n", out);
	}
	report_note_left_out(report, &compared);
	comparison_free(&compared);
}
