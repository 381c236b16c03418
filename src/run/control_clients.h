/* control_clients: the command and its descendants send the commands of control.h over separate connections.
 *
 * The socket has the type SOCK_SEQPACKET: a command inherits no descriptor, which it could close or reuse. Each
 * process, and each thread that waits for an answer, has a separate connection, so that answers cannot be mixed up. The
 * path is in a variable of the command's environment, CHILD_CONTROL (child.h).
 *
 * Any user who knows the path may connect, since the command may change its user; but others cannot find the path. All
 * users may search its directory (in $TMPDIR or /tmp), but only the owner may read it; the path ends in a random
 * number; and the socket was bound under another name, which /proc/net/unix shows. An abstract name would be shown
 * there: any user could fill its backlog, and the command's connections would have to wait. The disadvantages of a
 * path: a command in another mount namespace or chroot does not find it, and the directory remains if pfmstat is killed
 * by SIGKILL.
 *
 * Each packet is a command, without a newline, and is answered. If there are too many connections, any may be closed
 * before its next packet is read; clients then open another one.
 *
 * Order of calls: control_clients_open before the command is started; control_clients_start from run->started;
 * control_clients_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "os/child.h"
#include "run/control.h"

#define CONTROL_CLIENTS_MAX 200

struct control_client {
	int fd;
	pid_t pid;     /* 0 if not visible from here */
	uint64_t used; /* time of its begin or last packet, by control_clients.events */
};

struct control_clients {
	struct control *control;
	int fd;                 /* -1 if closed */
	char *directory, *path; /* NULL until created */
	char *inherited;        /* the variable's earlier value; NULL if it was not set */
	struct control_client *v;
	size_t n;
	uint64_t events;
};

/* Also sets the variable in the environment, until control_clients_free. Returns 0 or -errno. */
int control_clients_open(struct control_clients *clients, struct error *e);

/* Listens after the run has begun. */
void control_clients_start(struct control_clients *clients, struct control *control);

void control_clients_free(struct control_clients *clients);
