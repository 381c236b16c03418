# The program elsewhere: static, for other architectures, other C libraries and other distributions.

STATIC_BUILD := $(BUILD)/static

static: ## build one file that runs on any Linux of this architecture: BUILD/static/pfmstat
	+@$(MAKE) --no-print-directory BUILD=$(STATIC_BUILD) STATIC=1 all

check-static: static $(BUILD)/pfmstat $(HELPERS) | $(LOGS) ## test the static program in an empty root
	@PFMSTAT='$(abspath $(STATIC_BUILD)/pfmstat)' SHARED='$(abspath $(BUILD)/pfmstat)' HELPERS='$(abspath $(BUILD)/helpers)' \
	tests/helpers/run_bats 1 -- tests/portable/static.bats </dev/null | tee $(LOGS)/static.tap

bench-static: static $(BUILD)/pfmstat $(BUILD)/bench/rounds ## what a start of the static program costs, beside the shared one
	@tests/bench/static_cost $(BENCH_RUNS) $(BUILD)/bench/rounds $(BUILD)/pfmstat $(STATIC_BUILD)/pfmstat

check-cross: ## build for other architectures and with musl, as far as their compilers are installed; CROSS='TARGET…'
	@BUILD='$(BUILD)' tests/portable/cross $(CROSS)

check-distros: static $(HELPERS) ## build and test the last commit in releases of Debian; DISTROS='SUITE…', needs root
	@STATIC='$(abspath $(STATIC_BUILD)/pfmstat)' HELPERS='$(abspath $(BUILD)/helpers)' tests/portable/distros $(DISTROS)

.PHONY: static check-static bench-static check-cross check-distros
