#include "cli/check.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "cli/check_internal.h"

#define WIDTH 80 /* where there is no terminal */

/* ---- lines ---- */

/* fix NULL or "": none. */
struct check_line *check_put(struct checking *c, enum check_state state, const char *fix, const char *format, ...)
{
	struct check_line *line = ARRAY_PUSH(c->check->v, c->check->n);
	va_list args;

	line->name = c->name;
	line->state = state;
	va_start(args, format);
	if (vasprintf(&line->text, format, args) < 0)
		end_out_of_memory();
	va_end(args);
	line->fix = fix && *fix ? xstrdup(fix) : NULL;
	return line;
}

/* The hint may have several lines. */
void check_put_error(struct checking *c, const struct error *e)
{
	auto_strings struct strings lines = {0};
	auto_free char *fix = NULL, *hint = xstrdup(e->hint);
	char *rest = hint, *line;

	while ((line = strsep(&rest, "\n")))
		strings_add(&lines, "%s", line);
	fix = strings_join(&lines, ", ");
	check_put(c, CHECK_FAIL, fix, "%s", e->text);
}

void check_put_advice(struct checking *c, const struct advice *advice)
{
	check_put(c, CHECK_FAIL, advice->fix, "%s", advice->why);
}

/* ---- all of them ---- */

static const struct question {
	const char *name;
	void (*ask)(struct checking *c);
} questions[] = {
	{"kernel", check_kernel},           {"machine", check_virtual},
	{"container", check_container},     {"privileges", check_privilege},
	{"user-space", check_user_space},   {"kernel-side", check_kernel_side},
	{"all-cpus", check_all_cpus},       {"by", check_by},
	{"core-pmu", check_core_pmus},      {"watchdog", check_watchdog},
	{"holders", check_holders},         {"pmus", check_pmus},
	{"breakpoints", check_breakpoints}, {"tracepoints", check_tracepoints},
	{"user-probes", check_user_probes}, {"cgroups", check_cgroups},
	{"libpfm4", check_libpfm},          {"libelf", check_libelf},
	{"metrics", check_metrics},
};

static void check_free(struct check *check)
{
	for (size_t i = 0; i < check->n; i++) {
		free(check->v[i].text);
		free(check->v[i].fix);
		free(check->v[i].pmu);
		free(check->v[i].cpus);
	}
	free(check->v);
}

bool check_report(FILE *out, bool json)
{
	struct check check = {0};
	struct checking c = {.check = &check};
	struct winsize size;

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		c.name = questions[i].name;
		questions[i].ask(&c);
	}
	if (json)
		check_write(out, &check);
	else
		check_print(out, &check,
			    ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH);
	check_free(&check);
	return c.counts_hardware;
}
