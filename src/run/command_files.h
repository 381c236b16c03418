/* command_files: the command's standard input and output.
 *
 * Order of calls: command_files_open, before the first run; child_start with the files; command_files_close. */
#pragma once

#include <stdbool.h>

#include "lib/error.h"
#include "os/child.h"

/* input, output: paths; NULL: as pfmstat's. several: more than one run reads the input, and all must read the same.
 * Therefore each run reads a regular file from its current offset, and if input is NULL and pfmstat's standard input
 * can be read only once (neither a regular file nor a terminal), the runs read /dev/null. */
int command_files_open(struct child_files *files, const char *input, const char *output, bool several, struct error *e);
void command_files_close(struct child_files *files);
