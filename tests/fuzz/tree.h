/* tree: a separate directory, whose files contain the pieces of the input, which is cut at each '|'. The piece '-'
 * means a missing file. */
#pragma once

#include "fuzz.h"
#include "scratch.h"

#define FUZZ_TREE_MAX 32

struct fuzz_tree {
	char root[sizeof(SCRATCH_TEMPLATE)];
	const char *const *files;
	size_t n;
	int fds[FUZZ_TREE_MAX];
	bool missing[FUZZ_TREE_MAX];
};

static inline void fuzz_tree_link(const struct fuzz_tree *tree, size_t i)
{
	auto_free char *path = xasprintf("%s/%s", tree->root, tree->files[i]);
	auto_free char *content = xasprintf("/proc/self/fd/%d", tree->fds[i]);

	if (symlink(content, path) < 0)
		abort();
}

static inline void fuzz_tree_make(struct fuzz_tree *tree, const char *const *files, size_t n)
{
	*tree = (struct fuzz_tree){.root = SCRATCH_TEMPLATE, .files = files, .n = n};
	scratch_make(tree->root);
	for (size_t i = 0; i < n; i++) {
		auto_free char *path = xasprintf("%s/%s", tree->root, files[i]);

		scratch_put(tree->root, files[i], ""); /* for its directories */
		tree->fds[i] = memfd_create("fuzz", MFD_CLOEXEC);
		if (tree->fds[i] < 0 || unlink(path) < 0)
			abort();
		fuzz_tree_link(tree, i);
	}
}

/* Returns the text after the last file's, which the caller frees. */
static inline char *fuzz_tree_fill(struct fuzz_tree *tree, const unsigned char *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;

	for (size_t i = 0; i < tree->n; i++) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		size_t n = (size_t)((bar ? bar : end) - at);
		bool missing = n == 1 && *at == '-';

		if (ftruncate(tree->fds[i], 0) < 0 || pwrite(tree->fds[i], at, n, 0) != (ssize_t)n)
			abort();
		if (missing && !tree->missing[i]) {
			auto_free char *path = xasprintf("%s/%s", tree->root, tree->files[i]);

			unlink(path);
		} else if (!missing && tree->missing[i]) {
			fuzz_tree_link(tree, i);
		}
		tree->missing[i] = missing;
		at = bar ? bar + 1 : end;
	}
	return xstrndup(at, (size_t)(end - at));
}
