# make coverage: how often the intervals of multiplexed counts contain the truth, and their widths. A table, from
# a guest in which the truth is known; COVERAGE_SEEDS works of each kind, only of COVERAGE_KINDS if it is set, each of
# about COVERAGE_MS ms.

COVERAGE_SEEDS ?= 4
COVERAGE_ANCHOR ?= blind
COVERAGE_MS ?= 300

$(VM_BUILD)/arm64/payload/rates: $(VM)/rates.c
	@mkdir -p $(@D)
	$(call short,CC,$(<:.c=))$(VM_CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -static -o $@ $<

vm-image: $(VM_BUILD)/arm64/payload/rates

coverage: vm-image ## measure how often error intervals hold the truth, in a virtual machine
	@rm -f $(VM_BUILD)/coverage.serial
	@VM_TIMEOUT=6000 VM_APPEND='COVERAGE_SEEDS=$(COVERAGE_SEEDS) COVERAGE_ANCHOR=$(COVERAGE_ANCHOR) COVERAGE_MS=$(COVERAGE_MS) $(if $(COVERAGE_KINDS),COVERAGE_KINDS=$(COVERAGE_KINDS))' $(VM)/boot coverage $(VM_BUILD) '$(VM_CACHE)' coverage
	@awk -f $(VM)/coverage.awk $(VM_BUILD)/coverage.serial

.PHONY: coverage
