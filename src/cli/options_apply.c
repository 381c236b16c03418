#include "cli/options_apply.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/options_internal.h"
#include "cli/schema.h"
#include "lib/file_pattern.h"
#include "lib/util.h"

static void *field_of(const struct given_option *given, const struct field *field)
{
	return (char *)given->options + field->offset;
}

/* The field may be of any integer type. */
void options_store(const struct given_option *given, const struct field *field, int64_t value)
{
	void *to = field_of(given, field);

	if (field->size == sizeof(bool))
		*(bool *)to = value;
	else if (field->size == sizeof(int))
		*(int *)to = (int)value;
	else
		*(uint64_t *)to = (uint64_t)value;
}

static void refuse(const struct given_option *given, const char *why)
{
	const struct option_rule *rule = given->rule;

	argp_error(given->state, "%s%s: %s", rule->alias ? "" : "--", rule->alias ? rule->alias : rule->name, why);
}

static void refuse_argument(const struct given_option *given)
{
	auto_free char *why = xasprintf("'%s' is %s", given->argument, given->rule->refusal);

	refuse(given, why);
}

static void refuse_large(const struct given_option *given, uint64_t most)
{
	auto_free char *why = xasprintf("'%s' is too large; at most %ju", given->argument, (uintmax_t)most);

	refuse(given, why);
}

/* error < 0: the argument is wrong for the reason e. */
static void check_argument(const struct given_option *given, int error, const struct error *e)
{
	if (error < 0)
		refuse(given, e->text);
}

void apply_text(const struct given_option *given)
{
	*(const char **)field_of(given, &given->rule->field) = given->argument;
}

void apply_show_output(const struct given_option *given)
{
	given->options->repeat.output = "inherit";
}

void apply_number(const struct given_option *given)
{
	const struct option_rule *rule = given->rule;
	int64_t n = 0;

	if (*given->argument != '-' && parse_i64(given->argument, 0, rule->max, &n) == -ERANGE)
		refuse_large(given, (uint64_t)rule->max);
	if (parse_i64(given->argument, rule->min, rule->max, &n) < 0)
		refuse_argument(given);
	options_store(given, &rule->field, n * rule->unit);
}

#define PERCENT_MOST 1000000

/* Parses "1.5" or "1.5%". */
void apply_percent(const struct given_option *given)
{
	char *end;
	double percent = strtod(given->argument, &end);

	if (end == given->argument || (*end && strcmp(end, "%") != 0) || !(percent >= 0) ||
	    (given->rule->min && percent == 0))
		refuse_argument(given);
	if (percent > PERCENT_MOST)
		refuse_large(given, PERCENT_MOST);
	*(double *)field_of(given, &given->rule->field) = percent / (double)given->rule->unit;
}

void apply_choice(const struct given_option *given)
{
	const struct option_rule *rule = given->rule;
	int64_t i = 0;

	while (given->argument && i <= rule->max &&
	       !(rule->choices[i] && strcmp(given->argument, rule->choices[i]) == 0))
		i++;
	if (i > rule->max)
		refuse_argument(given);
	options_store(given, &rule->field, i);
}

void apply_seed(const struct given_option *given)
{
	int error = parse_u64(given->argument, 0, &given->options->repeat.seed);

	if (error == -ERANGE)
		refuse_large(given, UINT64_MAX);
	if (error < 0)
		refuse_argument(given);
}

void apply_delay(const struct given_option *given)
{
	if (strcmp(given->argument, "-1") == 0)
		given->options->pace.delay = PACE_START_DISABLED;
	else
		apply_number(given);
}

void apply_event_option(const struct given_option *given)
{
	given->options->cgroups |= given->rule->of >= OPTION_CGROUPS;
	options_add_events(given->options, given->rule->of, given->argument);
}

/* Units, containers and pods are counted on all CPUs unless -C names some. */
void apply_named_cgroup(const struct given_option *given)
{
	given->options->target.kind = TARGET_SYSTEM;
	apply_event_option(given);
}

/* perf stat's --metrics is pfmstat's -M, and hyperfine's names events. */
void apply_metrics(const struct given_option *given)
{
	struct error e;

	if (vendor_files_add(&given->options->vendor_files, given->argument, &e) < 0)
		argp_failure(given->state, EXIT_FAILED, 0, "--metrics: %s; -e names events, -M metrics", e.text);
}

void apply_ids(const struct given_option *given)
{
	struct error e;

	check_argument(given, target_add_ids(&given->options->target, given->argument, &e), &e);
}

void apply_cpus(const struct given_option *given)
{
	struct error e;

	check_argument(given, cpuset_parse(&given->options->target.cpus, given->argument, &e), &e);
}

void apply_scope(const struct given_option *given)
{
	given->options->scope = (enum aggr_mode)given->rule->value;
}

void apply_top(const struct given_option *given)
{
	if (strcmp(given->argument, "all") == 0)
		given->options->top = SIZE_MAX;
	else
		apply_number(given);
}

/* Parses "2" or "L2"; without a level, the last one is meant. */
void apply_cache(const struct given_option *given)
{
	const char *text = given->argument;
	long level = 0;

	if (text && parse_long(text + (*text == 'L' || *text == 'l'), 1, 9, &level) < 0)
		refuse_argument(given);
	given->options->cache_level = (unsigned)level;
	apply_scope(given);
}

void apply_control(const struct given_option *given)
{
	struct options *o = given->options;
	struct error e;

	if (o->control)
		control_options_free(o->control);
	else
		o->control = xmalloc(sizeof(*o->control));
	check_argument(given, control_parse(o->control, given->argument, &e), &e);
}

void apply_regions(const struct given_option *given)
{
	struct parsing *p = given->state->input;

	if (!given->argument) {
		given->options->regions = true;
		return;
	}
	p->given[KEY_REGIONS]--;
	p->given[KEY_FUNCTIONS]++;
	strings_add(&given->options->functions, "%s", given->argument);
}

void apply_separator(const struct given_option *given)
{
	if (!*given->argument)
		refuse_argument(given);
	given->options->report.separator = given->argument;
}

/* Returns the file name for the argument, which may be a pattern. */
static const char *expand_argument(const struct given_option *given)
{
	struct strings *files = &given->options->patterns;
	struct error e;
	char *name;

	if (file_pattern_expand(given->argument, &name, &e) < 0)
		argp_failure(given->state, EXIT_FAILED, 0, "--%s: %s%s%s", given->rule->name, e.text,
			     *e.hint ? "; " : "", e.hint);
	*ARRAY_PUSH(files->v, files->n) = name;
	return name;
}

void apply_file(const struct given_option *given)
{
	*(const char **)field_of(given, &given->rule->field) = expand_argument(given);
}

void apply_export(const struct given_option *given)
{
	int format = report_format_of_path(given->argument);
	const char *colon = strchr(given->argument, ':');

	if (format < 0)
		refuse_argument(given);
	*ARRAY_PUSH(given->options->copies, given->options->n_copies) = (struct report_copy){
		(enum report_format)format, colon && strcmp(colon, ":-") == 0 ? "-" : expand_argument(given)};
}

void apply_plot(const struct given_option *given)
{
	const char *end = strrchr(given->argument, '.');

	if ((!end || strcmp(end, ".svg") != 0) && strcmp(given->argument, "/dev/null") != 0)
		refuse_argument(given);
	*ARRAY_PUSH(given->options->copies, given->options->n_copies) =
		(struct report_copy){REPORT_SVG, expand_argument(given)};
}

void apply_scan(const struct given_option *given)
{
	struct error e;

	check_argument(given, scan_add(&given->options->scan, given->argument, &e), &e);
}

void apply_name(const struct given_option *given)
{
	if (!*given->argument)
		refuse_argument(given);
	*ARRAY_PUSH(given->options->labels, given->options->n_labels) = given->argument;
}

void show_information(const struct given_option *given)
{
	if (given->rule->key == 'V')
		puts("pfmstat " PFMSTAT_VERSION);
	else if (given->rule->key == KEY_SCHEMA)
		fputs(schema_text, stdout);
	else if (given->rule->key == 'h')
		options_put_short_help(stdout);
	else
		argp_state_help(given->state, stdout, (unsigned)given->rule->value);
	exit(stdout_finish(0));
}
