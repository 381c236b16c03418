/* All data of every row, by the table of columns (columns.h). --csv: RFC 4180 with a header and fixed columns; lines
 * end in \n only, which every reader accepts and shell scripts need. --json: JSON Lines: a record of kind "start", one
 * for each row with the columns of --csv as keys, and one of kind "end". */
#include <string.h>
#include <sys/wait.h>

#include "by/tree.h"
#include "lib/json.h"
#include "lib/text.h"
#include "report/formats/records.h"
#include "report/report_internal.h"
#include "rows/columns.h"

#define NULL_LENGTH 4 /* of the JSON text null */

/* The state: the texts of the commands of a comparison, which each row of a command has; the text of a row of --json
 * whose cells are all empty, as most cells are; and the last time, which the rows of an interval share. */
struct records {
	struct strings words, labels, parameters;
	char *nulls;
	size_t ends[COLUMNS]; /* of the columns in it */
	double time;
	char time_text[NUMBER_MAX];
};

/* Returns "threads=4 mode=fast"; "" without parameters. The caller frees it. */
static char *parameters_of(const struct parameters *p, size_t command)
{
	auto_strings struct strings texts = {0};
	char *joined;

	for (size_t i = 0; p && i < p->n; i++)
		if (p->values[command * p->n + i])
			strings_add(&texts, "%s=%s", p->names[i], p->values[command * p->n + i]);
	joined = strings_join(&texts, " ");
	return joined ? joined : xstrdup("");
}

static void records_start(struct report *report, const struct session *session)
{
	struct records *records = report->state;

	for (size_t i = 0; i < session->n_commands && session->n_commands > 1 && session->commands; i++) {
		auto_free char *words = report_words_text(session->commands[i]);
		auto_free char *parameters = parameters_of(session->parameters, i);
		const char *label = session->labels ? session->labels[i] : NULL;

		strings_add(&records->words, "%s", words);
		strings_add(&records->labels, "%s", label ? label : "");
		strings_add(&records->parameters, "%s", parameters);
	}
}

static void records_free(void *state)
{
	struct records *records = state;

	strings_free(&records->words);
	strings_free(&records->labels);
	strings_free(&records->parameters);
	free(records->nulls);
}

static void cells_of(const struct report *report, const struct row *row, struct cell cells[COLUMNS])
{
	const struct records *records = report->state;
	size_t command = row->command;

	column_cells(row, cells);
	if (command < 1 || command > records->words.n)
		return;
	cells[COLUMN_WORDS] = column_text(records->words.v[command - 1]);
	cells[COLUMN_LABEL] = column_text(records->labels.v[command - 1]);
	cells[COLUMN_PARAMETERS] = column_text(records->parameters.v[command - 1]);
}

static void csv_start(struct report *report, const struct result *result)
{
	records_start(report, &result->session);
	if (report->continues)
		return;
	for (size_t i = 0; i < COLUMNS_CSV; i++)
		fprintf(report->out, "%s%s", i ? "," : "", columns[i].name);
	putc('\n', report->out);
}

static void csv_row(struct report *report, const struct row *row)
{
	struct cell cells[COLUMNS];
	char buf[NUMBER_MAX];

	cells_of(report, row, cells);
	for (size_t i = 0; i < COLUMNS_CSV; i++) {
		fputs(i ? "," : "", report->out);
		if (cells[i].type == CELL_STRING)
			report_put_field(report, cells[i].string);
		else if (cells[i].type == CELL_COUNT)
			fputs(number_u64(buf, cells[i].count), report->out);
		else if (cells[i].type == CELL_REAL)
			fputs(number_exact(buf, cells[i].real), report->out);
	}
	putc('\n', report->out);
}

const struct report_ops report_csv_ops = {.start = csv_start,
					  .row = csv_row,
					  .end = report_put_clocks,
					  .state_size = sizeof(struct records),
					  .free = records_free};

/* ---- --json ---- */

static void json_start(struct report *report, const struct result *result)
{
	struct json j = {.out = report->out};

	records_start(report, &result->session);
	report_put_start_record(&j, &result->session);
}

static void make_nulls(struct records *records)
{
	size_t size;
	struct json j = {.out = xopen_memstream(&records->nulls, &size), .comma = true};

	for (size_t i = 0; i < COLUMNS; i++) {
		json_null(&j, columns[i].name);
		records->ends[i] = (size_t)ftell(j.out);
	}
	fclose(j.out);
}

static void put_time(FILE *out, struct records *records, double time)
{
	if (!*records->time_text || time != records->time)
		number_exact(records->time_text, time);
	records->time = time;
	fputs_unlocked(records->time_text, out);
}

static void put_cell(FILE *out, const struct cell *cell)
{
	struct json j = {.out = out};

	if (cell->type == CELL_COUNT)
		json_u64(&j, NULL, cell->count);
	else if (cell->type == CELL_REAL)
		json_double(&j, NULL, cell->real);
	else if (cell->type == CELL_TRUTH)
		json_bool(&j, NULL, cell->truth);
	else
		json_string(&j, NULL, cell->string);
}

/* Copies the text of a row without values up to the place of each value. */
static void json_row(struct report *report, const struct row *row)
{
	struct records *records = report->state;
	struct cell cells[COLUMNS];
	size_t from = 1; /* no comma precedes the first cell */

	if (!records->nulls)
		make_nulls(records);
	cells_of(report, row, cells);
	putc_unlocked('{', report->out);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (cells[i].type == CELL_NONE)
			continue;
		fwrite_unlocked(records->nulls + from, 1, records->ends[i] - NULL_LENGTH - from, report->out);
		if (i == COLUMN_TIME)
			put_time(report->out, records, cells[i].real);
		else
			put_cell(report->out, &cells[i]);
		from = records->ends[i];
	}
	fwrite_unlocked(records->nulls + from, 1, records->ends[COLUMNS - 1] - from, report->out);
	fputs_unlocked("}\n", report->out);
}

/* Writes how a process ended, as from wait4. */
static void put_exit(struct json *j, bool known, int status)
{
	bool exited = known && WIFEXITED(status), killed = known && WIFSIGNALED(status);

	json_known(j, "exit_status", exited, exited ? (uint64_t)WEXITSTATUS(status) : 0);
	json_known(j, "signal", killed, killed ? (uint64_t)WTERMSIG(status) : 0);
}

static void put_seconds(struct json *j, const char *key, uint64_t time, uint64_t begin)
{
	json_double(j, key, !time ? NAN : time > begin ? (double)(time - begin) / 1e9 : 0);
}

static void put_process(struct report *report, const struct session *s, const struct process *p)
{
	auto_strings struct strings names = tree_names(p);
	struct json j = {.out = report->out};

	json_object_begin(&j, NULL);
	json_string(&j, "kind", "process");
	json_i64(&j, "pid", p->pid);
	json_i64(&j, "ppid", p->ppid);
	json_strings(&j, "names", &names);
	json_string(&j, "cmdline", p->cmdline);
	put_seconds(&j, "start", p->start, s->begin);
	put_seconds(&j, "end", p->end, s->begin);
	put_exit(&j, p->has_status, p->wait_status);
	json_object_end(&j);
	json_newline(&j);
}

/* Writes the judgements of --fail-if. */
static void put_judgements(struct json *j, const struct result *result)
{
	json_array_begin(j, "conditions");
	for (size_t i = 0; i < result->n_judgements; i++) {
		const struct judgement *judgement = &result->judgements[i];
		const struct subject *of = judgement->row == SIZE_MAX ? NULL : result->rows[judgement->row].subject;

		json_object_begin(j, NULL);
		json_string(j, "condition", judgement->text);
		json_u64(j, "command", judgement->command);
		json_string(j, "status", judgement->why ? "not judged" : judgement->failed ? "fail" : "pass");
		json_string(j, "reason", judgement->why);
		json_string(j, "scope", of ? aggr_mode_name(of->scope) : NULL);
		json_string(j, "scope_id", of && *of->id ? of->id : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Of a comparison, whose commands share the other fields. */
static void put_failures(struct json *j, const struct session *s)
{
	bool any = false;

	for (size_t i = 0; s->failures && s->n_commands > 1 && i < s->n_commands; i++)
		any |= s->failures[i] != NULL;
	if (!any)
		return;
	json_array_begin(j, "failures");
	for (size_t i = 0; i < s->n_commands; i++)
		json_string(j, NULL, s->failures[i] ? s->failures[i] : "");
	json_array_end(j);
}

static void json_end(struct report *report, const struct result *result)
{
	const struct session *s = &result->session;
	struct json j = {.out = report->out};

	for (size_t i = 0; s->tree && i < s->tree->n; i++)
		put_process(report, s, &s->tree->processes[i]);
	report_put_clocks(report, result);
	json_object_begin(&j, NULL);
	json_string(&j, "kind", "end");
	json_u64(&j, "elapsed_ns", s->elapsed_ns);
	json_known(&j, "user_ns", s->has_usage, s->user_ns);
	json_known(&j, "system_ns", s->has_usage, s->system_ns);
	json_known(&j, "max_rss", s->has_usage && s->max_rss, s->max_rss);
	put_exit(&j, s->command != NULL, s->wait_status);
	json_string(&j, "failure", s->failures && s->n_commands < 2 ? s->failures[0] : NULL);
	json_known(&j, "runs", s->runs > 0, s->runs);
	put_failures(&j, s);
	if (s->looks) {
		json_u64(&j, "looks", s->looks);
		json_double(&j, "look_share", s->look_share);
	}
	json_strings(&j, "notes", &result->notes);
	if (result->n_judgements)
		put_judgements(&j, result);
	if (s->calibrates)
		json_string(&j, "fail_if", result->fail_if);
	json_object_end(&j);
	json_newline(&j);
}

const struct report_ops report_json_ops = {.start = json_start,
					   .row = json_row,
					   .end = json_end,
					   .need = REPORT_NEEDS_PROCESSES,
					   .state_size = sizeof(struct records),
					   .free = records_free};
