/* What only perf stat has, so that scripts made for it work or are told why not: options that are accepted without
 * effect, since the effect is there already, options that are refused by a line that names what to use instead, and
 * perf's subcommands. pfmstat-perf(7) has a row for each option. --help does not show them.
 */
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

#define NO_BPF   "BPF programs are neither counted nor used; bpftool prog profile counts one"
#define NO_TPEBS "pfmstat takes no samples; use perf record"

static const struct perf_option {
	const char *name;
	int letter; /* 0: none */
	const char *argument;
	int flags;           /* argp's */
	const char *instead; /* NULL: accepted */
} perf_options[] = {
	{"group", 'g', NULL, 0, NULL}, /* events that fit are grouped anyway */
	{"inherit", 0, NULL, 0, NULL},
	{"hybrid-merge", 0, NULL, 0, NULL},
	{"metric-no-group", 0, NULL, 0, NULL},
	{"metric-no-merge", 0, NULL, 0, NULL},
	{"no-affinity", 0, NULL, 0, NULL},

	{"transaction", 'T', NULL, 0, "name the events: -e '{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}'"},
	{"smi-cost", 0, NULL, 0, "name the events: -a -e msr/smi/,msr/aperf/,cycles"},
	{"iostat", 0, "PORTS", OPTION_ARG_OPTIONAL, "name the events of the uncore PMUs; --list=uncore has them"},
	{"cputype", 0, "TYPE", 0, "name the PMU: -e cpu_core/cycles/ or -e cpu_atom/cycles/"},
	{"percore-show-thread", 0, NULL, 0, "use --per-core: each CPU's row would only repeat the count of its core"},
	{"bpf-prog", 'b', "ID", 0, NO_BPF},
	{"bpf-counters", 0, NULL, 0, NO_BPF},
	{"bpf-attr-map", 0, "PATH", 0, NO_BPF},
	{"record-tpebs", 0, "MODE", OPTION_ARG_OPTIONAL, NO_TPEBS},
	{"tpebs-mode", 0, "MODE", 0, NO_TPEBS},
	{"input", 0, "FILE", 0, "perf.data is not read; --diff compares reports that were saved with --json"},

	/* before Linux 5.3, the letter of --scale; in the end, for it has no name */
	{NULL, 'c', NULL, 0, NULL},
};
_Static_assert(ARRAY_SIZE(perf_options) <= OPTIONS_PERF_MAX, "room in the table of argp");

static const struct subcommand {
	const char *name;
	bool after_options; /* perf takes it there, too */
	const char *instead;
} subcommands[] = {
	{"record", true, "nothing is recorded in perf.data; --json -o FILE saves a report"},
	{"report", true, "perf.data is not read; --diff compares reports that were saved with --json"},
	{"list", false, "use --list, or --list=PATTERN"},
	{"help", false, "use --help; man pfmstat has more"},
};

/* Those without a letter have keys that struct parsing does not count. */
static int key_of(const struct perf_option *option)
{
	return option->letter ? option->letter : KEY_END + 1 + (int)(option - perf_options);
}

void options_perf_table(struct argp_option *table)
{
	for (const struct perf_option *p = perf_options; p < perf_options + ARRAY_SIZE(perf_options); p++)
		*table++ = (struct argp_option){
			.name = p->name, .key = key_of(p), .arg = p->argument, .flags = p->flags | OPTION_HIDDEN};
}

error_t options_perf_apply(int key, const struct argp_state *state)
{
	for (const struct perf_option *p = perf_options; p < perf_options + ARRAY_SIZE(perf_options); p++) {
		if (key_of(p) != key)
			continue;
		if (p->instead)
			argp_failure(state, EXIT_FAILED, 0, "--%s: %s", p->name, p->instead);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

bool options_perf_word(const struct argp_state *state)
{
	int at = state->next - 1;
	const char *word = state->argv[at];
	bool first = at == 1 || (at == 2 && strcmp(state->argv[1], "stat") == 0);

	if (state->quoted) /* after -- */
		return false;
	for (const struct subcommand *s = subcommands; s < subcommands + ARRAY_SIZE(subcommands); s++)
		if (strcmp(word, s->name) == 0 && (first || s->after_options))
			argp_failure(state, EXIT_FAILED, 0, "'%s': %s; '-- %s' runs a program of that name", word,
				     s->instead, word);
	return at == 1 && strcmp(word, "stat") == 0;
}
