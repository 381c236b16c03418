# The guests' part of the Makefile: see README.md here.
#
#   make deps-vm                          fetch what the guests are made of (once; no root needed but for QEMU itself)
#   make check-vm                         all guests
#   make check-vm GUESTS='one hybrid'     these
#   make check-vm TOPICS=exact,unit       these topics
#   make vm-shell GUEST=numa16            a shell in a guest

VM       := tests/vm
# Shared by all trees; the number goes up when fetch wants other packages.
VM_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/pfmstat-vm/3
VM_BUILD := $(BUILD)/vm
VM_CC    ?= aarch64-linux-gnu-gcc
GUEST    ?= one

deps-vm: $(VM_CACHE)/packages ## fetch the kernel and the packages of the virtual machines

$(VM_CACHE)/packages:
	$(VM)/fetch '$(VM_CACHE)'

# The same Makefile builds for the guests. libpfm4's and libelf's headers come from the guests' packages: after the
# cross compiler's own, which has its libc.
vm-build: $(VM_CACHE)/packages
	@$(MAKE) --no-print-directory CC='$(VM_CC)' BUILD='$(VM_BUILD)/arm64' SANITIZE= CPPFLAGS= \
		CFLAGS='-O2 -g -idirafter $(VM_CACHE)/root/usr/include' LDFLAGS= all unit '$(VM_BUILD)/arm64/helpers/work' '$(VM_BUILD)/arm64/helpers/regions'

$(VM_BUILD)/arm64/payload/exact: $(VM)/exact.c
	@mkdir -p $(@D)
	$(call short,CC,$(<:.c=))$(VM_CC) -std=gnu11 -O2 -g $(WARNINGS) -ffreestanding -fno-stack-protector -fno-pie -static -nostdlib -o $@ $<

VM_TOOLS := $(addprefix $(VM_BUILD)/arm64/payload/,as_user called hold seed)

$(VM_TOOLS): $(VM_BUILD)/arm64/payload/%: $(VM)/%.c
	@mkdir -p $(@D)
	$(call short,CC,$(<:.c=))$(VM_CC) -std=gnu11 -D_GNU_SOURCE -O2 -g $(WARNINGS) -static -o $@ $<

$(VM_BUILD)/hybrid%.dtb: $(VM)/hybrid-dtb $(VM_CACHE)/packages
	@mkdir -p $(@D)
	$(VM)/hybrid-dtb $@ $*

vm-image: vm-build $(VM_BUILD)/arm64/payload/exact $(VM_TOOLS) $(VM_BUILD)/hybrid2.dtb $(VM_BUILD)/hybrid4.dtb
	@$(VM)/image '$(VM_CACHE)' $(VM_BUILD)/image.cpio $(VM) $(VM_BUILD)/arm64 '$(METRICSDIR)'

check-vm: vm-image | $(LOGS) ## test in virtual machines with a PMU
	@$(VM)/check $(VM_BUILD) '$(VM_CACHE)' '$(TOPICS)' $(GUESTS) | tee $(LOGS)/vm.tap; \
	awk -f tests/helpers/total.awk -v quiet=1 $(LOGS)/vm.tap

vm-shell: vm-image ## a shell in a virtual machine, GUEST=one
	@$(VM)/boot '$(GUEST)' $(VM_BUILD) '$(VM_CACHE)' shell

.PHONY: deps-vm check-vm vm-build vm-image vm-shell
-include $(VM)/coverage.mk $(VM)/scale.mk
