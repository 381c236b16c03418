/* program: executable files: their place in PATH, and whether counters survive their exec. */
#pragma once

/* Returns the path of a command, searched in PATH as a shell does; NULL if it is not found. The caller frees it. */
char *program_find(const char *name);

/* Returns the file that a name means: a path made absolute, which need not exist; without a slash, a program in $PATH,
 * or a file here, or, with ".so" in it, a library in the usual directories. The caller frees it. */
char *program_find_file(const char *name);

/* Returns why a process loses its counters when it executes this command, found as execvp(3) does; NULL if it keeps
 * them or the program does not exist. Set-ID bits of a script do not count: the kernel executes its interpreter. */
const char *program_exec_loss_reason(const char *name);
