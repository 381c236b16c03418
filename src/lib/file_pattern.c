#include "lib/file_pattern.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/util.h"

#define NAME_FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define NAME_CHARS NAME_FIRST "0123456789"

/* The text of the pattern that begins at a %. */
struct conversion {
	const char *at;
	int length;
};

static int conversion_refuse(struct error *e, struct conversion conversion, const char *why)
{
	return error_set(e, EINVAL, "'%.*s' in the file name: %s", conversion.length, conversion.at, why);
}

static int expand_value(FILE *out, struct conversion conversion, const char *value, struct error *e)
{
	if (!*value)
		return conversion_refuse(e, conversion, "it is empty");
	if (strchr(value, '/'))
		return error_set(e, EINVAL, "'%.*s' in the file name: its value '%s' contains a '/'", conversion.length,
				 conversion.at, value);
	fputs(value, out);
	return 0;
}

static int expand_host(FILE *out, struct conversion conversion, struct error *e)
{
	struct utsname uts;

	if (uname(&uts) < 0)
		return conversion_refuse(e, conversion, strerror(errno));
	uts.nodename[strcspn(uts.nodename, ".")] = '\0';
	return expand_value(out, conversion, uts.nodename, e);
}

static int expand_variable(FILE *out, struct conversion *conversion, struct error *e)
{
	const char *begin = conversion->at + strlen("%{"), *end = strchr(begin, '}'), *value;
	auto_free char *name = NULL;

	if (!end) {
		conversion->length = (int)strlen(conversion->at);
		return conversion_refuse(e, *conversion, "the '}' is missing");
	}
	conversion->length = (int)(end + 1 - conversion->at);
	name = xstrndup(begin, (size_t)(end - begin));
	if (!*name || !strchr(NAME_FIRST, *name) || name[strspn(name, NAME_CHARS)])
		return conversion_refuse(e, *conversion, "this is not a variable's name");
	value = getenv(name);
	return value ? expand_value(out, *conversion, value, e)
		     : conversion_refuse(e, *conversion, "the variable is not set");
}

static int expand_conversion(FILE *out, struct conversion *conversion, struct error *e)
{
	char pid[3 * sizeof(pid_t) + 2];

	conversion->length = conversion->at[1] ? 2 : 1;
	switch (conversion->at[1]) {
	case '%':
		putc('%', out);
		return 0;
	case 'h':
		return expand_host(out, *conversion, e);
	case 'p':
		snprintf(pid, sizeof(pid), "%d", getpid());
		return expand_value(out, *conversion, pid, e);
	case '{':
		return expand_variable(out, conversion, e);
	}
	while (((unsigned char)conversion->at[conversion->length] & 0xc0) ==
	       0x80) /* the remaining bytes of a character */
		conversion->length++;
	conversion_refuse(e, *conversion, "not a placeholder; %h is the host, %p the process id, %{NAME} a variable");
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

	for (struct conversion conversion = {.at = pattern}; *conversion.at && error == 0;
	     conversion.at += conversion.length) {
		conversion.length = (int)strcspn(conversion.at, "%");
		if (conversion.length)
			fwrite(conversion.at, 1, (size_t)conversion.length, out);
		else
			error = expand_conversion(out, &conversion, e);
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
