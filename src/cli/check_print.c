/* The renderings of --check. Pure. */
#include <string.h>

#include "cli/check_internal.h"
#include "lib/json.h"
#include "lib/text.h"
#include "lib/util.h"

#define NAME_WIDTH  12
#define STATE_WIDTH 4
#define INDENT      (NAME_WIDTH + 1 + STATE_WIDTH + 1)

static const char *const state_names[] = {[CHECK_OK] = "ok", [CHECK_PART] = "part", [CHECK_FAIL] = "fail"};

/* Words from the column INDENT on, where this line is already, wrapped at width. */
static void put_wrapped(FILE *out, const char *text, size_t width)
{
	auto_free char *safe = text_safe(text);
	size_t column = INDENT;
	char *rest = safe, *word;

	while ((word = strsep(&rest, " "))) {
		size_t columns = text_width(word);

		if (!columns)
			continue;
		if (column > INDENT && column + 1 + columns > width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		}
		column += columns + (column > INDENT);
		fprintf(out, "%s%s", column > INDENT + columns ? " " : "", word);
	}
	putc('\n', out);
}

/* An earlier line that failed for the same reason; NULL: there is none. */
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
			fprintf(out, "as %s\n", same->name);
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
