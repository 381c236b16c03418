#!/bin/bash
# A command that is counted or timed by `sh -c` may end before its programs, and which shell is sh decides (Debian 12:
# dash 0.5.12-2, bash 5.2.15-2+b13, busybox 1:1.35.0-4+deb12u1+b1, ksh93u+m 1.0.4-3, mksh 59c-28+deb12u1, yash 2.52-2,
# zsh 5.9-4+b15). Expected: a shell waits for a and b of a | b; so also the cat of ({ a | b; } &) | cat, which reads
# what both may write.
#
#   ksh93, yash     They wait for b alone, as POSIX permits, in every pipeline.
#   dash, busybox   { a | b; } & is not one job: the subshell starts a and b and ends. The output of a is the pipe to b,
#                   so that nobody holds the pipe to cat once b has ended. (a | b) & has a process that waits for both.
#
# Here a is a cat of a named pipe to which nobody writes, and b is true.
#
# Output seen:
#   dash     a | b waits  (a | b) & waits  { a | b; } & ends
#   busybox  a | b waits  (a | b) & waits  { a | b; } & ends
#   bash     a | b waits  (a | b) & waits  { a | b; } & waits
#   ksh93    a | b ends   (a | b) & ends   { a | b; } & ends
#   mksh     a | b waits  (a | b) & waits  { a | b; } & waits
#   yash     a | b ends   (a | b) & ends   { a | b; } & ends
#   zsh      a | b waits  (a | b) & waits  { a | b; } & waits
#
# Needs apt-get (Debian 12), dpkg-deb and bash. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download dash=0.5.12-2 bash=5.2.15-2+b13 busybox=1:1.35.0-4+deb12u1+b1 \
	ksh93u+m=1.0.4-3 mksh=59c-28+deb12u1 yash=2.52-2 zsh=5.9-4+b15 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done
mkfifo gate

# ends SHELL... COMMAND: whether the shell ends while the named pipe is not written.
ends() {
	local status=0
	setsid timeout -s KILL 3 "${@:1:$#-1}" -c "${*: -1}" 2>/dev/null || status=$?
	exec 3<>gate 3>&- # ends the reader
	case $status in
	0) echo ends ;;
	124 | 137) echo waits ;;
	*) echo "fails with $status" ;;
	esac
}

while read -r name shell; do
	[ -e "${shell%% *}" ] || shell=usr/$shell
	# shellcheck disable=SC2086 # words
	printf '%-8s a | b %-5s  (a | b) & %-5s  { a | b; } & %s\n' "$name" \
		"$(ends $shell 'cat gate | true')" \
		"$(ends $shell '((cat gate | true) &) | cat')" \
		"$(ends $shell '({ cat gate | true; } &) | cat')"
done <<-END >seen
	dash bin/dash
	busybox bin/busybox sh
	bash bin/bash
	ksh93 bin/ksh93
	mksh bin/mksh
	yash bin/yash
	zsh bin/zsh
END
cat seen
diff seen - <<'END'
dash     a | b waits  (a | b) & waits  { a | b; } & ends
busybox  a | b waits  (a | b) & waits  { a | b; } & ends
bash     a | b waits  (a | b) & waits  { a | b; } & waits
ksh93    a | b ends   (a | b) & ends   { a | b; } & ends
mksh     a | b waits  (a | b) & waits  { a | b; } & waits
yash     a | b ends   (a | b) & ends   { a | b; } & ends
zsh      a | b waits  (a | b) & waits  { a | b; } & waits
END
