# CPUs that are offline, that go offline and that come online while they are counted. Not with SMT: QEMU gives the kernel
# a tree of sockets, cores and threads that it complains of each time a CPU goes.
# guests: smp4
# users: root
. /t/lib.sh

calls=syscalls:sys_enter_getppid
switch=/sys/devices/system/cpu/cpu2/online

echo 0 >$switch
stat -C 1-2 -e cs -- true
is "$status" 125 "-C of an offline CPU"
like "$errors" "CPU 2 is offline" "says so"
like "$errors" "echo 1 >$switch" "and contains the remedy"
stat -a -A -e cs -- true
is "$(rows scope_id name=cs | tr '\n' ' ')" "0 1 3 " "-a leaves it out"
pfmstat -a -e cs -- sh -c "echo 1 >$switch; sleep 0.5" 2>table
like "$(cat table)" "CPU 2 came online" "a note names a CPU that comes online"

# Work on a CPU before pfmstat knows of it cannot be counted: neither it nor any sum with it is complete.
comes="echo 1 >$switch; taskset 4 exact 1000 5000; sleep 0.2"
came="its CPU came online: it was counted from then on"
for options in -a "-a --per-core" "-a --per-socket" "-a --per-node" "-a -A" "-a -I 100"; do
	echo 0 >$switch
	stat --strict $options -e $calls -- sh -c "$comes"
	is "$status" 125 "--strict $options: a CPU comes"
	like "$errors" "$came" "... is reported"
	like "$(rows reason kind=count name=$calls | sort -u)" "$came" "... by the row"
	unlike "$(rows reason name=$calls scope_id=1)" "online" "... and not by the rows of other CPUs"
done
echo 0 >$switch
stat --strict -C 0-1 -e $calls -- sh -c "$comes"
is "$status" 0 "-C: a CPU that is not selected may come online"

# At the very end.
echo 0 >$switch
stat --strict -a -A -e $calls -- sh -c "echo 1 >$switch"
like "$errors" "$came" "a CPU that comes at the end is also reported"

# It makes its calls, then it goes.
cat >goes <<-END
	taskset 4 exact 1000 1234
	echo 0 >$switch
	sleep 0.5
END
stat -a -A -e "$calls,{cycles:u,cs,page-faults}" -- sh goes
is "$status" 0 "a CPU goes offline"
number "$(rows value name=$calls scope_id=2)" 1234 1239 "the count on it is kept"
number "$(rows value name=cycles:u scope_id=2)" 2000 1e12 "that of a group's leader"
number "$(rows value name=cs scope_id=2)" 1 1e9 "that of a member"
number "$(rows value name=page-faults scope_id=2)" 1 1e9 "and of another"
is "$(rows reason name=$calls scope_id=2)" "its CPU went offline: it was counted until then" "the row says so"
is "$(rows reason name=$calls scope_id=1)" "" "and others do not"
echo 1 >$switch
stat --strict -a -e $calls -- sh goes
is "$status" 125 "--strict: a CPU goes"
like "$errors" "went offline: it was counted until then" "... is reported"
is "$(field $calls reason)" "its CPU went offline: it was counted until then" "... by the total's row"
echo 1 >$switch

# It comes back and makes more, which the next interval shows. The shell itself may make one call.
cat >back <<-END
	taskset 4 exact 1000 1000
	echo 0 >$switch
	sleep 0.5
	echo 1 >$switch
	sleep 0.5
	taskset 4 exact 1000 500
END
stat -a -A -e $calls -- sh back
is "$(rows status name=$calls scope_id=2)" partial "offline and back, unnoticed: the count before is a lower bound"
like "$(rows reason name=$calls scope_id=2)" "went offline and came back" "... and says so"
number "$(rows value name=$calls scope_id=2)" 1000 1005 "... without the calls after it"
stat -a -A -I 100 -e $calls -- sh back
number "$(sum name=$calls scope_id=2)" 1500 1505 "offline and back: both parts are in the CPU's rows"
stat -a --per-node -I 100 -e $calls -- sh back
number "$(sum name=$calls)" 1500 1505 "and in the node's"
stat -C 2 -I 100 -e $calls -- sh back
number "$(sum name=$calls)" 1500 1505 "and in the intervals of -C"
pfmstat -x, -o csv -a --per-node -e cs -- sh back
is "$(grep , csv | cut -d, -f1,2)" N0,4 "it is one of four CPUs"
pfmstat -v -a -I 100 -e cs -- sh back 2>table
like "$(cat table)" "CPU 2 went offline" "notes report both: offline"
like "$(cat table)" "CPU 2 came online" "and online"

# Tasks are not followed on a CPU that comes.
for options in --by=process "-a --by=comm" "-a --per-thread"; do
	echo 0 >$switch
	stat $options -e $calls -- sh -c "echo 1 >$switch; sleep 0.5; taskset 4 exact 1000 500"
	is "$(rows status kind=count name=$calls | sort -u)" partial "$options: a CPU that comes online: all counts are lower bounds"
	like "$(rows reason kind=count name=$calls | sort -u)" "CPU 2 came online" "... and the reason"
done

# ... nor on one that goes and comes back.
echo 1 >$switch
for options in --by=process "-a --by=comm" "-a --by=comm -I 100 --summary"; do
	stat $options -e $calls -- sh back
	is "$(rows status kind=count name=$calls scope=total time= | sort -u)" partial "$options: a CPU that goes and comes back: all counts are lower bounds"
	like "$(rows reason kind=count name=$calls time= | sort -u)" "CPU 2 came online" "... and the reason"
done
done_testing
