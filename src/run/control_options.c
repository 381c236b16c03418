/* Parses the argument of --control. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/util.h"
#include "run/control.h"

static int parse_fd(const char *text, int *fd, struct error *e)
{
	long n;

	if (parse_long(text, 0, INT_MAX, &n) < 0)
		return error_set(e, EINVAL, "'%s' is not a file descriptor", text);
	*fd = (int)n;
	return 0;
}

int control_parse(struct control_options *options, const char *text, struct error *e)
{
	const char *list = text + strcspn(text, ":"), *comma = strchr(list, ',');
	bool fifo = strncmp(text, "fifo:", 5) == 0;
	auto_free char *first = NULL;

	*options = (struct control_options){.fd = -1, .ack_fd = -1};
	if ((!fifo && strncmp(text, "fd:", 3) != 0) || !list[1] || list[1] == ',' || (comma && !comma[1]))
		return error_set(e, EINVAL, "'%s' is not fd:N[,M] or fifo:PATH[,PATH]", text);
	first = comma ? xstrndup(list + 1, (size_t)(comma - list - 1)) : xstrdup(list + 1);
	if (fifo) {
		options->path = xstrdup(first);
		options->ack_path = comma ? xstrdup(comma + 1) : NULL;
		return 0;
	}
	if (parse_fd(first, &options->fd, e) < 0 || (comma && parse_fd(comma + 1, &options->ack_fd, e) < 0))
		return -EINVAL;
	return 0;
}

void control_options_free(struct control_options *options)
{
	free(options->path);
	free(options->ack_path);
	*options = (struct control_options){.fd = -1, .ack_fd = -1};
}
