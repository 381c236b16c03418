/* probe_path: which file a user probe means. */
#pragma once

/* The path made absolute, for the caller to free; it need not exist. A name without a slash is a program in $PATH, or a
 * file here, or, with ".so" in it, a library in the usual directories. */
char *probe_path_find(const char *path);
