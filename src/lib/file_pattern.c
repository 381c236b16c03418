#include "lib/file_pattern.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/util.h"

#define NAME_FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_CHARS NAME_FIRST "0123456789"

/* The part of the pattern that begins at a %. */
struct part {
	const char *at;
	int length;
};

static int part_refuse(struct error *e, struct part part, const char *why)
{
	return error_set(e, EINVAL, "'%.*s' in the file name: %s", part.length, part.at, why);
}

static int put_value(FILE *out, struct part part, const char *value, struct error *e)
{
	if (!*value)
		return part_refuse(e, part, "it is empty");
	if (strchr(value, '/'))
		return error_set(e, EINVAL, "'%.*s' in the file name: its value '%s' contains a '/'", part.length,
				 part.at, value);
	fputs(value, out);
	return 0;
}

static int put_host(FILE *out, struct part part, struct error *e)
{
	struct utsname uts;

	if (uname(&uts) < 0)
		return part_refuse(e, part, strerror(errno));
	uts.nodename[strcspn(uts.nodename, ".")] = '\0';
	return put_value(out, part, uts.nodename, e);
}

static int put_variable(FILE *out, struct part *part, struct error *e)
{
	const char *begin = part->at + strlen("%{"), *end = strchr(begin, '}'), *value;
	auto_free char *name = NULL;

	if (!end) {
		part->length = (int)strlen(part->at);
		return part_refuse(e, *part, "the '}' is missing");
	}
	part->length = (int)(end + 1 - part->at);
	name = xstrndup(begin, (size_t)(end - begin));
	if (!*name || !strchr(NAME_FIRST, *name) || name[strspn(name, NAME_CHARS)])
		return part_refuse(e, *part, "this is not a variable's name");
	value = getenv(name);
	return value ? put_value(out, *part, value, e) : part_refuse(e, *part, "the variable is not set");
}

static int put_part(FILE *out, struct part *part, struct error *e)
{
	char pid[3 * sizeof(pid_t) + 2];

	part->length = part->at[1] ? 2 : 1;
	switch (part->at[1]) {
	case '%':
		putc('%', out);
		return 0;
	case 'h':
		return put_host(out, *part, e);
	case 'p':
		snprintf(pid, sizeof(pid), "%d", getpid());
		return put_value(out, *part, pid, e);
	case '{':
		return put_variable(out, part, e);
	}
	while (((unsigned char)part->at[part->length] & 0xc0) == 0x80) /* the remaining bytes of a character */
		part->length++;
	part_refuse(e, *part, "not a placeholder; %h is the host, %p the process id, %{NAME} a variable");
	return error_hint(e, "write '%%%%' for a '%%'");
}

/* Counts the components "." and "..". If a pattern has none, its expansion must not have any. */
static size_t count_dots(const char *path)
{
	size_t dots = 0;

	for (size_t n; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		dots += (n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.');
	}
	return dots;
}

int file_pattern_expand(const char *pattern, char **name, struct error *e)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	int error = 0;

	for (struct part part = {.at = pattern}; *part.at && error == 0; part.at += part.length) {
		part.length = (int)strcspn(part.at, "%");
		if (part.length)
			fwrite(part.at, 1, (size_t)part.length, out);
		else
			error = put_part(out, &part, e);
	}
	fclose(out);
	if (error < 0)
		return error;
	if (count_dots(text) > count_dots(pattern) || (strcmp(text, "-") == 0 && strcmp(pattern, "-") != 0))
		return error_set(e, EINVAL, "'%s' would be '%s', which is not a file name", pattern, text);
	*name = text;
	text = NULL;
	return 0;
}
