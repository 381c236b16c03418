# Tasks on two core PMUs: armv8_cortex_a57 on CPUs 0-1, armv8_cortex_a53 on CPUs 2-3. Each row is the sum of what the task
# did on the cores of either kind, and nothing is missing where the other kind's PMU does not exist.
# guests: hybrid
# users: root
. /t/lib.sh

big=armv8_cortex_a57
little=armv8_cortex_a53

# An event of the total, and of the process that moves, is exactly the sum of its parts, none of which is nothing.
adds_up() { # event, what
	local name=${1%:u} scope
	for scope in total process; do
		[ $scope = process ] && set -- "$1" "$2" comm=sh
		is "$(rows status kind=count scope=$scope "name=$1" ${3-})" exact "$2: $1 of the $scope is exact"
		is "$(rows reason kind=count scope=$scope "name=$1" ${3-})" "" "... without a remark"
		is "$(minus "$(rows value kind=count scope=$scope "name=$1" ${3-})" "$(rows value kind=count scope=$scope "name=$big/$name/u" ${3-})")" \
			"$(rows value kind=count scope=$scope "name=$little/$name/u" ${3-})" "... the sum of its parts"
		number "$(rows value kind=count scope=$scope "name=$big/$name/u" ${3-})" 10000 1e12 "... on the one"
		number "$(rows value kind=count scope=$scope "name=$little/$name/u" ${3-})" 10000 1e12 "... and on the other"
	done
}

# A process that moves from the one kind of cores to the other.
cat >moves <<-'END'
	loop() {
		i=0
		while [ $i -lt 20000 ]; do i=$((i + 1)); done
	}
	taskset -p 1 $$
	loop
	taskset -p 4 $$
	loop
END
for cpu in 0 2; do # where the command's exec is
	taskset -p $((1 << cpu)) $$ >/dev/null
	stat --by=process -e cycles:u,r11:u -- sh moves
	for event in cycles:u r11:u; do
		adds_up $event "exec on CPU $cpu"
	done
	is "$(sum scope=process name=cycles:u)" \
		"$(rows value scope=total name=cycles:u)" "the rows of the processes add up to the total"
done
taskset -p f $$ >/dev/null

# On one kind alone: what is of the other has run no time.
for cpu in 0 2; do
	[ $cpu = 0 ] && here=$big there=$little || here=$little there=$big
	for options in --by=process --by=comm --per-thread; do
		stat $options -e cycles,$here/cpu_cycles/u,$there/cpu_cycles/u -- taskset $((1 << cpu)) exact 1000000
		is "$status" 0 "$options on CPU $cpu"
		number "$(rows value scope=total name=cycles)" 100000 1e12 "... cycles are counted, the kernel's included"
		number "$(rows value scope=total name=$here/cpu_cycles/u)" 100000 1e12 "... and the event of its PMU"
		unlike "$(grep -v ,max_rss, csv | cut -d, -f9,21)" "lost|refuses" "... nothing is missing"
	done
done

# CPUs of one kind alone.
stat --by=process -C 2-3 -e cycles:u,$big/cpu_cycles/u -- taskset 4 exact 1000000
number "$(rows value kind=count comm=exact name=cycles:u)" 1000 1e12 "-C: cycles on these CPUs"
is "$(rows value kind=count comm=exact name=cycles:u)" "$(rows value kind=count comm=exact name=$little/cycles/u)" \
	"... are the part of their PMU"
is "$(rows status kind=count comm=exact name=$big/cpu_cycles/u)" unsupported "... and an event of the other"
like "$(rows reason kind=count comm=exact name=$big/cpu_cycles/u)" "counts only on CPU 0-1" "... names the CPUs of its PMU"

# Processes that run already.
sh -c 'while [ ! -e go ]; do sleep 0.1; done; exec sh moves' >/dev/null &
stat --by=process -e cycles:u -p $! -- sh -c 'touch go; sleep 2'
adds_up cycles:u "-p"
wait
done_testing
