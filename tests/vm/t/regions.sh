# Regions of a program: instructions of known loops in each, and multiplexed counters.
# guests: one
# users: root nobody
. /t/lib.sh

# The client's code is partly in a region, see pfmstat-regions(7).
own=2000

# of REGION EVENT COLUMN
of() {
	rows "$3" kind=count scope=region "scope_id=$1" "name=$2"
}

stat --regions -e instructions:u,page-faults -- \
	regions loop 500000 begin a loop 1000000 end a begin b loop 3000000 begin a loop 1000000 end a end b loop 500000
is "$status" 0 "exit status"
is "$(of a instructions:u status)" exact "a counter that ran the whole time is exact in a region"
number "$(of a instructions:u value)" 4000000 $((4000000 + 2 * own)) "both times in a region"
number "$(of b instructions:u value)" 8000000 $((8000000 + 2 * own)) "a region with another in it"
number "$(rows value kind=count scope=total name=instructions:u)" 12000000 20000000 "the total includes the work outside"
is "$(of a entries value)" 2 "it was entered twice"

stat --regions -D -1 -e instructions:u -- regions loop 500000 enable loop 1000000 disable loop 500000
number "$(field instructions:u value)" 2000000 $((2000000 + own)) "only the work between enable and disable"

# More events than counters: a region's counts are those of its time on the counters.
events=instructions:u,cycles:u,r08:u,r11:u,r10:u,r12:u,r03:u,r04:u,r01:u,r02:u
stat --regions -e "$events" -- regions begin short loop 100 end short begin long loop 100000000 end long
is "$status" 0 "exit status"
wrong=$(awk -F, '$5 == "region" && $1 == "count" && $7 ~ /:u$/ {
	state = $19 == $18 ? "exact" : $19 == 0 ? "starved" : "scaled"
	if ($9 != state || ($9 == "starved") != ($10 == "")) print
	n++
} END { if (n != 20) print n " rows" }' csv)
is "$wrong" "" "each is exact, scaled or starved by the time on its counter"
number "$(of long instructions:u value)" 190000000 210000000 "a long one is extrapolated"
done_testing
