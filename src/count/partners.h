/* partners: which events belong into one group, by what they count. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"

/* One cannot be counted without the other. */
bool are_inseparable(const struct event *a, const struct event *b);

/* Counts that are divided by one another, or inseparable: the events of one row are wanted in one group. */
bool are_partners(const struct event *a, const struct event *b);

/* Order the members of a group so that the one leads that must (event_needs_slots). */
void members_put_leader(const struct event *events, size_t *members, size_t n);
