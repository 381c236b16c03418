#include "host/time_namespace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"

/* The file has the offsets of processes that this one will start. Those are its own, unless unshare(2) has asked for a
 * new namespace for them and nothing was forked since nor, from Linux 6.1 on, executed. */
int64_t time_namespace_offset(void)
{
	char own[64] = "", children[64] = "", text[256], *end = text;
	long long seconds;

	if (readlink("/proc/self/ns/time", own, sizeof(own) - 1) < 0 ||
	    readlink("/proc/self/ns/time_for_children", children, sizeof(children) - 1) < 0 ||
	    strcmp(own, children) != 0 || file_read("/proc/self/timens_offsets", text, sizeof(text)) < 0)
		return 0;
	end += strcspn(end, " "); /* the first line: "monotonic", seconds, ns */
	seconds = strtoll(end, &end, 10);
	return seconds * 1000000000 + strtoll(end, NULL, 10);
}
