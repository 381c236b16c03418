# fish completion for pfmstat

# Options that take an argument: their letters, and a pattern for their long names.
set -g __pfmstat_letters eMptCGxoDIr
set -g __pfmstat_long 'event|git|build|errata|sim-cpu|pmu-filter|filter|metrics|metric|td-level|pid|tid|cpu|cgroup|for-each-cgroup|unit|container|pod|by|sort|top|folded|field-separator|output|log-fd|delay|timeout|interval-print|interval-count|control|repeat|warmup|setup|pre|post|until|seed|threshold|statistic|against|fail-if|color|export|plot|scan|name|command-output|input'

# The words after the options, or after the last :::, including the one at the cursor: none if that is an option or an
# option's argument, and none for --diff and --merge, which take files.
function __pfmstat_command
    set -f words (commandline -cop) (commandline -ct)
    set -e words[1]
    while set -q words[1]
        if test "$words[1]" = --
            set -e words[1]
            break
        else if contains -- "$words[1]" --diff --merge
            return
        else if string match -rq "^(--($__pfmstat_long)|-[^-$__pfmstat_letters]*[$__pfmstat_letters])\$" -- $words[1]
            # its argument is the next word
            set -e words[1]
        else if not string match -rq '^-.' -- $words[1]
            break
        end
        set -e words[1]
    end
    while contains ::: $words[1..-2]
        set -e words[1]
    end
    string join \n -- $words
end

# The word at the cursor may be an option, or the command: all before it are options.
function __pfmstat_options
    test (count (__pfmstat_command)) -le 1
end

# The command and its arguments, as fish completes them anywhere.
function __pfmstat_subcommand
    complete -C (string join ' ' -- (__pfmstat_command | string escape))
end

# The argument at the cursor, without its option and the quote that it begins with.
function __pfmstat_argument
    commandline -ct | string replace -r "^(-[^-$__pfmstat_letters]*[$__pfmstat_letters]|--[a-z-]+=)" '' | string replace -r '^[\'"]' ''
end

# A list of items with commas: the text before the last one, then each item, which may have a tab and a description.
function __pfmstat_list
    set -f before (__pfmstat_argument | string match -r '^.*[,{]')
    while read -f item
        echo "$before$item"
    end
end

# pfmstat --list: names and descriptions.
function __pfmstat_names
    set -f program (commandline -cop)[1]
    $program --list$argv[1] 2>/dev/null | string replace -rf '^  ([^ (]\S*) *(.*)' '$1\t$2'
end

# Completions after KIND: for a user probe: files, and after a file and a colon, its functions; for usdt its probes.
function __pfmstat_probes
    set -f kind (string replace -r ':.*' '' -- $argv[1])
    set -f rest (string replace -r '^[^:]*:' '' -- $argv[1])
    set -f libraries (PATH="$PATH:/sbin" ldconfig -p 2>/dev/null)
    if string match -q '*:*' -- $rest
        set -f name (string replace -r ':.*' '' -- $rest)
        set -f file $name
        if not string match -q '*/*' -- $name
            set -f file (command -s -- $name
                test -f $name; and echo ./$name
                printf '%s\n' $libraries | awk -v name=$name '$1 == name { print $NF }')[1]
        end
        if test $kind = usdt
            readelf -n $file 2>/dev/null | awk -v before="$kind:$name:" '$1 == "Provider:" { p = $2 } $1 == "Name:" { print before p ":" $2 }' | sort -u
            return
        end
        begin
            nm -D $file
            nm $file
        end 2>/dev/null | string match -rg '^\S+ [TtWwi] ([^@]*)' | sort -u | string replace -r '^' "$kind:$name:"
    else
        for file in $rest*
            test -d $file; and echo $kind:$file/; or echo $kind:$file:
        end
        string match -q '*/*' -- $rest
        or string replace -rf '^\s*(\S+) \(.* => .*' "$kind:\$1:" -- $libraries
    end
end

function __pfmstat_functions
    set -f item (__pfmstat_argument | string replace -r '^.*,' '')
    __pfmstat_probes uprobe:$item | string replace -r '^uprobe:' '' | __pfmstat_list
end

# Events; after a name or a group and a colon, modifiers.
function __pfmstat_events
    set -f item (__pfmstat_argument | string replace -r '^.*[,{]' '')
    if string match -rq '^(u(ret)?probe|usdt):' -- $item
        __pfmstat_probes $item | __pfmstat_list
        return
    end
    set -f after (string match -rg '^(.*):[^:]*$' -- $item)
    set -f pattern ''
    string match -q '*::*' -- $item
    and set pattern =(string replace -r '::.*' '::' -- $item)
    set -f names (__pfmstat_names "$pattern")
    # the colon of a tracepoint is followed by its name
    if test -n "$after"; and not string match -q '*::*' -- $item; and not string match -q -- "$item*" $names
        set -f modifiers u\tuser\ space k\tkernel h\thypervisor G\tguests H\thost I\tnot\ while\ idle p\tprecise \
            pp\tmore\ precise ppp\tvery\ precise P\tmost\ precise D\tpinned e\texclusive
        string match -q '*}' -- $after
        and set -a modifiers W\tgroup\ may\ be\ split
        for modifier in $modifiers
            echo $after:$modifier
        end | __pfmstat_list
        return
    end
    printf '%s\n' $names uprobe:\tuser\ probe uretprobe:\tuser\ probe,\ return usdt:\tprobe\ of\ a\ program | __pfmstat_list
end

# The events of each -e before the cursor, in the same spelling.
function __pfmstat_chosen
    set -f words (commandline -cop)
    for at in (seq (count $words))
        if contains -- $words[$at] -e --event
            echo $words[(math $at + 1)]
        else
            string match -rg '^(?:-e|--event=)(.+)' -- $words[$at]
        end
    end | string split , | string replace -a '{' '' | string replace -r '}.*' ''
end

# Control groups by their names below the mount point, one level at a time.
function __pfmstat_cgroups
    set -f item (__pfmstat_argument | string replace -r '^.*,' '')
    set -f root (awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { old = $2 } $3 == "cgroup2" { new = $2 }
        END { print old ? old : new }' /proc/self/mounts)
    set -f groups $root/$item*/
    string replace -r '^.{'(string length -- $root/)'}(.*)/$' '$1' -- $groups | __pfmstat_list
end

# And their groups.
function __pfmstat_metrics
    set -f program (commandline -cop)[1]
    $program --list --json 2>/dev/null | string match -rg '^\{"name":"([^"\\\\]*)","source":"metric".*"groups":\[(.*)\]\}$' |
        string replace -a '"' '' | string split -n , | sort -u | __pfmstat_list
end

function __pfmstat_cpus
    string match -rg 'cpu([0-9]+)$' /sys/devices/system/cpu/cpu* | __pfmstat_list
end

function __pfmstat_tids
    for task in /proc/*/task/*
        read -f name <$task/comm
        and echo (string replace -r '.*/' '' -- $task)\t$name
    end 2>/dev/null | __pfmstat_list
end

complete -c pfmstat -x -n 'test (count (__pfmstat_command)) -ge 1' -a '(__pfmstat_subcommand)'

# one line an option
complete -c pfmstat -n __pfmstat_options -s e -l event -x -a '(__pfmstat_events)' -d 'Count these events'
complete -c pfmstat -n __pfmstat_options -l filter -x -d 'Count the tracepoint before it only where its fields match'
complete -c pfmstat -n __pfmstat_options -s M -l metric -x -a '(__pfmstat_metrics)' -d 'Metrics and groups of metrics, with their events'
complete -c pfmstat -n __pfmstat_options -l topdown -d 'The metrics of the group TopdownL1'
complete -c pfmstat -n __pfmstat_options -l td-level -x -a '1 2 3 4' -d 'The same of another level'
complete -c pfmstat -n __pfmstat_options -l metric-only -d 'Report metrics only, each as a column'
complete -c pfmstat -n __pfmstat_options -l sim-cpu -x -a 'host baseline' -d 'CPU features for a simulated command'
complete -c pfmstat -n __pfmstat_options -l errata -x -a 'fix warn off' -d 'For names that libpfm4 encodes wrongly'
complete -c pfmstat -n __pfmstat_options -l metric-no-threshold -d 'Do not count events that only thresholds need'
complete -c pfmstat -n __pfmstat_options -l metrics -r -F -d 'Read events and metrics from this file or directory'
complete -c pfmstat -n __pfmstat_options -s d -l detailed -d 'Add cache events'
complete -c pfmstat -n __pfmstat_options -l all-user -d 'Count in user space only'
complete -c pfmstat -n __pfmstat_options -l all-kernel -d 'Count in the kernel only'
complete -c pfmstat -n __pfmstat_options -l no-group -d 'Open each event alone'
complete -c pfmstat -n __pfmstat_options -l pmu-filter -x -a '(command ls /sys/bus/event_source/devices)' -d 'If several PMUs count an event, count it only on this one'
complete -c pfmstat -n __pfmstat_options -l no-merge -d 'Show the count of each of several PMUs of a kind'
complete -c pfmstat -n __pfmstat_options -l no-multiplex -d 'Run the command again for each group that would take turns'
complete -c pfmstat -n __pfmstat_options -l strict -d 'Run nothing unless every event can be counted exactly'
complete -c pfmstat -n __pfmstat_options -l scale -d 'Scale multiplexed counts'
complete -c pfmstat -n __pfmstat_options -l no-scale -d 'Show multiplexed counts as they were read'
complete -c pfmstat -n __pfmstat_options -s n -l null -d 'Count no default events'
complete -c pfmstat -n __pfmstat_options -s p -l pid -x -a '(__fish_complete_pids | __pfmstat_list)' -d 'Count in these processes'
complete -c pfmstat -n __pfmstat_options -s t -l tid -x -a '(__pfmstat_tids)' -d 'Count in these threads'
complete -c pfmstat -n __pfmstat_options -s a -l all-cpus -d 'Count the whole system'
complete -c pfmstat -n __pfmstat_options -s C -l cpu -x -a '(__pfmstat_cpus)' -d 'Count these CPUs'
complete -c pfmstat -n __pfmstat_options -s A -l no-aggr -d 'One row per CPU'
complete -c pfmstat -n __pfmstat_options -l per-core -d 'One row per core'
complete -c pfmstat -n __pfmstat_options -l per-cluster -d 'One row per cluster'
complete -c pfmstat -n __pfmstat_options -l per-cache -f -a '1 2 3' -d 'One row per cache'
complete -c pfmstat -n __pfmstat_options -l per-die -d 'One row per die'
complete -c pfmstat -n __pfmstat_options -l per-socket -d 'One row per socket'
complete -c pfmstat -n __pfmstat_options -l per-node -d 'One row per NUMA node'
complete -c pfmstat -n __pfmstat_options -s G -l cgroup -x -a '(__pfmstat_cgroups)' -d 'Of these cgroups, each for the event in its place'
complete -c pfmstat -n __pfmstat_options -l for-each-cgroup -x -a '(__pfmstat_cgroups)' -d 'All events for each of these cgroups'
complete -c pfmstat -n __pfmstat_options -l unit -x -a "(command ls -d /sys/fs/cgroup/*/*.service 2>/dev/null | string replace -r '.*/' '')" -d 'All events in these units of systemd'
complete -c pfmstat -n __pfmstat_options -l container -x -d 'All events in these containers'
complete -c pfmstat -n __pfmstat_options -l pod -x -d 'All events in these pods'
complete -c pfmstat -n __pfmstat_options -l per-thread -d 'A row per thread, the largest first'
complete -c pfmstat -n __pfmstat_options -s i -l no-inherit -d 'Do not count child processes'
complete -c pfmstat -n __pfmstat_options -l by -x -a 'process comm thread cgroup' -d 'Show the share of each'
complete -c pfmstat -n __pfmstat_options -l sort -x -a '(__pfmstat_chosen) value name none' -d 'The order of rows, or an event for --by'
complete -c pfmstat -n __pfmstat_options -l top -x -d 'Only the largest'
complete -c pfmstat -n __pfmstat_options -l trace -d 'With --by: follow the command with ptrace'
complete -c pfmstat -n __pfmstat_options -l cmdline -d 'Show command lines'
complete -c pfmstat -n __pfmstat_options -l folded -x -a '(__pfmstat_chosen)' -d 'Paths of program names for flamegraph.pl'
complete -c pfmstat -n __pfmstat_options -s D -l delay -x -d 'Start counting later (ms; -1: by --control)'
complete -c pfmstat -n __pfmstat_options -l timeout -x -d 'Stop after this time (ms)'
complete -c pfmstat -n __pfmstat_options -s I -l interval-print -x -d 'Report every so often (ms)'
complete -c pfmstat -n __pfmstat_options -l interval-count -x -d 'Stop after so many intervals'
complete -c pfmstat -n __pfmstat_options -l interval-clear -d 'Clear the screen before each interval'
complete -c pfmstat -n __pfmstat_options -l summary -d 'Report the total after the intervals'
complete -c pfmstat -n __pfmstat_options -l no-csv-summary -d 'With -x: no summary before its rows'
complete -c pfmstat -n __pfmstat_options -l control -x -a 'fd: fifo:' -d 'Obey commands from there'
complete -c pfmstat -n __pfmstat_options -l regions -f -a '(__pfmstat_functions)' -d 'Count the regions that the command marks, or each call of functions'
complete -c pfmstat -n __pfmstat_options -s r -l repeat -x -d 'Run so many times'
complete -c pfmstat -n __pfmstat_options -l warmup -x -d 'Runs before that do not count'
complete -c pfmstat -n __pfmstat_options -l setup -x -a '(__fish_complete_command)' -d 'Run this once for each command'
complete -c pfmstat -n __pfmstat_options -l pre -x -a '(__fish_complete_command)' -d 'Run this before each run'
complete -c pfmstat -n __pfmstat_options -l post -x -a '(__fish_complete_command)' -d 'Run this after each run'
complete -c pfmstat -n __pfmstat_options -s S -l sync -d 'Call sync before each run'
complete -c pfmstat -n __pfmstat_options -l until -x -d 'Stop once the mean is known to so many per cent'
complete -c pfmstat -n __pfmstat_options -l decide -d 'With -r: stop once the comparison is decided'
complete -c pfmstat -n __pfmstat_options -l command-output -r -F -a 'null inherit' -d 'Standard output of the runs'
complete -c pfmstat -n __pfmstat_options -l show-output -d 'Show what the runs print'
complete -c pfmstat -n __pfmstat_options -l input -r -F -d 'Standard input of each run'
complete -c pfmstat -n __pfmstat_options -l undisturbed -d 'Repeat rounds in which a run waited for a CPU'
complete -c pfmstat -n __pfmstat_options -l randomize-env -d 'Shift the stack at random in each run'
complete -c pfmstat -n __pfmstat_options -l seed -x -d 'Reproduce a random order'
complete -c pfmstat -n __pfmstat_options -l threshold -x -d 'What is no difference (per cent)'
complete -c pfmstat -n __pfmstat_options -l statistic -x -a 'mean median' -d 'What is compared'
complete -c pfmstat -n __pfmstat_options -l git -x -a '(git tag 2>/dev/null)' -d 'Compare two revisions of the repository'
complete -c pfmstat -n __pfmstat_options -l build -x -d 'With --git, builds each revision'
complete -c pfmstat -n __pfmstat_options -l bisect -d 'With --git and --fail-if, find the commit'
complete -c pfmstat -n __pfmstat_options -l calibrate -d 'Compare the command with itself, for --fail-if'
complete -c pfmstat -n __pfmstat_options -l diff -F -d 'Compare saved reports'
complete -c pfmstat -n __pfmstat_options -l merge -F -d 'Add up saved reports of ranks or hosts'
complete -c pfmstat -n __pfmstat_options -l scan -x -d 'Compare with each of these values for {NAME}'
complete -c pfmstat -n __pfmstat_options -l name -x -d 'What to call the first command, the second …'
complete -c pfmstat -n __pfmstat_options -l against -r -d 'Compare this report with all old ones'
complete -c pfmstat -n __pfmstat_options -l fail-if -x -d 'End with 1 if a difference is so'
complete -c pfmstat -n __pfmstat_options -l force -d 'Judge counts of other machines'
complete -c pfmstat -n __pfmstat_options -l ignore-failure -d 'Count and judge failed runs like others'
complete -c pfmstat -n __pfmstat_options -s x -l field-separator -x -a ', : \\\\t' -d 'Rows in the columns of perf stat'
complete -c pfmstat -n __pfmstat_options -l csv -d 'CSV with a header'
complete -c pfmstat -n __pfmstat_options -s j -l json-output -d 'JSON as perf stat has it'
complete -c pfmstat -n __pfmstat_options -l json -d 'JSON Lines'
complete -c pfmstat -n __pfmstat_options -l openmetrics -d 'Counters and gauges for Prometheus'
complete -c pfmstat -n __pfmstat_options -s o -l output -r -F -d 'Write the report to this file'
complete -c pfmstat -n __pfmstat_options -l export -r -F -d 'Also write the report to this file'
complete -c pfmstat -n __pfmstat_options -l plot -r -F -d 'Draw a picture in this file'
complete -c pfmstat -n __pfmstat_options -l append -d 'Append to the file'
complete -c pfmstat -n __pfmstat_options -l log-fd -x -a '1 2 3' -d 'Write the report to this descriptor'
complete -c pfmstat -n __pfmstat_options -l quiet -d 'Write no report'
complete -c pfmstat -n __pfmstat_options -l no-big-num -d 'Do not group digits'
complete -c pfmstat -n __pfmstat_options -l color -x -a 'auto always never' -d 'Colour in the table and in errors'
complete -c pfmstat -n __pfmstat_options -l nonzero -d 'One line for all events that are 0'
complete -c pfmstat -n __pfmstat_options -l table -d 'Show the elapsed time of each run'
complete -c pfmstat -n __pfmstat_options -s v -l verbose -d 'Show raw counts and times'
complete -c pfmstat -n __pfmstat_options -l list -f -a '(__pfmstat_events)' -d 'List the events that can be named'
complete -c pfmstat -n __pfmstat_options -l explain -d 'Show how events are resolved and grouped'
complete -c pfmstat -n __pfmstat_options -l check -d 'Show what can be counted here'
complete -c pfmstat -n __pfmstat_options -l names -d 'With --check: compare the names of libpfm4 with the files of vendors'
complete -c pfmstat -n __pfmstat_options -s h -d 'Show the most common options'
complete -c pfmstat -n __pfmstat_options -l help -d 'Show all options'
complete -c pfmstat -n __pfmstat_options -l usage -d 'List the options without descriptions'
complete -c pfmstat -n __pfmstat_options -l schema -d 'Show the JSON schema of the records of --json'
complete -c pfmstat -n __pfmstat_options -s V -l version -d 'Show the version'
