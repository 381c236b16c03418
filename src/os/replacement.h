/* replacement: a file that is replaced as a whole, again and again. Who reads it sees the old text or the new one and
 * never a part of either: the new text is written to another file in the same directory, which then takes its name. All
 * of it is done with the rights of the user (rights.h).
 *
 * Order of calls: replacement_open; for each text replacement_put as often as wanted, then replacement_commit;
 * replacement_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct replacement {
	char *path; /* of the file; symbolic links to it are followed; NULL: none */
	char *text; /* what has been put */
	size_t n, room;
};

/* False: it is no file that can be replaced, but a pipe, a device or a descriptor of this process (/dev/stdout), to
 * which one writes. A file that does not exist can be. Else *error is 0, or why it cannot be written: errno. */
bool replacement_open(struct replacement *r, const char *path, int *error);

void replacement_put(struct replacement *r, const char *text, size_t n);

/* 0, or errno: the file is as it was. A new file's mode is that of the umask; that of an old one stays, as do its owner
 * and group where that is permitted. */
int replacement_commit(struct replacement *r);

void replacement_free(struct replacement *r);
