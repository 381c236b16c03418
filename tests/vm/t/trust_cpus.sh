# --strict on CPUs of which others hold the counters of one.
# guests: smp4
# users: root
. /t/lib.sh

pfmstat -C 2 -o /dev/null -e cycles:D,r1:D,r2:D,r3:D,r4:D,r5:D,r6:D -- \
	sh -c 'touch stealing; exec sleep 1000' &
thief=$!
while [ ! -e stealing ]; do
	sleep 0.1
done
rm -f ran
stat --strict -a -e r11 -- touch ran
is "$status" 125 "--strict -a: one CPU's counters are taken"
like "$errors" "no counter is free for r11" "... and the message names the event"
ok "... and nothing was run" test ! -e ran
stat --strict -C 1,2 -e cycles -- touch ran
is "$status" 125 "--strict -C: one of two CPUs' counters are taken"
stat --strict -C 0,1,3 -e r11 -- touch ran
is "$status" 0 "--strict -C: the counters of the other CPUs are free"
kill $thief
wait $thief 2>/dev/null
stat --strict -a -e r11 -- true
is "$status" 0 "--strict -a: all are free"
done_testing
