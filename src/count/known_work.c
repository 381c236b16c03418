#include "count/known_work.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "count/counters.h"
#include "lib/util.h"
#include "resolve/eventlist.h"

#define LOOPS    1000000
#define BRANCHES 20000 /* that cannot be predicted */
#define LINES    65536
#define LINE     64 /* bytes */
#define PAGES    256
#define SLEEPS   10
#define WRITES   100

static uint64_t clock_of_thread(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* Two instructions, of which one is a branch, for each pass. Returns false on other architectures. */
static bool loop(void)
{
	uint64_t n = LOOPS;

#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	return false;
#endif
	return n == 0;
}

static double loop_instructions(volatile uint32_t *word)
{
	(void)word;
	return loop() ? 2.0 * LOOPS : NAN;
}

static double loop_branches(volatile uint32_t *word)
{
	(void)word;
	return loop() ? LOOPS : NAN;
}

/* The CPU time in ns, which is the number of cycles at 1 GHz. */
static double loop_time(volatile uint32_t *word)
{
	uint64_t before = clock_of_thread();

	(void)word;
	return loop() ? (double)(clock_of_thread() - before) : NAN;
}

static double branch_at_random(volatile uint32_t *word)
{
	uint64_t random = 88172645463325252u; /* xorshift, by Marsaglia */

	for (int i = 0; i < BRANCHES; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		if (random & 1)
			__asm__ volatile(""); /* a branch, not a conditional move */
		else
			++*word;
	}
	return BRANCHES / 2.0;
}

/* Reads each line of memory that is larger than the first cache, in an order that no prefetcher knows. */
static double walk_lines(volatile uint32_t *word)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)LINES * LINE;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char *p = memory;
	uint32_t random = 1; /* of all residues, each comes once */

	if (memory == MAP_FAILED)
		return NAN;
	for (size_t i = 0; i < size; i += page)
		p[i] = 1; /* pages that were only read are all the same */
	for (size_t i = 0; i < LINES; i++) {
		random = random * 1664525 + 1013904223;
		*word += (uint32_t)p[(size_t)(random % LINES) * LINE];
	}
	munmap(memory, size);
	return LINES;
}

static double touch_pages(volatile uint32_t *word)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)word;
	if (p == MAP_FAILED)
		return NAN;
	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += page)
		((volatile char *)p)[i] = 1;
	munmap(p, size);
	return PAGES;
}

static double sleep_often(volatile uint32_t *word)
{
	struct rusage before, after;

	(void)word;
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < SLEEPS; i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
	getrusage(RUSAGE_THREAD, &after);
	return (double)(after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
}

static double write_word(volatile uint32_t *word)
{
	for (int i = 0; i < WRITES; i++)
		*word = (uint32_t)i;
	return WRITES;
}

/* The count is right between low and high times the truth, give or take a slack: the calls that switch counting on and
 * off, and for clocks the time that the kernel counts differently. A page that was reclaimed has another fault; some
 * PMUs also count lines that are prefetched or written as misses. */
static const struct known_event {
	const char *name; /* NULL: a breakpoint at the word that the work changes */
	double (*work)(volatile uint32_t *word);
	double low, high, slack;
} known[KNOWN_COUNTS] = {
	{"cycles:u", loop_time, 0.1, 10, 100},
	{"instructions:u", loop_instructions, 0.99, 1.01, 2000},
	{"branches:u", loop_branches, 0.99, 1.01, 1000},
	{"branch-misses:u", branch_at_random, 0.25, 2.2, 1000},
	{"L1-dcache-load-misses:u", walk_lines, 0.5, 4, 2000},
	{"page-faults:u", touch_pages, 1, 2, 64},
	{"context-switches", sleep_often, 1, 1, 4},
	{"task-clock:u", loop_time, 0.5, 2, 200000},
	{NULL, write_word, 1, 1, 0},
};

static const char *const shown[KNOWN_COUNTS] = {
	"cycles",      "instructions",     "branches",   "branch-misses", "L1-dcache-load-misses",
	"page-faults", "context-switches", "task-clock", "breakpoints"};

static void judge(struct known_count *count, const struct known_event *event, double truth)
{
	double counted = (double)count->counted, low = truth * event->low, high = truth * event->high;

	count->verdict = KNOWN_RIGHT;
	count->truth = truth;
	if (counted >= low - event->slack && counted <= high + event->slack)
		return;
	count->truth = counted < low ? low : high;
	count->verdict = counted < low / 2 || counted > high * 2 ? KNOWN_NONSENSE : KNOWN_OFF;
}

static void try_event(struct known_count *count, const struct known_event *event)
{
	volatile uint32_t word = 0;
	auto_free char *breakpoint = xasprintf("mem:0x%lx/4:w:u", (unsigned long)(uintptr_t)&word);
	struct event_list list = {0};
	struct error ignored;
	struct sample s;
	double truth;
	bool named = event_list_parse(&list, event->name ? event->name : breakpoint, &ignored) == 0 && list.n == 1;

	count->verdict = KNOWN_UNTRIED;
	count->hardware = named && event_is_core(&list.events[0]);
	if (named && counters_count_own(&list.events[0], event->work, &word, &truth, &s) == 0 && s.running &&
	    s.running == s.enabled && !isnan(truth)) {
		count->counted = s.value;
		judge(count, event, truth);
	}
	event_list_free(&list);
}

void known_work_try(struct known_count counts[KNOWN_COUNTS])
{
	for (size_t i = 0; i < KNOWN_COUNTS; i++) {
		counts[i] = (struct known_count){.event = shown[i]};
		try_event(&counts[i], &known[i]);
		/* a virtual machine's CPU may have stood still between the starts of the counter and of the work */
		if (counts[i].verdict == KNOWN_OFF || counts[i].verdict == KNOWN_NONSENSE)
			try_event(&counts[i], &known[i]);
	}
}
