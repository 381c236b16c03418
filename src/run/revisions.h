/* revisions: two revisions of a git repository in worktrees of a temporary directory, built there, for a comparison
 * (--git); and the search for the commit that makes the difference (--bisect). git is run, not linked. The user's
 * worktree is not touched.
 *
 * Order of calls: zero-initialize; revisions_open; with --bisect, revisions_bisect; the command is run in the
 * directories; revisions_close, always. Signals that ask pfmstat to end end git and the build; the number of the signal
 * is then in `signal`, and the error is -EINTR. */
#pragma once

#include <stddef.h>

#include "lib/error.h"
#include "lib/util.h"
#include "os/signals.h"

enum { REVISION_OLD, REVISION_NEW, REVISIONS };

struct revisions {
	const char *build; /* the shell command; NULL: nothing is built */
	struct signals *signals;
	int signal;

	char *scratch;                /* the temporary directory */
	char *prefix;                 /* of the current directory in the repository: "" or "src/" */
	char *commits[REVISIONS];     /* hashes */
	char *labels[REVISIONS];      /* short hash and subject */
	char *worktrees[REVISIONS];   /* NULL: not made */
	char *directories[REVISIONS]; /* in which the command runs */
};

/* range: "OLD..NEW", or "OLD" for OLD..HEAD. Returns 0 or -errno. */
int revisions_open(struct revisions *r, const char *range, struct error *e);

/* Judges the new revision, which is built, beside the old one: returns 1 if they differ, 0 if not, or -errno. */
typedef int revisions_judge(void *arg, struct error *e);

/* Finds the first commit that is judged to differ from the old revision, and makes it the new one. Commits that cannot
 * be built are skipped, with a note. Returns 0, or -errno; -ENODATA: the new revision does not differ. */
int revisions_bisect(struct revisions *r, revisions_judge *judge, void *arg, struct strings *notes, struct error *e);

void revisions_close(struct revisions *r);
