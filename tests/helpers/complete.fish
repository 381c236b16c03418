# complete.fish COMPLETION: prints what fish offers when tab is pressed at the end of each line of standard input, as lines
# of `NUMBER<tab>OFFER<tab>DESCRIPTION`. See complete.py.

source $argv[1]
# descriptions of programs, which need a search of the manual's index
function __fish_describe_command
end
set lines (cat)
for number in (seq (count $lines))
    complete -C $lines[$number] | string replace -r '^' $number\t
end
