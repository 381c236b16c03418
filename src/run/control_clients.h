/* control_clients: the command and all that it starts send the commands of control.h over connections of their own.
 *
 * The socket is one of SOCK_SEQPACKET with an abstract name (unix(7)): a command takes no descriptor over, which it
 * could close or use for something else; nothing is left in a directory; each process, and each thread that waits for
 * an answer, has its own connection, so that no answer reaches another. Who knows the key may connect, whichever user
 * it is. Both are random and in one variable of the command's environment: CHILD_CONTROL=NAME:KEY (child.h).
 *
 * The first packet of a connection is the key, then each packet is a command, without a newline, and is answered. A
 * connection may be closed from here at any time, when there are too many; clients open another one then.
 *
 * Order of calls: control_clients_open; control_clients_export around the start of the command; control_clients_start
 * from run->started; control_clients_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/child.h"
#include "lib/error.h"
#include "run/control.h"

#define CONTROL_CLIENTS_MAX 200

struct control_client {
	int fd;
	pid_t pid;     /* 0: not seen from here */
	bool known;    /* it has sent the key */
	uint64_t used; /* the last of all clients' packets that was its own */
};

struct control_clients {
	struct control *control;
	int fd; /* -1: none */
	char name[32], key[32];
	char *inherited; /* the variable, while it is replaced; NULL: it was not set */
	struct control_client *v;
	size_t n;
	uint64_t packets;
};

/* 0 or -errno. */
int control_clients_open(struct control_clients *clients, struct error *e);

/* Put the variable into the environment; put back what was there. */
void control_clients_export(struct control_clients *clients, bool on);

/* Listen, now that the run has begun. */
void control_clients_start(struct control_clients *clients, struct control *control);

void control_clients_free(struct control_clients *clients);
