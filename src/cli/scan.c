#include "cli/scan.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cli/options.h"
#include "lib/text.h"

#define LARGEST 999999999999999LL /* sums of two are far from overflow */

static char *keep(struct scan *scan, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(arena_allocate(&scan->text, size), text, size);
}

static bool parameter_is_valid(const char *name, size_t n)
{
	bool valid = n > 0 && (isalpha((unsigned char)*name) || *name == '_');

	for (size_t i = 1; i < n; i++)
		valid &= isalnum((unsigned char)name[i]) || strchr("_-.", name[i]);
	return valid;
}

static bool accept_number(const char **text, long long *n)
{
	char *end;

	if (!isdigit((unsigned char)(*text)[**text == '-']))
		return false;
	*n = strtoll(*text, &end, 10); /* LLONG_MAX if it is too large */
	*text = end;
	return true;
}

static bool is_sane(long long n)
{
	return n >= -LARGEST && n <= LARGEST;
}

/* Adds FROM..TO, FROM..TO+STEP or FROM..TO*FACTOR. Returns 0 for a plain value. */
static int add_range(struct scan_parameter *parameter, const char *text, struct error *e)
{
	const char *p = text;
	long long from, to, by = 1;
	char operation = '+';
	bool valid;
	int width;

	if (!accept_number(&p, &from) || strncmp(p, "..", 2) != 0)
		return 0;
	width = *text == '0' ? (int)(p - text) : 0; /* 01..10 is 01, 02, … as in a shell */
	p += 2;
	valid = accept_number(&p, &to);
	if (valid && (*p == '+' || *p == '*')) {
		operation = *p++;
		valid = accept_number(&p, &by) && by >= 1 + (operation == '*');
	}
	if (!valid || *p)
		return error_set(e, EINVAL, "'%s' is not a range; write 1..8, 0..100+25 or 1..64*2", text);
	if (!is_sane(from) || !is_sane(to) || !is_sane(by))
		return error_set(e, ERANGE, "'%s': numbers of a range have at most 15 digits", text);
	if (operation == '*' && (from < 1 || to < from))
		return error_set(e, EINVAL, "'%s': a range with '*' goes up, from 1 or more", text);
	for (long long n = from; (from <= to ? n <= to : n >= to) && parameter->values.n <= SCAN_MOST;
	     n = operation == '*' ? n > to / by ? to + 1 : n * by
		 : from <= to     ? n + by
				  : n - by)
		strings_add(&parameter->values, "%0*lld", width, n);
	if (parameter->axis != AXIS_LOGARITHMIC)
		parameter->axis = operation == '*' ? AXIS_LOGARITHMIC : AXIS_LINEAR;
	return 1;
}

static int add_values(struct scan_parameter *parameter, const char *text, struct error *e)
{
	struct strings *values = &parameter->values;
	int error = 0;

	for (char *value; error >= 0 && (value = text_item(&text, false)); free(value)) {
		error = add_range(parameter, value, e);
		if (error == 0)
			strings_add(values, "%s", value);
		if (error >= 0 && values->n > SCAN_MOST)
			error = error_set(e, E2BIG, "more than %d values", SCAN_MOST);
	}
	return error < 0 ? error : 0;
}

int scan_add(struct scan *scan, const char *text, struct error *e)
{
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : 0;
	struct scan_parameter *p;

	if (!equals || !parameter_is_valid(text, length))
		return error_set(e, EINVAL, "'%s' is not NAME=VALUES, such as threads=1..8 or mode=fast,safe", text);
	for (size_t i = 0; i < scan->n; i++)
		if (strlen(scan->v[i].name) == length && strncmp(scan->v[i].name, text, length) == 0)
			return error_set(e, EINVAL, "'%s' is given twice; list its values: %s=1,2,3", scan->v[i].name,
					 scan->v[i].name);
	p = ARRAY_PUSH(scan->v, scan->n);
	p->name = xstrndup(text, length);
	return add_values(p, equals + 1, e);
}

/* Returns the parameter whose placeholder begins here, `{NAME}`, or SIZE_MAX. */
static size_t find_placeholder(const struct scan *scan, const char *text)
{
	for (size_t i = 0; i < scan->n && *text == '{'; i++) {
		size_t n = strlen(scan->v[i].name);

		if (strncmp(text + 1, scan->v[i].name, n) == 0 && text[n + 1] == '}')
			return i;
	}
	return SIZE_MAX;
}

static void mark_placeholders(const struct scan *scan, const char *text, bool *has)
{
	for (; text && *text; text++) {
		size_t i = find_placeholder(scan, text);

		if (i != SIZE_MAX)
			has[i] = true;
	}
}

/* Returns the text (or NULL if it is NULL) with this command's values for the placeholders. Values are not expanded
 * again. */
static char *fill_in(struct scan *scan, const char *text, const char *const *values)
{
	auto_free char *filled = NULL;
	size_t size;
	FILE *out = xopen_memstream(&filled, &size);

	for (; text && *text; text++) {
		size_t i = find_placeholder(scan, text);

		if (i == SIZE_MAX) {
			putc(*text, out);
			continue;
		}
		fputs(values[i], out);
		text += strlen(scan->v[i].name) + 1;
	}
	fclose(out);
	return text ? keep(scan, filled) : NULL;
}

/* Returns "threads=4 mode=fast", after the command's name if it has one. */
static char *label_of(struct scan *scan, const char *own, const char *const *values)
{
	auto_free char *label = NULL;
	size_t size;
	FILE *out = xopen_memstream(&label, &size);

	fputs(own ? own : "", out);
	for (size_t i = 0; i < scan->n; i++)
		if (values[i])
			fprintf(out, "%s%s=%s", ftell(out) ? " " : "", scan->v[i].name, values[i]);
	fclose(out);
	return keep(scan, label);
}

static char **command_of(struct scan *scan, char *const *words, const char *const *values)
{
	size_t n = 0;
	char **filled;

	while (words[n])
		n++;
	filled = arena_allocate(&scan->text, (n + 1) * sizeof(*filled));
	for (size_t i = 0; i <= n; i++)
		filled[i] = fill_in(scan, words[i], values);
	return filled;
}

/* Returns the report's name of a command before its values; NULL for a single command, which its values identify. */
static const char *own_name(const struct options *o, size_t command)
{
	const char *program = o->commands[command][0], *slash = program ? strrchr(program, '/') : NULL;

	if (command < o->n_labels && o->labels[command])
		return o->labels[command];
	return o->n_commands == 1 ? NULL : slash ? slash + 1 : program;
}

/* The same, with the command's number if others have the same name. The caller frees it. */
static char *distinct_name(const struct options *o, size_t command)
{
	const char *name = own_name(o, command);

	for (size_t i = 0; name && i < o->n_commands; i++) {
		const char *other = own_name(o, i);

		if (i != command && other && strcmp(other, name) == 0)
			return xasprintf("%s (%zu)", name, command + 1);
	}
	return name ? xstrdup(name) : NULL;
}

/* The expansion of the options' commands. */
struct expansion {
	char ***commands;
	const char **labels;
	size_t n, n_labels;
};

static void add_combination(struct scan *scan, const struct options *o, size_t command, const size_t *at,
			    struct expansion *x)
{
	char **words = o->commands[command];
	auto_free char *name = distinct_name(o, command);
	const char **values = xcalloc(scan->n, sizeof(*values));
	const struct hooks *hooks = &o->repeat.hooks;

	for (size_t i = 0; i < scan->n; i++)
		*ARRAY_PUSH(scan->values, scan->n_values) = values[i] =
			at[i] == SIZE_MAX ? NULL : scan->v[i].values.v[at[i]];
	*ARRAY_PUSH(scan->origins, scan->n_origins) = command;
	*ARRAY_PUSH(x->commands, x->n) = command_of(scan, words, values);
	*ARRAY_PUSH(x->labels, x->n_labels) = label_of(scan, name, values);
	*ARRAY_PUSH(scan->hooks, scan->n_hooks) = (struct hooks){.setup = fill_in(scan, hooks->setup, values),
								 .pre = fill_in(scan, hooks->pre, values),
								 .post = fill_in(scan, hooks->post, values)};
	free(values);
}

/* Moves to the next combination; returns false after the last one. */
static bool next_combination(const struct scan *scan, size_t *at)
{
	for (size_t i = scan->n; i-- > 0;) {
		if (at[i] == SIZE_MAX)
			continue;
		if (++at[i] < scan->v[i].values.n)
			return true;
		at[i] = 0;
	}
	return false;
}

static int expand_command(struct scan *scan, const struct options *o, size_t command, bool *used, struct expansion *x,
			  struct error *e)
{
	auto_free bool *has = xcalloc(scan->n, sizeof(*has));
	auto_free size_t *at = xcalloc(scan->n, sizeof(*at));

	mark_placeholders(scan, o->repeat.hooks.setup, has);
	mark_placeholders(scan, o->repeat.hooks.pre, has);
	mark_placeholders(scan, o->repeat.hooks.post, has);
	for (char *const *word = o->commands[command]; *word; word++)
		mark_placeholders(scan, *word, has);
	for (size_t i = 0; i < scan->n; i++) {
		at[i] = has[i] ? 0 : SIZE_MAX;
		used[i] |= has[i];
	}
	do {
		if (x->n == SCAN_MOST)
			return error_set(e, E2BIG, "more than %d commands would be compared", SCAN_MOST);
		add_combination(scan, o, command, at, x);
	} while (next_combination(scan, at));
	return 0;
}

static int check_used(const struct scan *scan, const bool *used, struct error *e)
{
	for (size_t i = 0; i < scan->n; i++)
		if (!used[i])
			return error_set(e, EINVAL,
					 "'{%s}' is in no command; write it in the command, --setup, --pre or --post",
					 scan->v[i].name);
	return 0;
}

int scan_expand(struct scan *scan, struct options *o, struct error *e)
{
	auto_free bool *used = xcalloc(scan->n + 1, sizeof(*used));
	struct expansion x = {.n = 0};
	int error = 0;

	for (size_t i = 0; i < o->n_commands && error == 0; i++)
		error = expand_command(scan, o, i, used, &x, e);
	if (error == 0)
		error = check_used(scan, used, e);
	if (error < 0 || !x.commands) {
		free(x.commands);
		free(x.labels);
		return error;
	}
	scan->names = xcalloc(scan->n, sizeof(*scan->names));
	scan->axes = xcalloc(scan->n, sizeof(*scan->axes));
	for (size_t i = 0; i < scan->n; i++) {
		scan->names[i] = scan->v[i].name;
		scan->axes[i] = scan->v[i].axis;
	}
	scan->parameters = (struct parameters){scan->n, scan->names, scan->values, scan->axes, scan->origins};
	free(o->commands);
	free(o->labels);
	o->commands = x.commands;
	o->command = x.commands[0];
	o->n_commands = x.n;
	o->labels = x.labels;
	o->n_labels = x.n_labels;
	o->repeat.command_hooks = scan->hooks;
	return 0;
}

void scan_free(struct scan *scan)
{
	for (size_t i = 0; i < scan->n; i++) {
		free(scan->v[i].name);
		strings_free(&scan->v[i].values);
	}
	free(scan->v);
	free(scan->names);
	free(scan->values);
	free(scan->axes);
	free(scan->origins);
	free(scan->hooks);
	arena_free(&scan->text);
}
