# Targets for tests, analyses and measurements beyond those of `make help`; `make help-all` lists them.

# The tests of a ring: RING=gate, those of `make check`; RING=nightly, those that take long or judge the kernel's work;
# RING=all, both.
RING ?= gate
UNIT_nightly := $(addprefix $(BUILD)/unit/,test_accounting test_known_work test_mux_coverage)
UNIT_gate    := $(filter-out $(UNIT_nightly),$(UNIT))
# Unit tests that topics run.
UNIT_CLI     := $(addprefix $(BUILD)/unit/test_,abi expr condition usual_ratios mux_coverage)
CLI_nightly  := --filter-tags nightly
CLI_gate     := --filter-tags '!nightly'

check-unit: $(UNIT) | $(LOGS) ## run the unit tests
	@tests/helpers/run_unit $(or $(UNIT_$(RING)),$(UNIT)) </dev/null | tee $(LOGS)/unit.tap

# TESTS='tests/events.bats' runs one topic; FILTER='a pattern' the tests whose names match; TEST_JOBS topics run at
# a time.
TESTS     ?= $(wildcard tests/*.bats)
TEST_JOBS ?= 4
check-cli: $(BUILD)/pfmstat $(UNIT_CLI) $(HELPERS) | $(LOGS) ## test the program from outside
	@PFMSTAT="$${PFMSTAT:-$(abspath $(BUILD)/pfmstat)}" HELPERS='$(abspath $(BUILD)/helpers)' \
	tests/helpers/run_bats $(TEST_JOBS) $(CLI_$(RING)) $(BATSFLAGS) $(if $(FILTER),--filter '$(FILTER)') -- $(TESTS) </dev/null | tee $(LOGS)/cli.tap

# MUTANTS='umask-shifted status-lost' tries only these.
mutants: $(HELPERS) $(UNIT_CLI) ## check that the tests notice broken programs; MUTANTS='NAME…', takes minutes
	@HELPERS='$(abspath $(BUILD)/helpers)' tests/mutants/run $(MUTANTS) </dev/null

check-mpi: $(BUILD)/pfmstat $(HELPERS) ## ranks of a job, with Debian's openmpi-bin and libopenmpi-dev
	@tests/mpi/run $(abspath $(BUILD)/pfmstat) $(abspath $(BUILD)/helpers/work)

# PERF_TESTS=DIRECTORY contains those of another version.
check-perf-tests: $(BUILD)/pfmstat ## run perf's own tests of perf stat with pfmstat in its place
	@PFMSTAT='$(abspath $(BUILD)/pfmstat)' tests/perf-tests $(PERF_TESTS)

check-prometheus: $(BUILD)/pfmstat $(BUILD)/helpers/work ## compare Prometheus's rates with pfmstat's; needs Debian's prometheus
	@tests/prometheus $(abspath $(BUILD)/pfmstat) $(abspath $(BUILD)/helpers)

# Machines with a separate root need mmdebstrap and a mirror of Debian.
check-machines: ## try make deps check on machines unlike this one; MACHINES='NAME…', half an hour
	@LOGS='$(abspath $(LOGS))/machines' tests/machines $(MACHINES)

asan-build:
	+@$(ASAN) all unit helpers

messages: ## print all messages of the program
	@tests/helpers/messages

words: ## count the words of the manual: at most 5000 in pfmstat(1) and 15,000 in all
	@for page in man/*; do echo "$$(MANWIDTH=80 man "./$$page" | wc -w) $$page"; done | awk '{ print; all += $$1 } \
		$$2 == "man/pfmstat.1" { main = $$1 } END { print all " in all"; exit !main || main > 5000 || all > 15000 }'

# Checks of clang's analyzer beyond its default ones.
CLANG_CHECKERS := optin.portability,security.FloatLoopCounter,security.insecureAPI.rand,valist.CopyToSelf,valist.Unterminated

analyze: $(SOURCES:src/%.c=$(BUILD)/analyze/%.gcc) $(SOURCES:src/%.c=$(BUILD)/analyze/%.clang) ## analyze the sources statically

# BASE=COMMIT: the changes since then; without it, since this branch left origin/main.
analyze-changed: ## analyze the sources that a change touches, with gcc alone
	+@$(MAKE) --no-print-directory $$(BUILD='$(BUILD)' tests/helpers/changed_sources | sed 's|^src/\(.*\)\.c$$|$(BUILD)/analyze/\1.gcc|')

nightly: ## run the tests outside of the gate: slow, statistical, other machines; takes up to two hours
	@tests/nightly

$(BUILD)/analyze/%.gcc: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(call short,ANALYZE,"$< (gcc)")gcc $(DIALECT) $(CPPFLAGS) -O2 -fanalyzer -Werror -c -o $@ $<

$(BUILD)/analyze/%.clang: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(call short,ANALYZE,"$< (clang)")$(CLANG) $(DIALECT) $(CPPFLAGS) --analyze --analyzer-output text \
		-Xclang -analyzer-werror -Xclang -analyzer-checker=$(CLANG_CHECKERS) -o $@ $<
	@touch $@

OPTION_RUNS ?= 300
OPTION_SEED ?= 1
fuzz-options: asan-build ## random command lines under the sanitizers: OPTION_RUNS of OPTION_SEED
	@tests/fuzz/options.py --runs $(OPTION_RUNS) --seed $(OPTION_SEED) $(BUILD)/asan/pfmstat $(BUILD)/asan/helpers/fault.so

faults: $(BUILD)/pfmstat $(HELPERS) ## print the messages after refusals of the kernel: each error, call and way of counting
	@tests/fuzz/faults $(BUILD)/pfmstat $(BUILD)/helpers

SOAK_RUNS ?= 100
soak-by: $(BUILD)/unit/test_accounting $(BUILD)/bench/pingpong $(BUILD)/helpers/work ## check that the shares of --by are exact; SOAK_RUNS times, takes half an hour
	@tests/bench/by_soak $(SOAK_RUNS) $(BUILD)

bench-interval: $(BUILD)/pfmstat $(BUILD)/bench/interval_floor ## the CPU time of short intervals of the whole system, beside perf's
	@tests/bench/interval_cost --pfmstat $(BUILD)/pfmstat --floor $(BUILD)/bench/interval_floor

selftest-compare: $(BUILD)/pfmstat $(BUILD)/helpers/work ## how often comparisons and --calibrate are wrong; takes ten minutes
	@python3 tests/bench/selftest_compare.py --pfmstat '$(abspath $(BUILD)/pfmstat)' --work '$(abspath $(BUILD)/helpers/work)'

intervals: $(BUILD)/pfmstat ## check the length of a thousand intervals; takes two minutes
	@python3 tests/bench/intervals.py --pfmstat $(BUILD)/pfmstat

pictures: $(BUILD)/pfmstat ## draw the README's pictures anew, from real sessions; as root
	@docs/pictures/render $<

bench-simulated: $(BUILD)/pfmstat $(HELPERS) ## what Valgrind counts beside single steps, and what it costs; takes minutes
	@tests/bench/simulated_cost $(BUILD)/pfmstat $(BUILD)/helpers

.PHONY: check-unit check-cli check-perf-tests check-prometheus check-mpi check-machines mutants asan-build messages words analyze analyze-changed nightly fuzz-options faults soak-by bench-interval bench-simulated selftest-compare intervals pictures
