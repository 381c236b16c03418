#include "pmu/vendor_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define FILE_SIZE_MAX ((size_t)64 << 20) /* limits endless files such as /dev/zero */

static int read_error(const char *path, int error, struct error *e)
{
	return error_set(e, error, "cannot read '%s': %s", path, strerror(error));
}

/* Reads the whole file, which may be a pipe of unknown size. Returns NULL with the errno in *error. */
static char *text_read(int fd, size_t expected, size_t *size, int *error)
{
	size_t room = expected && expected < FILE_SIZE_MAX ? expected + 2 : 1 << 16; /* room to see the end */
	char *text = xmalloc(room);
	ssize_t n;

	*size = 0;
	do {
		if (*size == room - 1) {
			room *= 2;
			text = xreallocarray(text, room, 1);
		}
		n = read(fd, text + *size, room - 1 - *size);
		if (n > 0)
			*size += (size_t)n;
	} while ((n > 0 && *size < FILE_SIZE_MAX) || (n < 0 && errno == EINTR));
	*error = n < 0 ? errno : EFBIG;
	if (n == 0) {
		text[*size] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

static int load_file(struct vendor_files *files, const char *path, int fd, size_t expected, struct error *e)
{
	size_t size = 0;
	int error = 0;
	char *text = text_read(fd, expected, &size, &error);
	struct vendor_file *file;

	if (!text)
		return read_error(path, error, e);
	file = ARRAY_PUSH(files->v, files->n);
	file->path = xstrdup(path);
	file->text = text;
	return json_read(&file->records, text, size, file->path, 1, e);
}

/* How to load a path. */
enum loading {
	LOAD_ANY,
	LOAD_OPTIONAL, /* it may be missing */
	LOAD_FILE,     /* in a directory: skip all but regular files */
};

static int load_path(struct vendor_files *files, const char *path, enum loading how, struct error *e);

static int load_directory(struct vendor_files *files, const char *path, int fd, struct error *e)
{
	auto_strings struct strings names = {0};
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int error = copy < 0 ? -errno : directory_list_open(copy, &names);

	if (error)
		return read_error(path, -error, e);
	for (size_t i = 0; i < names.n && error == 0; i++) {
		auto_free char *file = xasprintf("%s/%s", path, names.v[i]);
		const char *dot = strrchr(names.v[i], '.');

		if (dot && strcmp(dot, ".json") == 0)
			error = load_path(files, file, LOAD_FILE, e);
	}
	return error;
}

static int load_path(struct vendor_files *files, const char *path, enum loading how, struct error *e)
{
	/* opening a FIFO without a writer would block */
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | (how == LOAD_FILE ? O_NONBLOCK : 0));
	struct stat st;

	if (fd < 0)
		return how == LOAD_OPTIONAL && (errno == ENOENT || errno == ENOTDIR) ? 0 : read_error(path, errno, e);
	if (fstat(fd, &st) < 0)
		return read_error(path, errno, e);
	if (how == LOAD_FILE && !S_ISREG(st.st_mode))
		return 0;
	if (S_ISDIR(st.st_mode))
		return load_directory(files, path, fd, e);
	return load_file(files, path, fd, (size_t)st.st_size, e);
}

/* Loads the files that the environment names. */
static int load_environment(struct vendor_files *files, struct error *e)
{
	const char *paths = getenv("PFMSTAT_METRICS");
	int error = 0;

	for (size_t n; paths && *paths && error == 0; paths += n + (paths[n] == ':')) {
		auto_free char *path = NULL;

		n = strcspn(paths, ":");
		path = xstrndup(paths, n);
		error = n ? load_path(files, path, LOAD_ANY, e) : 0;
		if (error)
			error_hint(e, "it is named by the environment variable PFMSTAT_METRICS");
	}
	return error;
}

char *vendor_files_directory(void)
{
	auto_free char *beside = NULL, *file = NULL;
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program));

	for (int up = 0; up < 2; up++) {
		const char *slash = n > 0 ? memrchr(program, '/', (size_t)n) : NULL;

		n = slash ? slash - program : 0;
	}
	beside = xasprintf("%.*s/metrics", (int)n, program);
	file = xasprintf("%s/generic.json", beside);
	if (n == 0 || access(METRICS_DIRECTORY, F_OK) == 0 || access(file, F_OK) < 0)
		return xstrdup(METRICS_DIRECTORY);
	return xstrdup(beside);
}

static int load_installed(struct vendor_files *files, struct error *e)
{
	auto_free char *directory = vendor_files_directory(), *own = NULL;
	struct utsname system;

	if (load_path(files, directory, LOAD_OPTIONAL, e) < 0)
		return -e->code;
	uname(&system);
	own = xasprintf("%s/%s", directory, system.machine);
	return load_path(files, own, LOAD_OPTIONAL, e);
}

static void unload(struct vendor_files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		free(files->v[i].path);
		free(files->v[i].text);
		json_records_free(&files->v[i].records);
	}
	free(files->v);
	files->v = NULL;
	files->n = 0;
}

static struct vendor_object object_of(const struct vendor_files *files, size_t file, size_t record, size_t order)
{
	const struct vendor_file *f = &files->v[file];
	const struct json_record *r = &f->records.v[record];

	return (struct vendor_object){f->path, r->line, order, file >= files->n_own, f->records.members + r->first,
				      r->n};
}

/* True if an object refers to an event of Arm's architecture instead of containing a code. */
static bool needs_standard(const struct vendor_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		for (size_t k = 0; k < files->v[i].records.n; k++) {
			const struct vendor_object object = object_of(files, i, k, 0);

			if (vendor_object_get(&object, "ArchStdEvent") && !vendor_object_get(&object, "EventCode"))
				return true;
		}
	return false;
}

static int load_standard(struct vendor_files *files, struct error *e)
{
	auto_free char *directory = vendor_files_directory(), *path = xasprintf("%s/arm/events.json", directory);

	return load_path(files, path, LOAD_OPTIONAL, e);
}

static int load_all(struct vendor_files *files, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < files->given.n && error == 0; i++)
		error = load_path(files, files->given.v[i], LOAD_ANY, e);
	if (error == 0)
		error = load_environment(files, e);
	if (error == 0)
		error = load_installed(files, e);
	files->n_own = files->n;
	if (error == 0 && needs_standard(files))
		error = load_standard(files, e);
	files->loaded = error == 0;
	if (error)
		unload(files);
	return error;
}

int vendor_files_add(struct vendor_files *files, const char *path, struct error *e)
{
	if (access(path, R_OK) < 0)
		return read_error(path, errno, e);
	strings_add(&files->given, "%s", path);
	return 0;
}

int vendor_files_each(struct vendor_files *files,
		      int (*each)(void *arg, const struct vendor_object *object, struct error *e), void *arg,
		      struct error *e)
{
	int ret = files->loaded ? 0 : load_all(files, e);
	size_t order = 0;

	for (size_t i = 0; i < files->n && ret == 0; i++)
		for (size_t k = 0; k < files->v[i].records.n && ret == 0; k++) {
			const struct vendor_object object = object_of(files, i, k, order++);

			ret = each(arg, &object, e);
		}
	return ret;
}

const char *vendor_object_get(const struct vendor_object *object, const char *name)
{
	const struct json_member *member = json_member_find(object->members, object->n, name);

	return member ? member->value : NULL;
}

void vendor_files_free(struct vendor_files *files)
{
	unload(files);
	strings_free(&files->given);
	*files = (struct vendor_files){0};
}
