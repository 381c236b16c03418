#!/bin/bash
# complete.bash COMPLETION: prints what bash offers when tab is pressed at the end of each line of standard input, as lines
# of `NUMBER<tab>OFFER`. See complete.py.

eval "${PRELUDE-}"
# shellcheck source=completions/pfmstat.bash
source "$1"
[[ $(complete -p pfmstat) =~ -F\ ([^ ]+) ]] || exit 9
complete=${BASH_REMATCH[1]}
number=0
mapfile -t lines
for COMP_LINE in "${lines[@]}"; do
	number=$((number + 1))
	COMP_POINT=${#COMP_LINE} COMP_WORDS=()
	# like readline with its default COMP_WORDBREAKS, except for quotes
	rest=$COMP_LINE
	while [[ $rest ]]; do
		rest=${rest#"${rest%%[! ]*}"}
		[[ $rest =~ ^([=:]+|[^=:\ ]+) ]] || break
		COMP_WORDS+=("${BASH_REMATCH[1]}")
		rest=${rest#"${BASH_REMATCH[1]}"}
	done
	[[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	"$complete" pfmstat "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" </dev/null
	((${#COMPREPLY[@]} == 0)) || printf "$number\t%s\n" "${COMPREPLY[@]}"
done
