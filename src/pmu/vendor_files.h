/* vendor_files: files of events and metrics that CPU vendors publish, in perf's JSON format. Reads and keeps the
 * objects; other modules interpret them.
 *
 * An object is a metric if it has a MetricName, and an event if it has an EventName or an ArchStdEvent; it may be both.
 * Other objects are of other kinds, for example descriptions of groups in metricgroups.json.
 *
 * The files are read in this order: the files of --metrics; of the environment variable PFMSTAT_METRICS, separated by
 * colons; of the directory that is installed with pfmstat (METRICS_DIRECTORY in the Makefile) or, before installation,
 * the directory in the source; and of its subdirectory for the architecture, named as in `uname -m`. Missing installed
 * directories are ignored. In a directory, the files that end in .json are read, in the order of their names, without
 * subdirectories. If two objects have the same name, the first one is used.
 *
 * Arm's architecture defines codes and metrics that the files of Arm's cores name as ArchStdEvent; these are in
 * arm/events.json below the installed directory. It is read last, and only if an object needs it.
 *
 * Order of calls: zero-initialize; vendor_files_add for each --metrics; vendor_files_each, as often as needed, whose
 * first call reads the files: 3 ms for 2 MB; vendor_files_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/json_reader.h"
#include "lib/util.h"

struct vendor_object {
	const char *path;  /* of its file */
	size_t line;       /* line of its first byte */
	size_t order;      /* index among all objects */
	bool as_published; /* in a file as Intel publishes it, with a Header, and not as perf converts it */
	bool of_arm;       /* in a file as Arm publishes it, with the architecture */
	bool standard;     /* from arm/events.json: it completes other objects, and is not listed by itself */
	const struct json_member *members;
	size_t n;
};

struct vendor_files {
	struct strings given; /* --metrics */
	bool given_loaded, loaded;
	struct vendor_file {
		char *path;
		char *text;
		bool as_published, of_arm;
		struct json_records records;
	} * v;
	size_t n;
	size_t n_own; /* number of objects that are not from arm/events.json */
};

/* Returns the directory that is installed with pfmstat or, if it runs as build/pfmstat, the directory of the source; it
 * may not exist. The caller frees the text. */
char *vendor_files_directory(void);

/* Adds a file or directory. Returns 0, or -errno if it does not exist. Nothing is read yet. */
int vendor_files_add(struct vendor_files *files, const char *path, struct error *e);

/* Reads the files of vendor_files_add, of which each, or one of each directory, must define an event or a metric.
 * Returns 0 or -errno. */
int vendor_files_load_given(struct vendor_files *files, struct error *e);

/* Calls back for each object, in order, until a call returns a value other than 0, which is then the result. Returns
 * -errno if the files cannot be read or are malformed. The objects stay until vendor_files_free. */
int vendor_files_each(struct vendor_files *files,
		      int (*each)(void *arg, const struct vendor_object *object, struct error *e), void *arg,
		      struct error *e);

/* True, with an error that says so, if a file has a metric of this name in Intel's own format, which is not read. */
bool vendor_files_have_formula(const struct vendor_files *files, const char *metric, struct error *e);

/* Returns the value of a member, a number as written, or NULL. */
const char *vendor_object_get(const struct vendor_object *object, const char *name);

void vendor_files_free(struct vendor_files *files);
