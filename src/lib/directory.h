/* directory: the names in a directory, sorted, for the trees that the kernel describes its events in. */
#pragma once

#include <stdbool.h>

#include "lib/util.h"

/* Add the names in path, those that begin with a dot left out, in an order that knows numbers (imc_2, imc_10) and no
 * locale. 0 or -errno. */
int directory_list(const char *path, struct strings *names);
