/* command_files: where the command's standard input comes from and where its standard output goes.
 *
 * Order of calls: command_files_open, before the first run; child_start with the files; command_files_close.
 */
#pragma once

#include <stdbool.h>

#include "lib/error.h"
#include "os/child.h"

/* input, output: paths; NULL: those of pfmstat. several: more than one run reads the input. Each run must read the
 * same. A regular file is therefore read again from where it stands now. Where input is NULL and pfmstat's standard
 * input is neither a regular file nor a terminal, which can be read once only, several runs read /dev/null. */
int command_files_open(struct child_files *files, const char *input, const char *output, bool several, struct error *e);
void command_files_close(struct child_files *files);
