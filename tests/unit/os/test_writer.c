/* Writing to readers that are slow, stop reading or go away. */
#include "os/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "tap.h"

#define LINE  "0123456789012345678901234567890123456789\n"
#define LINES 50000 /* two megabytes: far more than a pipe takes */

/* Waiting for a time is not done here, but only noted. */
static int waited_ms;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	static const struct timespec at_once;
	int ready = ppoll(fds, n, timeout < 0 ? NULL : &at_once, NULL);

	if (ready == 0 && timeout > 0)
		waited_ms += timeout;
	return ready;
}

static void put(struct writer *w, const char *text)
{
	writer_put(w, text, strlen(text));
}

/* LINES numbered lines. */
static void put_lines(struct writer *w)
{
	for (int i = 0; i < LINES; i++) {
		auto_free char *line = xasprintf("%d " LINE, i);

		put(w, line);
	}
}

/* Reads until the end, or all that is available; returns the number of whole lines in order, or -1 if there were
 * others. */
static int read_lines(int fd)
{
	FILE *f = fdopen(fd, "r");
	char line[256], expected[256];
	int n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		snprintf(expected, sizeof(expected), "%d " LINE, n++);
		if (strcmp(line, expected) != 0)
			return -1;
	}
	if (f)
		fclose(f);
	return n;
}

/* In a child, which reads only after it has got a byte by the channel, and exits with 0 if it has got all. */
static pid_t start_reader(int fd, int other, int channel)
{
	pid_t pid = fork();
	char byte;

	if (pid == 0) {
		close(other);
		_exit(read(channel, &byte, 1) == 1 && read_lines(fd) == LINES ? 0 : 1);
	}
	return pid;
}

static void check_slow(int fds[2], const char *what)
{
	const struct signals none = {.blocked = false};
	struct writer w;
	int channel[2], status = -1;
	pid_t reader;

	if (pipe2(channel, O_CLOEXEC) < 0)
		abort();
	reader = start_reader(fds[0], fds[1], channel[0]);
	close(fds[0]);
	writer_open(&w, fds[1], &none);
	put_lines(&w);
	ok(w.n > 1000000 && !w.error, "unread text is kept");
	is_number(write(channel[1], "", 1), 1, "the reader begins");
	writer_drain(&w, -1);
	is_number(w.error, 0, "all is written");
	is_number(w.n, 0, "nothing is left");
	is_number(writer_close(&w), 0, "closed");
	waitpid(reader, &status, 0);
	is_number(status, 0, what);
	close(channel[0]);
	close(channel[1]);
}

static void test_slow(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		abort();
	check_slow(fds, "a slow reader of a pipe has received everything, in order");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		abort();
	check_slow(fds, "and so has a slow reader of a socket");
}

/* A reader that never reads: the end waits until nothing has happened for a time, and the data in the pipe are whole.
 */
static void test_stopped(void)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *f = xopen_memstream(&text, &size);
	struct writer w;
	int fds[2], copy;
	int n;

	if (pipe2(fds, O_CLOEXEC) < 0)
		abort();
	copy = dup(fds[1]);
	writer_open(&w, fds[1], NULL);
	is_number(fcntl(copy, F_GETFL) & O_NONBLOCK, 0, "O_NONBLOCK of others is not touched");
	for (int i = 0; i < LINES; i++)
		fprintf(f, "%d " LINE, i);
	fclose(f);
	put(&w, text); /* all at once, so that the pipe is full in the midst of it */
	writer_drain(&w, 2000);
	is_number(waited_ms, 2000, "the reader has the given time");
	is_number(w.error, EINTR, "after it, the write fails");
	put(&w, "more\n");
	writer_drain(&w, -1);
	is_number(w.error, EINTR, "and nothing more is written, or waited for");
	writer_close(&w);
	close(copy);
	n = read_lines(fds[0]);
	ok(n > 1000 && n < LINES, "earlier text is there, in whole lines");
}

/* An incomplete line waits for its end. */
static void test_half_line(void)
{
	char got[16] = "";
	struct writer w;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		abort();
	writer_open(&w, fds[1], NULL);
	put(&w, "a\nb");
	is_number(read(fds[0], got, sizeof(got)), 2, "up to the last line's end");
	put(&w, "c\n");
	is_number(read(fds[0], got, sizeof(got)), 3, "then the line");
	put(&w, "d");
	writer_drain(&w, -1);
	is_number(read(fds[0], got, sizeof(got)), 1, "and at the end the rest");
	writer_close(&w);
	close(fds[0]);
}

static void test_signals(void)
{
	struct signals signals = {.blocked = false};
	struct signal_event event;
	struct error e;
	struct writer w;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0 || signals_block(&signals, &e) < 0)
		abort();
	writer_open(&w, fds[1], &signals);
	put_lines(&w);
	raise(SIGCHLD);
	raise(SIGTERM);
	writer_drain(&w, -1);
	is_number(w.error, EINTR, "a signal ends waiting");
	ok(signals_next(&signals, &event) && signals_next(&signals, &event), "and remains pending");
	writer_close(&w);
	close(fds[0]);
}

static int error_after(int fd, const char *text)
{
	struct writer w;
	int error;

	writer_open(&w, fd, NULL);
	put(&w, text);
	writer_drain(&w, -1);
	error = w.error;
	writer_close(&w);
	return error;
}

static void test_errors(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		abort();
	close(fds[0]);
	is_number(error_after(fds[1], "x\n"), EPIPE, "a pipe's reader has gone");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		abort();
	close(fds[0]);
	is_number(error_after(fds[1], "x\n"), EPIPE, "a socket's reader has gone");
	is_number(error_after(open("/dev/full", O_WRONLY | O_CLOEXEC), "x\n"), ENOSPC, "a full disk");
	is_number(error_after(open("/dev/null", O_WRONLY | O_CLOEXEC), "x\n"), 0, "a device that fails");
	is_number(error_after(-1, "x\n"), EBADF, "no descriptor");
	is_number(error_after(-1, ""), 0, "nothing to write");
}

static void test_file(void)
{
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *path = NULL;
	struct writer w;

	scratch_make(root);
	path = xasprintf("%s/file", root);
	writer_open(&w, open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), NULL);
	put_lines(&w);
	is_number(w.n, 0, "a file takes everything at once");
	is_number(writer_close(&w), 0, "closed");
	is_number(read_lines(open(path, O_RDONLY | O_CLOEXEC)), LINES, "and the file contains all lines");
	scratch_remove(root);
}

/* A writer that writes more while data are unread is told so, and does not block. */
static void test_behind(void)
{
	struct writer w;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		exit(1);
	writer_open(&w, fds[1], NULL);
	put(&w, "half a line");
	ok(!writer_is_behind(&w) && !writer_has_failed(&w), "text that the pipe accepts is not behind");
	put_lines(&w);
	ok(writer_is_behind(&w) && !writer_has_failed(&w), "text that it does not accept is behind");
	close(fds[0]);
	ok(writer_has_failed(&w) && w.error == EPIPE, "the reader has gone");
	ok(!writer_is_behind(&w), "so that no text is behind any more");
	writer_close(&w);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	test_slow();
	test_stopped();
	test_half_line();
	test_errors();
	test_file();
	test_behind();
	test_signals(); /* last: it leaves them blocked */
	return tap_done();
}
