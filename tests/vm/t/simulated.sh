# What Valgrind counts, beside the PMU: a static program runs as many instructions in both.
# guests: one
# users: root nobody
. /t/lib.sh

for loops in 1000000 1000001; do
	stat -e instructions:u -- exact $loops
	counted=$(field instructions:u value)
	stat -e sim:instructions -- exact $loops
	is "$(field sim:instructions value)" "$counted" "$loops turns: the same instructions"
	is "$(field sim:instructions status)" exact "... exactly"
	is "$errors" "" "... without a message"
done

done_testing
