/* pfm_names: names that libpfm4 knows on the architecture it was built for, and what they must become: encodings from
 * the CPUs' manuals, refusals word for word. What all architectures share stands in the tests. */
#pragma once

#include "os/kernel.h" /* before libpfm4's header, which contains an older copy */

#include <perfmon/pfmlib_perf_event.h>

/* NAME, and the line that test_pfm's describe() makes of it. */
struct pfm_encoding {
	const char *name, *expected;
};

/* NAME, how its refusal begins ("ERRNO at COLUMN+LENGTH"), and words of its text and hint. */
struct pfm_refusal {
	const char *name, *start, *word, *hint;
};

#if defined(__x86_64__) || defined(__i386__)
#include "pfm_names_x86.h"
#elif defined(__aarch64__)
#include "pfm_names_arm64.h"
#else
#define PFM_NAMES_NONE "machine: no names of this architecture are known here"
#endif
