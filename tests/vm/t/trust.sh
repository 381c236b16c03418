# What is called exact is: rows whose counters were there the whole time, and no others. Six counters can be programmed,
# and one counts cycles; r8 is instructions, so that each row can be checked by the others.
# guests: one
# users: root nobody
. /t/lib.sh

# How often each status occurs among the rows of r8.
states() {
	rows status kind=count "name=$1" | sort | uniq -c | tr -s ' ' | tr '\n' ' '
}

# Groups that fit beside each other take no turns, and nothing may ride along that makes them.
fit='{r8:u,r2:u,r3:u},{r8:u,r5:u,r6:u}'
stat -e "$fit" -- exact 10000000
is "$(rows status kind=count unit= | sort -u)" exact "two groups of three on six counters are exact"
is "$(states r8:u)" " 2 exact " "... both"
stat -e "$fit,cycles:u" -- exact 1000
is "$(rows status kind=count unit= | sort -u)" exact "... beside cycles"
stat --no-group -e r1:u,r2:u,r3:u,r4:u,r5:u,r6:u -- exact 10000000
is "$(rows status kind=count unit= | sort -u)" exact "six events on their own are exact"
rm -f runs
stat --no-multiplex -e "$fit" -- sh -c 'echo run >>runs'
is "$(grep -c run runs)" 1 "--no-multiplex: one run does for them"

done_testing
