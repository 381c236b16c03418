/* debug_file: the file with the debugging information of a program or library: the file itself or, if it is stripped,
 * the one beside it or in /usr/lib/debug, as gdb finds it (its manual: Debugging Information in Separate Files). */
#pragma once

#include "trace/elf_file.h"

/* Returns the path of the file with the debugging information of this file, or NULL. The caller frees it. */
char *debug_file_find(const struct elf_file *f, const char *path);
