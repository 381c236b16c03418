/* control: --control, perf stat's protocol by which a program switches the counting of itself on and off, and what it
 * says with --regions.
 *
 * Commands end in a newline or NUL: `enable [EVENT]`, `disable [EVENT]`, `evlist [-v|-g|-F]`, `ping`, `stop`. The
 * answer to each is "ack\n" once it has taken effect, or "error: WHY\n", also to an empty line; evlist's lines come
 * before its ack. NULs without a command before them are passed over, and so is a newline after a NUL. What a client
 * does (it vanishes, floods, never reads its answers) hurts only the client: answers that do not fit into its pipe
 * are dropped.
 *
 * With --regions there are two more, which clients of perf's protocol do not know: `region begin NAME` and
 * `region end [NAME]` (regions.h). The name is the rest of the line, blanks and all but those at its ends; those
 * of control_take are kept, too.
 *
 * Order of calls: control_parse; control_open; control_start from run->started; control_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "run/regions.h"
#include "run/run.h"

/* Where commands come from and answers go: fd:N[,M], fifo:PATH[,PATH]. */
struct control_options {
	int fd, ack_fd;        /* -1: none */
	char *path, *ack_path; /* fifos; owned; NULL: none */
};

/* 0, or -EINVAL. */
int control_parse(struct control_options *options, const char *text, struct error *e);
void control_options_free(struct control_options *options);

#define CONTROL_LINE_MAX 1024

enum by_name { FOLLOWS_ALL, SWITCHED_ON, SWITCHED_OFF };

struct control {
	struct run *run;
	const struct plan *plan;
	struct regions *regions; /* NULL: without --regions */
	int fd, ack_fd;          /* copies, or the fifos; -1: none */
	char line[CONTROL_LINE_MAX];
	size_t length;
	/* per event of the list, what was last said of it by its name; NULL: nothing of any */
	enum by_name *by_name;
	bool too_long;  /* the line goes on; what it is does not matter any more */
	bool after_nul; /* the last byte ended a command, and was a NUL */

	/* of the present command */
	int answer_fd; /* -1: nobody wants the answer */
	pid_t sender;  /* 0: not known */
	bool verbatim; /* blanks at the ends of names are kept */
};

/* 0, or -errno: a descriptor that is not open, a path that is no fifo. options NULL: commands come by control_take
 * only. */
int control_open(struct control *control, const struct control_options *options, struct error *e);

/* Listen, now that the run has begun. */
void control_start(struct control *control, struct run *run, const struct plan *plan);

/* A command that has come another way, without its newline; the line is overwritten. The answer goes to the
 * descriptor. */
void control_take(struct control *control, char *line, int answer_fd, pid_t sender);

void control_free(struct control *control);
