#include "os/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "lib/util.h"

void writer_open(struct writer *w, int fd, const struct signals *signals)
{
	struct stat st;
	char path[32];
	int own;

	*w = (struct writer){.fd = fd, .signals = signals};
	w->is_file = fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
	if (w->is_file)
		return;
	w->is_socket = S_ISSOCK(st.st_mode);
	if (w->is_socket)
		return;
	/* opens the same pipe or terminal again, so that O_NONBLOCK applies only here; impossible without /proc, and
	 * for another user's terminal */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	w->may_wait = own < 0;
	if (own >= 0) {
		close(fd);
		w->fd = own;
	}
}

/* Returns the length of the text, up to the end of a line, that a pipe accepts as a whole or not at all (pipe(7)): a
 * reader never gets half a line, unless the line is longer. */
static size_t pipe_portion(const char *text, size_t n)
{
	const char *end;

	if (n <= PIPE_BUF)
		return n;
	end = memrchr(text, '\n', PIPE_BUF);
	return end ? (size_t)(end - text) + 1 : PIPE_BUF;
}

/* A write that does not block. */
static ssize_t write_some(const struct writer *w, const char *text, size_t n)
{
	struct pollfd fd = {.fd = w->fd, .events = POLLOUT};

	if (w->is_file)
		return write(w->fd, text, n);
	n = pipe_portion(text, n);
	if (w->is_socket)
		return send(w->fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (!w->may_wait || poll(&fd, 1, 0) == 1) /* when poll(2) reports room, a pipe accepts this much */
		return write(w->fd, text, n);
	errno = EAGAIN;
	return -1;
}

/* Writes as much of the first n bytes as possible without blocking. */
static void write_queue(struct writer *w, size_t n)
{
	size_t done = 0;

	while (done < n && !w->error) {
		ssize_t written = write_some(w, w->queue + done, n - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			w->error = errno;
	}
	w->n -= done;
	if (done)
		memmove(w->queue, w->queue + done, w->n);
}

void writer_put(struct writer *w, const char *text, size_t n)
{
	const char *end;

	if (w->error || n == 0)
		return;
	if (w->n + n > w->room) {
		w->room = 2 * (w->n + n);
		w->queue = xreallocarray(w->queue, w->room, 1);
	}
	memcpy(w->queue + w->n, text, n);
	w->n += n;
	end = memrchr(w->queue, '\n', w->n);
	write_queue(w, end ? (size_t)(end - w->queue) + 1 : 0);
}

bool writer_has_failed(struct writer *w)
{
	struct pollfd fd = {.fd = w->fd};

	if (!w->error && !w->is_file && poll(&fd, 1, 0) == 1 && fd.revents & (POLLERR | POLLHUP))
		w->error = EPIPE;
	return w->error;
}

bool writer_is_behind(struct writer *w)
{
	write_queue(w, w->n);
	return w->n && !w->error;
}

void writer_drain(struct writer *w, int timeout_ms)
{
	struct pollfd fds[] = {{.fd = w->fd, .events = POLLOUT}, {.fd = -1, .events = POLLIN}};

	if (!writer_is_behind(w))
		return;
	fds[1].fd = signals_open_waiter(w->signals);
	while (w->n && !w->error) {
		int ready = poll(fds, 2, timeout_ms);

		if (ready == 0 || (ready > 0 && fds[1].revents))
			w->error = EINTR;
		else if (ready > 0)
			write_queue(w, w->n);
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
}

int writer_close(struct writer *w)
{
	int error = w->fd >= 0 && close(w->fd) < 0 && errno != EINTR ? errno : 0;

	free(w->queue);
	*w = (struct writer){.fd = -1};
	return error;
}
