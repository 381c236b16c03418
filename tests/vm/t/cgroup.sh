# Control groups of version 2, which the kernel counts once the one above has enabled a controller.
# guests: one smp4
# users: root
. /t/lib.sh

mkdir -p /cg
mount -t cgroup2 none /cg 2>/dev/null
mkdir /cg/one /cg/two

stat -a -G one -e cycles -- true
if [ "$(field cycles status)" = unsupported ]; then
	like "$(field cycles reason)" 'echo \+[a-z]+ >.*cgroup.subtree_control' "the message shows how to enable a controller"
	fix=$(field cycles reason | sed 's/.*: echo/echo/')
	ok "it works" sh -c "$fix"
	stat -a -G one -e cycles -- true
fi
is "$(field cycles status)" idle "no task in it"
is "$(field cycles value)" 0 "so that nothing is counted"

make_in_cgroup

event=syscalls:sys_enter_getppid
stat -a --for-each-cgroup=one,two -e $event,cycles:u -- sh -c \
	'/tmp/in_cgroup one exact 1000000 100 & /tmp/in_cgroup two exact 2000000 300; wait'
is "$(rows value kind=count name=$event scope_id=one)" 100 "the calls in the one"
is "$(rows value kind=count name=$event scope_id=two)" 300 "and in the other"
number "$(rows value kind=count name=cycles:u scope_id=one)" 1000000 1e12 "cycles on a real PMU"
number "$(rows value kind=count name=cycles:u scope_id=two)" 1000000 1e12 "in both"

stat -a -G one,two -e $event,cycles:u -- /tmp/in_cgroup one exact 1000 50
is "$(rows value kind=count name=$event)" 50 "the first event is the first cgroup's"
is "$(rows value kind=count name=cycles:u)" 0 "the second one the second's"
is "$(rows scope_id kind=count name=cycles:u)" two "as its row says"

# More events than counters: each cgroup's rows are estimates with separate errors.
if [ "$vm_guest" = one ]; then # elsewhere a cycle is no fixed part of a nanosecond
	r8=r8:u,r8:u,r8:u,r8:u,r8:u,r8:u
	truth=$(peer r8:u exact 60000000)
	stat -a --for-each-cgroup=one,two -e "$r8,$r8" -- sh -c \
		'/tmp/in_cgroup one exact 60000000 & /tmp/in_cgroup two exact 120000000; wait'
	is "$(rows status kind=count name=r8:u | sort | uniq -c | tr -s ' ')" " 24 scaled" "multiplexed: estimates"
	for column in value error; do
		rows $column kind=count name=r8:u scope_id=one >$column.one
		rows $column kind=count name=r8:u scope_id=two >$column.two
	done
	held=$(for cgroup in one two; do
		paste value.$cgroup error.$cgroup | awk -v cgroup=$cgroup -v truth="$truth" '
			{ d = $1 / (cgroup == "two" ? 2 : 1) - truth; e = 2 * $2 / (cgroup == "two" ? 2 : 1)
			  n += $2 != "" && $2 < truth / 5 && d <= e && d >= -e } END { print n + 0 }'
	done | tr '\n' ' ')
	is "$held" "12 12 " "... each no further from the truth than twice its error"
fi

stat -a --for-each-cgroup=one,two -e $event -- sh -c '/tmp/in_cgroup one exact 1000 50; rmdir /cg/one'
like "$(rows reason kind=count name=$event scope_id=one)" "was removed" "a cgroup that vanishes"
is "$(rows value kind=count name=$event scope_id=one)" 50 "keeps its count"

# A CPU goes and comes back: intervals have what a cgroup did on it.
if [ "$(nproc)" -gt 2 ]; then
	mkdir /cg/one
	cat >goes <<-END
		/tmp/in_cgroup one taskset 4 exact 1000 70
		/tmp/in_cgroup two taskset 4 exact 1000 7
		echo 0 >/sys/devices/system/cpu/cpu2/online
		sleep 0.5
		echo 1 >/sys/devices/system/cpu/cpu2/online
		sleep 0.5
		/tmp/in_cgroup one taskset 4 exact 1000 30
	END
	stat -a -A -I 100 --for-each-cgroup=one,two -e $event -- sh goes
	is "$(sum name=$event scope_id=2 cgroup=one)" 100 "its calls on a CPU that went offline and came back"
	is "$(sum name=$event scope_id=2 cgroup=two)" 7 "and the calls of another cgroup"
fi
done_testing
