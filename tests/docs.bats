#!/usr/bin/env bats
# The documents: every example is run, every output in them is made again, every list is compared with the program.
#
# These tests, not the documents, define what an example is: each display with a prompt in the manual and each shell or
# console block in the README needs a marker before it (see man/pfmstat.1), or extraction fails.

load lib

setup_file() {
	export EXAMPLES=$BATS_FILE_TMPDIR/examples
	mkdir "$BATS_FILE_TMPDIR/bin"
	printf '#!/bin/sh\n' >"$BATS_FILE_TMPDIR/bin/sleep"
	chmod 755 "$BATS_FILE_TMPDIR/bin/sleep"
	python3 - "$BATS_TEST_DIRNAME/.." "$EXAMPLES" <<-'END'
		import glob, os, re, sys

		root, out = sys.argv[1:]
		problems = []

		def add(path, line, kind, arguments, body):
		    body = list(body)
		    where = os.path.join(out, "%s:%d" % (os.path.basename(path), line))
		    os.makedirs(where)
		    needs = re.search(r"(?:^| )needs=(\S+) ?", arguments)
		    parts = {"kind": kind, "needs": needs.group(1) if needs else ""}
		    # Examples that show events over time belong to the nightly tests: they wait, and some print times.
		    parts["when"] = "nightly" if re.search(r" -I | --timeout| &$", "\n".join([arguments, *body]), re.M) else "gate"
		    if needs:
		        arguments = arguments.replace(needs.group(0), " ", 1).strip()
		    if kind == "shown":
		        parts["script"], parts["shown"] = arguments, "\n".join(body) + "\n"
		    else:
		        parts["status"], _, parts["regex"] = arguments.partition(" ")
		        parts["script"] = "\n".join(body) + "\n"
		    if kind == "test" and parts["status"] != "make" and not parts["regex"]:
		        problems.append("%s:%d: a test without an expected output" % (path, line))
		    for name, text in parts.items():
		        open(os.path.join(where, name), "w").write(text)

		def plain(text):
		    for roff, char in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\(ha", "^"),
		                       ("\\(+-", "\u00b1"), ("\\&", ""), ("\\e", "\\")):
		        text = text.replace(roff, char)
		    return text

		def read_manual(path):
		    marker, body = None, None
		    for number, line in enumerate(open(path).read().split("\n"), 1):
		        found = re.match(r'\.\\" (test|shown): (.*)', line)
		        if found:
		            marker = (number, *found.groups())
		        elif line.startswith(".Bd -literal"):
		            body = []
		        elif line == ".Ed" and body is not None:
		            prompts = [l for l in body if re.match(r"[$#>]\s", l)]
		            if marker and marker[1] == "test" and len(prompts) != len(body):
		                problems.append("%s:%d: a line without a prompt" % (path, number))
		            if prompts and not marker:
		                problems.append("%s:%d: an example without a marker" % (path, number))
		            if marker:
		                add(path, *marker, [plain(l[2:].rstrip()) for l in body] if prompts else map(plain, body))
		            marker, body = None, None
		        elif body is not None:
		            body.append(line)
		        elif marker:
		            problems.append("%s:%d: a marker without a display" % (path, number))
		            marker = None
		        elif re.match(r"\.D[1l].*pfmstat", line):
		            problems.append("%s:%d: an example that is no marked display" % (path, number))

		def read_markdown(path):
		    marker, body, language = None, None, None
		    for number, line in enumerate(open(path).read().split("\n"), 1):
		        found = re.match(r"<!-- (test|shown): (.*) -->$", line)
		        if found:
		            marker = (number, *found.groups())
		        elif line.startswith("```") and body is None:
		            body, language = [], line[3:]
		        elif line == "```":
		            if not marker:
		                problems.append("%s:%d: a block without a marker" % (path, number))
		            elif marker[1] == "shown":
		                if body[0] not in ("$ " + marker[2], "# " + re.sub(r"^needs=\S+ ", "", marker[2])):
		                    problems.append("%s:%d: shown is the output of another command" % (path, number))
		                add(path, *marker, body[1:])
		            elif language == "console": # the rest is output whose numbers are another day's
		                add(path, *marker, [l[2:] for l in body if l[:2] in ("$ ", "# ")])
		            else:
		                add(path, *marker, [re.sub(r"^sudo ", "", l) for l in body])
		            marker, body = None, None
		        elif body is not None:
		            body.append(line)
		        elif marker:
		            problems.append("%s:%d: a marker without a block" % (path, number))
		            marker = None

		os.makedirs(out)
		for page in glob.glob(root + "/man/*.[1-8]"):
		    read_manual(page)
		read_markdown(root + "/README.md")
		open(os.path.join(out, "problems"), "w").write("".join(p + "\n" for p in problems))
	END
}

setup() {
	uncounted_setup
	unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS
	export CPATH=$ROOT/clients PYTHONPATH=$ROOT/clients PYTHONDONTWRITEBYTECODE=1 # as if installed
	# the files that the examples find
	printf 'all: one two\none two:\n\t@sleep 0.01; echo >$@\n' >Makefile
}

# Runs each example in a separate directory, or in the repository, where one step of a job follows another. `judge` checks
# its status and output.
run_example() {
	local example=$1 status=0 scratch=scratch-${1##*/}
	if [ -d history ]; then
		scratch=history
	else
		mkdir "$scratch"
		cp Makefile "$scratch"
	fi
	(cd "$scratch" && timeout -k 5 240 bash "$example/script" </dev/null >"$example/output" 2>&1 3>&-) || status=$?
	echo "$status" >"$example/ended"
}

# judge EXAMPLE...: the status and output of each match its marker.
judge() {
	python3 - "$@" <<-'END'
		import os, re, sys
		bad = False
		for example in sys.argv[1:]:
		    wanted, regex, ended, output = (open(os.path.join(example, name), errors="replace").read()
		                                    for name in ("status", "regex", "ended", "output"))
		    name = os.path.basename(example)
		    if wanted not in ("any", ended.strip()):
		        print("%s: status %s, not %s: %s" % (name, ended.strip(), wanted, output))
		    elif not re.search(regex, output, re.M | re.S):
		        print("%s: no match for %s: %s" % (name, regex, output))
		    else:
		        continue
		    bad = True
		sys.exit(bad)
	END
}

# The output with placeholders for numbers and widths.
shape() {
	# without notes that depend on the time in which this machine switches and ends a process
	awk '/^ note: (event [^ ]*: )?[25]% or more of the (command.s )?CPU time/ { in_note = 1; next } in_note && /^   / { next } { in_note = 0; print }' | sed -E 's/[0-9][0-9.,]*/N/g; s/N [KMG]?\/sec/N \/sec/; s/< (N MB)/\1/; s/(resident set) \(upper bound\)/\1/; s/[[:space:]]+/ /g; s/ $//' | grep .
}

run_shown() {
	local example=$1
	bash "$example/script" </dev/null >/dev/null 2>output || { echo "$example: status $?: $(<output)"; return 1; }
	diff <(shape <"$example/shown") <(shape <output) || { echo "$example: its output has changed"; return 1; }
}

# run_needing NEEDS [nightly]: all examples with exactly these needs; at least one.
run_needing() {
	local example bad=0 kind n=0 run=() status
	share_breakpoints # one example runs --check
	# sleep returns at once, as nothing depends on its duration
	[ -n "${2:-}" ] || PATH=$BATS_FILE_TMPDIR/bin:$PATH
	for example in "$EXAMPLES"/*:*; do
		[ "$(<"$example/needs") $(<"$example/when")" = "$1 ${2:-gate}" ] || continue
		n=$((n + 1)) kind=$(<"$example/kind") status=
		[ "$kind" = shown ] || status=$(<"$example/status")
		case $kind:$status in
		test:make) ;;
		test:*)
			run_example "$example"
			run+=("$example")
			;;
		shown:*) run_shown "$example" || bad=1 ;;
		esac
	done
	[ "$n" -gt 0 ]
	[ "${#run[@]}" = 0 ] || judge "${run[@]}"
	[ "$bad" = 0 ]
}

# A repository in which `program` lists a directory once, and twice from its fourth commit of six on, where the branch
# feature begins.
make_history() {
	local n
	git init -q --bare origin.git
	git -c init.defaultBranch=main init -q history
	git -C history config user.name a
	git -C history config user.email a@a
	git -C history remote add origin "$PWD/origin.git"
	cp Makefile history
	for n in 1 2 3 4 5 6; do
		[ "$n" != 4 ] || git -C history checkout -q -b feature
		printf '#!/bin/sh\n# %s\nls /\n' "$n" >history/program
		[ "$n" -lt 4 ] || echo 'ls /' >>history/program
		chmod 755 history/program
		git -C history add program Makefile
		git -C history commit -q -m "commit $n"
	done
	git -C history push -q origin main feature
	git -C history checkout -q main
}

need_uprobe() {
	can count-uprobe || machine 'no uprobes'
}

@test "examples in a repository" {
	need git
	need_counting
	make_history
	run_needing git
}

@test "every example in the manual and the README has a marker" {
	equal "$(cat "$EXAMPLES/problems")" ''
	[ "$(find "$EXAMPLES" -name script | wc -l)" -ge 20 ]
}

@test "every example is run by one of the tests below" {
	local example
	for example in "$EXAMPLES"/*:*; do
		echo "$(<"$example/needs")" >>"$(<"$example/when")"
	done
	equal "$(sort -u gate | tr '\n' ' ')" \
		' by cc git jq libpfm root root,cgroup root,tracepoints root,tracepoints,uprobe root,uprobe valgrind '
	equal "$(sort -u nightly | tr '\n' ' ')" ' root '
}

need_by() {
	local reason
	"$HELPERS/cpuwide" >/dev/null || reason=$("$HELPERS/task_reads") || machine "$reason"
}

@test "examples with rows of a command's tasks" {
	need_counting
	need_by
	run_needing by
}

@test "examples that need nothing" {
	need_counting
	run_needing ''
}

# Nightly: one example prints that less than a second has passed, and one counts a process that ends after three; no
# false alarm unless a machine stalls that long.
# bats test_tags=nightly
@test "examples that take time" {
	need_counting
	need_root
	run_needing '' nightly
	run_needing root nightly
}

@test "examples with jq" {
	need_counting
	need jq
	run_needing jq
}

@test "examples with Valgrind" {
	need valgrind
	run_needing valgrind
}

@test "examples with a C compiler" {
	need_counting
	need cc
	run_needing cc
}

@test "examples with libpfm4" {
	need_libpfm
	run_needing libpfm
}

@test "examples for root" {
	need_counting
	need_root
	run_needing root
}

@test "examples with tracepoints" {
	need_counting
	need_root
	need_tracepoints
	run_needing root,tracepoints
}

# Existing cgroups of these names are somebody else's.
@test "examples with cgroups" {
	need_cgroups --alone
	mkdir "$CGROUPS/web" "$CGROUPS/jobs" 2>/dev/null || machine 'the cgroups cannot be made'
	status=0
	run_needing root,cgroup || status=1
	wait_for rmdir "$CGROUPS/web" "$CGROUPS/jobs"
	cgroups_release
	[ "$status" = 0 ]
}

@test "examples with user probes" {
	need_root
	need_uprobe
	run_needing root,uprobe
}

@test "examples with tracepoints and user probes" {
	need_root
	need_tracepoints
	need_uprobe
	run_needing root,tracepoints,uprobe
}

@test "the README's make commands name existing targets" {
	local word example targets
	targets=$(make -C "$ROOT" --no-print-directory help-all)
	for example in "$EXAMPLES"/README.md:*; do
		grep -qx make "$example/status" 2>/dev/null || continue
		while read -r program words; do
			[ "$program $words" != 'git clone URL pfmstat && cd pfmstat' ] || continue
			equal "$program" make
			for word in $words; do
				[[ $word == *=* ]] || grep -Eq "^ +$word " <<<"$targets" || { echo "no target $word"; return 1; }
			done
		done <"$example/script"
	done
}

@test "the README's links have existing targets" {
	local link missing=0
	while read -r link; do
		[ -e "$ROOT/$link" ] || { echo "README.md: $link"; missing=1; }
	done < <(grep -oE '\]\([^):]+\)' "$ROOT/README.md" | tr -d '])(')
	[ "$missing" = 0 ]
}

# headings FILE: the bold texts of a README's SVG, without the command line and words that depend on the day.
headings() {
	python3 - "$1" <<-'END'
		import re, sys, xml.etree.ElementTree as xml
		svg = xml.parse(sys.argv[1]).getroot()
		texts = [e for e in svg.iter() if e.tag.endswith("text") and e.get("font-weight") and e.get("fill") != "#f0f6fc"]
		words = [e.text for e in texts if e.text != "note:"]
		quoted = (i for i, text in enumerate(words) if re.search(" as long$| longer$|fastest|^no (clear )?difference in", text))
		print("\n".join(words[: next(quoted, None)]))
	END
}

# run_picture NAME [FULL SHORTER]: a picture's command, on one line, equals that of its session and of the README. It
# runs with SHORTER in place of FULL, which takes less time and changes no heading.
run_picture() {
	local name=$1
	command=$("$ROOT/docs/pictures/render" --list | sed -n "s/^$name\t//p")
	matches "$command" '^[$#] pfmstat '
	grep -qxF -- "![$command](docs/pictures/$name.svg)" "$ROOT/README.md"
	if [ $# -gt 1 ]; then
		contains "$command" "$2"
		set -- "$name" "${command/"$2"/"$3"}"
	else
		set -- "$name" "$command"
	fi
	echo 'int main(void) { return 0; }' >hello.c
	tar -C "$ROOT" -cf src.tar src
	timeout 600 bash -c "${2#??}" >shown 2>&1 || { cat shown; return 1; }
}

# check_picture NAME [FULL SHORTER]: the same; the command is also the picture's title, and the headings are today's.
check_picture() {
	local name=$1 command heading title
	run_picture "$@"
	title=$(python3 -c 'import sys, xml.etree.ElementTree as xml; print(xml.parse(sys.argv[1]).getroot()[0].text)' \
		"$ROOT/docs/pictures/$name.svg")
	equal "$title" "$command"
	headings "$ROOT/docs/pictures/$name.svg" >bold
	[ -s bold ]
	! sanitized || sed -i '/^max_rss/d' bold # with a sanitizer, pfmstat itself is larger than Python
	while read -r heading; do
		grep -qF -- "$heading" shown || { echo "no '$heading':"; cat shown; return 1; }
	done <bold
}

@test "the picture of a comparison has the headings that its command shows" {
	need python3 gzip zstd
	need_counting
	check_picture comparison 'pfmstat -e' 'pfmstat -r 2 -e'
}

@test "the picture of a tree has the headings that its command shows" {
	need python3 cc
	need_counting
	need_by
	check_picture tree
}

# plot_texts FILE: the texts of a plot, with placeholders for numbers and their units.
plot_texts() {
	svg_texts "$1" | sed -E 's/[0-9]+(\.[0-9]+)?( [KMG])?/N/g; s/N m?s$/N s/; s,N /sec,N/sec,'
}

@test "the picture of intervals has the texts of the plot that its command draws" {
	local command
	need python3
	need_counting
	need_root
	need_tracepoints
	run_picture intervals '-I 100 --interval-count=30' '-I 10 --interval-count=2'
	equal "$(plot_texts "$ROOT/docs/pictures/intervals.svg")" "$(plot_texts intervals.svg)"
}

# Nightly only because they take long; nothing depends on chance.
# bats test_tags=nightly
@test "the picture of a comparison has the headings that its full command shows" {
	need python3 gzip zstd
	need_counting
	check_picture comparison
}

@test "pictures are drawn from coloured text, with its characters in their columns" {
	need python3
	printf '\033[1ma & <b>\033[0m  \033[32m├─●┤\033[0m │ ██▌\n' | "$ROOT/docs/pictures/render" --text '$ x' >x.svg
	python3 - <<-'END'
		import xml.etree.ElementTree as xml
		root = xml.parse("x.svg").getroot()
		found = {}
		for e in root.iter():
		    found.setdefault(e.tag.split("}")[1], []).append(e)
		assert [e.text for e in found["text"]] == ["$ x", "a & <b>"], [e.text for e in found["text"]]
		assert found["text"][1].get("font-weight") == "bold"
		(dot,) = found["circle"]
		assert (dot.get("fill"), dot.get("cx")) == ("#56d364", "110.6"), dot.attrib
		widths = [e.get("width") for e in found["rect"]][-3:]
		assert widths == ["8.4", "8.4", "4.2"], widths
	END
}

@test "the manual is clean mdoc" {
	need mandoc
	# Pages that are not installed are no defects; standard error has only those that this machine's index lacks.
	run --separate-stderr mandoc -Tlint -W style "$ROOT"/man/*.[1-8]
	run grep -v 'referenced manual not found' <<<"$output"
	equal "$output" ''
}

# The names of the list after `.\" keys: WHAT`, in order.
documented() {
	sed -n "/^\.\\\\\" keys: $1\$/,/^\.El/ s/^\.It Cm //p" "$ROOT/man/pfmstat-output.5" | sed 's/ , /\n/g'
}

@test "the manual's CSV columns are the program's" {
	pfmstat --csv -o "$report" -e page-faults true
	diff <(documented csv) <(head -1 "$report" | tr , '\n')
}

@test "the manual's JSON keys are the program's" {
	need jq
	pfmstat --json -o "$report" -e page-faults -M 'm=page\-faults/2' true
	diff <(documented csv; documented row) <(jq -r 'select(.kind == "count") | keys_unsorted[]' "$report" | awk '!seen[$0]++')
	diff <(documented start) <(jq -r 'select(.kind == "start") | keys_unsorted[]' "$report")
	# config3, config4: only with such terms; remark: only of an event whose encoding libpfm4 has wrong, or that a
	# vendor has replaced
	equal "$(diff <(documented event) <(jq -r 'select(.kind == "start") | .events[0] | keys_unsorted[]' "$report") | grep '^[<>]')" $'< config3\n< config4\n< remark'
	diff <(documented metric) <(jq -r 'select(.kind == "start") | .metrics[0] | keys_unsorted[]' "$report")
	# looks, look_share: only where a comparison decides when to stop
	equal "$(diff <(documented end) <(jq -r 'select(.kind == "end") | keys_unsorted[]' "$report") | grep '^[<>]')" $'< looks\n< look_share'
	pfmstat --json -o "$report" -e page-faults true ::: true
	diff <(documented end) <(jq -r 'select(.kind == "end") | keys_unsorted[]' "$report")
}

@test "the manual's states are the schema's" {
	need jq
	diff <(sed -n '/^\.Ss States/,/^\.El/ s/^\.It Sy //p' "$ROOT/man/pfmstat-output.5" | sort) \
		<(jq -r '.definitions.row | .. | .status? | .enum? // empty | .[] | strings' "$ROOT/schema/pfmstat-1.schema.json" | sort -u)
}

@test "the manual's default events are the program's" {
	pfmstat -x, -o "$report" true
	sed -n '/^The default events are$/,/\.$/p' "$ROOT/man/pfmstat.1" | tail -n +2 | grep -oE '[a-z-]+' | grep -vx and >documented
	diff documented <(tail -n +3 "$report" | cut -d, -f3 | sed 's/:u$//')
}

@test "every long option of the manual exists" {
	sed -n 's/^\.It Fl .*Fl -\([a-z-]*\).*/--\1/p; s/^\.It Fl -\([a-z-]*\).*/--\1/p' "$ROOT/man/pfmstat.1" | sort -u >documented
	[ "$(wc -l <documented)" -gt 50 ]
	equal "$(comm -23 documented <(pfmstat --help | grep -oE -- '--[a-z][a-z-]*' | sort -u))" ''
}

@test "every long option that a message names exists" {
	# except docker's, in a hint, those with which Valgrind and git are started, and beginnings of options
	unknown=$(find "$ROOT/src" -name '*.c' ! -name revisions.c -exec sed '/strings_add(&s->options, "--/d; /has_word(argv, "--/d' {} + | grep -oE '"([^"\\]|\\.)*"' | grep -oE -- '(^|[^-a-z])--[a-z][a-z-]*' |
		grep -oE -- '--[a-z][a-z-]*' | sort -u | grep -vx -e --cap-add -e --security-opt |
		comm -23 - <(pfmstat --help | grep -oE -- '--[a-z][a-z-]*' | sort -u))
	equal "$unknown" ''
}

@test "make messages lists messages, options and hints, each with its place" {
	make -C "$ROOT" -s --no-print-directory messages >list
	grep -Eq '^src/cli/options_foreign\.c:[0-9]+: unrecognized option ' list
	grep -Eq '^src/cli/options_table\.c:[0-9]+: Count in user space only$' list
	grep -Eq '^src/rows/advice\.c:[0-9]+: count fewer breakpoints at a time$' list
	# a message of several lines is one message, and each is listed once
	grep -Eq '^src/by/accounting_records\.c:[0-9]+: .*could not be attributed.*after %s is %s$' list
	equal "$(sed 's/^[^ ]* //' list | sort | uniq -d)" ''
}

@test "ARCHITECTURE.md lists every folder of src, in the order of FOLDERS" {
	local folders
	folders=$(make -pn -C "$ROOT" help 2>/dev/null | sed -n 's/^FOLDERS := //p' | tr -d '|' | xargs -n 1)
	equal "$(sed -n 's/^| `\([a-z/]*\)\/` .*/\1/p' "$ROOT/ARCHITECTURE.md")" "$folders"
	equal "$(sort <<<"$folders")" "$(cd "$ROOT/src" && find . -mindepth 2 -name '*.c' -printf '%P\n' | xargs -n 1 dirname | sort -u)"
}

@test "NEWS.md begins with this version" {
	local version
	version=$(pfmstat --version)
	matches "$version" '^pfmstat [0-9.]+$'
	matches "$(grep -m1 '^## ' "$ROOT/NEWS.md")" "^## ${version#pfmstat }"
}
