/* machine: the components of the machine on which a count depends. If two machines differ in one, a difference of the
 * counts does not show a difference of the commands. */
#pragma once

#include "rows/result.h"

enum machine_component {
	MACHINE_HOST = 1,
	MACHINE_KERNEL = 2,
	MACHINE_CPU = 4,
	MACHINE_ANY = 7,          /* of the three above */
	MACHINE_ARCHITECTURE = 8, /* whose programs are others, so that all counts depend on it */
};

/* Returns the components, besides the architecture, on which the value of a count or metric depends; all of them if its
 * event is not known. */
unsigned machine_components_of(const struct row *row);

/* Returns the names of one or more components: "host and kernel"; of an architecture alone, which includes the CPU. */
const char *machine_components_words(unsigned components);
