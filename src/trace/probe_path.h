/* probe_path: the file of a user probe. */
#pragma once

/* Returns the absolute path, which the caller frees; it need not exist. A name without a slash is a program in $PATH, a
 * file in the current directory, or, if it contains ".so", a library in the usual directories. */
char *probe_path_find(const char *path);
