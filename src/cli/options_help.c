/* The short help of -h: the commonest options and three examples. --help, all options, is argp's and made of the table.
 * options.bats sees that each option named here is in the table, and counts the lines.
 */
#include "cli/options_internal.h"

static const char short_help[] = "Usage: pfmstat [OPTION...] COMMAND [ARG...] [::: OTHER COMMAND...]\n"
				 "       pfmstat [OPTION...] -p PID | -a [COMMAND...]\n"
				 "Count performance events, and say how far each number can be trusted.\n"
				 "\n"
				 "  -e LIST             Events to count: cycles,page-faults,{a,b}; see --list\n"
				 "  -p PID              Count a running process, until it ends or ^C\n"
				 "  -a                  Count the whole system; --per-core: a row per core\n"
				 "  --by=WHAT           A row per process, comm (program name) or thread\n"
				 "  -I MS               Report every MS milliseconds\n"
				 "  -r N                Run N times, report means and their errors\n"
				 "  -o FILE             Write the report to FILE, not to standard error\n"
				 "  --csv, --json, -x,  Reports for scripts; -x, has the columns of perf stat\n"
				 "  --diff OLD NEW      Compare two reports that were saved with --json\n"
				 "  --list[=PATTERN]    List the events that can be counted here\n"
				 "  --explain -e LIST   Show what each event becomes, and whether it counts here\n"
				 "\n"
				 "Examples:\n"
				 "  pfmstat make                                  what a command costs\n"
				 "  pfmstat -e page-faults ./old ::: ./new        which of two commands is better\n"
				 "  pfmstat -a --by=comm -e cpu-clock sleep 5     which programs use the machine\n"
				 "\n"
				 "All options: pfmstat --help. The manual: man pfmstat; to learn from: man\n"
				 "pfmstat-tutorial.\n";

void options_put_short_help(FILE *out)
{
	fputs(short_help, out);
}
