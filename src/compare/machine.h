/* machine: the parts of the machine on which a count depends. If two machines differ in such a part, a difference of
 * the counts does not show a difference of the commands. */
#pragma once

#include "rows/result.h"

enum machine_part { MACHINE_HOST = 1, MACHINE_KERNEL = 2, MACHINE_CPU = 4, MACHINE_ANY = 7 };

/* Returns the parts on which the value of a count or metric depends; all of them if its event is not known. */
unsigned machine_parts_of(const struct row *row);

/* Returns the names of one or more parts: "host and kernel". */
const char *machine_parts_words(unsigned parts);
