#include "run/revisions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/text.h"
#include "os/scratch.h"
#include "run/hook.h"

#define PATH_MOST 3000

/* Hooks of the repository are not for these worktrees. */
#define GIT "git -c core.hooksPath=/dev/null "

/* Returns the text as a word of the shell. The caller frees it. */
static char *quote(const char *text)
{
	char *quoted = xmalloc(4 * strlen(text) + 3), *to = quoted;

	*to++ = '\'';
	for (; *text; text++)
		to = *text == '\'' ? stpcpy(to, "'\\''") : (*to = *text, to + 1);
	*to++ = '\'';
	*to = '\0';
	return quoted;
}

static int run(struct revisions *r, const char *what, const char *command, struct error *e)
{
	return hook_run(what, command, r->signals, &r->signal, e);
}

/* Runs a command and returns what it writes, without the newline at the end; NULL if it fails. The caller frees it. */
static char *run_for_text(struct revisions *r, const char *command, struct error *e)
{
	auto_free char *path = xasprintf("%s/output", r->scratch), *to = quote(path);
	auto_free char *redirected = xasprintf("%s >%s", command, to);
	auto_fclose FILE *in = NULL;
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (run(r, "--git", redirected, e) < 0)
		return NULL;
	in = fopen(path, "re");
	n = in ? getdelim(&text, &size, '\0', in) : -1;
	if (n < 0) {
		free(text);
		return xstrdup("");
	}
	while (n && text[n - 1] == '\n')
		text[--n] = '\0';
	return text;
}

/* Sets the hash and the label. */
static int resolve(struct revisions *r, int which, const char *name, struct error *e)
{
	auto_free char *commit = xasprintf("%s^{commit}", name), *word = quote(commit);
	auto_free char *find = xasprintf("git rev-parse --verify --quiet --end-of-options %s", word), *show = NULL;

	free(r->commits[which]);
	free(r->labels[which]);
	r->labels[which] = NULL;
	r->commits[which] = run_for_text(r, find, e);
	if (!r->commits[which] && !r->signal)
		return error_set(e, ENOENT, "--git: '%s' is not a commit of a repository here", name);
	if (!r->commits[which])
		return -EINTR;
	show = xasprintf("git log -1 --format='%%h %%s' %s", r->commits[which]);
	r->labels[which] = run_for_text(r, show, e);
	return r->labels[which] ? 0 : -e->code;
}

static int build(struct revisions *r, int which, struct error *e)
{
	auto_free char *directory = quote(r->directories[which]);
	auto_free char *command = xasprintf("cd %s && {\n%s\n} >&2", directory, r->build ? r->build : "");

	if (!r->build || run(r, "--build", command, e) == 0)
		return 0;
	return r->signal ? -EINTR : error_set(e, ECANCELED, "--build: '%s' failed in %s", r->build, r->labels[which]);
}

static int check_out(struct revisions *r, int which, const char *commit, struct error *e)
{
	auto_free char *path = quote(r->worktrees[which]);
	auto_free char *command = xasprintf("cd %s && " GIT "checkout --quiet --force --detach %s", path, commit);

	return run(r, "--git", command, e);
}

/* Adds first and checks out then: `git worktree add` that is ended by a signal removes the files, while the checkout
 * that it has started still writes them. */
static int make_worktree(struct revisions *r, int which, struct error *e)
{
	auto_free char *path = xasprintf("%s/%s", r->scratch, which == REVISION_OLD ? "old" : "new");
	auto_free char *word = quote(path), *command = NULL;
	int error;

	command = xasprintf(GIT "worktree add --quiet --no-checkout --detach %s %s", word, r->commits[which]);
	r->worktrees[which] = xstrdup(path);
	r->directories[which] = xasprintf("%s/%s", path, r->prefix);
	error = run(r, "--git", command, e);
	return error ? error : check_out(r, which, r->commits[which], e);
}

/* Makes this commit the old or the new revision. */
static int change(struct revisions *r, int which, const char *commit, struct error *e)
{
	int error = check_out(r, which, commit, e);

	return error ? error : resolve(r, which, commit, e);
}

int revisions_open(struct revisions *r, const char *range, struct error *e)
{
	const char *dots = strstr(range, ".."), *after = dots ? dots + 2 : "HEAD";
	auto_free char *old = xstrndup(range, dots ? (size_t)(dots - range) : strlen(range));
	int error = 0;

	if (!*old || !*after || *after == '.' || strstr(after, ".."))
		return error_set(e, EINVAL, "--git: '%s' is not OLD or OLD..NEW", range);
	r->scratch = scratch_make("--git", PATH_MOST, e);
	if (!r->scratch)
		return -e->code;
	error = resolve(r, REVISION_OLD, old, e);
	if (error == 0)
		error = resolve(r, REVISION_NEW, after, e);
	if (error == 0 && strcmp(r->commits[REVISION_OLD], r->commits[REVISION_NEW]) == 0)
		error = error_set(e, EINVAL, "--git: %s and %s are the same commit", old, after);
	if (error == 0 && !(r->prefix = run_for_text(r, "git rev-parse --show-prefix", e)))
		error = -e->code;
	for (int which = 0; which < REVISIONS && error == 0; which++)
		error = make_worktree(r, which, e);
	for (int which = 0; which < REVISIONS && error == 0; which++)
		error = build(r, which, e);
	return r->signal ? -EINTR : error;
}

/* ---- the search ---- */

/* The commits between the revisions, the oldest first, the new one last. */
struct range {
	struct strings commits;
	bool *broken;
	size_t good, bad; /* indices + 1: good 0 is the old revision */
};

static int list_commits(struct revisions *r, struct range *range, struct error *e)
{
	auto_free char *command = xasprintf("git rev-list --reverse --ancestry-path %s..%s", r->commits[REVISION_OLD],
					    r->commits[REVISION_NEW]);
	auto_free char *text = run_for_text(r, command, e);
	char *rest = text, *line;

	if (!text)
		return -e->code;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			strings_add(&range->commits, "%s", line);
	if (range->commits.n == 0)
		return error_set(e, EINVAL, "--bisect: %s is not a descendant of %s", r->labels[REVISION_NEW],
				 r->labels[REVISION_OLD]);
	range->broken = xcalloc(range->commits.n + 1, sizeof(*range->broken));
	range->bad = range->commits.n;
	return 0;
}

/* Returns the unbroken commit next to the middle, as an index + 1; 0 if there is none. */
static size_t find_middle(const struct range *range)
{
	size_t middle = range->good + (range->bad - range->good) / 2;

	for (size_t away = 0; away < range->bad - range->good; away++) {
		if (middle + away > range->good && middle + away < range->bad && !range->broken[middle + away])
			return middle + away;
		if (middle > range->good + away && !range->broken[middle - away])
			return middle - away;
	}
	return 0;
}

/* Tests one commit. Returns 0 or -errno. */
static int test(struct revisions *r, struct range *range, size_t at, revisions_judge *judge, void *arg,
		struct strings *notes, struct error *e)
{
	int differs, error = change(r, REVISION_NEW, range->commits.v[at - 1], e);

	if (error < 0)
		return error;
	fprintf(stderr, "pfmstat: --bisect: %zu commits left, testing %s\n", range->bad - range->good - 1,
		r->labels[REVISION_NEW]);
	if (build(r, REVISION_NEW, e) < 0) {
		if (r->signal)
			return -EINTR;
		range->broken[at] = true;
		strings_add(notes, "--bisect skipped %s, which --build could not build", r->labels[REVISION_NEW]);
		return 0;
	}
	differs = judge(arg, e);
	if (differs > 0)
		range->bad = at;
	else if (differs == 0)
		range->good = at;
	return differs < 0 ? differs : 0;
}

/* Makes the first bad commit the new revision. The old one remains: the first bad commit need not differ from the
 * commit before it by as much as from the old revision. */
static int show(struct revisions *r, const struct range *range, struct strings *notes, struct error *e)
{
	int error = change(r, REVISION_NEW, range->commits.v[range->bad - 1], e);

	if (error == 0)
		error = build(r, REVISION_NEW, e);
	if (error == 0 && range->bad - range->good > 1)
		strings_add(notes, "--bisect: the first commit is this one or one of %zu before it that were skipped",
			    range->bad - range->good - 1);
	return error;
}

int revisions_bisect(struct revisions *r, revisions_judge *judge, void *arg, struct strings *notes, struct error *e)
{
	struct range range = {.good = 0};
	int error = list_commits(r, &range, e), differs = error < 0 ? error : judge(arg, e);
	size_t at;

	if (differs == 0)
		differs = error_set(e, ENODATA, "--bisect: %s does not differ from %s by --fail-if",
				    r->labels[REVISION_NEW], r->labels[REVISION_OLD]);
	error = differs < 0 ? differs : 0;
	while (error == 0 && (at = find_middle(&range)) > 0)
		error = test(r, &range, at, judge, arg, notes, e);
	if (error == 0)
		error = show(r, &range, notes, e);
	strings_free(&range.commits);
	free(range.broken);
	return r->signal ? -EINTR : error;
}

/* ---- the end ---- */

/* A worktree that was made only in part may be locked. The shell ignores signals to the process group. */
static void remove_worktree(struct revisions *r, const char *worktree)
{
	auto_free char *path = quote(worktree);
	auto_free char *command = xasprintf("trap '' HUP INT QUIT PIPE ALRM TERM\n"
					    "git worktree remove --force --force %s 2>/dev/null || "
					    "{ rm -rf %s; git worktree prune; }",
					    path, path);
	int signal = 0;
	struct error e;

	if (hook_run("--git", command, r->signals, &signal, &e) < 0 && !signal)
		error_print(stderr, &e, false);
}

void revisions_close(struct revisions *r)
{
	for (int which = 0; which < REVISIONS; which++) {
		if (r->worktrees[which])
			remove_worktree(r, r->worktrees[which]);
		free(r->commits[which]);
		free(r->labels[which]);
		free(r->worktrees[which]);
		free(r->directories[which]);
	}
	scratch_remove(r->scratch);
	free(r->prefix);
	*r = (struct revisions){.build = NULL};
}
