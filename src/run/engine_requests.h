/* engine_requests: requests in a program that switch the counting of Valgrind's tools off or set it to zero
 * (callgrind.h, cachegrind.h). The tools do not report that they have received one. */
#pragma once

#include <stdbool.h>

/* True if the file contains such requests to the tool ("callgrind" or "cachegrind"). They are found in code for x86-64
 * and arm64, whether it runs or not. False if the file cannot be read. */
bool engine_requests_are_in(const char *path, const char *tool);
