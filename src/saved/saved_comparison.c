/* A saved comparison: its commands and the values of its runs. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/text.h"
#include "saved/saved_internal.h"
#include "stats/summary.h"

#define RUNS_OF_REPORT 1000000 /* runs of different reports have different numbers: they cannot be paired */

/* The words of each command follow a JSON_ARRAY. Each list of words ends with NULL. */
static void take_commands(struct reader *r, const struct json_record *record)
{
	struct session *session = &r->saved->result.session;
	char **word = result_allocate(&r->saved->result, (record->n + 2) * sizeof(*word));
	char ***commands = result_allocate(&r->saved->result, (record->n + 1) * sizeof(*commands));
	size_t n = 0;

	*word = NULL;
	for (size_t i = 0; i < record->n; i++) {
		const struct json_member *member = &r->records.members[record->first + i];

		if (strcmp(member->name, "commands") != 0)
			continue;
		if (!member->is_string)
			commands[n++] = ++word;
		else if (n)
			*word++ = copy_text(r, member->value);
		*word = NULL;
	}
	if (n < 2)
		return;
	r->commands = (unsigned)n;
	r->labels = result_allocate(&r->saved->result, n * sizeof(*r->labels));
	for (size_t i = 0; i < n; i++)
		r->labels[i] = NULL;
	session->n_commands = n;
	session->commands = commands;
	session->labels = r->labels;
}

/* True of the objects, one for each command, with the values of --scan. */
static bool is_parameters(const struct json_record *record)
{
	return record->value_of && strcmp(record->value_of, "parameters") == 0;
}

static void take_values(struct reader *r, struct parameters *p, const struct strings *names)
{
	const char **values = result_allocate(&r->saved->result, (r->commands * names->n + 1) * sizeof(*values));
	size_t command = 0;

	memset(values, 0, (r->commands * names->n + 1) * sizeof(*values));
	for (size_t i = 0; i < r->records.n; i++) {
		const struct json_record *record = &r->records.v[i];

		if (!is_parameters(record) || command == r->commands)
			continue;
		for (size_t k = 0; k < names->n; k++) {
			const char *value = field_string(r, record, names->v[k]);

			if (*value)
				values[command * names->n + k] = result_text(&r->saved->result, value);
		}
		command++;
	}
	p->values = values;
}

static void take_parameters(struct reader *r, const struct json_record *record)
{
	struct result *result = &r->saved->result;
	struct parameters *p = result_allocate(result, sizeof(*p));
	auto_strings struct strings names = {0};
	size_t *origins = result_allocate(result, r->commands * sizeof(*origins)), n = 0;
	const char **texts;
	enum axis *axes;

	for (size_t i = 0; i < r->records.n; i++) {
		const struct json_record *of = &r->records.v[i];
		const struct json_member *members = r->records.members + of->first;

		for (size_t k = 0; k < of->n && is_parameters(of); k++)
			if (!strings_has(&names, members[k].name))
				strings_add(&names, "%s", members[k].name);
	}
	for (size_t i = 0; i < record->n && n < r->commands; i++)
		if (strcmp(r->records.members[record->first + i].name, "origins") == 0)
			origins[n++] = strtoul(r->records.members[record->first + i].value, NULL, 10);
	if (!names.n || n < r->commands)
		return;
	texts = result_allocate(result, names.n * sizeof(*texts));
	axes = result_allocate(result, names.n * sizeof(*axes));
	for (size_t i = 0; i < names.n; i++) {
		texts[i] = result_text(result, names.v[i]);
		axes[i] = AXIS_UNKNOWN;
	}
	*p = (struct parameters){.n = names.n, .names = texts, .axes = axes, .origins = origins};
	take_values(r, p, &names);
	result->session.parameters = p;
}

void comparison_start(struct reader *r, const struct json_record *record)
{
	struct session *session = &r->saved->result.session;

	take_commands(r, record);
	if (r->commands < 2)
		return;
	take_parameters(r, record);
	session->has_order = session->has_seed = !isnan(field_real(r, record, "seed"));
	session->seed = field_count(r, record, "seed", UINT64_MAX);
	session->medians = strcmp(field_string(r, record, "statistic"), "median") == 0;
}

void comparison_take_name(struct reader *r, const struct row *row)
{
	const char *name = member_string(r->fields[COLUMN_LABEL]);

	if (r->commands > 1 && *name && row->command && !r->labels[row->command - 1])
		r->labels[row->command - 1] = result_text(&r->saved->result, name);
}

void comparison_end(struct reader *r, const struct json_record *record)
{
	struct session *session = &r->saved->result.session;
	auto_strings struct strings failures = field_strings(r, record, "failures");
	const char **texts;

	if (r->commands < 2)
		return;
	session->runs = (unsigned)field_count(r, record, "runs", UINT_MAX);
	session->looks = (unsigned)field_count(r, record, "looks", UINT_MAX);
	session->look_share = field_real(r, record, "look_share");
	if (!(session->look_share > 0 && session->look_share <= 1))
		session->looks = 0;
	texts = result_allocate(&r->saved->result, r->commands * sizeof(*texts));
	for (size_t i = 0; i < r->commands; i++)
		texts[i] = i < failures.n && *failures.v[i] ? result_text(&r->saved->result, failures.v[i]) : NULL;
	session->failures = failures.n ? texts : NULL;
}

/* ---- values of runs ---- */

static uint64_t hash_of(const struct row *row)
{
	uint64_t hash = (row->item->number * TEXT_HASH_STEP ^ row->subject->number) * TEXT_HASH_STEP;

	return (hash ^ row->command) * TEXT_HASH_STEP;
}

/* Returns the first value of the row that is not in this run, or, for run 0, not taken; NULL without one. */
static struct run_value *find_value(const struct run_values *runs, const struct row *row)
{
	for (size_t i = SIZE_MAX; (i = index_find(&runs->index, hash_of(row), i)) != SIZE_MAX;) {
		struct run_value *value = &runs->v[i];

		if (value->item == row->item->number && value->subject == row->subject->number &&
		    value->command == row->command && (row->run ? value->last_run != row->run : !value->taken))
			return value;
	}
	return NULL;
}

void run_values_take(struct reader *r, const struct row *row)
{
	struct run_values *runs = &r->runs;
	struct run_value *value = find_value(runs, row);

	if (!value) {
		index_add(&runs->index, hash_of(row));
		value = ARRAY_PUSH(runs->v, runs->n);
		value->item = row->item->number;
		value->subject = row->subject->number;
		value->command = row->command;
	}
	value->last_run = row->run;
	if (!row_is_known(row))
		return;
	*ARRAY_PUSH(value->values, value->n) = value_real(row->value);
	*ARRAY_PUSH(value->runs, value->n_runs) = row->run + (r->commands < 2 ? r->command * RUNS_OF_REPORT : 0);
	value->scaled |= row->status == STATUS_SCALED && !row_clock(row);
}

/* Scaled counts have weights, which the record of a run lacks: without these, their values are not known. */
void run_values_give(struct reader *r, struct record *record)
{
	struct run_value *value = find_value(&r->runs, &record->row);
	struct spread *spread = &record->spread;
	auto_free bool *outliers = NULL;
	double *values;
	unsigned *of;

	if (!value)
		return;
	value->taken = true;
	if (value->n != spread->n || !value->n)
		return;
	outliers = xcalloc(value->n, sizeof(*outliers));
	spread->outliers = (unsigned)summary_outliers(value->values, value->n, outliers);
	if (value->scaled)
		return;
	values = result_allocate(&r->saved->result, value->n * sizeof(*values));
	of = result_allocate(&r->saved->result, value->n * sizeof(*of));
	spread->values = memcpy(values, value->values, value->n * sizeof(*values));
	spread->runs = memcpy(of, value->runs, value->n * sizeof(*of));
}

/* Sets the mean of the values of a row whose report has their median. Without the values, it is not known. */
static void set_mean(struct row *row)
{
	const struct spread *spread = row->spread;
	struct summary summary;

	if (spread->n < 2 || !(spread->stddev > 0) || !row_has_value(row))
		return;
	row->low = row->high = NAN;
	if (spread->values) {
		summary_make(&summary, spread->values, spread->n);
		row->value = real_value(summary.mean);
		row->error = summary_half_width(&summary);
		row_set_bound_ends(row);
		return;
	}
	row->status = STATUS_LOST;
	row->value = (struct value){.type = VALUE_NONE};
	row->error = NAN;
	row_explain_text(row, "the report has its median, but not the values of its runs, and so not its mean");
}

void saved_set_medians(struct saved *saved, bool medians)
{
	struct result *result = &saved->result;

	for (size_t i = 0; i < result->n && result->session.medians && !medians; i++)
		if (row_is_comparable(&result->rows[i]))
			set_mean(&result->rows[i]);
	result->session.medians = medians;
}

void run_values_free(struct run_values *runs)
{
	for (size_t i = 0; i < runs->n; i++) {
		free(runs->v[i].values);
		free(runs->v[i].runs);
	}
	free(runs->v);
	index_free(&runs->index);
}
