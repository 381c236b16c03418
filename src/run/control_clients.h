/* control_clients: the command and all that it starts send the commands of control.h over connections of their own.
 *
 * The socket is one of SOCK_SEQPACKET: a command takes no descriptor over, which it could close or use for something
 * else. Each process, and each thread that waits for an answer, has its own connection, so that no answer reaches
 * another. The path is in a variable of the command's environment, CHILD_CONTROL (child.h).
 *
 * Who knows the path may connect, whichever user it is, as the command may change its user; nobody else can find it.
 * Its directory ($TMPDIR or /tmp) can be searched by everybody but read by its owner only, the path ends in a random
 * number, and the socket was bound under another name, which is the one that /proc/net/unix tells. An abstract name
 * would be told there: every user could fill the backlog of it, so that the command's own connections would have to
 * wait. What the path costs: a command in another mount namespace or chroot does not find it, and the directory is left
 * when pfmstat is killed by SIGKILL.
 *
 * Each packet is a command, without a newline, and is answered. A connection may be closed from here at any time before
 * its next packet is read, when there are too many; clients open another one then.
 *
 * Order of calls: control_clients_open before the command is started; control_clients_start from run->started;
 * control_clients_free.
 */
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
	pid_t pid;     /* 0: not seen from here */
	uint64_t used; /* when it began or sent its last packet, by control_clients.events */
};

struct control_clients {
	struct control *control;
	int fd;                 /* -1: none */
	char *directory, *path; /* NULL: not made */
	char *inherited;        /* the variable, as it was before; NULL: it was not set */
	struct control_client *v;
	size_t n;
	uint64_t events;
};

/* Also set the variable in the environment, until control_clients_free. 0 or -errno. */
int control_clients_open(struct control_clients *clients, struct error *e);

/* Listen, now that the run has begun. */
void control_clients_start(struct control_clients *clients, struct control *control);

void control_clients_free(struct control_clients *clients);
