# Programs that get other rights when they are executed: the kernel stops counting them, and what is left is not exact.
# guests: one smp4
# users: root nobody
. /t/lib.sh

shielded=/tmp/shielded_programs
if [ "$VM_USER" = root ]; then # first; it prepares the program
	mkdir -p $shielded
	cp "$(command -v exact)" $shielded/
	ok "a set-user-ID program" chmod 4755 $shielded/exact
	stat -e r11:u -- sh -c "exact 1000; $shielded/exact 1000"
	is "$(field r11:u status)" exact "it keeps root's rights as they are, and is counted"
	done_testing
fi
# On a busy host, the shell's start may take a quarter of a shorter program's time.
stat -e r11:u,page-faults:u -- sh -c "$shielded/exact 500000000; true"
is "$status" 0 "a set-user-ID program further down, which takes most of the time"
is "$(rows status kind=count unit= | sort -u)" partial "... a count is a lower bound"
like "$(field r11:u reason)" "gain rights" "... and says why"
stat --strict -e r11:u -- sh -c "$shielded/exact 500000000; true"
is "$status" 125 "... --strict: status 125"
stat -e r11:u -- sh -c "exact 1000; sh -c 'exec exact 1000'; exact 1000"
is "$(field r11:u status)" exact "programs that gain no rights"
done_testing
