/* The start record of --json, for report_records.c. */
#pragma once

#include "lib/json.h"

struct session;

/* Writes the record of kind "start", and the end of its line. */
void report_put_start_record(struct json *j, const struct session *session);
