/* Any bytes from a client of --control: the answers are whole lines, one that ends each command. */
#include "fuzz.h"
#include "os/child.h"
#include "resolve/eventlist.h"
#include "run/backend.h"
#include "run/control.h"

#include <errno.h>
#include <fcntl.h>

static void nothing(struct backend *s)
{
	(void)s;
}

static int switch_event(struct backend *s, size_t event, bool on)
{
	(void)s;
	return event == 0 ? -EBUSY : event == 1 && on ? -EIO : 0;
}

static void make_pipe(int fds[2])
{
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		abort();
}

static void check_answers(int fd)
{
	static const char *const beginnings[] = {"ack\n", "error: ", "cs", "faults", "{cs,faults}\n"};
	char line[CONTROL_LINE_MAX + 128];
	FILE *f = fdopen(fd, "r");
	size_t n = 0;

	for (int c; f && (c = getc(f)) != EOF;) {
		bool known = false;

		if (!c) /* perf's acknowledgement ends with a newline and a NUL */
			continue;
		line[n++] = (char)c;
		if (c != '\n' && n < sizeof(line) - 1)
			continue;
		line[n] = '\0';
		n = 0;
		check(strchr(line, '\n'));
		for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
			known |= strncmp(line, beginnings[i], strlen(beginnings[i])) == 0;
		check(known || strchr(line, '\r'));
	}
	check(n == 0);
	if (f)
		fclose(f);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const struct backend_ops ops = {.enable = nothing, .disable = nothing, .switch_event = switch_event};
	static size_t members[] = {0, 1};
	struct plan_group group = {.members = members, .n = 2};
	struct backend backend = {.ops = &ops};
	struct child child = {.pid = 0};
	struct loop loop = {.n = 0};
	struct run run = {.loop = &loop, .backend = &backend, .child = &child, .timer = -1};
	struct event_list list = {0};
	struct plan plan = {.list = &list, .groups = &group, .n_groups = 1};
	struct control control = {.fd = -1, .ack_fd = -1};
	int commands[2], answers[2];
	struct error e;

	if (size > 8192)
		return -1;
	make_pipe(commands);
	make_pipe(answers);
	if (event_list_parse(&list, "{cs,faults}", &e) < 0 || write(commands[1], data, size) != (ssize_t)size)
		abort();
	plan.events = list.events;
	plan.n_events = list.n;
	close(commands[1]);
	control.fd = commands[0];
	control.ack_fd = answers[1];
	control_start(&control, &run, &plan);
	while (loop.fds[0].fd >= 0)
		loop.handlers[0].ready(loop.handlers[0].arg, control.fd);
	control_free(&control);
	check_answers(answers[0]);
	event_list_free(&list);
	loop_free(&loop);
	return 0;
}
