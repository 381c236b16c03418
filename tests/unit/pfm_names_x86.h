/* Names of x86 for pfm_names.h. */
#define FORCED_PMU    "skl"
#define FORCED_NAME   "skl::INST_RETIRED:ANY_P"
#define FORCED_BARE   "inst_retired.any_p"
#define FORCED_LINE   "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 uk cpus=any"
#define FORCED_TYPO   "INST_RETIRD:ANY_P"
#define FORCED_NEAR   "INST_RETIRED"
#define FORCED_EVENTS 300
#define FORCED_ALIAS  "skl::INST_RETIRED:PREC_DIST:i=1:c=10"

/* A PMU of another machine than any that is still in use. */
#define FOREIGN_PMU  "core"
#define FOREIGN_NAME "core::INST_RETIRED:ANY_P"

#define UNCORE_PMU    "uncore_imc_0"
#define UNCORE_NAME   "skx_unc_imc0::UNC_M_CAS_COUNT:ALL"
#define UNCORE_LINE   "skx_unc_imc0::UNC_M_CAS_COUNT:ALL skx_unc_imc0 0 e:f04:0:0 ukg cpus=0,8"
#define PACKAGE_NAME  "rapl::RAPL_ENERGY_PKG"
#define PACKAGE_WORDS "the kernel has no PMU for the events of rapl"

/* For --list: one event, whose description has this word; globs for all of a PMU and for another PMU's; long texts. */
#define LIST_NAME       "skl::INST_RETIRED:ANY_P"
#define LIST_WORD       "retired"
#define LIST_PMU_GLOB   "sk[l]::"
#define LIST_OTHER_GLOB "*::RETIRED_SSE_AVX_FLOPS:A?Y"
#define LIST_OTHER_PMU  "amd64_fam17h_zen2"
#define LIST_LONG_GLOB  "skl::OFFCORE_RESPONSE_0:DMND*"

/* Measured with the library's tools; attributes in every form. A letter belongs to the event if it has one of that
 * case, otherwise to perf. */
static const struct pfm_encoding pfm_encodings[] = {
	{"skl::INST_RETIRED:ANY_P:u", "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 u cpus=any"},
	{"icl::TOPDOWN:SLOTS", "icl::TOPDOWN:SLOTS icl 0 4:400:0:0 uk cpus=any"},
	{"icl::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30",
	 "icl::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30 icl 0 4:1cd:1e:0 uk cpus=any"},
	{"skl::OFFCORE_RESPONSE_0:DMND_DATA_RD",
	 "skl::OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE skl 0 4:1b7:10001:0 uk cpus=any"},
	{"amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY",
	 "amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY amd64_fam17h_zen2 0 4:f03:0:0 uk cpus=any"},
	{"skl::INST_RETIRED:ANY_P:u:c=1:i", "skl::INST_RETIRED:ANY_P:i=1:c=1 skl 0 4:18000c0:0:0 u cpus=any"},
	{"skl::INST_RETIRED:ANY_P:u=1:k=0", "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 u cpus=any"},
	{"SKL::inst_retired.any_p.k", "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 k cpus=any"},
	{"skl::inst_retired:u:any_p", "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 u cpus=any"},
	{"skl::INST_RETIRED:0x1:c=0x10", "skl::INST_RETIRED:0x1:c=16 skl 0 4:100001c0:0:0 uk cpus=any"},
	{"skl::INST_RETIRED:TOTAL_CYCLES", "skl::INST_RETIRED:PREC_DIST:i=1:c=10 skl 0 4:a8001c0:0:0 uk cpus=any"},
	{"skl::INST_RETIRED:ANY_P:c=1:e", "skl::INST_RETIRED:ANY_P:e=1:c=1 skl 0 4:10400c0:0:0 uk cpus=any"},
	{"skl::INST_RETIRED:ANY_P:I", "skl::INST_RETIRED:ANY_P skl 0 4:c0:0:0 uk cpus=any"},
	{"snb::L2_LINES_IN:I", "snb::L2_LINES_IN:I snb 0 4:1f1:0:0 uk cpus=any"},
	{"snb::L2_LINES_IN:E", "snb::L2_LINES_IN:E snb 0 4:4f1:0:0 uk cpus=any"},
	{"amd64_fam17h_zen2::RETIRED_INSTRUCTIONS:G",
	 "amd64_fam17h_zen2::RETIRED_INSTRUCTIONS amd64_fam17h_zen2 0 4:c0:0:0 ukg cpus=any"},
};

static const struct pfm_refusal pfm_refusals[] = {
	{"snb::L2_LINES_IN:E:e", "EINVAL at 19+1", "'e'", ""},
	{"skl::INST_RETIRED:ANYP", "EINVAL at 18+4", "'ANYP'", "ANY_P"},
	{"skl::INST_RETIRED:ANY_P:c=999", "EINVAL at 24+5", "[0-255]", ""},
	{"skl::INST_RETIRED:ANY_P:u:c", "EINVAL at 26+1", "'c'", ""},
	{"skl::INST_RETIRED:ANY_P:c=1:c=2", "EINVAL at 28+3", "already", ""},
	{"skl::FP_ASSIST:c=2", "EINVAL at 15+3", "would become c=3", ""},
	{"skl::INST_RETIRED:ANY_P:PREC_DIST", "EINVAL at 24+9", "'PREC_DIST'", ""},
	{"skl::INST_RETIRED:0x1ff", "EINVAL at 18+5", "not a umask", "PREC_DIST"},
	{"skl::INST_RETIRED:ANY_P:cpu=x", "EINVAL at 28+1", "number", ""},
	{"skl::INST_RETIRED:ANY_P:pppp", "EINVAL at 27+1", "modifier p", ""},
	{"skl::INST_RETIRED:", "EINVAL at 17+1", "nothing follows", ""},
	{"skl::INST_RETIRED:ANY_P=1", "EINVAL at 18+7", "'ANY_P=1'", "ANY_P"},
	{"skl::CYCLE_ACTIVITY", "EINVAL at 5+14", "needs a umask", "STALLS_TOTAL"},
	{"skll::INST_RETIRED", "ENOENT at 0+4", "no PMU 'skll'", "skl"},
	{"skl::NOPE", "ENOENT at 5+4", "'NOPE'", ""},
	{"skl::INST_RETIRE", "ENOENT at 5+11", "'INST_RETIRE'", "skl::INST_RETIRED"},
	{"skl::", "EINVAL at 5+0", "has no event", ""},
};

/* By name, since older libraries do not define the numbers of newer PMUs. */
static const char *const pfm_swept[] = {
	"skl", "icl", "spr", "snb", "hsw", "amd64_fam19h_zen4", "amd64_fam17h_zen2", "amd64_fam15h_interlagos",
};
