# bash completion for pfmstat. Works alone; with bash-completion, the command's own arguments are completed, too.
# shellcheck shell=bash

# Options that take an argument, as `-s|--long)` below, and those that take none. A new option is added here and, with an
# argument, to _pfmstat_argument.
_pfmstat_with_argument='-e --event --filter -M --metric --td-level --metrics -p --pid -t --tid -C --cpu -G --cgroup --for-each-cgroup -x --field-separator -o --output --log-fd -D --delay
	--timeout --rotation -I --interval-print --interval-count --control -r --repeat --warmup --pre --post --until --seed
	--threshold --fail-if --by --sort --top --folded'
_pfmstat_without='-d --detailed --all-user --all-kernel --no-group --no-merge --no-multiplex --strict --scale --no-scale --topdown --metric-only -n --null -a --all-cpus -A --no-aggr
	--per-core --per-cluster --per-cache --per-die --per-socket --per-node -i --no-inherit --csv -j --json-output --json --append
	-S --sync --randomize-env --diff --cmdline --per-thread --quiet --no-big-num --table --interval-clear --summary --no-csv-summary -v --verbose --list --explain -h --help --usage -V --version'
_pfmstat_letters_with_argument='eMptCGxoDIr'

# COMP_WORDS is cut at ':' and '=', which belong to our words: put the pieces together that nothing parted in the line.
# Sets words, cword, and first (the index in COMP_WORDS of each word).
_pfmstat_join() {
	local line=$COMP_LINE piece blank i
	words=() first=() cword=0
	for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
		piece=${COMP_WORDS[i]}
		blank=${line%%[![:space:]]*}
		line=${line#"$blank"}
		line=${line#"$piece"}
		if ((i == 0)) || [[ $blank || ! $COMP_LINE ]]; then
			words+=("$piece")
			first+=("$i")
		else
			words[${#words[@]} - 1]+=$piece
		fi
		((i > COMP_CWORD)) || cword=$((${#words[@]} - 1))
	done
}

# What is offered replaces only the piece at the cursor: of each word that begins with $cur, the part that is the
# piece's goes to COMPREPLY. Arguments: what stands before the item in the word, and the items, one a line, on stdin.
_pfmstat_offer() {
	local before=$1 item whole=$1$2 piece=${COMP_WORDS[COMP_CWORD]}
	local cut=$((${#whole} - ${#piece}))

	[[ $piece =~ ^[=:]+$ ]] && cut=${#whole}
	((cut >= 0)) || cut=0
	while IFS= read -r item; do
		[[ $item == "$2"* ]] || continue
		item=$before$item
		COMPREPLY+=("${item:cut}")
	done
}

_pfmstat_names() {
	local pattern=
	[[ $2 != *::* ]] || pattern="=${2%%::*}::"
	"$1" --list"$pattern" 2>/dev/null | sed -n 's/^  \([^ (][^ ]*\).*/\1/p'
}

# And their groups.
_pfmstat_metrics() {
	"$1" --list --json 2>/dev/null | sed -n '/"source":"metric"/{
		s/^{"name":"\([^"\\]*\)".*"groups":\[\(.*\)\]}$/\1,\2/
		s/"//g
		p
	}' | tr , '\n' | sed '/^$/d' | sort -u
}

# Complete the value of an option: program, option, what stands before the value in the word, the value.
_pfmstat_argument() {
	local program=$1 option=$2 before=$3 value=$4 item

	case $value in # readline keeps the quote by itself
	[\'\"]*) value=${value:1} ;;
	esac
	case $option in
	-e | --event)
		item=${value##*[,\{]}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_names "$program" "$item")
		;;
	-M | --metric)
		item=${value##*,}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_metrics "$program")
		;;
	--list)
		_pfmstat_offer "$before" "$value" < <(_pfmstat_names "$program" "$value")
		;;
	-p | --pid)
		item=${value##*,}
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(cd /proc && printf '%s\n' [0-9]*)
		;;
	-t | --tid)
		item=${value##*,}
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(cd /proc && printf '%s\n' [0-9]*/task/* | sed 's/.*\///')
		;;
	-C | --cpu)
		item=${value##*[,-]}
		_pfmstat_offer "$before${value%"$item"}" "$item" < \
			<(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | sed 's/cpu//')
		;;
	--per-cache)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' 1 2 3)
		;;
	--by)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' process comm thread)
		;;
	-o | --output | --metrics)
		compopt -o filenames 2>/dev/null
		_pfmstat_offer '' "$value" < <(compgen -f -- "$value")
		;;
	--scale)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' time anchor)
		;;
	--log-fd)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' 1 2 3)
		;;
	-x | --field-separator)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' , : '\\t')
		;;
	esac
}

# The option that the word before the cursor ends with and that wants the next word as its argument; else nothing.
_pfmstat_wants() {
	local word=$1 i

	case $word in
	--*)
		[[ " $_pfmstat_with_argument " == *" $word "* ]] && printf '%s' "$word"
		;;
	-?*)
		# of -de the e wants one; in -ecs, it has it
		for ((i = 1; i < ${#word}; i++)); do
			[[ $_pfmstat_letters_with_argument == *"${word:i:1}"* ]] || continue
			((i == ${#word} - 1)) && printf '%s' "-${word:i:1}"
			return
		done
		;;
	esac
}

_pfmstat_command() {
	local at=$1

	if declare -F _command_offset >/dev/null; then
		_command_offset "${first[at]}"
	elif ((cword == at)); then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -c -- "${words[cword]}")
	else
		compopt -o default -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "${words[cword]}")
	fi
}

_pfmstat() {
	local words first cword cur option i

	COMPREPLY=()
	_pfmstat_join
	cur=${words[cword]}
	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} == -- ]] && { _pfmstat_command $((i + 1)); return; }
		[[ ${words[i]} == -* ]] || { _pfmstat_command "$i"; return; }
		[[ $(_pfmstat_wants "${words[i]}") ]] && ((i++))
	done
	option=$(_pfmstat_wants "${words[cword - 1]}")
	if ((i > cword)) && [[ $option ]]; then
		_pfmstat_argument "$1" "$option" '' "$cur"
	elif [[ $cur == --*=* ]]; then
		_pfmstat_argument "$1" "${cur%%=*}" "${cur%%=*}=" "${cur#*=}"
	elif [[ $cur == -* ]]; then
		# shellcheck disable=SC2086
		_pfmstat_offer '' "$cur" < <(printf '%s\n' $_pfmstat_with_argument $_pfmstat_without)
	else
		_pfmstat_command "$cword"
	fi
}

complete -F _pfmstat pfmstat
