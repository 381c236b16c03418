# The kernel's interval of rotation: a note says how to shorten it, and shorter intervals give smaller errors.
# guests: one
# users: root nobody
. /t/lib.sh

file=$(echo /sys/bus/event_source/devices/armv8*/perf_event_mux_interval_ms)
before=$(cat $file)
two=r1:u,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u,r8:u

pfmstat -v -e $two exact 1000 2>table
like "$(tr -s ' \n' ' ' <table)" "rotated every $before ms.*echo 1 >$file" "-v: a note says what would make errors smaller"
pfmstat -v -e r1:u,r2:u exact 1000 2>table
unlike "$(cat table)" "rotated every" "... where groups are multiplexed"

if [ "$VM_USER" = root ]; then
	stat -e $two -- rates phases 3000 5
	long=$(field r8:u error)
	echo 1 >$file
	stat -e $two -- rates phases 3000 5
	number "$(field r8:u error)" 0 "$long" "with shorter intervals the error of a rate in phases is smaller"
	pfmstat -v -e $two exact 1000 2>table
	unlike "$(cat table)" "rotated every" "... and there is no note"
	echo "$before" >$file
fi
done_testing
