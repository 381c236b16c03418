/* replacement: a file that is repeatedly replaced as a whole. A reader sees the old text or the new one, never a part
 * of either: the new text is written to another file in the same directory, which then takes its name. Everything
 * happens with the rights of the user (rights.h).
 *
 * Order of calls: replacement_open; for each text replacement_put as often as wanted, then replacement_commit;
 * replacement_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct replacement {
	char *path; /* of the file, with symbolic links resolved; NULL if closed */
	char *text; /* the text so far */
	size_t n, room;
};

/* Returns false if the path is not a file that can be replaced but a pipe, a device or a descriptor of this process
 * (/dev/stdout), to which the caller writes directly. A file that does not exist can be replaced. If it returns true,
 * *error is 0, or the errno of the reason why the file cannot be written. */
bool replacement_open(struct replacement *r, const char *path, int *error);

void replacement_put(struct replacement *r, const char *text, size_t n);

/* Returns 0; or an errno, and the file is then unchanged. A new file's mode follows the umask; an existing file's mode
 * stays, as do its owner and group if permitted. */
int replacement_commit(struct replacement *r);

void replacement_free(struct replacement *r);
