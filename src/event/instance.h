/* instance: an event that several PMUs of a kind count together (event.instances), as it is on one of them. */
#pragma once

#include "event/event.h"
#include "lib/util.h"

/* Add the names of its PMUs; none for an event of one PMU. */
void instance_list(const struct event *event, struct strings *pmus);

/* A copy for one of them, to be freed: its type and CPUs, and a name that says which one it is. */
void instance_make(struct event *one, const struct event *event, const char *pmu);

/* The same for one of the CPUs that the event is to be counted on. */
void instance_of_cpu(struct event *one, const struct event *event, int cpu);
