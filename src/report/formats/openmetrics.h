/* The labels of the series of --openmetrics. */
#pragma once

#include "report/report_internal.h"
#include "rows/totals.h"

/* Writes a label, unless the text is NULL or empty. Each label after the first has a comma before it. */
void openmetrics_put_label(const struct report *report, FILE *out, const char *name, const char *text);

/* Writes labels that distinguish the series of this run from series of other runs on the same machine. */
void openmetrics_put_run_label(const struct report *report, FILE *out, const struct session *session);

/* Returns the labels that a series has in all families. The caller frees the text. */
char *openmetrics_total_labels(const struct report *report, const struct session *session,
			       const struct total_subject *s, const struct total *t);
