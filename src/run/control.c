#include "run/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"

/* ---- opening ---- */

/* Opens the fifo for reading and writing, so that it always has a writer and a reader: no open blocks, and a client
 * that closes its side causes no end of file. */
static int open_fifo(const char *path, struct error *e)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return error_set(e, errno, "--control: cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	error_set(e, EINVAL, "--control: '%s' is not a fifo", path);
	error_hint(e, "mkfifo makes one");
	return -EINVAL;
}

/* Returns a copy, which the command does not inherit. */
static int copy_fd(int fd, struct error *e)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy >= 0 ? copy : error_set(e, errno, "--control: descriptor %d: %s", fd, strerror(errno));
}

int control_open(struct control *control, const struct control_options *options, struct error *e)
{
	*control = (struct control){.fd = -1, .ack_fd = -1, .answer_fd = -1};
	if (!options)
		return 0;
	control->fd = options->path ? open_fifo(options->path, e) : copy_fd(options->fd, e);
	if (control->fd < 0)
		return control->fd;
	if (options->ack_path)
		control->ack_fd = open_fifo(options->ack_path, e);
	else if (options->ack_fd >= 0)
		control->ack_fd = copy_fd(options->ack_fd, e);
	else
		return 0;
	return control->ack_fd < 0 ? control->ack_fd : 0;
}

/* ---- answers ---- */

/* Makes one write, and only if the pipe has room: pfmstat does not wait for a client that does not read. */
static void answer_bytes(const struct control *control, const char *bytes, size_t n)
{
	struct pollfd fd = {.fd = control->answer_fd, .events = POLLOUT};
	ssize_t ignored;

	if (fd.fd >= 0 && poll(&fd, 1, 0) == 1 && fd.revents == POLLOUT) {
		ignored = write(fd.fd, bytes, n);
		(void)ignored;
	}
}

/* perf also writes the NUL, and most clients read five bytes and compare them as a string. */
static void acknowledge(const struct control *control)
{
	answer_bytes(control, "ack\n", sizeof("ack\n"));
}

/* A note says it too: there may be no second descriptor, and few clients read errors. */
static void refuse(struct control *control, const char *format, ...) PRINTF_LIKE(2, 3);
static void refuse(struct control *control, const char *format, ...)
{
	char text[CONTROL_LINE_MAX + 64] = "error: "; /* cuts the name of an event that is longer */
	size_t n = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, sizeof(text) - n - 1, format, ap);
	va_end(ap);
	if (control->refused++ == 0)
		control->refusal = xstrdup(text + n);
	n = strlen(text);
	text[n++] = '\n';
	text[n++] = '\0';
	answer_bytes(control, text, n);
}

/* ---- commands ---- */

/* Switches the event, or the parts of an event on several core PMUs, which are the opened events. One opened part is
 * enough. */
static void switch_parts(struct control *control, size_t i, bool on, int *error)
{
	const struct event *event = &control->plan->events[i];
	struct backend *backend = control->run->backend;

	for (size_t part = 0; part <= event->parts; part++) {
		int failed = backend->ops->switch_event(backend, part ? event->first_part + part - 1 : i, on);

		if (failed != -ENOENT)
			*error = failed;
		if (*error && *error != -ENOENT)
			return;
	}
}

static void switch_all(struct control *control, bool on)
{
	if (on)
		run_enable(control->run);
	else
		run_disable(control->run);
	for (size_t i = 0; control->by_name && i < control->plan->list->n; i++) {
		int ignored = -ENOENT;

		if (on && control->by_name[i] == SWITCHED_OFF)
			switch_parts(control, i, true, &ignored); /* leaders are already on */
		if (on || control->by_name[i] == SWITCHED_ON)
			control->by_name[i] = FOLLOWS_ALL;
	}
	acknowledge(control);
}

static void answer_refusal(struct control *control, const char *name, bool on, int error)
{
	if (error == -EBUSY)
		refuse(control, "'%s' leads its group: the other events would %s with it", name, on ? "start" : "stop");
	else if (error == -EAGAIN)
		refuse(control, "'%s' counts only while the leader of its group does", name);
	else if (error == -ENOENT)
		refuse(control, "'%s' is not counted, or has no counter", name);
	else
		refuse(control, "'%s': %s", name, strerror(-error));
}

/* After the last event is off, nothing is counted, and the time is not part of the elapsed time. */
static void note_switched(struct control *control, const char *name, bool on)
{
	const struct event_list *list = control->plan->list;
	bool any = false;

	if (!control->by_name)
		control->by_name = xcalloc(list->n, sizeof(*control->by_name));
	for (size_t i = 0; i < list->n; i++) {
		if (strcmp(list->events[i].name, name) == 0)
			control->by_name[i] = on ? SWITCHED_ON : SWITCHED_OFF;
		any |= control->by_name[i] == SWITCHED_ON ||
		       (control->by_name[i] == FOLLOWS_ALL && control->run->all_on);
	}
	if (any)
		run_note_enabled(control->run);
	else
		run_disable(control->run);
}

static void switch_named(struct control *control, const char *name, bool on)
{
	const struct event_list *list = control->plan->list;
	bool found = false;
	int error = -ENOENT;

	for (size_t i = 0; i < list->n && (error == -ENOENT || error == 0); i++)
		if (strcmp(list->events[i].name, name) == 0) {
			found = true;
			switch_parts(control, i, on, &error);
		}
	if (!found) {
		refuse(control, "no event '%s' is counted", name);
	} else if (error < 0) {
		answer_refusal(control, name, on, error);
	} else {
		note_switched(control, name, on);
		acknowledge(control);
	}
}

static void switch_counting(struct control *control, const char *argument, bool on)
{
	if (control->run->stopped) /* but the command has not ended yet */
		refuse(control, "the measurement is over");
	else if (!control->run->backend->ops->switch_event)
		refuse(control, "with --by, the command is counted from its start to its end");
	else if (*argument)
		switch_named(control, argument, on);
	else
		switch_all(control, on);
}

static void list_events(struct control *control, const char *argument)
{
	bool groups = strcmp(argument, "-g") == 0, verbose = strcmp(argument, "-v") == 0;

	/* in perf, -F shows sampling frequencies, which counting does not have */
	if (*argument && !groups && !verbose && strcmp(argument, "-F") != 0) {
		refuse(control, "evlist takes -v, -g or -F, not '%s'", argument);
		return;
	}
	control_list_events(control->plan, groups, verbose);
	acknowledge(control);
}

/* Returns the rest of a line, after its leading blank. */
static char *region_name(const struct control *control, char *rest)
{
	static const char blanks[] = " \t\r";
	char *name = rest + strspn(rest, blanks);
	size_t length = strlen(name);

	if (control->verbatim)
		return rest + (*rest != '\0');
	while (length && strchr(blanks, name[length - 1]))
		length--;
	name[length] = '\0';
	return name;
}

static void switch_region(struct control *control, char *what)
{
	size_t n = strcspn(what, " \t\r");
	char *name = region_name(control, what + n);
	bool begin = strncmp(what, "begin", n) == 0 && n == strlen("begin");
	struct error e;
	int error;

	if (!begin && (strncmp(what, "end", n) != 0 || n != strlen("end")))
		error = error_set(&e, EINVAL, "'region' takes begin NAME or end [NAME]");
	else if (!control->regions)
		error = error_set(&e, EINVAL, "regions are counted with --regions");
	else if (control->run->stopped)
		error = error_set(&e, EINVAL, "the measurement is over");
	else if (begin)
		error = regions_begin(control->regions, name, control->sender, &e);
	else
		error = regions_end(control->regions, name, control->sender, &e);
	if (error == 0) {
		acknowledge(control);
		return;
	}
	refuse(control, "%s", e.text);
}

/* Commands before PING take an argument. */
enum command { ENABLE, DISABLE, EVLIST, PING, STOP, N_COMMANDS };

static void run_command(struct control *control, enum command command, const char *argument)
{
	if (command == EVLIST) {
		list_events(control, argument);
	} else if (command < PING) {
		switch_counting(control, argument, command == ENABLE);
	} else {
		if (command == STOP) {
			control->run->measurement.stopped_by_control = true;
			run_stop(control->run);
		}
		acknowledge(control);
	}
}

static void obey_line(struct control *control, char *line)
{
	static const char *const names[N_COMMANDS] = {"enable", "disable", "evlist", "ping", "stop"};
	static const char blanks[] = " \t\r";
	size_t n, length;
	char *argument;
	bool more;

	line += strspn(line, blanks);
	if (!*line) /* as perf: no answer */
		return;
	n = strcspn(line, blanks);
	argument = line + n + strspn(line + n, blanks);
	if (n == strlen("region") && strncmp(line, "region", n) == 0) {
		switch_region(control, argument);
		return;
	}
	length = strcspn(argument, blanks);
	more = argument[length + strspn(argument + length, blanks)];
	argument[length] = '\0';
	line[n] = '\0';
	for (enum command i = ENABLE; i < N_COMMANDS; i++) {
		if (strcmp(line, names[i]) != 0)
			continue;
		if (*argument && i >= PING)
			refuse(control, "'%s' takes no argument", line);
		else if (more)
			refuse(control, "'%s' takes one argument", line);
		else
			run_command(control, i, argument);
		return;
	}
	refuse(control, "unknown command '%s'", line);
}

void control_take(struct control *control, char *line, int answer_fd, pid_t sender)
{
	control->answer_fd = answer_fd;
	control->sender = sender;
	control->verbatim = true;
	obey_line(control, line);
}

/* ---- reading ---- */

static void take_byte(struct control *control, char byte)
{
	bool is_padding;

	if (byte != '\n' && byte != '\0') {
		if (control->length < sizeof(control->line) - 1)
			control->line[control->length++] = byte;
		else
			control->too_long = true;
		return;
	}
	/* A client in C may write the NUL after its newline, or its whole buffer: such bytes are not a command. An
	 * empty line is a command, since the client may wait for an answer. */
	is_padding = control->length == 0 && !control->too_long && (byte == '\0' || control->after_nul);
	control->after_nul = byte == '\0';
	if (is_padding)
		return;
	control->line[control->length] = '\0';
	control->length = 0;
	control->answer_fd = control->ack_fd;
	control->sender = 0;
	control->verbatim = false;
	if (control->too_long)
		refuse(control, "the command has more than %zu bytes", sizeof(control->line) - 1);
	else
		obey_line(control, control->line);
	control->too_long = false;
}

/* One read in each iteration of the loop, so that a flood does not block others. */
static void on_commands(void *arg, int fd)
{
	struct control *control = arg;
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		loop_remove(control->run->loop, fd); /* the client has gone; counting continues */
	for (ssize_t i = 0; i < n; i++)
		take_byte(control, bytes[i]);
}

void control_start(struct control *control, struct run *run, const struct plan *plan)
{
	control->run = run;
	control->plan = plan;
	if (control->fd >= 0)
		loop_add(run->loop, control->fd, on_commands, control);
}

void control_add_notes(const struct control *control, struct strings *notes)
{
	if (control->refused == 1)
		strings_add(notes, "a control command was refused: %s", control->refusal);
	else if (control->refused)
		strings_add(notes, "%" PRIu64 " control commands were refused, the first because: %s", control->refused,
			    control->refusal);
}

void control_free(struct control *control)
{
	free(control->refusal);
	free(control->by_name);
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack_fd >= 0)
		close(control->ack_fd);
}
