# How often groups take turns is set for a run, and put back after it.
# guests: one hybrid
# users: root nobody
. /t/lib.sh

file=$(echo /sys/bus/event_source/devices/armv8*/perf_event_mux_interval_ms | cut -d " " -f 1)
before=$(cat $file)
two=r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u,r8:u
[ "$vm_guest" = one ] || two=$(cd ${file%/*}/.. && for event in 1 2 3 4 5 6 7 8; do echo "$(basename ${file%/*})/config=$event/u"; done | tr '\n' ,)
two=${two%,}
during='cat '$file' >during'

stat --rotation=1 -e $two -- sh -c "$during; exec exact 10000000"
is "$status" 0 "--rotation=1: the command's exit status"
is "$(cat $file)" "$before" "afterwards all is as before"
if [ "$(id -u)" != 0 ]; then
	is "$(cat during)" "$before" "who may not set it has what there is"
	pfmstat --rotation=1 -e $two exact 1000 2>table
	like "$(tr -s ' \n' ' ' <table)" "groups take turns every $before ms, not every 1: Permission denied" "... and is told so"
	like "$(tr -s ' \n' ' ' <table)" "echo 1 >/sys/" "... and what would set it"
	done_testing
fi
is "$(cat during)" 1 "during the run it is set"

stat --rotation=1 -e r1:u,r2:u -- sh -c "$during"
is "$(cat during)" "$before" "where no groups take turns nothing is set"
stat -e $two -- sh -c "$during"
is "$(cat during)" "$before" "nor without the option"

mkfifo go
pfmstat --rotation=2 -o table -e $two sh -c "echo >ready; read x <go" &
while ! [ -s ready ]; do usleep 10000; done
is "$(cat $file)" 2 "it stays while the command runs"
stat --rotation=1 -e $two -- sh -c "$during"
like "$errors$(pfmstat --rotation=1 -e $two true 2>&1)" "another run has set it" "of two runs one sets it"
is "$(cat during)" 2 "... and the other one leaves it"
kill -9 $!
wait $!
tries=0
while [ "$(cat $file)" != "$before" ] && [ $tries -lt 500 ]; do usleep 10000; tries=$((tries + 1)); done
is "$(cat $file)" "$before" "it is put back even after SIGKILL"
echo >go &

if [ "$vm_guest" = one ]; then
	stat --rotation=1 -e 'r2:uD,{r8:u,r8:u,r8:u,r8:u},{r8:u,r8:u,r8:u,r8:u}' -- sh -c "$during"
	is "$(cat during)" 1 "it is set for groups that take turns behind one that is pinned"

	stat --rotation=$before -e $two -- rates phases 3000 5
		long=$(field $(echo $two | cut -d , -f 8) error)
	stat --rotation=1 -e $two -- rates phases 3000 5
	number "$(field $(echo $two | cut -d , -f 8) error)" 0 "$long" "with more turns the error of a rate in phases is smaller"

	# What it costs the command: the kernel's work at each turn. Time is instructions here, so it is the same in each run.
	stat --rotation=4 -e $two -- rates flat 2000
	slow=$(rows value name=duration_time)
	stat --rotation=1 -e $two -- rates flat 2000
	cost=$(awk -v fast="$(rows value name=duration_time)" -v slow="$slow" 'BEGIN { print 100 * fast / slow - 100 }')
	number "$cost" 0 3 "turns of 1 ms for 4 cost the command little (per cent)"
	note "turns of 1 ms for 4 cost $cost%"
fi
done_testing
