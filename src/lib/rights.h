/* rights: capabilities that pfmstat has from its file (AT_SECURE) are lent to the user for counting, and for nothing
 * else: files that the user names are opened, and the command is executed, with the rights of the user.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* As open(2); the mode is that of a new file. */
int rights_open_file(const char *path, int flags, mode_t mode);

/* Call with the rights of the user, for what takes several steps. What it returns, with its errno; -1: the capabilities
 * cannot be put aside. */
int rights_call(int (*call)(void *arg), void *arg);

/* The effective capabilities, as bits; 0: none, or they cannot be asked for. */
uint64_t rights_effective(void);

/* Where capabilities are lent, take the variables whose names begin so out of pfmstat's own environment, as the dynamic
 * linker does with its own. The command still gets them. */
void rights_unset(const char *prefix);

/* Give the lent capabilities up for good. */
void rights_drop(void);
