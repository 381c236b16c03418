/* calls: entries and returns, made by hand, become calls or losses. One event; a thread's work is charged before each
 * hit. */
#include "../calls_bed.h"

static void nested(void)
{
	struct bed b = bed_new();

	for (int i = 0; i < 2; i++) {
		enter(&b, PID, A, 1000);
		work(&b, PID, 5);
		enter(&b, PID, B, 900);
		work(&b, PID, 7);
		leave(&b, PID, B, 900);
		work(&b, PID, 1);
		leave(&b, PID, A, 1000);
		work(&b, PID, 1000);
	}
	ok(of(&b, A)->calls == 2 && total(&b, A) == 26 && exclusive(&b, A) == 12, "a call has the calls within it");
	ok(of(&b, B)->calls == 2 && total(&b, B) == 14 && exclusive(&b, B) == 14, "the inner one has only its work");
	ok(of(&b, A)->values[TIME].total == 26, "time is a value like others");
	is_number(lost(&b), 0, "nothing is lost");
	calls_free(b.c);
}

static void recursive(void)
{
	struct bed b = bed_new();

	for (uint64_t depth = 0; depth < 3; depth++) {
		enter(&b, PID, A, 1000 - depth);
		work(&b, PID, 10);
	}
	for (uint64_t depth = 3; depth-- > 0;)
		leave(&b, PID, A, 1000 - depth);
	ok(of(&b, A)->calls == 3 && total(&b, A) == 30, "a call within itself counts once in the total");
	ok(of(&b, A)->values[EVENT].each.min == 10 && of(&b, A)->values[EVENT].each.max == 30,
	   "and each call has its count");
	is_number(exclusive(&b, A), 30, "exclusive counts add up to the total");
	calls_free(b.c);
}

static void threads(void)
{
	struct bed b = bed_new();

	enter(&b, PID, A, 1000);
	enter(&b, OTHER, A, 1000);
	work(&b, PID, 3);
	work(&b, OTHER, 40);
	leave(&b, PID, A, 1000);
	work(&b, OTHER, 1);
	leave(&b, OTHER, A, 1000);
	ok(total(&b, A) == 44 && of(&b, A)->values[EVENT].each.min == 3, "each thread has a stack and counts");
	enter(&b, OTHER, B, 1000);
	calls_end_thread(b.c, OTHER);
	is_number(of(&b, B)->lost[LOST_ENDED], 1, "a call in which the thread ends is lost");
	leave(&b, OTHER, B, 1000);
	is_number(of(&b, B)->lost[LOST_ENTRY], 1, "a new thread of that id does not return from it");
	enter(&b, PID, B, 1000);
	calls_exec(b.c, PID);
	is_number(of(&b, B)->lost[LOST_ENDED], 2, "a call that executes a program is lost");
	calls_free(b.c);
}

static void jumps(void)
{
	struct bed b = bed_new();

	enter(&b, PID, A, 1000);
	enter(&b, PID, B, 900);
	enter(&b, PID, A, 800);
	work(&b, PID, 5);
	leave(&b, PID, A, 1000); /* by longjmp out of B */
	ok(of(&b, A)->calls == 1 && total(&b, A) == 5, "a return belongs to the call with its stack pointer");
	ok(of(&b, A)->lost[LOST_LEFT] == 1 && of(&b, B)->lost[LOST_LEFT] == 1, "the calls that were left are lost");
	enter(&b, PID, B, 900);
	enter(&b, PID, B, 950);
	leave(&b, PID, B, 950);
	ok(of(&b, B)->calls == 1 && of(&b, B)->lost[LOST_LEFT] == 2, "an entry further out shows it as well");
	enter(&b, PID, A, 700);
	enter(&b, PID, A, 700);
	work(&b, PID, 2);
	leave(&b, PID, A, 700);
	leave(&b, PID, B, 100);
	ok(total(&b, A) == 7 && of(&b, A)->lost[LOST_LEFT] == 2, "a call at the same place shows that one is over");
	ok(of(&b, B)->lost[LOST_ENTRY] == 1, "a return from further in belongs to no call");
	calls_free(b.c);
}

/* A ends in a jump to B: both return at once. */
static void tail_call(void)
{
	struct bed b = bed_new();

	enter(&b, PID, A, 1000);
	work(&b, PID, 2);
	enter(&b, PID, B, 1000);
	work(&b, PID, 5);
	leave(&b, PID, B, 1000);
	leave(&b, PID, A, 1000);
	ok(total(&b, A) == 7 && total(&b, B) == 5 && exclusive(&b, A) == 2 && !lost(&b),
	   "a function that another one ends in is a call within it");
	calls_free(b.c);
}

static void losses(void)
{
	struct bed b = bed_new();

	leave(&b, PID, A, 1000);
	is_number(of(&b, A)->lost[LOST_ENTRY], 1, "a return without an entry is lost");
	enter(&b, PID, A, 1000);
	enter(&b, OTHER, B, 1000);
	calls_lose_open(b.c, LOST_RECORDS);
	work(&b, PID, 9);
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->lost[LOST_RECORDS] == 1 && of(&b, B)->lost[LOST_RECORDS] == 1 && of(&b, A)->calls == 0,
	   "lost records lose all open calls");
	is_number(of(&b, A)->lost[LOST_ENTRY], 1, "and their returns are no further losses");
	calls_lose(b.c, A, false, 3, LOST_RECORDS);
	calls_lose(b.c, A, true, 2, LOST_RECORDS);
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->lost[LOST_RECORDS] == 4 && of(&b, A)->lost[LOST_ENTRY] == 1,
	   "neither are the returns of calls known by their number");
	enter(&b, PID, A, 1000);
	calls_restart(b.c);
	is_number(lost(&b), 0, "counting begins anew");
	leave(&b, PID, A, 1000);
	enter(&b, PID, B, 1000);
	calls_finish(b.c);
	ok(of(&b, A)->lost[LOST_ENTRY] == 1 && of(&b, B)->lost[LOST_OPEN] == 1,
	   "calls across the begin and the end are lost");
	for (uint64_t i = 0; i < 100000; i++)
		enter(&b, PID, A, 200000 - i);
	calls_finish(b.c);
	is_number(lost(&b), 100002, "a stack that never returns is bounded, and all of it is lost");
	calls_free(b.c);
}

static bool gather(const struct bed *b, size_t function, bool returns, size_t group)
{
	return calls_gather(b->c, PID, PID, &(struct call_hit){function, returns, 1000}, group, 3);
}

/* Three groups record each hit. */
static void groups(void)
{
	struct bed b = bed_new();

	ok(!gather(&b, A, false, 2) && !gather(&b, A, false, 0) && gather(&b, A, false, 1),
	   "a hit is complete when all groups have recorded it, in any order");
	enter(&b, PID, A, 1000);
	ok(!gather(&b, A, true, 0) && !gather(&b, A, true, 1) && gather(&b, A, true, 2), "and in another one");
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->calls == 1 && !lost(&b), "then nothing is lost");
	gather(&b, A, false, 0);
	gather(&b, A, false, 2);
	ok(!gather(&b, A, true, 1) && of(&b, A)->lost[LOST_OFF] == 1, "a hit that a group has not recorded is lost");
	ok(!gather(&b, A, true, 0) && gather(&b, A, true, 2), "and the next one is complete");
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->lost[LOST_ENTRY] == 0, "its return is no further loss");
	gather(&b, A, false, 1);
	gather(&b, B, false, 0);
	calls_finish(b.c);
	ok(of(&b, A)->lost[LOST_OFF] == 1 && of(&b, B)->lost[LOST_OFF] == 1,
	   "the last hit is also lost, but not a remainder without the main group");
	calls_free(b.c);
}

static void unknown_stack(void)
{
	struct bed b = bed_new();

	enter(&b, PID, A, 0);
	enter(&b, PID, B, 900);
	work(&b, PID, 4);
	leave(&b, PID, B, 900);
	leave(&b, PID, A, 0);
	ok(total(&b, A) == 4 && total(&b, B) == 4 && !lost(&b), "without a stack pointer, the function decides");
	calls_free(b.c);
}

enum { CALL = 2, REST = 3 }; /* the call instruction, and an empty function */

/* Emulated: 3 before the count at the entry, 2 within the call, 1 after it; stepped: 10 more within. Only the first
 * stop in a process costs 100: the first instruction, if it is stepped, or the return. */
static void probed(struct bed *b, pid_t tid, size_t function, bool is_stepped, bool is_first, uint64_t sp, uint64_t n,
		   size_t inner)
{
	work(b, tid, CALL + 3);
	calls_enter(b->c, tid == 1 ? 1 : PID, tid, function, b->time, sp);
	work(b, tid, is_stepped ? 11 : 1);
	if (is_first && is_stepped)
		work(b, tid, 100);
	work(b, tid, n);
	if (inner)
		probed(b, tid, inner, inner == B, is_first && !is_stepped, sp - 1, 50, 0);
	work(b, tid, is_first && !is_stepped && !inner ? 101 : 1);
	leave(b, tid, function, sp);
	work(b, tid, 1);
}

static void calibrate(struct bed *b, enum call_kind kind, bool is_first)
{
	for (int i = 0; i < 2 * CALIBRATION_CALLS; i++) {
		probed(b, 1, CALIBRATION(FUNCTIONS, kind), kind == CALL_STEPPED, is_first && i == 0, 10, REST, 0);
		if (i >= CALIBRATION_CALLS)
			work(b, 1, CALL + REST);
	}
}

static void costs(void)
{
	struct bed b = bed_new();
	int64_t before = -CALL;

	calibrate(&b, CALL_EMULATED, true);
	calibrate(&b, CALL_STEPPED, false);
	calls_end_thread(b.c, 1);
	ok(calls_compute_costs(b.c), "the calls of the empty functions determine the cost");
	ok(calls_cost(b.c, A, EVENT).inside == 2 + before && calls_cost(b.c, A, EVENT).whole == 6 &&
		   calls_cost(b.c, A, EVENT).first == 100 && calls_cost(b.c, A, EVENT).exact,
	   "within the call, of the whole call, and of the first");
	ok(calls_cost(b.c, B, EVENT).inside == 12 + before && calls_cost(b.c, B, EVENT).whole == 16,
	   "of a function with an instruction that is run apart");
	probed(&b, PID, A, false, true, 1000, 7, B);
	probed(&b, PID, A, false, false, 1000, 7, B);
	ok(total(&b, A) == 2 * (57 + 2 * CALL) && exclusive(&b, A) == 2 * (7 + CALL),
	   "the cost is subtracted from calls and calls within them");
	ok(total(&b, B) == 2 * (50 + CALL) && of(&b, B)->values[EVENT].each.max == 50 + CALL,
	   "and from the inner ones");
	calls_free(b.c);
}

/* The records of a call's return are missing, and the next calls differ: the calibration is repeated. */
static void costs_again(void)
{
	struct bed b = bed_new();

	calls_enter(b.c, 1, 1, CALIBRATION(FUNCTIONS, CALL_EMULATED), b.time, 10);
	work(&b, 1, 1000);
	ok(!calls_compute_costs(b.c), "too few calls do not determine the cost");
	calls_forget_calibration(b.c);
	calibrate(&b, CALL_EMULATED, true);
	calibrate(&b, CALL_STEPPED, false);
	calls_end_thread(b.c, 1);
	ok(calls_compute_costs(b.c) && calls_cost(b.c, A, EVENT).whole == 6 && calls_cost(b.c, A, EVENT).first == 100 &&
		   calls_cost(b.c, A, EVENT).exact,
	   "repeated ones do, as if they were the first");
	calls_free(b.c);
}

/* Without a call instruction before the probe, and with an end that is no return. */
static void pairs(void)
{
	static const enum call_kind pair[FUNCTIONS] = {CALL_PAIR, CALL_PAIR};
	struct bed b = {.c = calls_new(FUNCTIONS, pair, 1)};

	calibrate(&b, CALL_PAIR, true);
	calls_end_thread(b.c, 1);
	ok(calls_compute_costs(b.c) && calls_cost(b.c, A, EVENT).inside == 2 + REST &&
		   calls_cost(b.c, A, EVENT).whole == 6,
	   "between two probes, only the work beside the empty function's counts");
	calls_restart(b.c);
	for (int i = 0; i < 2; i++) {
		enter(&b, PID, A, 1000);
		work(&b, PID, 100);
		for (int k = 0; k < 2; k++) {
			enter(&b, PID, A, 1000);
			work(&b, PID, 50);
			leave(&b, PID, A, 1000);
		}
		leave(&b, PID, A, 1000);
	}
	ok(of(&b, A)->calls == 6 && of(&b, A)->lost[LOST_LEFT] == 0, "pairs in one function may be nested");
	ok(of(&b, A)->values[EVENT].each.max > 150 && of(&b, A)->values[EVENT].each.min <= 50,
	   "the inner ones end first");
	calls_free(b.c);
}

/* The first instruction of a function that is stepped: in its process, nothing else has cost more. */
static void first_stops(void)
{
	static const enum call_kind stepped[FUNCTIONS] = {CALL_STEPPED, CALL_EMULATED};
	struct bed b = {.c = calls_new(FUNCTIONS, stepped, 1)};

	calibrate(&b, CALL_EMULATED, true);
	calibrate(&b, CALL_STEPPED, false);
	calls_end_thread(b.c, 1);
	calls_compute_costs(b.c);
	work(&b, PID, 3);
	enter(&b, PID, A, 1000);
	work(&b, PID, 111);
	work(&b, PID, CALL + 3);
	enter(&b, PID, B, 900);
	work(&b, PID, 1 + 50 + 1);
	leave(&b, PID, B, 900);
	work(&b, PID, 1 + 7 + 1);
	leave(&b, PID, A, 1000);
	ok(total(&b, B) == 50 + CALL && total(&b, A) == 50 + 7 + 2 * CALL && exclusive(&b, A) == 7 + CALL,
	   "the first stop may be at an instruction");
	calls_free(b.c);
}

/* An emulated instruction is not counted in user space: the probes make the count smaller. */
static void negative(void)
{
	struct bed b = bed_new();

	for (size_t kind = 0; kind < 2; kind++)
		for (int i = 0; i < 2 * CALIBRATION_CALLS; i++) {
			work(&b, 1, CALL);
			calls_enter(b.c, 1, 1, CALIBRATION(FUNCTIONS, kind), b.time, 10);
			work(&b, 1, REST - 1);
			leave(&b, 1, CALIBRATION(FUNCTIONS, kind), 10);
			work(&b, 1, i >= CALIBRATION_CALLS ? CALL + REST : 0);
		}
	calls_end_thread(b.c, 1);
	calls_compute_costs(b.c);
	enter(&b, PID, A, 1000);
	work(&b, PID, 10 - 1 + CALL);
	enter(&b, PID, B, 900);
	work(&b, PID, 20 - 1);
	leave(&b, PID, B, 900);
	leave(&b, PID, A, 1000);
	ok(total(&b, A) == 10 + 20 + 2 * CALL && total(&b, B) == 20 + CALL && exclusive(&b, A) == 10 + CALL,
	   "the cost may be negative");
	is_number(of(&b, A)->values[EVENT].cost, 0, "then it is not subtracted from the count");
	calls_free(b.c);
}

int main(void)
{
	nested();
	recursive();
	threads();
	jumps();
	tail_call();
	losses();
	groups();
	unknown_stack();
	costs();
	costs_again();
	pairs();
	first_stops();
	negative();
	return tap_done();
}
