/* rights: capabilities that pfmstat has from its file (AT_SECURE) are lent to the user for counting, and for nothing
 * else. They are put aside at the start, and raised where an event is opened or tracefs is read. So everything else,
 * above all files that the user names and the command, has the rights of the user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* At the start, before anything is opened. 0 or -errno. */
int rights_put_aside(struct error *e);

/* Until the end of the scope: `auto_rights bool raised = rights_raise();`. Scopes may be nested. */
bool rights_raise(void);
void rights_lower(const bool *raised); /* errno stays */
#define auto_rights __attribute__((cleanup(rights_lower), unused))

/* The effective capabilities, with those that can be raised, as bits; 0: none, or they cannot be asked for. */
uint64_t rights_effective(void);

/* Where capabilities are lent, take the variables whose names begin so out of pfmstat's own environment, as the dynamic
 * linker does with its own. The command still gets them. */
void rights_unset(const char *prefix);
