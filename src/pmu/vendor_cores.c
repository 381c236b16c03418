#include "pmu/vendor_cores.h"

#include <stdio.h>
#include <string.h>

#include "lib/util.h"

/* The kernel's PMU for a "Core Role Name" (arch/x86/events/intel/core.c, intel_hybrid_pmu_type_map). */
static const struct {
	const char *role, *pmu;
} roles[] = {{"Core", "cpu_core"}, {"Atom", "cpu_atom"}, {"LowPower_Atom", "cpu_lowpower"}};

/* Returns the field of a line, which ends at a comma or at the end of the line; the caller frees it. */
static char *csv_field(const char *line, unsigned index)
{
	for (; index > 0; index--) {
		line += strcspn(line, ",\r\n");
		line += *line == ',';
	}
	return xstrndup(line, strcspn(line, ",\r\n"));
}

/* True if the path of a file ends in the name that mapfile.csv gives it: "/ADL/events/alderlake_gracemont_core.json" is
 * relative to the directory of mapfile.csv, which may be any of the directories of that name. */
static bool is_file(const char *path, const char *filename)
{
	const char *base = strrchr(path, '/'), *name = strrchr(filename, '/');

	return strcmp(base ? base + 1 : path, name ? name + 1 : filename) == 0;
}

static void read_line(struct vendor_core *core, const char *path, const char *line)
{
	auto_free char *filename = csv_field(line, 2), *type = csv_field(line, 3), *role = csv_field(line, 6);

	if (!is_file(path, filename))
		return;
	core->alone |= strcmp(type, "core") == 0;
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		if (strcmp(roles[i].role, role) == 0)
			core->pmu = roles[i].pmu;
}

static bool read_map(struct vendor_core *core, const char *path, const char *map)
{
	auto_fclose FILE *in = fopen(map, "re");
	auto_free char *line = NULL;
	size_t room = 0;

	while (in && getline(&line, &room, in) > 0)
		read_line(core, path, line);
	return in;
}

struct vendor_core vendor_core_find(const char *path)
{
	static const char *const above[] = {"", "../", "../../"};
	const char *slash = strrchr(path, '/');
	struct vendor_core core = {0};

	for (size_t i = 0; i < ARRAY_SIZE(above); i++) {
		auto_free char *map =
			xasprintf("%.*s%smapfile.csv", slash ? (int)(slash + 1 - path) : 0, path, above[i]);

		bool found = read_map(&core, path, map);

		if (found)
			break;
	}
	return core;
}
