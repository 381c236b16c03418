# How events are packed into groups, on a PMU of six counters and one only for cycles.
# guests: one
# users: root nobody
. /t/lib.sh

# groups EVENTS N: they are N groups. Long enough for several rotations of 4 ms.
groups() {
	stat -e "$1" -- exact 10000000
	is "$status" 0 "$1"
	is "$(rows group kind=count | grep -c '^[0-9]')" "$(echo "$1" | tr -d '{}' | tr , '\n' | wc -l)" "... all in groups"
	is "$(rows group kind=count | grep '^[0-9]' | sort -u | wc -l)" "$2" "... of which there are $2"
}

r6=r1:u,r2:u,r3:u,r4:u,r5:u,r6:u
groups cycles:u,instructions:u 1
groups $r6 1
groups $r6,cycles:u 1
is "$(rows status kind=count unit= | sort -u)" exact "seven that fit are exact"
groups $r6,r7:u,cycles:u 2
is "$(rows status name=cycles:u)$(rows status name=r7:u)" scaledscaled "eight are multiplexed"
groups $r6,r7:u,r8:u,r9:u,ra:u,rb:u,rc:u 2
groups page-faults,cycles:u,cs,instructions:u 2
is "$(field page-faults group)" "$(field cs group)" "software events are a group"
is "$(field cycles:u group)" "$(field instructions:u group)" "hardware events are another"
is "$(field page-faults enabled_ns)" "$(field page-faults running_ns)" "... which never multiplexes"

# Eight times cycles open without an error and never run: this must be found by trying.
c4=cycles:u,cycles:u,cycles:u,cycles:u
groups $c4,$c4 2
isnt "$(rows status name=cycles:u | sort -u)" starved "... and no group starves"

# Counters of the list's pinned events are not available to the others.
groups r1:uD,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u 3
is "$(rows status kind=count unit= | uniq -c | tr -s ' ')" " 1 exact
 6 scaled" "a pinned event leaves room for five"
groups "{r1:u,r2:u}:D,r3:u,r4:u,r5:u,r6:u,r7:u,cycles:u" 3
is "$(rows status kind=count unit= | uniq -c | tr -s ' ')" " 2 exact
 6 scaled" "... and two for four"

stat -e "{r8:uD,r8:u,r8:u},{r8:u,r8:u,r8:u,r8:u}" -- exact 20000000
is "$(rows status kind=count name=r8:u | uniq -c | tr -s ' ')" " 5 exact
 1 unsupported" "a group is pinned as a whole: it leaves room for three of four"
is "$(rows status kind=count name=r8:uD)" exact "... and is counted"
stat -e "{r8:u,r8:u,r8:u,r8:u},{r8:uD,r8:u,r8:u}" -- exact 20000000
is "$(rows status kind=count name=r8:u | uniq -c | tr -s ' ')" " 3 exact
 1 unsupported
 2 exact" "... in any order"
stat -e "{r8:u,r8:uD,r8:uD},{r8:u,r8:u,r8:u,r8:u,r8:u}" -- exact 20000000
is "$(rows status kind=count unit= | sort -u)" scaled "a group whose leader is not pinned is multiplexed with one of five"
stat -e "{r1:uD,r2:u,r3:u,r4:u,r5:u,r6:u,r7:u,r8:u}" -- exact 1000
is "$(rows status kind=count unit= | uniq -c | tr -s ' ')" " 6 exact
 2 unsupported" "a pinned group that is too large is reduced to the part that fits"
pfmstat --explain -e "{r8:uD,r8:u,r8:u},{r8:u,r8:u,r8:u,r8:u}" >explained 2>&1
is "$?" 125 "--explain: not all of them can be counted"
like "$(tr -s ' \n' ' ' <explained)" "too large for its PMU: r8:u, r8:u and r8:u fit together, but r8:u does not" "... and why"

# Partners stay together, with any events between them.
groups cycles:u,$r6,instructions:u 2
is "$(field cycles:u group)" "$(field instructions:u group)" "cycles and instructions share a group"

# Braces are kept, and what is too much for them is said.
stat -e "{$c4,$c4}" -- exact 1000
is "$(rows status name=cycles:u | sort | uniq -c | tr -s ' ')" " 7 exact
 1 unsupported" "of eight cycles in a group of a command the kernel refuses one"
like "$( (cat stderr; pfmstat -e "{$c4,$c4}" exact 1000 2>&1) | tr -s " \n" " ")" "cycles:u and cycles:u fit together, but cycles:u does not" \
	"... and the part that fits is named"
sleep 1000 &
stat -e "{$c4,$c4}" -p $! -- exact 10000000
is "$(rows status name=cycles:u | sort | uniq -c | tr -s ' ')" " 7 idle
 1 unsupported" "... and one of a process that sleeps"
kill $!
stat -e "{$r6,r7:u}" -- exact 1000
is "$(rows status name=r7:u)" unsupported "a member that the kernel refuses is left out"
pfmstat -e "{$r6,r7:u}" exact 1000 2>table
like "$(tr -s " \n" " " <table)" "not counted: r7:u: its group has more events than its PMU can count" \
	"... and is named before events that are less certain"
groups "{$c4,$c4}:W" 2
groups "{$r6,r7:u}:W" 2
isnt "$(rows status name=r7:u)" starved "a weak group is split"
pfmstat --explain -e "{$c4,$c4}" >explained 2>&1
isnt "$?" 0 "--explain: a group that never runs cannot be counted"
like "$(cat explained)" "accepts it alone, but not in its group" "... because one event does not fit beside the others"

# All exactly, or nothing; or in several runs. The truth is known to the instruction.
stat --strict -e $r6,cycles:u -- exact 1000
is "$status" 0 "--strict: seven fit"
stat --strict -e $r6,r7:u -- exact 1000
is "$status" 125 "--strict: eight do not"
like "$errors" "no counter is free for r7:u" "... and the message names the event without a counter"
stat -e instructions:u -- exact 1000000
truth=$(field instructions:u value)
stat --no-multiplex -e $r6,r7:u,r8:u,r9:u,ra:u,rb:u,instructions:u,r11:u -- exact 1000000
is "$(rows status kind=count unit= | sort -u)" exact "--no-multiplex: thirteen are exact"
is "$(field instructions:u value)" "$truth" "... to the instruction"
is "$(field r8:u value)" "$truth" "... also by their raw event"

# Somebody else takes counters.
if [ "$VM_USER" = root ]; then
	pinned=cycles:D
	for i in 1 2 3 4 5 6; do
		pinned=$pinned,r$i:D
	done
	pfmstat -a -o /dev/null -e "$pinned" -- sleep 1000 &
	thief=$!
	sleep 0.5
	stat -e cycles:u,page-faults -- exact 1000
	is "$(field cycles:u status)" starved "no counter is left"
	like "$(field cycles:u reason)" "counters" "... and the row says so"
	is "$(field page-faults status)" exact "... and software is counted all the same"
	kill $thief
	wait $thief 2>/dev/null

	pfmstat -a -o /dev/null -e r1:D,r2:D,r3:D,r4:D -- sleep 1000 &
	thief=$!
	sleep 0.5
	groups r5:u,r6:u,r7:u,r8:u 2
	is "$(rows status kind=count unit= | sort -u)" scaled "with two counters left, groups are of two"
	kill $thief
	wait $thief 2>/dev/null

	# multiplexed events are no reason to make groups small
	pfmstat -a -o /dev/null -e r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc -- sleep 1000 &
	thief=$!
	sleep 0.5
	groups $r6 1
	kill $thief
	wait $thief 2>/dev/null

	# taken while the run is on
	pfmstat --csv -o stolen -e cycles:u,instructions:u -- sh -c 'exact 100000; sleep 1; exact 100000' &
	victim=$!
	sleep 0.3
	pfmstat -a -o /dev/null -e "$pinned" -- sleep 1000 &
	thief=$!
	wait $victim
	kill $thief
	wait $thief 2>/dev/null
	mv stolen csv
	unlike "$(field cycles:u status)" "exact|starved" "counters lost on the way: not exact"
	number "$(minus "$(field cycles:u enabled_ns)" "$(field cycles:u running_ns)")" 1 1e12 "... ran for a part"
fi
done_testing
