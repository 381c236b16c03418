/* pfm_abi: the part of libpfm4's ABI that is used, so that its headers are not needed to build. Types, members and
 * values are those of perfmon/pfmlib.h and perfmon/pfmlib_perf_event.h, which only ever grow: each struct says its
 * size. A unit test compares them with the headers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/kernel.h"

#define PFM_PLM0                 0x01
#define PFM_PLM3                 0x08
#define PFM_SUCCESS              0
#define PFM_ERR_NOTSUPP          -1
#define PFM_ERR_INVAL            -2
#define PFM_ERR_FEATCOMB         -5
#define PFM_ERR_UMASK            -6
#define PFM_ERR_ATTR_VAL         -9
#define PFM_ERR_ATTR_SET         -10
#define PFM_OS_PERF_EVENT_EXT    2
#define PFM_PMU_PERF_EVENT       51
#define PFM_PMU_INTEL_RAPL       110
#define PFM_PMU_TYPE_CORE        1
#define PFM_PMU_TYPE_UNCORE      2
#define PFM_PMU_TYPE_OS_GENERIC  3
#define PFM_ATTR_UMASK           1
#define PFM_ATTR_MOD_BOOL        2
#define PFM_ATTR_CTRL_PMU        1
#define PFM_ATTR_CTRL_PERF_EVENT 2

struct pfm_pmu_info {
	const char *name;
	const char *desc;
	size_t size;
	int pmu;
	int type;
	int nevents;
	int first_event;
	int max_encoding;
	int num_cntrs;
	int num_fixed_cntrs;
	unsigned is_present : 1, is_dfl : 1, reserved_bits : 30;
};

struct pfm_event_info {
	const char *name;
	const char *desc;
	const char *equiv;
	size_t size;
	uint64_t code;
	int pmu;
	int dtype;
	int idx;
	int nattrs;
	int reserved;
	unsigned is_precise : 1, is_speculative : 2, support_hw_smpl : 1, reserved_bits : 28;
};

struct pfm_attr_info {
	const char *name;
	const char *desc;
	const char *equiv;
	size_t size;
	uint64_t code;
	int type;
	int idx;
	int ctrl;
	unsigned is_dfl : 1, is_precise : 1, is_speculative : 2, support_hw_smpl : 1, reserved_bits : 27;
	union {
		uint64_t dfl_val64;
		const char *dfl_str;
		int dfl_bool;
		int dfl_int;
	};
};

/* Of pfm_get_os_event_encoding with PFM_OS_PERF_EVENT_EXT. */
struct pfm_perf_encode {
	struct perf_event_attr *attr;
	char **fstr;
	size_t size;
	int idx;
	int cpu;
	int flags;
	int pad0;
};

/* The functions, with the library's names. */
struct pfm {
	int (*initialize)(void);
	const char *(*strerror)(int code);
	int (*find)(const char *name);
	int (*encode)(const char *name, int privilege_levels, int os, void *encode);
	int (*pmu_info)(int pmu, struct pfm_pmu_info *info);
	int (*event_next)(int idx);
	int (*event_info)(int idx, int os, struct pfm_event_info *info);
	int (*attr_info)(int idx, int attr, int os, struct pfm_attr_info *info);
};
