#include "run/engine_part.h"

#include <string.h>
#include <strings.h>

#include "trace/entered.h"

/* Where the reading is: whose lines follow, and what is called from there. */
struct place {
	char *file, *function, *callee; /* Cachegrind: no file and no callee */
	bool callee_is_elsewhere;       /* in another file */
	uint64_t calls_within;          /* of the last line of calls: those within one function */
};

/* Returns the text after the key; NULL for another line. */
static const char *line_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) == 0 ? line + n + strspn(line + n, " ") : NULL;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = xstrdup(with);
}

static void add_once(struct strings *list, const char *path)
{
	if (!strings_has(list, path))
		strings_add(list, "%s", path);
}

/* ---- calls ---- */

/* Returns the length of a function's name without what Callgrind appends to inner calls ("f'2") and compilers to the
 * code that they expect to be executed rarely ("f.cold"). */
static size_t stem_length(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold ? (size_t)(cold - name) : strcspn(name, "'");
}

static bool calls_itself(const struct place *place)
{
	size_t stem = place->function && place->callee ? stem_length(place->function) : 0;

	return stem > 0 && !place->callee_is_elsewhere && place->file && *place->file == '/' &&
	       stem == stem_length(place->callee) && strncmp(place->function, place->callee, stem) == 0;
}

static void read_calls(struct engine_part *part, struct place *place, const char *value)
{
	uint64_t n = strtoull(value, NULL, 10);

	part->calls += n;
	place->calls_within = calls_itself(place) ? n : 0;
	place->callee_is_elsewhere = false;
}

/* Reads the line after a line of calls, "ADDRESS COST" of the instruction (after vfork, it is in another file).
 * Callgrind also counts jumps to a function's first instruction: those of other functions are calls (tail calls), and
 * those within the function are not (loops). */
static void read_site(struct engine_part *part, struct place *place, const char *line)
{
	struct error e = {0};
	int is_call = entered_is_call(place->file, strtoull(line, NULL, 0), &e);

	if (is_call < 0)
		add_once(&part->unread, place->file);
	if (is_call <= 0)
		part->calls -= place->calls_within;
	place->calls_within = 0;
}

/* ---- functions ---- */

/* function: its symbol, for example "__libc_fork" or "vfork@@GLIBC_2.2.5". */
static bool is_called(const char *function, const char *name)
{
	function += strspn(function, "_");
	function += strncmp(function, "libc_", 5) == 0 ? 5 : 0;
	return strncasecmp(function, name, strlen(name)) == 0 && strchr("@'", function[strlen(name)]);
}

static void read_function(struct engine_part *part, struct place *place, const char *function)
{
	replace(&place->function, function);
	part->forks = part->forks || is_called(function, "fork");
	part->spawns = part->spawns || is_called(function, "vfork") || is_called(function, "posix_spawn") ||
		       is_called(function, "posix_spawnp");
}

/* ---- the file ---- */

static void read_line(struct engine_part *part, struct place *place, const char *line)
{
	const char *value;

	if (place->calls_within)
		read_site(part, place, line);
	else if ((value = line_value(line, "calls=")))
		read_calls(part, place, value);
	else if ((value = line_value(line, "fn=")))
		read_function(part, place, value);
	else if ((value = line_value(line, "cfn=")))
		replace(&place->callee, value);
	else if (line_value(line, "cob="))
		place->callee_is_elsewhere = true;
	else if ((value = line_value(line, "ob="))) {
		replace(&place->file, value);
		if (*value == '/')
			add_once(&part->files, value);
	} else if ((value = line_value(line, "cmd:")))
		replace(&part->command, value);
	else if ((value = line_value(line, "events:")))
		replace(&part->names, value);
	else if ((value = line_value(line, "summary:")))
		replace(&part->summary, value);
	else if ((value = line_value(line, "totals:")))
		replace(&part->totals, value);
}

void engine_part_read(FILE *in, struct engine_part *part)
{
	auto_free char *line = NULL;
	struct place place = {0};
	size_t size = 0;
	ssize_t n;

	*part = (struct engine_part){0};
	while ((n = getline(&line, &size, in)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		read_line(part, &place, line);
	}
	free(place.file);
	free(place.function);
	free(place.callee);
}

void engine_part_free(struct engine_part *part)
{
	free(part->command);
	free(part->names);
	free(part->summary);
	free(part->totals);
	strings_free(&part->files);
	strings_free(&part->unread);
}
