/* All data of every row, by the table of columns (columns.h). --csv: RFC 4180 with a header and fixed columns; lines
 * end in \n only, which every reader accepts and shell scripts need. --json: JSON Lines: a record of kind "start", one
 * for each row with the columns of --csv as keys, and one of kind "end". */
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "by/tree.h"
#include "host/environment.h"
#include "lib/cpuset.h"
#include "lib/json.h"
#include "lib/text.h"
#include "metric/metric_set.h"
#include "report/report_internal.h"
#include "rows/columns.h"

/* The state: the texts of the commands of a comparison, which each row of a command has. */
struct records {
	struct strings words, labels, parameters;
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

static void put_host(struct json *j)
{
	struct utsname uts = {.nodename = ""};
	char cpu[CPUINFO_MAX];

	uname(&uts);
	json_string(j, "host", uts.nodename);
	json_string(j, "kernel", uts.release);
	json_string(j, "arch", uts.machine);
	json_string(j, "cpu", *cpu_model_read(cpu) ? cpu : NULL);
}

static void put_known(struct json *j, const char *key, bool known, uint64_t n)
{
	known ? json_u64(j, key, n) : json_null(j, key);
}

static void put_encoding(struct json *j, const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	json_u64(j, "type", attr->type);
	json_u64(j, "config", attr->config);
	/* a probe's config1 is the address of a string in this process */
	if (event->config1_string)
		json_string(j, "config1", event->config1_string);
	else
		json_u64(j, "config1", attr->config1);
	json_u64(j, "config2", attr->config2);
	json_bool(j, "exclude_user", attr->exclude_user);
	json_bool(j, "exclude_kernel", attr->exclude_kernel);
	json_bool(j, "exclude_hv", attr->exclude_hv);
	json_bool(j, "exclude_idle", attr->exclude_idle);
	json_bool(j, "exclude_host", attr->exclude_host);
	json_bool(j, "exclude_guest", attr->exclude_guest);
	json_u64(j, "precise_ip", attr->precise_ip);
}

static void put_event(struct json *j, const struct event *event, unsigned group)
{
	json_object_begin(j, NULL);
	json_string(j, "name", event->name);
	json_string(j, "full_name", event->full_name);
	json_string(j, "source", event_source_name(event->source));
	json_string(j, "pmu", event->pmu);
	json_string(j, "unit", *event->unit ? event->unit : NULL);
	json_double(j, "scale", event->scale);
	json_string(j, "filter", event->filter);
	json_string(j, "cpus", event->only_cpus);
	if (event_is_opened(event))
		put_encoding(j, event);
	put_known(j, "group", group > 0, group);
	if (event->remark) /* both codes of a name that libpfm4 encodes wrongly, for example */
		json_string(j, "remark", event->remark);
	json_object_end(j);
}

static void put_events(struct json *j, const struct session *session)
{
	const struct event *event;
	unsigned group;

	json_array_begin(j, "events");
	for (size_t i = 0; (event = session_event(session, i, &group)); i++)
		put_event(j, event, group);
	json_array_end(j);
}

/* Writes the metrics by expression. A name includes the core PMU for which a file defines the metric, but not the core
 * PMU on which it was counted, which the names of its rows also have. */
static void put_definitions(struct json *j, const struct session *session)
{
	const struct metric_set *set = session->metrics;
	auto_free size_t *events = set ? xcalloc(set->n_events + 1, sizeof(*events)) : NULL;

	json_array_begin(j, "metrics");
	for (size_t i = 0; set && i < set->n; i++) {
		const struct metric *metric = set->chosen[i];
		auto_free char *name = xasprintf("%s%s%s", metric->name, *metric->pmu ? " on " : "", metric->pmu);
		size_t n = metric_list_events(set, metric, events);

		json_object_begin(j, NULL);
		json_string(j, "name", name);
		json_string(j, "expression", metric->text);
		json_double(j, "scale", metric->scale);
		json_string(j, "unit", *metric->unit ? metric->unit : NULL);
		json_array_begin(j, "events");
		for (size_t k = 0; k < n; k++)
			json_u64(j, NULL, set->events[events[k]].index + 1);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Writes for each command the values that --scan gave it. They are text: 08 is not 8. */
static void put_parameters(struct json *j, const struct session *session)
{
	const struct parameters *p = session->parameters;

	if (!p)
		return;
	json_array_begin(j, "parameters");
	for (size_t i = 0; i < session->n_commands; i++) {
		json_object_begin(j, NULL);
		for (size_t k = 0; k < p->n; k++)
			if (p->values[i * p->n + k])
				json_string(j, p->names[k], p->values[i * p->n + k]);
		json_object_end(j);
	}
	json_array_end(j);
	json_array_begin(j, "origins");
	for (size_t i = 0; i < session->n_commands; i++)
		json_u64(j, NULL, p->origins[i] + 1);
	json_array_end(j);
}

/* Writes the commands or saved reports of a comparison, or the merged reports. */
static void put_commands(struct json *j, const struct session *session)
{
	size_t n = session->n_merged ? session->n_merged : session->n_commands;

	if (session->n_commands < 2 && !session->n_merged)
		return;
	json_array_begin(j, session->commands ? "commands" : "reports");
	for (size_t i = 0; i < n; i++) {
		if (session->commands)
			json_words(j, NULL, session->commands[i]);
		else
			json_string(j, NULL, session->command_names[i]);
	}
	json_array_end(j);
	if (session->n_merged)
		json_strings(j, "merged_runs", session->merged_runs);
	put_parameters(j, session);
}

static void json_start(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;
	auto_free char *cpus = session->cpus && session->cpus->n ? cpuset_text(session->cpus) : NULL;
	struct json j = {.out = report->out};

	records_start(report, session);
	json_object_begin(&j, NULL);
	json_string(&j, "kind", "start");
	json_u64(&j, "schema", 1);
	json_string(&j, "tool", "pfmstat");
	json_string(&j, "version", session->version);
	json_double(&j, "start_time", session->start_time);
	put_host(&j);
	json_words(&j, "command", session->command);
	put_commands(&j, session);
	if (session->has_seed)
		json_u64(&j, "seed", session->seed);
	json_string(&j, "target", session->target_kind);
	if (cpus)
		json_string(&j, "cpus", cpus);
	put_events(&j, session);
	put_definitions(&j, session);
	if (session_group_notes(session))
		json_strings(&j, "notes", session_group_notes(session));
	json_object_end(&j);
	json_newline(&j);
}

static void json_row(struct report *report, const struct row *row)
{
	struct cell cells[COLUMNS];
	struct json j = {.out = report->out};

	cells_of(report, row, cells);
	json_object_begin(&j, NULL);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct cell *cell = &cells[i];

		if (cell->type == CELL_COUNT)
			json_u64(&j, columns[i].name, cell->count);
		else if (cell->type == CELL_REAL)
			json_double(&j, columns[i].name, cell->real);
		else if (cell->type == CELL_TRUTH)
			json_bool(&j, columns[i].name, cell->truth);
		else
			json_string(&j, columns[i].name, cell->type == CELL_STRING ? cell->string : NULL);
	}
	json_object_end(&j);
	json_newline(&j);
}

/* Writes how a process ended, as from wait4. */
static void put_exit(struct json *j, bool known, int status)
{
	bool exited = known && WIFEXITED(status), killed = known && WIFSIGNALED(status);

	put_known(j, "exit_status", exited, exited ? (uint64_t)WEXITSTATUS(status) : 0);
	put_known(j, "signal", killed, killed ? (uint64_t)WTERMSIG(status) : 0);
}

static void put_seconds(struct json *j, const char *key, uint64_t time, uint64_t begin)
{
	json_double(j, key, !time ? NAN : time > begin ? (double)(time - begin) / 1e9 : 0);
}

static void put_process(struct report *report, const struct session *s, const struct process *p)
{
	struct json j = {.out = report->out};

	json_object_begin(&j, NULL);
	json_string(&j, "kind", "process");
	json_i64(&j, "pid", p->pid);
	json_i64(&j, "ppid", p->ppid);
	json_strings(&j, "names", &p->names);
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
	put_known(&j, "user_ns", s->has_usage, s->user_ns);
	put_known(&j, "system_ns", s->has_usage, s->system_ns);
	put_known(&j, "max_rss", s->has_usage && s->max_rss, s->max_rss);
	put_exit(&j, s->command != NULL, s->wait_status);
	json_string(&j, "failure", s->failures && s->n_commands < 2 ? s->failures[0] : NULL);
	put_known(&j, "runs", s->runs > 0, s->runs);
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
