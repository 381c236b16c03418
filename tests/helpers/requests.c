/* `requests KIND`: 350,000 turns of a loop, with requests to Callgrind between 200,000, 100,000 and 50,000 of them:
 * dump, zero, toggle or stop. Status 77 without callgrind.h. */
#include <stdlib.h>
#include <string.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_DUMP_STATS            exit(77)
#define CALLGRIND_ZERO_STATS            exit(77)
#define CALLGRIND_TOGGLE_COLLECT        exit(77)
#define CALLGRIND_STOP_INSTRUMENTATION  exit(77)
#define CALLGRIND_START_INSTRUMENTATION exit(77)
#endif

static void loop(long n)
{
	while (n--)
		__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const char *kind = argc == 2 ? argv[1] : "";

	loop(200000);
	if (strcmp(kind, "dump") == 0)
		CALLGRIND_DUMP_STATS;
	else if (strcmp(kind, "zero") == 0)
		CALLGRIND_ZERO_STATS;
	else if (strcmp(kind, "toggle") == 0)
		CALLGRIND_TOGGLE_COLLECT;
	else if (strcmp(kind, "stop") == 0)
		CALLGRIND_STOP_INSTRUMENTATION;
	else
		return 2;
	loop(100000);
	if (strcmp(kind, "toggle") == 0)
		CALLGRIND_TOGGLE_COLLECT;
	else if (strcmp(kind, "stop") == 0)
		CALLGRIND_START_INSTRUMENTATION;
	else if (strcmp(kind, "dump") == 0)
		CALLGRIND_DUMP_STATS;
	loop(50000);
	return 0;
}
