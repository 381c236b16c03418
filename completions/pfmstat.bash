# bash completion for pfmstat. With bash-completion, the command's arguments are completed also.
# shellcheck shell=bash

# Options that take an argument, as `-s|--long)` below, and those that take none. A new option is added here and, with an
# argument, to _pfmstat_argument.
_pfmstat_with_argument='-e --event --filter -M --metric --td-level --metrics -p --pid -t --tid -C --cpu -G --cgroup --for-each-cgroup --unit --container --pod -x --field-separator -o --output --log-fd -D --delay
	--timeout -I --interval-print --interval-count --control -r --repeat --warmup --setup --pre --post --until --seed
	--threshold --statistic --against --fail-if --by --sort --top --folded --color --git --build --errata --pmu-filter --sim-cpu
	--export --plot --scan --name --command-output --input'
_pfmstat_without='-d --detailed --all-user --all-kernel --no-group --no-merge --no-multiplex --strict --scale --no-scale --topdown --metric-no-threshold --metric-only --regions -n --null -a --all-cpus -A --no-aggr
	--per-core --per-cluster --per-cache --per-die --per-socket --per-node -i --no-inherit --csv -j --json-output --json --openmetrics --append
	-S --sync --decide --undisturbed --show-output --randomize-env --bisect --calibrate --diff --force --ignore-failure --merge --trace --cmdline --per-thread --quiet --no-big-num --table --interval-clear --summary --no-csv-summary --nonzero -v --verbose --list --explain --check --names --schema -h --help --usage -V --version'
_pfmstat_letters_with_argument='eMptCGxoDIr'

# COMP_WORDS is cut at ':' and '=', which belong to our words: join the pieces that no blank separates in the line.
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

# An offer replaces only the piece at the cursor: of each word that begins with $cur, this piece goes to COMPREPLY.
# Arguments: the text before the item in the word, and the items, one per line, on stdin.
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

# The program or library that a probe names, as pfmstat searches it.
_pfmstat_binary() {
	case $1 in
	*/*) printf '%s\n' "$1" ;;
	*)
		type -P -- "$1" || { [[ -f $1 ]] && printf '%s\n' "./$1"; } ||
			PATH=$PATH:/sbin ldconfig -p 2>/dev/null | sed -n "s|^[[:space:]]*${1//./\\.} .* => ||p" | head -n 1
		;;
	esac
}

# Completions after KIND: for a user probe: files, and after a file and a colon, its functions; for usdt its probes.
_pfmstat_probes() {
	local kind=${1%%:*} rest=${1#*:} file
	case $rest in
	*:*)
		file=$(_pfmstat_binary "${rest%%:*}")
		if [[ $kind == usdt ]]; then
			readelf -n -- "$file" 2>/dev/null |
				awk -v before="$kind:${rest%%:*}:" '$1 == "Provider:" { p = $2 } $1 == "Name:" { print before p ":" $2 }' | sort -u
			return
		fi
		{ nm -D "$file"; nm "$file"; } 2>/dev/null |
			awk -v before="$kind:${rest%%:*}:" 'NF == 3 && $2 ~ /^[TtWwi]$/ { sub(/@.*/, "", $3); print before $3 }' | sort -u
		;;
	*)
		while IFS= read -r file; do
			if [[ -d $file ]]; then printf '%s\n' "$kind:$file/"; else printf '%s\n' "$kind:$file:"; fi
		done < <(compgen -f -- "$rest")
		[[ $rest == */* ]] || PATH=$PATH:/sbin ldconfig -p 2>/dev/null | sed -n "s|^[[:space:]]*\([^ ]*\) (.* => .*|$kind:\1:|p"
		;;
	esac
}

# Events that begin with ITEM; after a name or a group and a colon, modifiers.
_pfmstat_events() {
	local item=$2 names

	case $item in
	uprobe:* | uretprobe:* | usdt:*)
		_pfmstat_probes "$item"
		return
		;;
	*\}:*)
		printf '%s\n' "${item%\}:*}}:"{u,k,h,G,H,I,P,D,e,W}
		return
		;;
	esac
	names=$(_pfmstat_names "$1" "$item")
	printf '%s\n' "$names" uprobe: uretprobe: usdt:
	# the colon of a tracepoint is followed by its name
	if [[ $item == *:* && $item != *::* && $'\n'$names != *$'\n'"$item"* ]]; then
		printf '%s\n' "${item%:*}:"{u,k,h,G,H,I,p,pp,ppp,P,D,e}
	fi
}

# The events of each -e before the cursor, in the same spelling.
_pfmstat_chosen() {
	local i list=''
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		-e | --event) list+=,${words[i + 1]} ;;
		--event=*) list+=,${words[i]#*=} ;;
		-e*) list+=,${words[i]#-e} ;;
		esac
	done
	list=${list//[\'\"]/}
	printf '%s\n' "${list//[,\{]/$'\n'}" | sed -n 's/}.*//; /./p'
}

# Tasks with their names beside the numbers: NUMBER  NAME, of these directories of /proc.
_pfmstat_tasks() {
	local directory name
	for directory; do
		{ read -r name <"$directory/comm"; } 2>/dev/null && printf '%s  %s\n' "${directory##*/}" "$name"
	done
}

# The names beside the numbers are only shown, not inserted.
_pfmstat_only_numbers() {
	if ((${#COMPREPLY[@]} == 1)) || [[ ${COMP_TYPE-} == 37 || ${COMP_TYPE-} == 42 ]]; then
		COMPREPLY=("${COMPREPLY[@]%%  *}")
	fi
}

# Control groups by their names below the mount point, one level at a time.
_pfmstat_cgroups() {
	local root
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { old = $2 } $3 == "cgroup2" { new = $2 }
		END { print old ? old : new }' /proc/self/mounts)
	[[ $root ]] && (cd "$root" 2>/dev/null && compgen -d -- "$1")
}

# And their groups.
_pfmstat_metrics() {
	"$1" --list --json 2>/dev/null | sed -n '/"source":"metric"/{
		s/^{"name":"\([^"\\]*\)".*"groups":\[\(.*\)\]}$/\1,\2/
		s/"//g
		p
	}' | tr , '\n' | sed '/^$/d' | sort -u
}

# Complete the value of an option: program, option, the text before the value in the word, the value.
_pfmstat_argument() {
	local program=$1 option=$2 before=$3 value=$4 item quoted=''

	case $value in # readline keeps the quote
	[\'\"]*) value=${value:1} quoted=1 ;;
	esac
	case $option in
	-e | --event)
		item=${value##*[,\{]}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_events "$program" "$item")
		# a single match would end the quote within the group
		if [[ $quoted && ${value##*\}} == *\{* && ${#COMPREPLY[@]} -eq 1 ]]; then
			COMPREPLY+=("${COMPREPLY[0]}}")
		fi
		;;
	-M | --metric)
		item=${value##*,}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_metrics "$program")
		;;
	--regions)
		item=${value##*,}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_probes "uprobe:$item" | sed 's/^uprobe://')
		;;
	--list)
		_pfmstat_offer "$before" "$value" < <(_pfmstat_names "$program" "$value")
		;;
	-p | --pid)
		item=${value##*,}
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_tasks /proc/[0-9]*)
		_pfmstat_only_numbers
		;;
	-t | --tid)
		item=${value##*,}
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_tasks /proc/[0-9]*/task/*)
		_pfmstat_only_numbers
		;;
	--unit)
		item=${value##*,}
		_pfmstat_offer "$before${value%"$item"}" "$item" < \
			<(compgen -G '/sys/fs/cgroup/*/*.service' | sed 's|.*/||')
		;;
	-G | --cgroup | --for-each-cgroup)
		item=${value##*,}
		compopt -o nospace 2>/dev/null
		_pfmstat_offer "$before${value%"$item"}" "$item" < <(_pfmstat_cgroups "$item")
		;;
	-C | --cpu)
		item=${value##*[,-]}
		_pfmstat_offer "$before${value%"$item"}" "$item" < \
			<(cd /sys/devices/system/cpu && printf '%s\n' cpu[0-9]* | sed 's/cpu//')
		;;
	--per-cache)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' 1 2 3)
		;;
	--sort)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' value name none && _pfmstat_chosen)
		;;
	--folded)
		_pfmstat_offer "$before" "$value" < <(_pfmstat_chosen)
		;;
	--by)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' process comm thread cgroup)
		;;
	-o | --output | --against | --export | --plot | --metrics | --command-output | --input)
		compopt -o filenames 2>/dev/null
		_pfmstat_offer '' "$value" < <(compgen -f -- "$value")
		;;
	--color)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' auto always never)
		;;
	--pmu-filter)
		_pfmstat_offer "$before" "$value" < <(cd /sys/bus/event_source/devices && printf '%s\n' *)
		;;
	--errata)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' fix warn off)
		;;
	--statistic)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' mean median)
		;;
	--sim-cpu)
		_pfmstat_offer "$before" "$value" < <(printf '%s\n' host baseline)
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
	local word=$1 option i

	case $word in
	--*)
		for option in $_pfmstat_with_argument; do
			[[ $option != "$word" ]] || printf '%s' "$word"
		done
		;;
	-?*)
		# in -de, e needs one; in -ecs, it has one
		for ((i = 1; i < ${#word}; i++)); do
			[[ $_pfmstat_letters_with_argument == *"${word:i:1}"* ]] || continue
			((i == ${#word} - 1)) && printf '%s' "-${word:i:1}"
			return
		done
		;;
	esac
}

# The command begins at word AT, or after the last ::: before the cursor.
_pfmstat_command() {
	local at=$1 i

	for ((i = at; i < cword; i++)); do
		[[ ${words[i]} != ::: ]] || at=$((i + 1))
	done
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
	local words first cword cur option files='' i

	COMPREPLY=()
	_pfmstat_join
	cur=${words[cword]}
	for ((i = 1; i < cword; i++)); do
		[[ ${words[i]} == -- ]] && { _pfmstat_command $((i + 1)); return; }
		[[ ${words[i]} != --diff && ${words[i]} != --merge ]] || files=1
		[[ ${words[i]} == -* || $files ]] || { _pfmstat_command "$i"; return; }
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
	elif [[ $files ]]; then
		compopt -o filenames 2>/dev/null
		_pfmstat_offer '' "$cur" < <(compgen -f -- "$cur")
	else
		_pfmstat_command "$cword"
	fi
}

complete -F _pfmstat pfmstat
