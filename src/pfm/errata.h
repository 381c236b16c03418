/* errata: names that libpfm4 encodes as another event than the CPU's vendor defines, from metrics/errata. A row applies
 * to the PMU, the name and the wrong code: a library that is mended, or wrong in another way, is left alone. For the
 * files pfm* only. */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "pfm/pfm.h"
#include "pfm/pfm_internal.h"

/* Lines of `PMU EVENT[:UMASK] config config1 config config1 NAME<tab>SOURCE<tab>COUNTED`: the library's code and the
 * vendor's in hexadecimal, the vendor's name and file, and what the library's code counts. PMU may end in '*'. config
 * is 0 in both codes if only bits of config1 differ. */
extern const char errata_table[];

/* Corrects the code of an event that the library has resolved from the query, or only adds a remark that says so.
 * Returns 0, or -EINVAL if the code is wrong, but cannot be corrected beside other umasks. */
int errata_apply(const struct query *q, enum errata errata, struct event *event, struct error *e);
