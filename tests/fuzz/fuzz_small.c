/* Any text as each of the small inputs of options and the kernel: accepted text reads back as the same. */
#include "compare/condition.h"
#include "event/modifier.h"
#include "fuzz.h"
#include "lib/cpuset.h"
#include "lib/number.h"
#include "lib/text.h"
#include "run/control.h"

static void check_token(const char *text, int error, const struct error *e)
{
	check(error == 0 || (e->text[0] && e->at + e->length <= strlen(text)));
}

static void try_cpuset(const char *text)
{
	struct cpuset set = {0}, again = {0};
	struct error e = {0};
	int error = cpuset_parse(&set, text, &e);

	check_token(text, error, &e);
	check((error == 0) == (set.n > 0));
	if (error == 0) {
		auto_free char *list = cpuset_text(&set);

		check(cpuset_parse(&again, list, &e) == 0 && again.n == set.n);
		for (size_t i = 0; i < set.n; i++)
			check(set.cpus[i] == again.cpus[i] && cpuset_has(&set, set.cpus[i]));
	}
	cpuset_free(&set);
	cpuset_free(&again);
}

static void try_conditions(const char *text)
{
	struct conditions conditions = {0};
	struct error e = {0};
	int error = conditions_parse(&conditions, text, &e);

	check_token(text, error, &e);
	check(error < 0 || conditions.n > 0);
	conditions_free(&conditions);
}

static void try_control(const char *text)
{
	struct control_options options = {.fd = -1, .ack_fd = -1};
	struct error e = {0};

	check(control_parse(&options, text, &e) == 0 || e.text[0]);
	control_options_free(&options);
}

static void try_numbers(const char *text)
{
	char buf[NUMBER_MAX];
	uint64_t n, again;

	if (parse_u64(text, 10, &n) == 0)
		check(parse_u64(number_u64(buf, n), 10, &again) == 0 && again == n);
	parse_number(text, &n);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct modifiers modifiers = MODIFIERS_NONE;
	struct error e = {0};

	if (!text || size > 4096) {
		free(text);
		return -1;
	}
	try_cpuset(text);
	try_conditions(text);
	try_control(text);
	try_numbers(text);
	modifiers_parse_tail(&modifiers, text, &e);
	strings_free(&modifiers.ignored);
	free(text);
	return 0;
}
