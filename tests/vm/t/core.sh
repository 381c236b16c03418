# The core of counting on a real PMU, as far as every change is tested: exact counts, groups, multiplexing, scaling, two
# core PMUs. Time is instructions here, and nothing in the guest depends on the host, so that every boot gives the same
# counts. armv8_cortex_a57 is the PMU of CPU 0, armv8_cortex_a53 that of CPU 1; each has six counters and one for cycles.
# guests: core
# users: root
. /t/lib.sh

big=armv8_cortex_a57
little=armv8_cortex_a53

# on CPU: from here on this shell and its children run only there.
on() {
	taskset -p "$(printf %x $((1 << $1)))" $$ >/dev/null
}
# raw NUMBER...: these raw events of the big PMU, in user space.
raw() {
	local number list=
	for number; do
		list=$list,$big/event=$number/u
	done
	echo "${list#,}"
}
# states: how many of the rows of events have which status.
states() {
	rows status kind=count unit= | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }'
}
n_groups() {
	rows group kind=count | grep '^[0-9]' | sort -u | wc -l
}
# worst TRUTH: by how many per cent the worst of the values is wrong.
worst() {
	rows value kind=count unit= | awk -v truth="$1" '
		{ d = $1 / truth - 1; if (d < 0) d = -d; if (d > worst) worst = d } END { print worst * 100 }'
}

six=$(raw 1 2 3 4 5 6)
twelve=$(raw 8 8 8 8 8 8 8 8 8 8 8 8)
other=/sys/devices/system/cpu/cpu1/online
cycles=$big/cpu_cycles/u
instructions=$big/inst_retired/u
on 0
# QEMU counts instructions for all CPUs together: what the other one executes in the midst of a program would be in its count.
echo 0 >$other

# ---- exact counts ----

stat -e "{$cycles,$instructions}" -- exact 1000000
small=$(field $instructions value)
stat -e "{$cycles,$instructions}" -- exact 2000000
large=$(field $instructions value)
is "$(minus "$large" "$small")" 2000000 "two instructions a loop, to the last one"
is "$(peer $instructions exact 2000000)" "$large" "perf counts the same"
is "$(states)" "2 exact" "counters that ran the whole time are exact"
is "$(rows error kind=count unit= | sort -u)" "" "... and have no error"
is "$(field $cycles raw)" "$(field $cycles value)" "... and are not scaled"
is "$(field $cycles group)" "$(field $instructions group)" "braces are one group"
stat -e $instructions -- sh -c 'exact 1000000; exact 1000000; :'
small=$(field $instructions value)
stat -e $instructions -- sh -c 'exact 2000000; exact 2000000; :'
is "$(minus "$(field $instructions value)" "$small")" 4000000 "children are counted"

# ---- groups ----

stat -e "$six,$cycles" -- exact 1000000
is "$(states), $(n_groups)" "7 exact, 1" "six counters and one for cycles are one group"
stat -e "$six,$(raw 7),$cycles" -- exact 20000000
is "$(states), $(n_groups)" "8 scaled, 2" "eight events are two groups"
stat -e "page-faults,$cycles,cs,$instructions" -- exact 1000000
is "$(field page-faults group) $(n_groups)" "$(field cs group) 2" "software events have a separate group"
is "$(field page-faults enabled_ns)" "$(field page-faults running_ns)" "... which never multiplexes"
stat -e "$big/cycles/u,$six,$big/instructions/u" -- exact 20000000
is "$(field $big/cycles/u group)" "$(field $big/instructions/u group)" "partners of a ratio share a group"
stat -e "{$six,$(raw 7)},page-faults:u" -- exact 1000000
is "$status" 0 "a group that is too large: the command's exit status"
is "$(states)" "7 exact, 1 unsupported" "... the part that fits is counted"
like "$(rows reason kind=count "name=$(raw 7)")" "group" "... the rest has a reason"
is "$(rows value kind=count "name=$(raw 7)")" "" "... and no value"
is "$(field page-faults:u status)" exact "... and other groups are counted"
stat -e "{$six,$(raw 7)}:W" -- exact 20000000
is "$(states), $(n_groups)" "7 scaled, 2" "a weak group is split"
pfmstat --explain -e "{$six,$(raw 7)}" >explained 2>&1
is "$?" 125 "--explain: a group that is too large cannot be counted"
like "$(tr -s ' \n' ' ' <explained)" "fit together, but $(raw 7) does not" "... and the event that does not fit is named"

# ---- multiplexing and scaling ----

truth=$(peer $instructions exact 150000000)
stat -e "$twelve" -- exact 150000000
is "$status, $(states), $(n_groups)" "0, 12 scaled, 2" "twelve events are multiplexed in two groups"
number "$(worst "$truth")" 0 2 "each is within 2% of the truth"
is "$(rows error kind=count unit= | grep -c '[1-9]')" 12 "... and has an error"
is "$(for column in raw value; do rows $column kind=count unit= >$column; done
	paste raw value | awk '$1 >= $2' | wc -l)" 0 "the raw count is less than the estimate"
stat -r 5 -e "$twelve" -- exact 30000000
truth=$(peer $instructions exact 30000000)
is "$(rows n kind=count unit= run= | sort -u)" 5 "-r: a mean of five runs"
number "$(rows value kind=count unit= run= | awk -v t="$truth" '{ s += $1 / t } END { print s / NR * 100 }')" 97 103 "... within 3%"
rm -f runs
stat --no-multiplex -e "$twelve" -- sh -c 'echo run >>runs; exec exact 1000000'
is "$(grep -c run runs), $(states)" "2, 12 exact" "--no-multiplex: two runs, and all are exact"
stat --strict -e "$six,$cycles" -- exact 1000
is "$status" 0 "--strict: seven fit"
rm -f ran
stat --strict -e "$six,$(raw 7)" -- touch ran
is "$status" 125 "--strict: one more does not"
ok "... and nothing was run" test ! -e ran
stat -e "$(raw 8 8 8 8 8 8 8 8 | sed 's/,/D,/g; s/$/D/')" -- exact 1000000
is "$(states)" "6 exact, 2 starved" "eight pinned events: two have no counter, and no value"

# ---- two core PMUs ----

echo 1 >$other
stat -e $big/cpu_cycles/u,$little/cpu_cycles/u -- exact 1000000
is "$(field $big/cpu_cycles/u status)" exact "the PMU of the CPU that the command ran on counts"
unlike "$(field $little/cpu_cycles/u status)$(field $little/cpu_cycles/u value)" "^exact" "the other one has no count"
stat -e cycles:u,instructions:u -- sh -c 'exact 2000000; taskset 2 exact 4000000'
# Before Linux 6.2 the time that a group is enabled ends a little after the time that it runs.
case $(uname -r) in
[1-5].* | 6.[01].*) status=scaled ;;
*) status=exact ;;
esac
for event in cycles instructions; do
	big_part=$(field $big/$event/u value)
	little_part=$(field $little/$event/u value)
	number "$big_part" 4000000 4200000 "$event: a part on the one PMU"
	number "$little_part" 8000000 8200000 "$event: a part on the other"
	is "$(minus "$(field $event:u value)" "$big_part")" "$little_part" "$event is the sum of both"
	is "$(field $event:u status)" "$status" "... and $status"
done
stat -e '{cycles:u,page-faults:u,r8:u}' -- sh -c 'exact 2000000; taskset 2 exact 4000000'
is "$(field $big/cycles/u group)" "$(field $big/r8/u group)" "braces are a group on each PMU"
isnt "$(field $big/cycles/u group)" "$(field $little/cycles/u group)" "... and not the same one"
stat -a -A -e $big/cpu_cycles/,$little/cpu_cycles/,cs -- exact 1000000
is "$(rows scope_id name=$big/cpu_cycles/) $(rows scope_id name=$little/cpu_cycles/)" "0 1" "-a: each PMU on its CPU"
is "$(rows status kind=count scope=cpu | sort -u)" exact "... and nothing is missing"

thief "$(echo "$six,$cycles" | sed 's-/u-/D-g')"
stat -e $instructions,page-faults -- exact 1000
is "$(field $instructions status)" starved "no counter is left"
like "$(field $instructions reason)" "counters" "... and the row says so"
is "$(field page-faults status)" exact "... and software events are counted all the same"
end_thief
done_testing
