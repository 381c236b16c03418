# The Makefile: its output, the flags that it heeds, the files that it installs.
bats_require_minimum_version 1.5.0
load lib

setup() {
	uncounted_setup
	need make
	unset MAKEFLAGS MAKELEVEL MFLAGS CPPFLAGS SANITIZE V
}

# make in the source tree, with a BUILD of the test.
make_here() {
	make -C "$ROOT" --no-print-directory BUILD="$PWD/b" "$@"
}

@test "compiling a file prints one short line, the command with V=1, and nothing with -s" {
	need cc
	equal "$(make_here "$PWD/b/obj/lib/random.o")" '  CC      src/lib/random.o'
	rm b/obj/lib/random.o
	matches "$(make_here V=1 "$PWD/b/obj/lib/random.o")" '^[a-z0-9-]+ .*-c -o .*/random\.o src/lib/random\.c$'
	rm b/obj/lib/random.o
	equal "$(make_here -s "$PWD/b/obj/lib/random.o")" ''
	[ -s b/obj/lib/random.o ]
}

# The packages that `make WORD...` would install on a machine without any of them.
packages_of() {
	make_here -n "$@" | sed -n 's/.*for package in \([^;]*\);.*/\1/p' | xargs -n 1
}

@test "deps installs the build's packages before run and install, and otherwise also the packages of the tests" {
	local building testing
	building=$(packages_of deps run)
	testing=$(packages_of deps)
	matches "$building" gcc
	lacks "$building" bats clang
	matches "$testing" gcc bats clang
	equal "$(packages_of deps all install)" "$building"
	equal "$(packages_of deps lint)" "$testing"
	equal "$(packages_of deps run lint)" "$testing"
}

@test "every compilation of the program uses CPPFLAGS" {
	make_here -n CPPFLAGS=-DFOR_THE_TEST all unit analyze >commands
	grep -E '(-c -o|--analyze)' commands >compilations
	# each source three times: compiled, and analyzed by two compilers
	[ "$(wc -l <compilations)" -ge $((3 * $(find "$ROOT/src" -name '*.c' | wc -l))) ]
	equal "$(grep -vc -e -DFOR_THE_TEST compilations)" 0
	equal "$(grep -c -e '-o .*/unit/test_.*' commands)" "$(grep -c -e '-DFOR_THE_TEST.* -o .*/unit/test_.*' commands)"
	# changed flags build everything again
	need cc
	make_here "$PWD/b/obj/lib/random.o" >/dev/null
	equal "$(make_here "$PWD/b/obj/lib/random.o")" ''
	equal "$(make_here CPPFLAGS=-DFOR_THE_TEST "$PWD/b/obj/lib/random.o")" '  CC      src/lib/random.o'
}

@test "objects that contain the directory of metrics are rebuilt for another directory" {
	need cc
	local objects
	objects=$(grep -l METRICS_DIRECTORY "$ROOT"/src/*/*.c "$ROOT"/src/*/*/*.c | sed "s|^$ROOT/src|$PWD/b/obj|; s|c$|o|")
	[ -n "$objects" ]
	# shellcheck disable=SC2086 # words
	make_here -s PREFIX=/first $objects
	# shellcheck disable=SC2086
	equal "$(make_here PREFIX=/second $objects | wc -l)" "$(wc -l <<<"$objects")"
	equal "$(grep -rl /first/share b/obj)" ''
}

@test "the path of the tree may have blanks" {
	need cc
	mkdir -p 'a tree/src'
	cp "$ROOT/Makefile" 'a tree'
	cp -r "$ROOT/src/lib" 'a tree/src'
	make -s -C 'a tree' BUILD=build build/obj/lib/random.o
	[ -s 'a tree/build/obj/lib/random.o' ]
}

@test "install puts everything below DESTDIR, and uninstall removes all of it" {
	mkdir b
	cp "$PFMSTAT" b/pfmstat
	make_here -o "$PWD/b/pfmstat" install DESTDIR="$PWD/root" PREFIX=/usr PYTHON=false >/dev/null
	cat >expected <<-'END'
		bin/pfmstat
		include/pfmstat.h
		share/bash-completion/completions/pfmstat
		share/doc/pfmstat/LICENSE
		share/doc/pfmstat/NEWS.md
		share/doc/pfmstat/README.md
		share/fish/vendor_completions.d/pfmstat.fish
		share/man/man1/pfmstat.1
		share/man/man5/pfmstat-metrics.5
		share/man/man5/pfmstat-output.5
		share/man/man7/pfmstat-accuracy.7
		share/man/man7/pfmstat-compare.7
		share/man/man7/pfmstat-events.7
		share/man/man7/pfmstat-merge.7
		share/man/man7/pfmstat-perf.7
		share/man/man7/pfmstat-permissions.7
		share/man/man7/pfmstat-regions.7
		share/man/man7/pfmstat-tutorial.7
		share/pfmstat/metrics/arm/events.json
		share/pfmstat/metrics/generic.json
		share/pfmstat/metrics/x86_64/msr.json
		share/pfmstat/python/pfmstat.py
		share/pfmstat/schema/pfmstat-1.schema.json
		share/pfmstat/systemd/pfmstat@.service
		share/zsh/site-functions/_pfmstat
	END
	diff expected <(cd root/usr && find . -type f | sed 's|^\./||' | LC_ALL=C sort)
	[ -x root/usr/bin/pfmstat ]
	contains "$(make_here -n install prefix=/opt)" "-t '/opt/bin'" # GNU's name for it
	cmp "$ROOT/LICENSE" root/usr/share/doc/pfmstat/LICENSE
	make_here uninstall DESTDIR="$PWD/root" PREFIX=/usr PYTHON=false >/dev/null
	equal "$(find root -type f)" ''
	equal "$(find root -name pfmstat)" ''
}

@test "what is installed: a stripped program, pages that name its directories, a module that Python finds" {
	python3 -m venv --without-pip python
	mkdir b
	cp "$PFMSTAT" b/pfmstat
	make_here -o "$PWD/b/pfmstat" install PREFIX="$PWD/python" PYTHON="$PWD/python/bin/python3" >/dev/null
	(cd / && "$OLDPWD/python/bin/python3" -c 'import pfmstat')
	grep -q "$PWD/python/lib/python3.*/site-packages" python/share/man/man7/pfmstat-tutorial.7
	grep -q "$PWD/python/share/pfmstat/metrics" python/share/man/man1/pfmstat.1
	run ! grep -rq /usr/local/share/pfmstat python/share/man
	lacks "$(readelf -S --wide python/bin/pfmstat)" ' .symtab '
	make_here -o "$PWD/b/pfmstat" install PREFIX="$PWD/python" PYTHON=false STRIP= >/dev/null
	cmp b/pfmstat python/bin/pfmstat
	grep -q "$PWD/python/share/pfmstat/python" python/share/man/man7/pfmstat-tutorial.7
}
