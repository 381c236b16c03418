/* Names of 64-bit Arm for pfm_names.h. The encodings are those of the Arm Architecture Reference Manual, "PMU events".
 */
#define FORCED_PMU    "arm_n1"
#define FORCED_NAME   "arm_n1::BR_MIS_PRED"
#define FORCED_BARE   "br_mis_pred"
#define FORCED_LINE   "arm_n1::BR_MIS_PRED arm_n1 0 4:10:0:0 uk cpus=any"
#define FORCED_TYPO   "BR_MIS_PRD"
#define FORCED_NEAR   "BR_MIS_PRED"
#define FORCED_EVENTS 100

/* A PMU of another machine than any that tests are likely to run on. */
#define FOREIGN_PMU  "arm_xgene"
#define FOREIGN_NAME "arm_xgene::CPU_CYCLES"

/* Codes by Linux' driver, drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c. */
#define UNCORE_PMU  "hisi_sccl5_ddrc0"
#define UNCORE_NAME "hisi_sccl5_ddrc0::rw_chg"
#define UNCORE_LINE "hisi_sccl5_ddrc0::rw_chg hisi_sccl5_ddrc0 0 e:7:0:0 ukg cpus=0,8"

/* For --list: one event, whose description has this word; globs for all of a PMU and for another PMU's; long texts. */
#define LIST_NAME       "arm_n1::CPU_CYCLES"
#define LIST_WORD       "ycles"
#define LIST_PMU_GLOB   "arm_n[1]::"
#define LIST_OTHER_GLOB "*::INST_SPEC_EXEC_L?REX"
#define LIST_OTHER_PMU  "arm_ac57"
#define LIST_LONG_GLOB  "arm_a64fx::*"

static const struct pfm_encoding pfm_encodings[] = {
	{"arm_ac57::INST_RETIRED:u", "arm_ac57::INST_RETIRED arm_ac57 0 4:8:0:0 u cpus=any"},
	{"arm_ac57::CPU_CYCLES", "arm_ac57::CPU_CYCLES arm_ac57 0 4:11:0:0 uk cpus=any"},
	{"arm_ac57::SW_INCR", "arm_ac57::SW_INCR arm_ac57 0 4:0:0:0 uk cpus=any"},
	{"arm_ac57::INST_SPEC_EXEC", "arm_ac57::INST_SPEC_EXEC arm_ac57 0 4:1b:0:0 uk cpus=any"},
	{"arm_ac57::INST_SPEC_EXEC_LDREX", "arm_ac57::INST_SPEC_EXEC_LDREX arm_ac57 0 4:6c:0:0 uk cpus=any"},
	{"arm_ac57::INST_SPEC_EXEC_LOAD", "arm_ac57::INST_SPEC_EXEC_LOAD arm_ac57 0 4:70:0:0 uk cpus=any"},
	{"arm_ac57::INST_SPEC_EXEC_SIMD", "arm_ac57::INST_SPEC_EXEC_SIMD arm_ac57 0 4:74:0:0 uk cpus=any"},
	{"arm_ac57::INST_SPEC_EXEC_VFP", "arm_ac57::INST_SPEC_EXEC_VFP arm_ac57 0 4:75:0:0 uk cpus=any"},
	{"arm_ac53::CPU_CYCLES:k", "arm_ac53::CPU_CYCLES arm_ac53 0 4:11:0:0 k cpus=any"},
	{"arm_ac53::INST_RETIRED", "arm_ac53::INST_RETIRED arm_ac53 0 4:8:0:0 uk cpus=any"},
	{"arm_n1::BR_MIS_PRED", "arm_n1::BR_MIS_PRED arm_n1 0 4:10:0:0 uk cpus=any"},
	{"arm_n1::L1D_CACHE_RD", "arm_n1::L1D_CACHE_RD arm_n1 0 4:40:0:0 uk cpus=any"},
	{"arm_n1::STALL_BACKEND", "arm_n1::STALL_BACKEND arm_n1 0 4:24:0:0 uk cpus=any"},
	{"arm_n1::MEM_ACCESS", "arm_n1::MEM_ACCESS arm_n1 0 4:13:0:0 uk cpus=any"},
	{"arm_n1::LL_CACHE_RD", "arm_n1::LL_CACHE_RD arm_n1 0 4:36:0:0 uk cpus=any"},
	{"arm_v1::CPU_CYCLES", "arm_v1::CPU_CYCLES arm_v1 0 4:11:0:0 uk cpus=any"},
	{"arm_n2::BR_MIS_PRED_RETIRED", "arm_n2::BR_MIS_PRED_RETIRED arm_n2 0 4:22:0:0 uk cpus=any"},
	{"ARM_N1::br_mis_pred.u", "arm_n1::BR_MIS_PRED arm_n1 0 4:10:0:0 u cpus=any"},
	{"arm_ac57::INST_RETIRED:u=1:k=0", "arm_ac57::INST_RETIRED arm_ac57 0 4:8:0:0 u cpus=any"},
	{"arm_ac57::INST_RETIRED:I", "arm_ac57::INST_RETIRED arm_ac57 0 4:8:0:0 uk cpus=any"},
	{"arm_ac57::INST_RETIRED:e", "arm_ac57::INST_RETIRED arm_ac57 0 4:8:0:0 uk! cpus=any"},
	{"arm_n1::BR_MIS_PRED:G", "arm_n1::BR_MIS_PRED arm_n1 0 4:10:0:0 ukg cpus=any"},
};

static const struct pfm_refusal pfm_refusals[] = {
	{"arm_ac57::INST_RETIRED:ANY", "EINVAL at 23+3", "'ANY'", ""},
	{"arm_ac57::INST_RETIRED:hv", "EINVAL at 23+2", "'hv'", "did you mean h"},
	{"arm_ac57::INST_RETIRED:c=1", "EINVAL at 23+3", "'c=1'", "attributes: u, k"},
	{"arm_ac57::INST_RETIRED:u:c", "EINVAL at 25+1", "'c'", ""},
	{"arm_ac57::INST_RETIRED:0x1", "EINVAL at 23+3", "not a umask", ""},
	{"arm_ac57::INST_RETIRED:cpu=x", "EINVAL at 27+1", "number", ""},
	{"arm_ac57::INST_RETIRED:pppp", "EINVAL at 26+1", "modifier p", ""},
	{"arm_ac57::INST_RETIRED:", "EINVAL at 22+1", "nothing follows", ""},
	{"arm_ac58::X", "ENOENT at 0+8", "no PMU 'arm_ac58'", "arm_ac57"},
	{"arm_ac57::NOPE", "ENOENT at 10+4", "'NOPE'", ""},
	{"arm_ac57::INST_RETIRE", "ENOENT at 10+11", "'INST_RETIRE'", "arm_ac57::INST_RETIRED"},
	{"arm_ac57::", "EINVAL at 10+0", "has no event", ""},
	{"skl::INST_RETIRED:ANY_P", "ENOENT at 0+3", "no PMU 'skl'", ""},
};

/* By name, since older libraries do not define the numbers of newer PMUs. */
static const char *const pfm_swept[] = {"arm_ac57", "arm_ac53", "arm_n1", "arm_xgene", "arm_a64fx"};
