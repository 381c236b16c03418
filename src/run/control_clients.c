#include "run/control_clients.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/util.h"
#include "os/kernel.h"
#include "os/scratch.h"

#define TMPDIR_MOST 70 /* bytes: the path has to fit into a socket's address */

/* ---- the socket ---- */

static int fail(struct error *e, const char *what, const char *path)
{
	return error_set(e, errno, "--regions: %s '%s': %s", what, path, strerror(errno));
}

/* The length of the path is always the same, since the length of the environment moves the stack. */
static char *random_path(const char *directory)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), 0) < 0)
		bits = clock_now(); /* a kernel without getrandom */
	return xasprintf("%s/%016llx", directory, (unsigned long long)bits);
}

/* Other users can search the directory only after the socket has its secret name. */
static int make_socket(struct control_clients *c, struct error *e)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	c->directory = scratch_make("--regions", TMPDIR_MOST, e);
	if (!c->directory)
		return -e->code;
	c->path = random_path(c->directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", c->directory);
	c->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0 || bind(c->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return fail(e, "cannot make a socket in", c->directory);
	if (rename(address.sun_path, c->path) < 0 || chmod(c->path, 0666) < 0 || listen(c->fd, SOMAXCONN) < 0 ||
	    chmod(c->directory, 0711) < 0)
		return fail(e, "cannot listen in", c->directory);
	return 0;
}

int control_clients_open(struct control_clients *c, struct error *e)
{
	const char *inherited = getenv(CHILD_CONTROL);
	int error;

	*c = (struct control_clients){.fd = -1, .inherited = inherited ? xstrdup(inherited) : NULL};
	error = make_socket(c, e);
	if (error == 0)
		setenv(CHILD_CONTROL, c->path, true);
	return error;
}

/* ---- connections ---- */

static void client_drop(struct control_clients *c, size_t i)
{
	loop_remove(c->control->run->loop, c->v[i].fd);
	close(c->v[i].fd);
	c->v[i] = c->v[--c->n];
}

/* The client no longer waits for an answer. Its command is not executed, since it would take effect at the wrong
 * time. */
static bool has_given_up(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLHUP;
}

/* Drops the connection that has been silent for longest. */
static void drop_one(struct control_clients *c)
{
	size_t oldest = 0;

	for (size_t i = 1; i < c->n; i++)
		if (c->v[i].used < c->v[oldest].used)
			oldest = i;
	client_drop(c, oldest);
}

static void take_packet(struct control_clients *c, size_t i, char *line, size_t length)
{
	c->v[i].used = ++c->events;
	line[length] = '\0';
	control_take(c->control, line, c->v[i].fd, c->v[i].pid);
}

/* One packet in each iteration of the loop, so that a flood does not block others. */
static void on_packet(void *arg, int fd)
{
	struct control_clients *c = arg;
	char line[CONTROL_LINE_MAX];
	ssize_t n = recv(fd, line, sizeof(line) - 1, MSG_DONTWAIT | MSG_TRUNC);
	size_t i = 0;

	while (i < c->n && c->v[i].fd != fd)
		i++;
	if (i == c->n || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	if (n <= 0 || has_given_up(fd) || (size_t)n >= sizeof(line) || memchr(line, '\0', (size_t)n))
		client_drop(c, i); /* it has ended, or does not belong to the run */
	else
		take_packet(c, i, line, (size_t)n);
}

static void on_connection(void *arg, int listener)
{
	struct control_clients *c = arg;
	struct ucred peer = {.pid = 0};
	socklen_t size = sizeof(peer);
	int fd;

	if (c->n == CONTROL_CLIENTS_MAX)
		drop_one(c);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && c->n) {
		drop_one(c); /* in the next iteration there is a descriptor */
	} else if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		loop_remove(c->control->run->loop, listener);
	} else if (fd >= 0) {
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
		*ARRAY_PUSH(c->v, c->n) = (struct control_client){.fd = fd, .pid = peer.pid, .used = ++c->events};
		loop_add(c->control->run->loop, fd, on_packet, c);
	}
}

void control_clients_start(struct control_clients *c, struct control *control)
{
	c->control = control;
	loop_add(control->run->loop, c->fd, on_connection, c);
}

void control_clients_free(struct control_clients *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->v[i].fd);
	free(c->v);
	if (c->inherited)
		setenv(CHILD_CONTROL, c->inherited, true);
	else if (c->path)
		unsetenv(CHILD_CONTROL);
	free(c->inherited);
	if (c->fd >= 0)
		close(c->fd);
	if (c->path)
		unlink(c->path);
	if (c->directory)
		rmdir(c->directory);
	free(c->path);
	free(c->directory);
	*c = (struct control_clients){.fd = -1};
}
