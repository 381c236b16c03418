/* vendor_cores: the kind of core that a file of events is about, on CPUs with several kinds. Intel publishes a file for
 * each kind, without a Unit in its events, and mapfile.csv with a line for each CPU and file:
 *
 *   Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name
 *   GenuineIntel-6-97,V1.40,/ADL/events/alderlake_gracemont_core.json,hybridcore,0x20,0x000001,Atom
 *
 * mapfile.csv is in the directory of the file, or one or two directories above, as in the repository intel/perfmon. */
#pragma once

#include <stdbool.h>

struct vendor_core {
	const char *pmu; /* "cpu_core"; NULL: not known, or all cores are of one kind */
	bool alone;      /* some CPUs have only cores of this kind, so that their core PMU is "cpu" */
};

struct vendor_core vendor_core_find(const char *path);
