/* kernel: the kernel's interface for counting, including definitions that older headers lack. The numbers are from
 * Linux's include/uapi, the same for every architecture; a kernel that does not know one returns an error. */
#pragma once

/* The attributes as of Linux 7.0 (PERF_ATTR_SIZE_VER9). Older kernels accept the longer struct as long as the fields
 * that they do not know are 0. */
#define perf_event_attr perf_event_attr_of_header
#include <linux/perf_event.h>
#undef perf_event_attr

struct perf_event_attr {
	__u32 type;
	__u32 size;
	__u64 config;
	union {
		__u64 sample_period;
		__u64 sample_freq;
	};
	__u64 sample_type;
	__u64 read_format;
	__u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1, exclude_kernel : 1,
		exclude_hv : 1, exclude_idle : 1, mmap : 1, comm : 1, freq : 1, inherit_stat : 1, enable_on_exec : 1,
		task : 1, watermark : 1, precise_ip : 2, mmap_data : 1, sample_id_all : 1, exclude_host : 1,
		exclude_guest : 1, exclude_callchain_kernel : 1, exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1,
		use_clockid : 1, context_switch : 1, write_backward : 1, namespaces : 1, ksymbol : 1, bpf_event : 1,
		aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1, inherit_thread : 1, remove_on_exec : 1,
		sigtrap : 1, reserved_bits : 26;
	union {
		__u32 wakeup_events;
		__u32 wakeup_watermark;
	};
	__u32 bp_type;
	union {
		__u64 bp_addr;
		__u64 kprobe_func;
		__u64 uprobe_path;
		__u64 config1;
	};
	union {
		__u64 bp_len;
		__u64 kprobe_addr;
		__u64 probe_offset;
		__u64 config2;
	};
	__u64 branch_sample_type;
	__u64 sample_regs_user;
	__u32 sample_stack_user;
	__s32 clockid;
	__u64 sample_regs_intr;
	__u32 aux_watermark;
	__u16 sample_max_stack;
	__u16 reserved_16;
	__u32 aux_sample_size;
	__u32 aux_action;
	__u64 sig_data;
	__u64 config3;
	__u64 config4;
};
_Static_assert(sizeof(struct perf_event_attr) == 144, "PERF_ATTR_SIZE_VER9");

/* The preprocessor cannot see enumerators, so these macros replace them. */
#define PERF_COUNT_SW_CGROUP_SWITCHES 11         /* Linux 5.13 */
#define PERF_SAMPLE_CGROUP            (1U << 21) /* Linux 5.7 */
#define PERF_RECORD_CGROUP            19
#ifndef PERF_PMU_TYPE_SHIFT /* Linux 5.12 */
#define PERF_PMU_TYPE_SHIFT 32
#endif

/* ---- system calls, by the numbers that are the same on every architecture ---- */

#include <fcntl.h>
#include <sys/mount.h> /* before Linux's header, after which it would not compile */
#include <sys/syscall.h>
#if !defined(FSOPEN_CLOEXEC) && __has_include(<linux/mount.h>)
#include <linux/mount.h>
#endif

#ifndef SYS_fsopen /* Linux 5.2 */
#define SYS_fsopen   430
#define SYS_fsconfig 431
#define SYS_fsmount  432
#endif
#ifndef FSOPEN_CLOEXEC
#define FSOPEN_CLOEXEC      1
#define FSCONFIG_CMD_CREATE 6
#define FSMOUNT_CLOEXEC     1
#define MOUNT_ATTR_NOSUID   2
#define MOUNT_ATTR_NODEV    4
#define MOUNT_ATTR_NOEXEC   8
#endif
#ifndef SYS_pidfd_open /* Linux 5.3 */
#define SYS_pidfd_open 434
#endif
#ifndef SYS_openat2 /* Linux 5.6 */
#define SYS_openat2 437
#endif
#ifndef RESOLVE_IN_ROOT
#define RESOLVE_IN_ROOT 0x10
#endif
#ifndef PIDFD_THREAD /* Linux 6.9 */
#define PIDFD_THREAD O_EXCL
#endif
