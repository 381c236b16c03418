/* program: executable files: where they are in PATH, and whether counters survive their exec. */
#pragma once

/* The path of a command, searched in PATH as a shell does; NULL: not found. To be freed. */
char *program_find(const char *name);

/* Why a process loses its counters when it executes this command, found as execvp(3) does; NULL: it keeps them, or
 * there is no such program. A script's own marks do not count: the kernel executes its interpreter. */
const char *program_exec_loss_reason(const char *name);
