#include "pmu/vendor_files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static int read_error(const char *path, int error, struct error *e)
{
	return error_set(e, error, "cannot read '%s': %s", path, strerror(error));
}

/* Arm publishes perf's members by other names. */
static void translate_arm(struct json_records *records)
{
	static const char *const names[][2] = {
		{"name", "EventName"}, {"code", "EventCode"}, {"description", "BriefDescription"}};

	for (size_t i = 0; i < records->n_members; i++)
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			if (strcmp(records->members[i].name, names[k][0]) == 0)
				records->members[i].name = names[k][1];
}

/* The file may be a pipe. */
static int load_file(struct vendor_files *files, const char *path, struct error *e)
{
	auto_fclose FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	ssize_t n = in ? getdelim(&text, &room, '\0', in) : -1; /* all of it: a file with a NUL is malformed */
	struct vendor_file *file;
	bool is_object;

	if (!in || ferror(in)) {
		free(text);
		return read_error(path, errno, e);
	}
	file = ARRAY_PUSH(files->v, files->n);
	file->path = xstrdup(path);
	file->text = text;
	if (n < 0)
		*text = '\0';
	is_object = text[strspn(text, " \t\r\n")] == '{';
	file->as_published = is_object && strstr(text, "\"Header\"");
	file->of_arm = is_object && strstr(text, "\"architecture\"");
	if (json_read(&file->records, text, n < 0 ? 0 : (size_t)n, file->path, 1, e) < 0)
		return -e->code;
	if (file->of_arm)
		translate_arm(&file->records);
	return 0;
}

/* How to load a path. */
enum loading {
	LOAD_ANY,
	LOAD_OPTIONAL, /* it may be missing */
	LOAD_FILE,     /* in a directory: skip all but regular files */
};

static int load_path(struct vendor_files *files, const char *path, enum loading how, struct error *e);

static int load_directory(struct vendor_files *files, const char *path, struct error *e)
{
	auto_strings struct strings names = {0};
	int error = directory_list(path, &names);

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
	struct stat st;

	if (stat(path, &st) < 0)
		return how == LOAD_OPTIONAL && (errno == ENOENT || errno == ENOTDIR) ? 0 : read_error(path, errno, e);
	if (how == LOAD_FILE && !S_ISREG(st.st_mode))
		return 0;
	return S_ISDIR(st.st_mode) ? load_directory(files, path, e) : load_file(files, path, e);
}

/* True if one of the files from this one on has a member of this name. */
static bool files_have(const struct vendor_files *files, size_t from, const char *name)
{
	for (size_t i = from; i < files->n; i++) {
		const struct json_records *records = &files->v[i].records;

		for (size_t k = 0; k < records->n_members; k++)
			if (strcmp(records->members[k].name, name) == 0)
				return true;
	}
	return false;
}

#define FORMULA_HINT                                                                                            \
	"its metrics have Formula, Intel's own format; use perf's version, in the directory perf beside it in " \
	"intel/perfmon"

/* Loads a path that the user gave, which must define something: vendors publish files in formats of their own. */
static int load_given(struct vendor_files *files, const char *path, struct error *e)
{
	size_t from = files->n;

	if (load_path(files, path, LOAD_ANY, e) < 0)
		return -e->code;
	if (files_have(files, from, "EventName") || files_have(files, from, "MetricExpr") ||
	    files_have(files, from, "ArchStdEvent"))
		return 0;
	error_set(e, EINVAL, "'%s' defines no event and no metric", path);
	if (files_have(files, from, "Formula"))
		return error_hint(e, FORMULA_HINT);
	return error_hint(e, "it needs objects with EventName or MetricExpr, as in perf's files, in "
			     "tools/perf/pmu-events/arch of the kernel's sources");
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
		error = n ? load_given(files, path, e) : 0;
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
	files->given_loaded = false;
}

static struct vendor_object object_of(const struct vendor_files *files, size_t file, size_t record, size_t order)
{
	const struct vendor_file *f = &files->v[file];
	const struct json_record *r = &f->records.v[record];

	return (struct vendor_object){.path = f->path,
				      .line = r->line,
				      .order = order,
				      .as_published = f->as_published,
				      .of_arm = f->of_arm,
				      .standard = file >= files->n_own,
				      .members = f->records.members + r->first,
				      .n = r->n};
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

int vendor_files_load_given(struct vendor_files *files, struct error *e)
{
	if (files->given_loaded)
		return 0;
	for (size_t i = 0; i < files->given.n; i++)
		if (load_given(files, files->given.v[i], e) < 0) {
			unload(files);
			return -e->code;
		}
	files->given_loaded = true;
	return 0;
}

static int load_all(struct vendor_files *files, struct error *e)
{
	int error = vendor_files_load_given(files, e);

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

bool vendor_files_have_formula(const struct vendor_files *files, const char *metric, struct error *e)
{
	for (size_t i = 0; i < files->n; i++)
		for (size_t k = 0; k < files->v[i].records.n; k++) {
			const struct vendor_object object = object_of(files, i, k, 0);
			const char *name = vendor_object_get(&object, "MetricName");

			if (!name || strcasecmp(name, metric) != 0 || !vendor_object_get(&object, "Formula"))
				continue;
			error_set(e, EINVAL, "'%s': its metric '%s' is not read", object.path, name);
			error_hint(e, FORMULA_HINT);
			return true;
		}
	return false;
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
