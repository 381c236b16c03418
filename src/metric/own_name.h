/* own_name: names of events in the user's own expressions, with bytes that have another meaning in files: page-faults,
 * power/energy-pkg/. */
#pragma once

#include <stddef.h>

#include "resolve/eventlist.h"

/* For expr_parse_with: returns the length of PMU/TERMS/ or of a name with '-' at the start of s, if there is such an
 * event; otherwise 0. list: a struct event_list with the files that may help. */
size_t own_name_length(void *list, const char *s);
/* The same for PMU/TERMS/ alone. */
size_t own_name_with_terms(const struct event_list *list, const char *s);
/* The same for the longest name with '-' alone. */
size_t own_name_hyphenated(const struct event_list *list, const char *s);
/* Returns the length of the word at the start of s that may be such a name. */
size_t own_name_word(const char *s);
