# The guests: for each a line in `guests`, and the arguments of QEMU and the kernel. Sourced by bash scripts.
#
# Every machine has GICv3 so that the hybrid's device tree (hybrid-dtb) differs only in its PMUs, and libpfm4
# recognizes a Cortex-A57 as arm_ac57. Instructions are counted under -icount only, which serializes the CPUs and makes
# one nanosecond an instruction (shift=0), or eight (shift=3): exact figures there, real parallelism elsewhere.

# shellcheck disable=SC2034
guests="one one3 smp4 numa16 hybrid nopmu core"

# Seconds until a guest is taken for hung; each needs a small part of this time on an idle machine with 2 cores, and
# several times as much on a busy one.
guest_timeout() {
	case $1 in
	numa64) echo 1800 ;;
	*) echo 1200 ;;
	esac
}

# Sets the array qemu_arguments. $2: the directory of the device trees.
guest_arguments() {
	local machine=virt,gic-version=3,dtb-randomness=off cpu=cortex-a57
	local single=(-smp 1 -m 768 -icount)

	case $1 in
	one) qemu_arguments=("${single[@]}" "shift=0,sleep=off") ;;
	one3 | coverage) qemu_arguments=("${single[@]}" "shift=3,sleep=off") ;;
	nopmu)
		qemu_arguments=(-smp 1 -m 768)
		cpu+=,pmu=off
		;;
	smp4) qemu_arguments=(-smp 4 -m 768) ;;
	hybrid) qemu_arguments=(-smp 4 -m 768 -dtb "$2/hybrid4.dtb") ;;
	core) # no clock but the instructions': each boot is the same, whatever else the host does
		qemu_arguments=(-smp 2 -m 768 -dtb "$2/hybrid2.dtb" -icount "shift=0,sleep=off"
			-rtc "base=2020-01-01,clock=vm")
		;;
	numa16)
		qemu_arguments=(-smp "16,sockets=2,cores=4,threads=2" -m 1024
			-object "memory-backend-ram,id=m0,size=512M" -object "memory-backend-ram,id=m1,size=512M"
			-numa "node,nodeid=0,memdev=m0,cpus=0-7" -numa "node,nodeid=1,memdev=m1,cpus=8-15")
		;;
	numa64) # not among `guests`: see scale.mk. Time is instructions: what the host cannot do at once takes none
		qemu_arguments=(-smp "64,sockets=2,cores=16,threads=2" -m 2048 -icount "shift=0,sleep=off"
			-object "memory-backend-ram,id=m0,size=1G" -object "memory-backend-ram,id=m1,size=1G"
			-numa "node,nodeid=0,memdev=m0,cpus=0-31" -numa "node,nodeid=1,memdev=m1,cpus=32-63")
		;;
	*)
		echo "no guest '$1'; there are: $guests" >&2
		return 1
		;;
	esac
	qemu_arguments+=(-machine "$machine" -cpu "$cpu" -nodefaults -no-user-config -display none -no-reboot)
}
