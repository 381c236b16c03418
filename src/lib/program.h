/* program: executable files: where PATH has them, and whether the kernel goes on counting when they are executed. */
#pragma once

/* As a shell finds a command. NULL: not there. To be freed. */
char *program_find(const char *name);

/* Why the counters of a process are taken from it when it executes the command of this name, as execvp(3) finds it;
 * NULL: they are not, or there is no such program. A script is not looked into: its interpreter is what is executed. */
const char *program_exec_loss_reason(const char *name);
