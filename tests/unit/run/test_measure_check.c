/* A command's CPU time beside the time that its counters were enabled: is there a program that was not counted? */
#include "run/measure_check.h"

#include "tap.h"

#define MS 1000000u

/* So many ns before the exec, with counters, and after the kernel has taken them away. */
static bool is_found(uint64_t before, uint64_t counted, uint64_t after)
{
	char shell[] = "/bin/sh", *command[] = {shell, NULL};
	const struct target target = {.kind = TARGET_COMMAND};
	const struct event_list list = {0};
	const struct plan plan = {.list = &list};
	const struct measure_options options = {.source = {.plan = &plan, .target = &target, .inherit = true},
						.command = command};
	struct measured m = {.has_usage = true, .user_ns = before + counted + after, .before_exec = before};
	bool found;

	counts_init(&m.counts, 1, 1);
	*counts_at(&m.counts, 0, 0) = (struct count){.open = true, .sample = {1, counted, counted}};
	measured_find_loss(&m, &options);
	found = m.lost || m.left_out;
	is_number(m.notes.n, m.left_out ? 1 : 0, "a note, where it is no state");
	measured_free(&m);
	return found;
}

int main(void)
{
	ok(is_found(MS, MS, 50 * MS), "a program that was executed and not counted is found");
	ok(!is_found(50 * MS, MS, 0), "the time before the exec is nobody's loss");
	ok(!is_found(MS, MS, 9 * MS), "nor is little time");
	ok(!is_found(MS, 50 * MS, 50 * MS), "nor half of it");
	return tap_done();
}
