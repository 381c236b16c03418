/* machine: the parts of the machine on which a count depends. Counts of two machines that differ in one of these do not
 * tell how their commands differ. */
#pragma once

#include "rows/result.h"

enum machine_part { MACHINE_HOST = 1, MACHINE_KERNEL = 2, MACHINE_CPU = 4, MACHINE_ANY = 7 };

/* Returns the parts on which the value of a count or metric depends; all of them if its event is not known. */
unsigned machine_parts_of(const struct row *row);

/* Returns the names of the parts, of which there is one or more: "host and kernel". */
const char *machine_parts_words(unsigned parts);
