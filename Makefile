# pfmstat: build, test and install. `make help` lists the common targets.
#
# CC, CPPFLAGS, CFLAGS, LDFLAGS, PREFIX, BINDIR, DATADIR, MANDIR, DOCDIR, INCLUDEDIR, DESTDIR and BUILD have their usual
# meaning; PYTHONDIR is the directory of the Python module, by default where PYTHON looks below PREFIX; STRIP= keeps the
# symbols of the installed program; V=1 shows whole commands; WERROR=1 makes warnings errors; SANITIZE=address,undefined builds with sanitizers (use a separate BUILD).

SHELL       := /bin/bash
.SHELLFLAGS := -o pipefail -c

CC      ?= cc
BUILD   ?= build
# The GNU variable names may be given on the command line.
PREFIX  ?= $(if $(filter command%,$(origin prefix)),$(prefix),/usr/local)
BINDIR  ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
DOCDIR  ?= $(DATADIR)/doc/pfmstat
INCLUDEDIR ?= $(PREFIX)/include
PYTHON  ?= python3
STRIP   ?= strip
# Without a directory below PREFIX, programs need it in PYTHONPATH.
PYTHONDIR  ?= $(or $(shell $(PYTHON) -c 'import sys; \
	print(*[path for path in sys.path if path.startswith("$(PREFIX)/lib") and path.endswith("-packages")][:1])' 2>/dev/null), \
	$(DATADIR)/pfmstat/python)
# Compiled in: metrics and events that every run can name.
METRICSDIR := $(DATADIR)/pfmstat/metrics
CFLAGS  ?= -O2 -g
CLANG   ?= clang

FUZZ_SECONDS ?= 60
BENCH_RUNS   ?= 300
BY_RUNS      ?= 25

VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wimplicit-fallthrough
HARDEN_C := -fPIE -fstack-protector-strong
# A packager may set it.
ifeq ($(findstring _FORTIFY_SOURCE,$(CC) $(CPPFLAGS) $(CFLAGS)),)
HARDEN_C += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
HARDEN_L := -pie -Wl,-z,relro,-z,now
# Loading libm takes time at every start: without errno a square root is an instruction, and unused libraries are not linked.
LEAN_C := -fno-math-errno
LEAN_L := -Wl,--as-needed

DIALECT     := -std=gnu11 -D_GNU_SOURCE -DPFMSTAT_VERSION='"$(VERSION)"' -Isrc \
	-DMETRICS_DIRECTORY='"$(METRICSDIR)"'
# The program does not depend on the directory in which it is built.
PLACELESS := '-ffile-prefix-map=$(CURDIR)=.'
ALL_CFLAGS  := $(DIALECT) $(WARNINGS) $(PLACELESS) $(HARDEN_C) $(LEAN_C) $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(HARDEN_L) $(LEAN_L) $(LDFLAGS)
ifdef WERROR
ALL_CFLAGS += -Werror
endif
ifdef SANITIZE
ALL_CFLAGS := $(filter-out -D_FORTIFY_SOURCE=2,$(ALL_CFLAGS)) -fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined,float-cast-overflow \
	-fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
endif

# STATIC=1: one file that runs on any Linux of its architecture, with the libraries in it. At a fixed address:
# relocating libpfm4's tables would cost every start a millisecond. libelf's dependencies differ by version. Before
# 2.34, glibc has dlopen in a separate library.
LIBS := -lm -ldl
ifdef STATIC
ALL_CFLAGS := $(filter-out -fPIE,$(ALL_CFLAGS)) -fno-pie -DPFMSTAT_STATIC
ALL_LDFLAGS := $(filter-out -pie,$(ALL_LDFLAGS)) -static -s
LIBS := -lpfm -ldw -lelf -lm $(filter /%,$(foreach name,z zstd bz2 lzma,$(shell $(CC) -print-file-name=lib$(name).a)))
endif

# Building a file prints one line, `  CC      src/event/abi.o`; nothing with -s, the command with V=1. MAKEFLAGS begins
# with the options of one letter.
SILENT := $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS))))
ifneq ($(V),1)
short = @$(if $(SILENT),,printf '  %-7s %s\n' $(1) $(2);)
endif

# The folders of src. A file includes headers of its folder and of the folders to the left; folders with | between them
# do not include each other. `make lint` checks it.
FOLDERS := lib os host | event pmu pfm | stats calls trace resolve metric plan count by rows compare saved report \
	report/page report/formats | report/perf | report/table | report/pictures run cli

SOURCES := $(wildcard src/*/*.c src/*/*/*.c)
HEADERS := $(wildcard src/*/*.h src/*/*/*.h)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o)
LIBRARY := $(filter-out %/main.o,$(OBJECTS))
UNIT    := $(patsubst %.c,$(BUILD)/unit/%,$(notdir $(wildcard tests/unit/*/test_*.c)))
ifneq ($(words $(UNIT)),$(words $(sort $(UNIT))))
$(error two unit tests have one file name, so that one of them would not be built)
endif
FUZZ    := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/fuzz_%,$(wildcard tests/fuzz/fuzz_*.c))
HELPERS := $(addprefix $(BUILD)/helpers/,work calls machine fault.so libpfm/libpfm.so.4 pfm_oracle seccomp tracefs_probe switches cpuwide task_reads peak instructions singlestep nomem.so clock.so regions usdt requests)
LOGS    := $(BUILD)/log

all: $(BUILD)/pfmstat ## build the program (the default)

$(BUILD)/pfmstat: $(OBJECTS)
	$(call short,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(OBJECTS) $(LIBS)

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,CC,$(<:.c=.o))$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Every unit test is linked with the whole program except main. Before 2.34, glibc has openpty in a separate library.
vpath test_%.c $(wildcard tests/unit/*)
$(BUILD)/unit/test_%: test_%.c tests/unit/tap.h tests/unit/scratch.h $(LIBRARY) | $(BUILD)/unit
	$(call short,CC,$(<:.c=))$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -Itests/unit -o $@ $< $(LIBRARY) $(LIBS) -lutil -pthread

# Programs that the tests run are built plainly, with any flags of the program. They are static and at fixed addresses,
# for few system calls and page faults, and a breakpoint's address that is known before they run.
$(BUILD)/helpers/%: tests/helpers/%.c | $(BUILD)/helpers
	$(call short,CC,$(<:.c=))$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) $(HELPER_C) -fno-pie -static -no-pie -o $@ $< -pthread

$(BUILD)/helpers/regions: clients/pfmstat.h
$(BUILD)/helpers/regions: private HELPER_C := -Iclients

$(BUILD)/helpers/%.so: tests/helpers/%.c | $(BUILD)/helpers
	$(call short,CC,$(<:.c=.so))$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -fPIC -shared -o $@ $< -ldl

# The installed libpfm4 with another code: its name must be the library's.
$(BUILD)/helpers/libpfm/libpfm.so.4: tests/helpers/libpfm.c | $(BUILD)/helpers
	$(call short,CC,$(<:.c=.so))mkdir -p $(@D) && $(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) \
		-DINSTALLED='"$(shell $(CC) -print-file-name=libpfm.so)"' -fPIC -shared -o $@ $< -ldl

# libpfm4 linked directly: an oracle for the names that pfmstat resolves with it.
$(BUILD)/helpers/pfm_oracle: tests/helpers/pfm_oracle.c | $(BUILD)/helpers
	$(call short,CC,$(<:.c=))$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -o $@ $< -lpfm

$(BUILD)/bench/%: tests/bench/%.c | $(BUILD)/bench
	$(call short,CC,$(<:.c=))$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -o $@ $<

# Linked as the unit tests are.
$(BUILD)/bench/task_statistics: tests/bench/task_statistics.c $(LIBRARY) | $(BUILD)/bench
	$(call short,CC,$(<:.c=))$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(LIBS) -pthread

$(BUILD) $(BUILD)/unit $(BUILD)/helpers $(BUILD)/bench $(LOGS):
	@mkdir -p $@

# Rewritten when the compiler or its flags change, so that everything is built again; if only the directory changes, as
# with `make install PREFIX=/usr`, only the files that contain it.
FLAGS_NOW = $(CC) $(filter-out -DMETRICS_DIRECTORY=%,$(ALL_CFLAGS)) $(ALL_LDFLAGS)
write_changed = @printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE | $(BUILD)
	$(call write_changed,$(FLAGS_NOW))

$(BUILD)/directory: FORCE | $(BUILD)
	$(call write_changed,$(METRICSDIR))

$(BUILD)/obj/pmu/vendor_files.o: $(BUILD)/directory
$(BUILD)/obj/cli/schema.o: $(wildcard schema/*.json)

ERRATA := src/pfm/errata_table.c src/pmu/vendor_lost_table.c src/resolve/spelling_table.c
errata: $(BUILD)/helpers/pfm_oracle ## make the tables of errata again; say what the installed one has mended
	metrics/errata.py $(ERRATA)
	git diff --stat -- $(ERRATA)
	metrics/errata.py --check $<

run: $(BUILD)/pfmstat ## count the cost of rebuilding this tree
	env -u MAKEFLAGS -u MAKELEVEL '$(abspath $(BUILD)/pfmstat)' make -s -B -j2 BUILD=$(BUILD)/run

unit: $(UNIT) ## build the unit tests
helpers: $(HELPERS)

check: ## run all tests
	@rm -f $(LOGS)/unit.tap $(LOGS)/cli.tap
	@$(MAKE) --no-print-directory -k check-unit check-cli; status=$$?; \
	awk -f tests/helpers/total.awk $(LOGS)/unit.tap $(LOGS)/cli.tap || status=1; exit $$status

ASAN := $(MAKE) --no-print-directory BUILD=$(BUILD)/asan SANITIZE=address,undefined,float-cast-overflow CFLAGS='-O1 -g'
ASAN_TARGET ?= check

# The shim is loaded before the sanitizer's library, which permits that.
asan: ## run all tests with the address and undefined-behaviour sanitizers
	+@ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 PFMSTAT_SANITIZED=1 \
	$(ASAN) $(ASAN_TARGET)

lint: | $(LOGS) ## check style, layers and boundaries
	@CC='$(CC)' FOLDERS='$(FOLDERS)' DIALECT='$(subst ','\'',$(DIALECT))' tests/helpers/lint | tee $(LOGS)/lint.tap

FUZZ_CFLAGS := $(DIALECT) $(CPPFLAGS) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined

# A corpus is a directory of inputs, or NAME.txt with an input in each line.
fuzz: $(FUZZ) ## fuzz the parsers, FUZZ_SECONDS each, or a fixed set of FUZZ_RUNS inputs
	@status=0; for program in $(FUZZ); do \
		name=$${program##*/fuzz_}; corpus=$(BUILD)/fuzz/corpus/$$name; dictionary=tests/fuzz/$$name.dict; \
		seeds=tests/fuzz/corpus/$$name; \
		if [ -f $$seeds.txt ]; then \
			lines=$$seeds.txt; seeds=$(BUILD)/fuzz/seeds/$$name; rm -rf $$seeds; mkdir -p $$seeds; \
			awk -v to=$$seeds/ '{ printf "%s", $$0 >(to NR); close(to NR) }' $$lines; \
		fi; \
		$(if $(FUZZ_RUNS),corpus=$(BUILD)/fuzz/runs/$$name; rm -rf $$corpus;) mkdir -p $$corpus; \
		echo "fuzz_$$name: $(if $(FUZZ_RUNS),$(FUZZ_RUNS) inputs,$(FUZZ_SECONDS) s)"; \
		$$program $(if $(FUZZ_RUNS),-seed=1 -runs=$(FUZZ_RUNS),-max_total_time=$(FUZZ_SECONDS)) \
			-timeout=10 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=$(BUILD)/fuzz/$$name- $$([ -f $$dictionary ] && echo -dict=$$dictionary) \
			$$corpus $$([ -d $$seeds ] && echo $$seeds) </dev/null || status=1; \
	done; exit $$status

$(BUILD)/fuzz/obj/%.o: src/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(call short,CC,"$(<:.c=.o) (fuzzed)")$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(wildcard tests/fuzz/*.h) $(LIBRARY:$(BUILD)/%=$(BUILD)/fuzz/%)
	$(call short,CC,$(<:.c=))$(CLANG) $(FUZZ_CFLAGS) -Itests/unit -fsanitize=fuzzer -o $@ $(filter-out %.h,$^) -lm

bench: $(BUILD)/pfmstat $(addprefix $(BUILD)/bench/,floor lookup rounds pingpong task_statistics) $(addprefix $(BUILD)/helpers/,work regions calls peak) ## measure the overhead
	@status=0; \
	python3 tests/bench/bench.py --runs $(BENCH_RUNS) --pfmstat $(BUILD)/pfmstat --programs $(BUILD)/bench || status=1; \
	tests/bench/waits 21 $(BUILD)/pfmstat || status=1; \
	python3 tests/bench/attach_cost --pfmstat $(BUILD)/pfmstat --work $(BUILD)/helpers/work || status=1; \
	python3 tests/bench/regions_cost $(BY_RUNS) $(BUILD)/pfmstat $(BUILD)/helpers $(BUILD)/bench || status=1; \
	python3 tests/bench/calls_cost $(BY_RUNS) $(BUILD)/pfmstat $(BUILD)/helpers || status=1; \
	python3 tests/bench/by_cost $(BY_RUNS) $(BUILD)/pfmstat $(BUILD)/helpers $(BUILD)/bench || status=1; \
	tests/bench/merge_cost $(BUILD)/pfmstat || status=1; \
	tests/bench/verdict_cost 5 $(BUILD)/pfmstat $(BEFORE) || status=1; \
	$(BUILD)/bench/task_statistics || status=1; \
	exit $$status

bench-growth: $(BUILD)/pfmstat $(BUILD)/bench/rounds $(BUILD)/helpers/work ## measure how the cost grows with the work
	@tests/bench/growth --pfmstat $(BUILD)/pfmstat --programs $(BUILD)/bench --work $(BUILD)/helpers/work $(MODES)

# The manual's sections, the completions, the documents and the schema of -j go where their readers look for them.
MAN1DIR   := $(MANDIR)/man1
MAN5DIR   := $(MANDIR)/man5
MAN7DIR   := $(MANDIR)/man7
BASHDIR   := $(DATADIR)/bash-completion/completions
ZSHDIR    := $(DATADIR)/zsh/site-functions
FISHDIR   := $(DATADIR)/fish/vendor_completions.d
SCHEMADIR := $(DATADIR)/pfmstat/schema
UNITDIR   := $(DATADIR)/pfmstat/systemd
MAN1      := $(wildcard man/*.1)
MAN5      := $(wildcard man/*.5)
MAN7      := $(wildcard man/*.7)
SCHEMAS   := $(wildcard schema/*.json)
UNITS     := $(wildcard packaging/systemd/*.service)
METRICS   := $(wildcard metrics/*.json metrics/*/*.json)
DOCUMENTS := LICENSE NEWS.md README.md
INSTALLED = $(BINDIR)/pfmstat $(MAN1:man/%=$(MAN1DIR)/%) $(MAN5:man/%=$(MAN5DIR)/%) $(MAN7:man/%=$(MAN7DIR)/%) \
	$(BASHDIR)/pfmstat $(ZSHDIR)/_pfmstat $(FISHDIR)/pfmstat.fish $(SCHEMAS:schema/%=$(SCHEMADIR)/%) \
	$(UNITS:packaging/systemd/%=$(UNITDIR)/%) $(DOCUMENTS:%=$(DOCDIR)/%) \
	$(METRICS:metrics/%=$(METRICSDIR)/%) $(INCLUDEDIR)/pfmstat.h $(PYTHONDIR)/pfmstat.py

define newline


endef

# put MODE,DIRECTORY,FILES
put = $(call short,INSTALL,'$(DESTDIR)$(2)')install -D -m $(1) -t '$(DESTDIR)$(2)' $(3)

install: $(BUILD)/pfmstat ## install the program and its files below DESTDIR
	$(call put,755,$(BINDIR),$(BUILD)/pfmstat)
	$(if $(STRIP),$(STRIP) '$(DESTDIR)$(BINDIR)/pfmstat')
	$(call put,644,$(MAN1DIR),$(MAN1))
	$(call put,644,$(MAN5DIR),$(MAN5))
	$(call put,644,$(MAN7DIR),$(MAN7))
	@sed -i 's|/usr/local/share/pfmstat/python|$(PYTHONDIR)|; s|/usr/local/share/pfmstat|$(DATADIR)/pfmstat|' \
		$(foreach page,$(MAN1:man/%=$(MAN1DIR)/%) $(MAN5:man/%=$(MAN5DIR)/%) $(MAN7:man/%=$(MAN7DIR)/%),'$(DESTDIR)$(page)')
	$(call short,INSTALL,'$(DESTDIR)$(BASHDIR)')install -D -m 644 completions/pfmstat.bash '$(DESTDIR)$(BASHDIR)/pfmstat'
	$(call put,644,$(ZSHDIR),completions/_pfmstat)
	$(call put,644,$(FISHDIR),completions/pfmstat.fish)
	$(call put,644,$(SCHEMADIR),$(SCHEMAS))
	$(call put,644,$(UNITDIR),$(UNITS))
	$(call put,644,$(DOCDIR),$(DOCUMENTS))
	$(call put,644,$(INCLUDEDIR),clients/pfmstat.h)
	$(call put,644,$(PYTHONDIR),clients/pfmstat.py)
	$(foreach file,$(METRICS),$(call put,644,$(patsubst %/,%,$(dir $(METRICSDIR)/$(file:metrics/%=%))),$(file))$(newline))

uninstall: ## remove the installed files
	rm -f $(foreach file,$(INSTALLED),'$(DESTDIR)$(file)') '$(DESTDIR)$(PYTHONDIR)'/__pycache__/pfmstat.*.pyc
	rmdir $(foreach directory,$(SCHEMADIR) $(UNITDIR) $(patsubst metrics/%/,$(METRICSDIR)/%,$(sort $(dir $(wildcard metrics/*/*.json)))) \
		$(METRICSDIR) $(filter $(DATADIR)/pfmstat/%,$(PYTHONDIR)) $(dir $(SCHEMADIR)) $(DOCDIR),'$(DESTDIR)$(directory)') 2>/dev/null || :

dist: | $(BUILD) ## a tarball of the last commit, or of this tree where there is no git
	@packaging/dist pfmstat-$(VERSION) $(BUILD)
	@echo $(BUILD)/pfmstat-$(VERSION).tar.gz

# `make deps run` and `make deps install` install only a compiler and libraries; `make deps` and `make deps check` also
# the packages for testing, linting and the benchmark, which are several times as large.
BUILD_PACKAGES := gcc libc6-dev libpfm4-dev libelf-dev libdw-dev
TEST_PACKAGES  := g++ bats jq valgrind python3 python3-jsonschema python3-scipy libcap2-bin strace locales zsh fish git zstd linux-perf \
	clang clang-format clang-tidy libclang-rt-dev cppcheck shellcheck mandoc universal-ctags

OTHER_GOALS    := $(filter-out deps,$(MAKECMDGOALS))
ONLY_BUILDS    := $(if $(OTHER_GOALS),$(if $(filter-out all run install,$(OTHER_GOALS)),,yes))
PACKAGES       := $(BUILD_PACKAGES) $(if $(ONLY_BUILDS),,$(TEST_PACKAGES))

deps: ## install the packages for building and testing (Debian); `make deps run`: only for building
	@missing=$$(for package in $(PACKAGES); do \
		dpkg-query -W -f '$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || echo $$package; done); \
	[ -z "$$missing" ] && { echo "deps: all there"; exit 0; }; \
	root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	echo "deps: installing" $$missing; \
	$$root flock -o /var/lib/dpkg sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=600 install "$$@"' apt $$missing

clean: ## remove all built files
	rm -rf $(BUILD)

COMMON_TARGETS := all check lint asan fuzz bench install uninstall deps static clean help help-all
help: ## list the common targets
	@awk -F ':.*## ' -v common=' $(COMMON_TARGETS) ' \
		'/^[a-z-]+:.*## / && index(common, " " $$1 " ") { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

help-all: ## list all targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include tests/tests.mk tests/vm/vm.mk tests/portable/portable.mk packaging/packaging.mk
-include $(OBJECTS:.o=.d) $(UNIT:%=%.d)

FORCE:
.DELETE_ON_ERROR:
.PHONY: all run unit helpers check asan lint fuzz bench bench-growth install uninstall dist deps clean help help-all FORCE
