/* control: --control, perf stat's protocol with which a program switches counting on and off, and the commands of
 * --regions.
 *
 * Commands end in a newline or NUL: `enable [EVENT]`, `disable [EVENT]`, `evlist [-v|-g|-F]`, `ping`, `stop`. The
 * answer to each is "ack\n" after it has taken effect, or "error: WHY\n", also to an empty line, and a NUL; evlist's
 * lines come before its ack. NULs without a command before them are skipped, as is a newline after a NUL. A misbehaving
 * client (which vanishes, floods, or never reads its answers) hurts only itself: answers that do not fit into its pipe
 * are dropped.
 *
 * With --regions there are two more commands, which clients of perf's protocol do not know: `region begin NAME` and
 * `region end [NAME]` (regions.h). The name is the rest of the line, without blanks at its ends, which control_take
 * keeps.
 *
 * Order of calls: control_parse; control_open; control_start from run->started; control_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "run/regions.h"
#include "run/run.h"

/* The source of commands and the destination of answers: fd:N[,M], fifo:PATH[,PATH]. */
struct control_options {
	int fd, ack_fd;        /* -1 without one */
	char *path, *ack_path; /* fifos; owned; may be NULL */
};

/* Returns 0 or -EINVAL. */
int control_parse(struct control_options *options, const char *text, struct error *e);
void control_options_free(struct control_options *options);

#define CONTROL_LINE_MAX 1024

enum by_name { FOLLOWS_ALL, SWITCHED_ON, SWITCHED_OFF };

struct control {
	struct run *run;
	const struct plan *plan;
	struct regions *regions; /* NULL without --regions */
	int fd, ack_fd;          /* copies, or the fifos; -1 without one */
	char line[CONTROL_LINE_MAX];
	size_t length;
	/* for each event of the list, the last command by its name; NULL before the first */
	enum by_name *by_name;
	bool too_long;  /* the line continues; its text no longer matters */
	bool after_nul; /* the last byte ended a command, and was a NUL */

	uint64_t refused; /* number of commands */
	char *refusal;    /* the reason of the first refusal; owned */

	/* of the current command */
	int answer_fd; /* -1: no answer wanted */
	pid_t sender;  /* 0 if unknown */
	bool verbatim; /* blanks at the ends of names are kept */
};

/* Returns 0, or -errno for a descriptor that is not open or a path that is not a fifo. options NULL: commands come only
 * through control_take. */
int control_open(struct control *control, const struct control_options *options, struct error *e);

/* Listens after the run has begun. */
void control_start(struct control *control, struct run *run, const struct plan *plan);

/* Handles a command from another source, without its newline; overwrites the line. The answer goes to the descriptor.
 */
void control_take(struct control *control, char *line, int answer_fd, pid_t sender);

/* Writes the events, or the groups as planned, to standard error; verbose: with types and configurations. */
void control_list_events(const struct plan *plan, bool groups, bool verbose);
/* Says how many commands were refused, and why the first. */
void control_add_notes(const struct control *control, struct strings *notes);
void control_free(struct control *control);
