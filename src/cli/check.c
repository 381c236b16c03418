#include "cli/check.h"

#include <stdarg.h>
#include <string.h>

#include "cli/check_internal.h"
#include "lib/json.h"
#include "lib/text.h"
#include "os/descriptors.h"

#define WIDTH       80 /* without a terminal */
#define NAME_WIDTH  12
#define STATE_WIDTH 4
#define INDENT      (NAME_WIDTH + 1 + STATE_WIDTH + 1)

/* ---- lines ---- */

/* fix may be NULL or "". */
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

/* ---- output ---- */

static const char *const state_names[] = {[CHECK_OK] = "ok", [CHECK_PART] = "part", [CHECK_FAIL] = "fail"};

/* Writes words from the column INDENT on, where the line already is, wrapped at width. */
static void put_wrapped(FILE *out, const char *text, size_t width)
{
	auto_free char *safe = text_safe(text);

	text_put_wrapped(out, safe, INDENT, width);
	putc('\n', out);
}

/* Returns an earlier line that failed for the same reason, or NULL. */
static const struct check_line *find_same(const struct check *check, const struct check_line *line)
{
	for (const struct check_line *l = check->v; l < line && line->state == CHECK_FAIL; l++)
		if (l->state == CHECK_FAIL && strcmp(l->text, line->text) == 0)
			return l;
	return NULL;
}

void check_print(FILE *out, const struct check *check, size_t width)
{
	for (const struct check_line *line = check->v; line < check->v + check->n; line++) {
		const struct check_line *same = find_same(check, line);

		fprintf(out, "%-*s %-*s ", NAME_WIDTH, line->name, STATE_WIDTH, state_names[line->state]);
		if (same) {
			fprintf(out, "for the same reason as %s\n", same->name);
			continue;
		}
		put_wrapped(out, line->text, width);
		if (line->fix) {
			auto_free char *fix = xasprintf("fix: %s", line->fix);

			fprintf(out, "%*s", INDENT, "");
			put_wrapped(out, fix, width);
		}
	}
}

void check_write(FILE *out, const struct check *check)
{
	struct json j = {.out = out};

	for (const struct check_line *line = check->v; line < check->v + check->n; line++) {
		json_object_begin(&j, NULL);
		json_string(&j, "kind", "check");
		json_string(&j, "name", line->name);
		json_string(&j, "state", state_names[line->state]);
		json_string(&j, "text", line->text);
		json_string(&j, "fix", line->fix);
		json_string(&j, "pmu", line->pmu);
		json_string(&j, "cpus", line->cpus);
		if (line->pmu)
			json_u64(&j, "counters", line->counters);
		else
			json_null(&j, "counters");
		json_object_end(&j);
		json_newline(&j);
	}
}

/* ---- all of them ---- */

static const struct question {
	const char *name;
	void (*ask)(struct checking *c);
} questions[] = {
	{"kernel", check_kernel},
	{"machine", check_virtual},
	{"container", check_container},
	{"privileges", check_privilege},
	{"user-space", check_user_space},
	{"kernel-side", check_kernel_side},
	{"all-cpus", check_all_cpus},
	{"by", check_by},
	{"core-pmu", check_core_pmus},
	{"watchdog", check_watchdog},
	{"holders", check_holders},
	{"pmus", check_pmus},
	{"breakpoints", check_breakpoints},
	{"tracepoints", check_tracepoints},
	{"user-probes", check_user_probes},
	{"cgroups", check_cgroups},
	{"counts", check_counts},
	{"libpfm4", check_libpfm},
	{"names", check_names},
	{"libelf", check_libelf},
	{"metrics", check_metrics},
	{"conclusion", check_conclusion},
};

/* The conclusion, which is drawn last, comes first. */
static void move_last_line(struct check *check)
{
	struct check_line last = check->v[check->n - 1];

	memmove(check->v + 1, check->v, (check->n - 1) * sizeof(last));
	check->v[0] = last;
}

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

bool check_report(FILE *out, bool json, struct vendor_events *vendor, bool names)
{
	struct check check = {0};
	struct checking c = {.check = &check, .vendor = vendor, .names = names};
	size_t columns = descriptor_columns(fileno(out));

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		c.name = questions[i].name;
		questions[i].ask(&c);
	}
	move_last_line(&check);
	if (json)
		check_write(out, &check);
	else
		check_print(out, &check, columns ? columns : WIDTH);
	check_free(&check);
	return c.counts_hardware;
}
