/* A command's CPU time beside the time that its counters were enabled: which part was not counted. */
#include "run/measure_check.h"

#include <unistd.h>

#include "tap.h"

#define MS 1000000u

/* Of ms before the exec, with counters, and after the kernel has taken them away, in a child or in the command's
 * process: which loss is found. */
static const char *find_loss_in(unsigned before, unsigned counted, unsigned after, bool child, bool user_only)
{
	char shell[] = "/bin/sh", *command[] = {shell, NULL};
	const struct target target = {.kind = TARGET_COMMAND};
	struct event event;
	const struct event_list list = {.events = &event, .n = 1};
	const struct plan plan = {.list = &list, .events = &event, .n_events = 1};
	const struct measure_options options = {.backend = {.plan = &plan, .target = &target, .inherit = true},
						.command = command};
	struct measured m = {.has_usage = true,
			     .user_ns = (uint64_t)MS * (before + counted + after),
			     .before_exec = (uint64_t)MS * before,
			     .children_ns = child ? (uint64_t)MS * after : 0};
	const char *found;

	event_init(&event, EVENT_ABI);
	event.attr.exclude_kernel = user_only;
	counts_init(&m.counts, 1, 1);
	*counts_at(&m.counts, 0, 0) =
		(struct count){.open = true, .sample = {1, (uint64_t)MS * counted, (uint64_t)MS * counted}};
	measured_find_loss(&m, &options);
	found = m.lost ? "a program" : m.left_out ? "perhaps a program" : m.notes.n ? "an end" : "";
	is_number(m.notes.n, m.lost || !*found ? 0 : 1, "a note if it is not a state");
	measured_free(&m);
	event_free(&event);
	return found;
}

static const char *find_loss(unsigned before, unsigned counted, unsigned after, bool user_only)
{
	return find_loss_in(before, counted, after, true, user_only);
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
	is_string(find_loss(1, 1, 60, true), "perhaps a program", "a short time may be that of ending processes");
	is_string(find_loss_in(1, 1, 900, false, true), "perhaps a program",
		  "time without children may be that of the end");
	is_string(find_loss_in(1, 1, 1001, false, true), "a program", "... but not a second");
	if (root && seteuid(0) != 0)
		return 1;
	is_string(find_loss(50, 1, 0, true), "", "the time before the exec is no loss");
	is_string(find_loss(1, 1, 9, true), "", "a short time is no loss");
	is_string(find_loss(1, 50, 50, true), "", "half of the time is no loss");
	is_string(find_loss(0, 490, 10, false), "an end", "10 ms and 2% after the counters are gone");
	is_string(find_loss(300, 490, 10, false), "an end", "... of the time since the exec");
	is_string(find_loss(0, 490, 10, true), "", "... which user space does not use");
	is_string(find_loss(0, 491, 10, false), "", "less than 2%");
	is_string(find_loss(0, 400, 9, false), "", "less than 10 ms");
	return tap_done();
}
