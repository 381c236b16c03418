/* A command's CPU time beside the time that its counters were enabled: which part was not counted. */
#include "run/measure_check.h"

#include <unistd.h>

#include "tap.h"

#define MS 1000000u

/* Of ms before the exec, with counters, and after the kernel has taken them away, in a child or in the command's
 * process: which loss is found. */
struct work {
	unsigned before, counted, after;
	bool child, user_only;
	unsigned faults, switches, preemptions;
	unsigned forks, rss; /* rss: the memory of the largest, MB */
	bool alone;          /* -i */
	bool known;          /* the kernel's records show that each program was counted */
	bool off;            /* counting was off all the time */
	unsigned running;    /* ms of all processes when counting ended, of which the command waits for none */
};

struct bed {
	struct backend backend;
	unsigned forks;
};

static uint64_t forks(const struct backend *s)
{
	return ((const struct bed *)s)->forks;
}

/* counted_faults: by the event, which is another one if it is 0. */
static const char *find_loss_beside(struct work work, unsigned counted_faults)
{
	char shell[] = "/bin/sh", *command[] = {shell, NULL};
	const struct target target = {.kind = TARGET_COMMAND};
	struct event event;
	const struct event_list list = {.events = &event, .n = 1};
	const struct plan plan = {.list = &list, .events = &event, .n_events = 1, .n_shown = 1};
	const struct measure_options options = {.backend = {.plan = &plan, .target = &target, .inherit = !work.alone},
						.command = command,
						.pace = {.delay = work.off}};
	const struct backend_ops ops = {.forks = forks};
	struct bed bed = {.backend = {.ops = &ops, .knows_lost = work.known}, .forks = work.forks};
	struct measured m = {.has_usage = true,
			     .backend = &bed.backend,
			     .user_ns = (uint64_t)MS * (work.before + work.counted + work.after),
			     .before_exec = (uint64_t)MS * work.before,
			     .children_ns = work.child ? (uint64_t)MS * work.after : 0,
			     .faults = work.faults,
			     .switches = work.switches,
			     .preemptions = work.preemptions,
			     .tree_time = {.known = work.running,
					   .ns = (uint64_t)MS * work.running,
					   .children_ns = (uint64_t)MS * work.running},
			     .max_rss = (uint64_t)work.rss << 20};
	const char *found;

	event_init(&event, EVENT_ABI);
	event.attr.exclude_kernel = work.user_only;
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = counted_faults ? PERF_COUNT_SW_PAGE_FAULTS : PERF_COUNT_SW_CONTEXT_SWITCHES;
	counts_init(&m.counts, 1, 1);
	*counts_at(&m.counts, 0, 0) =
		(struct count){.open = true,
			       .sample = {counted_faults ? counted_faults : 1, (uint64_t)MS * work.counted,
					  (uint64_t)MS * work.counted}};
	if (work.off) {
		counts_init(&m.life, 1, 1);
		*counts_at(&m.life, 0, 0) = *counts_at(&m.counts, 0, 0);
		counts_at(&m.counts, 0, 0)->sample = (struct sample){0};
	}
	measured_find_loss(&m, &options);
	m.backend = NULL;
	found = m.lost        ? "a program"
		: m.left_out  ? "perhaps a program"
		: m.notes.n   ? "an end"
		: m.of_clocks ? "switches"
			      : "";
	is_number(m.notes.n, m.lost || m.of_clocks || !*found ? 0 : 1, "a note if it is not a state or a reason");
	measured_free(&m);
	event_free(&event);
	return found;
}

static const char *find_loss_of(struct work work)
{
	return find_loss_beside(work, 0);
}

static const char *lose(unsigned before, unsigned counted, unsigned after, bool child, bool user_only, unsigned faults,
			unsigned switches, bool alone, bool known)
{
	return find_loss_of((struct work){.before = before,
					  .counted = counted,
					  .after = after,
					  .child = child,
					  .user_only = user_only,
					  .faults = faults,
					  .switches = switches,
					  .alone = alone,
					  .known = known});
}

static const char *find_loss_in(unsigned before, unsigned counted, unsigned after, bool child, bool user_only)
{
	return lose(before, counted, after, child, user_only, 0, 0, false, false);
}

static const char *find_loss(unsigned before, unsigned counted, unsigned after, bool user_only)
{
	return find_loss_in(before, counted, after, true, user_only);
}

static void test_faults(void)
{
	const struct work slow = {
		.counted = 6900, .after = 2400, .child = true, .faults = 57063, .switches = 6878, .forks = 3000};
	const struct work program = {.counted = 6, .after = 2, .child = true, .faults = 113, .switches = 10};
	struct work work = program;

	is_string(find_loss_beside(slow, 57061), "switches", "3,000 slow forks whose page faults are complete");
	is_string(find_loss_beside(slow, 0), "switches", "... or are not counted: forks explain the time");
	is_string(find_loss_beside(program, 59), "a program", "the time and the page faults of a short program");
	is_string(find_loss_beside(program, 0), "", "... which its time alone does not show");
	is_string(find_loss_beside(program, 111), "", "... of a program that is counted");
	work = (struct work){
		.counted = 10, .after = 1000, .child = true, .user_only = true, .faults = 66, .switches = 3};
	is_string(find_loss_beside(work, 58), "a program", "a long program without a C library, of few page faults");
	work = program;
	work.switches += 60;
	work.preemptions = 60;
	is_string(find_loss_beside(work, 59), "a program", "... beside load");
	work = program;
	work.off = true;
	is_string(find_loss_beside(work, 59), "a program", "... while counting was off");
	is_string(find_loss_beside(work, 111), "", "... of a program that would be counted");
	work = program;
	work.user_only = true;
	is_string(find_loss_beside(work, 59), "a program", "page faults in user space show it, too");
	work.counted = 60;
	is_string(find_loss_beside(work, 59), "",
		  "... unless its time is a small part: the kernel may have the others");
	work = (struct work){
		.counted = 370, .after = 12, .child = true, .user_only = true, .faults = 16467, .switches = 116};
	is_string(find_loss_beside(work, 79), "", "... as those of a read into new memory, of a shell's child");
	work = (struct work){.counted = 500,
			     .after = 76,
			     .child = true,
			     .user_only = true,
			     .faults = 4970,
			     .switches = 515,
			     .forks = 100};
	is_string(find_loss_beside(work, 4574), "switches", "... or of 100 forks and execs");
	work = program;
	work.child = false;
	is_string(find_loss_beside(work, 59), "", "faults of mlock, without children");
	work = (struct work){.counted = 6, .after = 500, .faults = 113, .switches = 10};
	is_string(find_loss_beside(work, 59), "a program", "... but not beside most of the time: an exec of its own");
	work = program;
	work.after = 0;
	is_string(find_loss_beside(work, 59), "", "... or without missing time");
	work = (struct work){.counted = 400, .after = 600, .child = true, .faults = 250, .switches = 300};
	is_string(find_loss_beside(work, 190), "a program", "a program with many switches");
	work = (struct work){
		.counted = 500, .after = 130, .child = true, .faults = 8091, .switches = 1305, .forks = 300};
	is_string(find_loss_beside(work, 7789), "switches", "a page fault of the kernel for each of 300 execs");
}

static void test_faults_of_forks(void)
{
	struct work work = {.counted = 18, .after = 42, .child = true, .faults = 1050, .switches = 62, .forks = 21};

	is_string(find_loss_beside(work, 973), "a program", "a program beside 20 short ones");
	is_string(find_loss_beside(work, 1028), "", "... of which none was left out");
	work.after = 8;
	is_string(find_loss_beside(work, 973), "", "... or which execute three others each");
	work = (struct work){
		.counted = 50, .after = 26, .child = true, .faults = 5000, .switches = 300, .forks = 100, .rss = 3};
	is_string(find_loss_beside(work, 4799), "switches", "100 slow forks with two execs each");
	work = (struct work){
		.counted = 240, .after = 152, .child = true, .faults = 100250, .switches = 9, .forks = 2, .rss = 391};
	is_string(find_loss_beside(work, 100193), "a program", "a program beside one that frees 400 MB");
}

static void test_forks(void)
{
	struct work work = {.counted = 30, .after = 22, .child = true, .faults = 500, .switches = 22, .forks = 2};

	is_string(find_loss_of(work), "a program", "22 ms of 52 ms, with two forks");
	work.forks = 40;
	is_string(find_loss_of(work), "switches", "... with many forks");
	work = (struct work){.counted = 7715,
			     .after = 1784,
			     .child = true,
			     .faults = 162738,
			     .switches = 1877,
			     .forks = 241,
			     .rss = 413};
	is_string(find_loss_of(work), "an end", "200 forks of a program with 400 MB");
	work.rss = 4;
	is_string(find_loss_of(work), "a program", "... of a small one");
	work.forks = 3000;
	work.after = 6000;
	is_string(find_loss_of(work), "a program", "all forks together leave out less than half of the time");
	work = (struct work){.counted = 4, .faults = 59, .running = 800};
	is_string(find_loss_beside(work, 57), "a program", "800 ms of processes that still run: 4 ms are counted");
	work.counted = 395;
	is_string(find_loss_beside(work, 57), "", "... or nearly half: the rest may be context switches");
}

int main(void)
{
	bool root = geteuid() == 0;

	is_string(find_loss(1, 1, 15, true), root ? "perhaps a program" : "a program",
		  "a program that was not counted");
	if (root && seteuid(65534) != 0)
		return 1;
	is_string(find_loss(1, 1, 100, true), "a program", "... without privileges");
	is_string(find_loss(1, 1, 100, false), "a program", "... also by an event of the kernel");
	is_string(find_loss(1, 1, 11, true), "a program", "... a short one");
	test_forks();
	is_string(find_loss_in(1, 1, 900, false, true), "perhaps a program",
		  "time without children may be that of the end");
	is_string(find_loss_in(1, 1, 1001, false, true), "a program", "... but not a second");
	if (root && seteuid(0) != 0)
		return 1;
	is_string(find_loss(50, 1, 0, true), "", "the time before the exec is no loss");
	is_string(find_loss(1, 1, 9, true), "", "a short time is no loss");
	is_string(lose(0, 490, 10, true, false, 20000, 1, false, false), "an end",
		  "10 ms and 2% after the counters are gone");
	is_string(lose(300, 490, 10, true, false, 20000, 1, false, false), "an end", "... of the time since the exec");
	is_string(lose(0, 490, 10, true, true, 20000, 1, false, false), "", "... which user space does not use");
	is_string(lose(0, 491, 10, true, false, 20000, 1, false, false), "", "less than 2%");
	is_string(lose(0, 400, 9, true, false, 20000, 1, false, false), "", "less than 10 ms");
	is_string(lose(0, 700, 300, true, true, 20, 20000, false, false), "switches", "300 ms of 20,000 switches");
	is_string(lose(0, 955, 45, true, true, 20, 20000, false, false), "", "... less than 5%");
	is_string(lose(0, 400, 600, true, true, 20, 40000, false, false), "a program", "... but not most of the time");
	is_string(lose(0, 700, 300, true, true, 200, 20, false, false), "a program", "... of 20 switches");
	is_string(lose(0, 700, 300, true, true, 20, 200, false, true), "switches",
		  "... of 200 slow ones, with records of each program");
	is_string(lose(0, 800, 200, true, false, 205000, 20, false, false), "an end", "... of 800 MB");
	is_string(lose(0, 700, 300, false, true, 200, 20, false, false), "",
		  "... in the command's process: its CPU may stand still");
	is_string(lose(0, 700, 300, false, true, 20, 20000, true, false), "switches", "-i: 300 ms of 20,000 switches");
	is_string(lose(0, 700, 300, true, true, 20, 20000, true, false), "", "... not of children");
	is_string(lose(0, 700, 3000, false, true, 20, 20, true, false), "", "... not of 20 switches");
	is_string(lose(0, 100000, 300, true, true, 200, 20, false, false), "", "... of 100 s");
	test_faults();
	test_faults_of_forks();
	return tap_done();
}
