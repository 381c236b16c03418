/* A command's CPU time beside the time that its counters were enabled: which part was not counted. */
#include "run/measure_check.h"

#include <unistd.h>

#include "tap.h"

#define MS 1000000u

/* Of ms before the exec, with counters, and after the kernel has taken them away: which loss is found. */
static const char *find_loss(unsigned before, unsigned counted, unsigned after, bool user_only)
{
	char shell[] = "/bin/sh", *command[] = {shell, NULL};
	const struct target target = {.kind = TARGET_COMMAND};
	struct event event;
	const struct event_list list = {.events = &event, .n = 1};
	const struct plan plan = {.list = &list, .events = &event, .n_events = 1};
	const struct measure_options options = {.source = {.plan = &plan, .target = &target, .inherit = true},
						.command = command};
	struct measured m = {.has_usage = true,
			     .user_ns = (uint64_t)MS * (before + counted + after),
			     .before_exec = (uint64_t)MS * before};
	const char *found;

	event_init(&event, EVENT_ABI);
	event.attr.exclude_kernel = user_only;
	counts_init(&m.counts, 1, 1);
	*counts_at(&m.counts, 0, 0) =
		(struct count){.open = true, .sample = {1, (uint64_t)MS * counted, (uint64_t)MS * counted}};
	measured_find_loss(&m, &options);
	found = m.lost ? "a program" : m.left_out ? "perhaps a program" : m.notes.n ? "an end" : "";
	is_number(m.notes.n, m.lost || !*found ? 0 : 1, "a note, where it is no state");
	measured_free(&m);
	event_free(&event);
	return found;
}

int main(void)
{
	bool root = geteuid() == 0;

	is_string(find_loss(1, 1, 100, true), root ? "perhaps a program" : "a program",
		  "a program that was not counted");
	if (root && seteuid(65534) != 0)
		return 1;
	is_string(find_loss(1, 1, 100, true), "a program", "... without privileges");
	is_string(find_loss(1, 1, 100, false), "a program", "... also by an event of the kernel");
	is_string(find_loss(1, 1, 60, true), "perhaps a program", "... or a CPU of a virtual machine that stood still");
	is_string(find_loss(20, 1, 99, true), "perhaps a program", "... as it did before the exec");
	is_string(find_loss(20, 1, 100, true), "a program", "... unless it is more");
	if (root && seteuid(0) != 0)
		return 1;
	is_string(find_loss(50, 1, 0, true), "", "the time before the exec is no loss");
	is_string(find_loss(1, 1, 9, true), "", "nor is little time");
	is_string(find_loss(1, 50, 50, true), "", "nor half of it");
	is_string(find_loss(0, 490, 10, false), "an end", "10 ms and 2% after the counters are gone");
	is_string(find_loss(300, 490, 10, false), "an end", "... of the time since the exec");
	is_string(find_loss(0, 490, 10, true), "", "... which user space does not use");
	is_string(find_loss(0, 491, 10, false), "", "less than 2%");
	is_string(find_loss(0, 400, 9, false), "", "less than 10 ms");
	return tap_done();
}
