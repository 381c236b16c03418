# make bench-scale: the cost of counting on up to 64 CPUs, and in 20 cgroups on each, compared with perf on the same guest.

bench-scale: vm-image ## measure what many CPUs and cgroups cost, in a virtual machine
	@rm -f $(VM_BUILD)/numa64.serial
	@$(VM)/boot numa64 $(VM_BUILD) '$(VM_CACHE)' wide
	@tr -d '\r' <$(VM_BUILD)/numa64.serial | sed -n 's/^# //p'
	@awk -v guest=numa64 -f $(VM)/tap.awk $(VM_BUILD)/numa64.serial | grep '^not ok' || true
	@awk -v guest=numa64 -f $(VM)/tap.awk $(VM_BUILD)/numa64.serial >/dev/null

.PHONY: bench-scale
