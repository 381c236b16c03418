/* rights: capabilities of pfmstat's file (AT_SECURE) are lent to the user only for counting. They are suspended at the
 * start, and raised while an event is opened or tracefs is read. Everything else has the rights of the user, including
 * access to files that the user names, and the command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

/* Called at the start, before anything is opened. Returns 0 or -errno. */
int rights_put_aside(struct error *e);

/* Raises the rights until the end of the scope: `auto_rights bool raised = rights_raise();`. Scopes may be nested. */
bool rights_raise(void);
void rights_lower(const bool *raised); /* keeps errno */
#define auto_rights __attribute__((cleanup(rights_lower), unused))

/* Returns the effective capabilities, including those that can be raised, as bits; 0 if there are none or they are
 * unknown. */
uint64_t rights_effective(void);

/* If capabilities are lent, removes the variables with this prefix from pfmstat's environment, as the dynamic linker
 * does with its variables. The command still gets them. */
void rights_unset(const char *prefix);
