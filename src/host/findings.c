#include "host/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/replacement.h"

#define BOOT "/proc/sys/kernel/random/boot_id"

/* Returns the file's path, NULL without a home directory. The caller frees it. */
static char *findings_path(bool make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	auto_free char *base = NULL, *directory = NULL;

	if (!(cache && *cache == '/') && !(home && *home == '/'))
		return NULL;
	base = cache && *cache == '/' ? xstrdup(cache) : xasprintf("%s/.cache", home);
	directory = xasprintf("%s/pfmstat", base);
	if (make) {
		mkdir(base, 0700);
		mkdir(directory, 0700);
	}
	return xasprintf("%s/findings", directory);
}

void findings_keep(const struct strings *findings)
{
	auto_free char *path = findings_path(findings->n > 0);
	struct replacement r = {0};
	char boot[64] = "";
	int error;

	if (!path || file_read(BOOT, boot, sizeof(boot)) <= 0)
		return;
	if (findings->n == 0) {
		unlink(path);
		return;
	}
	if (replacement_open(&r, path, &error) && error == 0) {
		replacement_put(&r, boot, strcspn(boot, "\n"));
		for (size_t i = 0; i < findings->n; i++) {
			replacement_put(&r, "\n", 1);
			replacement_put(&r, findings->v[i], strlen(findings->v[i]));
		}
		replacement_put(&r, "\n", 1);
		(void)replacement_commit(&r); /* a report then lacks a note */
	}
	replacement_free(&r);
}

void findings_read(struct strings *findings)
{
	auto_free char *path = findings_path(false);
	char boot[64], text[4096], *rest = text, *line;

	if (!path || file_read(path, text, sizeof(text)) <= 0 || file_read(BOOT, boot, sizeof(boot)) <= 0)
		return;
	line = strsep(&rest, "\n");
	if (strncmp(line, boot, strcspn(boot, "\n")) != 0)
		return;
	while ((line = strsep(&rest, "\n")))
		if (*line)
			strings_add(findings, "%s", line);
}
