#include "os/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"

#define NAMES_MOST 100

/* Returns the path of a name in the directory of another path. */
static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

/* Returns the target of the path if it is a file or does not exist; otherwise NULL. */
static char *find_target(const char *path)
{
	char *file = realpath(path, NULL), to[PATH_MAX];
	ssize_t n = file ? -1 : readlink(path, to, sizeof(to) - 1);
	struct stat st;

	if (n > 0) { /* a link without a target */
		to[n] = '\0';
		return *to == '/' ? xstrdup(to) : path_beside(path, to);
	}
	if (file && stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
		free(file);
		return NULL;
	}
	return file ? file : xstrdup(path);
}

/* Creates a file beside the path; stores its name, a temporary one, in *name. */
static int create_beside(const char *path, mode_t mode, char **name)
{
	int fd = -1;

	for (int i = 0; i < NAMES_MOST && fd < 0; i++) {
		auto_free char *last = xasprintf(".pfmstat.%ld.%d", (long)getpid(), i);

		free(*name);
		*name = path_beside(path, last);
		fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* Tests whether the file may be replaced. A user who may not write to the file must not replace it through its
 * directory. */
static int try_file(const char *path)
{
	auto_free char *name = NULL;
	auto_close int old = open(path, O_WRONLY | O_CLOEXEC), fd = -1;

	if (old < 0 && errno != ENOENT)
		return -1;
	fd = create_beside(path, 0600, &name);
	return fd < 0 ? -1 : unlink(name);
}

/* True for names of descriptors that are open here. The file behind them must not be replaced. */
static bool names_descriptor(const char *path)
{
	static const char *const prefixes[] = {"/dev/std", "/dev/fd/", "/proc/"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

bool replacement_open(struct replacement *r, const char *path, int *error)
{
	size_t n = strlen(path);
	bool is_name = n && path[n - 1] != '/' && !names_descriptor(path);

	*r = (struct replacement){.path = is_name ? find_target(path) : NULL};
	if (r->path)
		*error = try_file(r->path) < 0 ? errno : 0;
	return r->path;
}

void replacement_put(struct replacement *r, const char *text, size_t n)
{
	if (r->n + n > r->room) {
		r->room = 2 * (r->n + n);
		r->text = xreallocarray(r->text, r->room, 1);
	}
	memcpy(r->text + r->n, text, n);
	r->n += n;
}

static int write_text(int fd, const struct replacement *r)
{
	for (size_t done = 0; done < r->n;) {
		ssize_t n = write(fd, r->text + done, r->n - done);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Keeps the mode, so that readers of the old file can read the new one. */
static int copy_mode(int fd, const struct stat *old)
{
	if (fchown(fd, old->st_uid, old->st_gid) < 0 && fchown(fd, (uid_t)-1, old->st_gid) < 0 && errno != EPERM)
		return -1;
	return fchmod(fd, old->st_mode & 0777);
}

static int rename_over(const struct replacement *r)
{
	auto_free char *name = NULL;
	struct stat old;
	bool is_new = stat(r->path, &old) < 0;
	int fd = create_beside(r->path, is_new ? 0666 : old.st_mode & 0777, &name), error;

	if (fd < 0)
		return -1;
	error = (!is_new && copy_mode(fd, &old) < 0) || write_text(fd, r) < 0 ? errno : 0;
	if (close(fd) < 0 && !error) /* network file systems may report a full disk here */
		error = errno;
	if (!error && rename(name, r->path) < 0)
		error = errno;
	if (error)
		unlink(name);
	errno = error;
	return error ? -1 : 0;
}

int replacement_commit(struct replacement *r)
{
	int error = rename_over(r) < 0 ? errno : 0;

	r->n = 0;
	return error;
}

void replacement_free(struct replacement *r)
{
	free(r->path);
	free(r->text);
	*r = (struct replacement){.path = NULL};
}
