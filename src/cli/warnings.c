#include "cli/warnings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/findings.h"
#include "lib/text.h"
#include "lib/util.h"

static void warn_of_plan(const struct plan *plan)
{
	for (size_t i = 0; i < plan->too_big.n && isatty(STDERR_FILENO); i++)
		fprintf(stderr, "pfmstat: note: %s\n", plan->too_big.v[i]);
	if (plan_is_simulated(plan) && isatty(STDERR_FILENO))
		fputs("pfmstat: note: the command is simulated: it takes 10 to 150 times as long\n", stderr);
}

static void warn_of_mixing(const struct options *o)
{
	if (o->report.path && strcmp(o->report.path, "-") == 0 && !o->report.quiet && options_output_is_shared(o))
		fputs("pfmstat: note: the command's output goes where the report goes; --command-output=null or a file "
		      "for -o keeps them apart\n",
		      stderr);
}

/* KVM's mediated vPMU, since Linux 7.0: the parameter of kvm_intel and kvm_amd. */
static bool guests_take_pmu(void)
{
	char text[8];

	return (file_read("/sys/module/kvm_intel/parameters/enable_mediated_pmu", text, sizeof(text)) > 0 ||
		file_read("/sys/module/kvm_amd/parameters/enable_mediated_pmu", text, sizeof(text)) > 0) &&
	       *text == 'Y';
}

static void warn_of_guests(const struct plan *plan)
{
	for (size_t i = 0; i < plan->list->n; i++) {
		const struct event *event = &plan->list->events[i];

		if (!event_is_core(event) || event->attr.exclude_guest || !guests_take_pmu())
			continue;
		fprintf(stderr,
			"pfmstat: note: while %s is counted, no virtual machine can start on this host (KVM's mediated "
			"vPMU: EBUSY); without the modifier G, they can\n",
			event->name);
		return;
	}
}

static void warn_of_trace(const struct options *o)
{
	if (o->trace && !o->report.quiet)
		fprintf(stderr,
			"pfmstat: note: --trace changes the command: %sgdb, strace and LeakSanitizer fail in it, "
			"signals are slower, and waits such as epoll_wait(2) may return EINTR\n",
			geteuid() ? "set-user-ID programs get no rights, " : "");
}

/* An option that people write after a command, where it would have no effect, such as a condition that never fails. */
static bool is_misplaced(const char *word)
{
	static const char *const options[] = {"--fail-if",        "--threshold",   "--decide",
					      "--ignore-failure", "--undisturbed", "--calibrate"};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		size_t n = strlen(options[i]);

		if (strncmp(word, options[i], n) == 0 && (!word[n] || word[n] == '='))
			return true;
	}
	return false;
}

static void warn_of_misplaced(const struct options *o)
{
	for (size_t i = 0; i < o->n_commands; i++)
		for (char *const *word = o->commands[i]; *word; word++) {
			auto_free char *command = NULL;

			if (word == o->commands[i] || !is_misplaced(*word))
				continue;
			command = text_safe(*o->commands[i]);
			fprintf(stderr,
				"pfmstat: warning: '%.*s' is an argument of the command '%s'; options of pfmstat come "
				"before the first command\n",
				(int)strcspn(*word, "="), *word, command);
		}
}

void note_findings(struct plan *plan)
{
	auto_strings struct strings findings = {0};
	auto_free char *all = NULL;
	size_t i = 0;

	while (i < plan->n_events && !event_is_core(&plan->events[i]))
		i++;
	if (i == plan->n_events)
		return;
	findings_read(&findings);
	all = strings_join(&findings, "; ");
	if (all)
		strings_add(&plan->notes, "--check has found on this machine: %s", all);
}

void warn_before_run(const struct options *options, const struct plan *plan)
{
	warn_of_misplaced(options);
	warn_of_plan(plan);
	if (!options->report.quiet)
		warn_of_guests(plan);
	warn_of_mixing(options);
	warn_of_trace(options);
}
