/* Reports of different targets or machines. */
#include <string.h>

#include "compare/machine.h"
#include "saved/saved_internal.h"

static const char *target_words(struct result *result, const struct saved_origin *origin)
{
	static const struct {
		const char *kind, *words;
	} targets[] = {{"command", "a command"},
		       {"process", "processes"},
		       {"thread", "threads"},
		       {"system", "the whole system"}};

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (strcmp(origin->target, targets[i].kind) == 0)
			return targets[i].words;
	return result_format(result, "CPUs%s%s", *origin->cpus ? " " : "", origin->cpus);
}

/* A missing field counts as equal. */
static bool is_other(const char *text, const char *first)
{
	return *text && *first && strcmp(text, first) != 0;
}

static const char *merged_words(struct result *result, const struct saved_origin *origin)
{
	return origin->merged ? result_format(result, "the sum of %zu", origin->merged) : "a single report";
}

static void compare_targets(struct saved *saved)
{
	struct result *result = &saved->result;
	const char **others = result_allocate(result, (saved->n_origins + 1) * sizeof(*others));

	for (size_t i = 0; i < saved->n_origins; i++) {
		const struct saved_origin *origin = &saved->origins[i], *first = &saved->origins[0];

		others[i] = NULL;
		if (origin->merged != first->merged) /* with --diff OLD... --against NEW it would be a mean */
			others[i] = result_format(result, "report %zu is %s, and report 1 is %s", i + 1,
						  merged_words(result, origin), merged_words(result, first));
		else if (is_other(origin->target, first->target) || is_other(origin->cpus, first->cpus))
			others[i] = result_format(result, "report %zu is of %s, and report 1 of %s", i + 1,
						  target_words(result, origin), target_words(result, first));
		else
			continue;
		strings_add(&result->notes, "%s: the differences may be due to that alone", others[i]);
	}
	result->session.other_targets = others;
}

/* Returns the components of the machine that differ from the first report, and in *words their names in both; NULL if
 * none differ. */
static unsigned compare_machine(const struct saved *saved, size_t report, char **words)
{
	const struct saved_origin *a = &saved->origins[0], *b = &saved->origins[report];
	const struct {
		unsigned component;
		const char *what, *text, *first;
	} components[] = {{MACHINE_HOST, "host", b->host, a->host},
			  {MACHINE_KERNEL, "kernel", b->kernel, a->kernel},
			  {MACHINE_ARCHITECTURE, "architecture", b->arch, a->arch},
			  {MACHINE_CPU, "CPU model", b->cpu, a->cpu}};
	auto_strings struct strings others = {0};
	unsigned found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(components); i++) {
		if (!is_other(components[i].text, components[i].first))
			continue;
		found |= components[i].component;
		strings_add(&others, "%s '%s' instead of '%s'", components[i].what, components[i].text,
			    components[i].first);
	}
	*words = strings_join(&others, ", ");
	return found;
}

/* Adds one note for all reports with the same words, which begin with this one. */
static void note_machines(struct saved *saved, char *const *words, size_t report)
{
	auto_strings struct strings numbers = {0};
	auto_free char *joined = NULL;

	for (size_t i = 0; i < saved->n_origins; i++) {
		if (!words[i] || strcmp(words[i], words[report]) != 0)
			continue;
		if (i < report)
			return;
		strings_add(&numbers, "%zu", i + 1);
	}
	joined = strings_join(&numbers, ", ");
	strings_add(&saved->result.notes, "report%s %s %s made with %s", numbers.n > 1 ? "s" : "", joined,
		    numbers.n > 1 ? "were" : "was", words[report]);
}

static void compare_machines(struct saved *saved)
{
	unsigned *components = result_allocate(&saved->result, (saved->n_origins + 1) * sizeof(*components));
	char **words = xcalloc(saved->n_origins + 1, sizeof(*words));

	for (size_t i = 0; i < saved->n_origins; i++)
		components[i] = compare_machine(saved, i, &words[i]);
	for (size_t i = 0; i < saved->n_origins; i++)
		if (words[i])
			note_machines(saved, words, i);
	for (size_t i = 0; i < saved->n_origins; i++)
		free(words[i]);
	free(words);
	saved->result.session.other_machines = components;
}

void saved_compare_origins(struct saved *saved)
{
	auto_strings struct strings of_reports = saved->result.notes;

	saved->result.notes = (struct strings){0}; /* notes about the comparison come first */
	compare_targets(saved);
	compare_machines(saved);
	strings_merge(&saved->result.notes, &of_reports);
}
