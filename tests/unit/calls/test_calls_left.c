/* calls: calls that are left, and loops and stacks that look like them. */
#include "../calls_bed.h"

#define COST 10 /* of the probes of A: a return takes so much more */

/* The cost is that of the return alone, as of a system call. */
static struct bed bed_with_cost(void)
{
	struct bed b = bed_new();

	for (int kind = CALL_EMULATED; kind <= CALL_STEPPED; kind++)
		for (int i = 0; i < 2 * CALIBRATION_CALLS; i++) {
			calls_enter(b.c, 1, 1, CALIBRATION(FUNCTIONS, kind), b.time, 10);
			work(&b, 1, COST);
			leave(&b, 1, CALIBRATION(FUNCTIONS, kind), 10);
		}
	calls_end_thread(b.c, 1);
	ok(calls_compute_costs(b.c) && calls_cost(b.c, A, EVENT).inside == COST, "a return has a cost");
	return b;
}

/* B is left by longjmp into A. */
static void within(void)
{
	struct bed b = bed_with_cost();
	const struct call_value *a = &of(&b, A)->values[EVENT];

	enter(&b, PID, A, 1000);
	work(&b, PID, 1);
	enter(&b, PID, B, 900);
	work(&b, PID, 30);
	work(&b, PID, 2); /* of A again */
	work(&b, PID, COST);
	leave(&b, PID, A, 1000);
	ok(a->total <= 33 && a->least,
	   "a lost call within a call: its probes may have cost less, the count is a bound");
	ok(a->exclusive <= 3 && a->exclusive_least, "and its work is not the outer function's own");
	ok(a->each.max <= 33 && of(&b, B)->lost[LOST_LEFT] == 1, "the same for each call");
	calls_free(b.c);
}

/* A return within A, of a call that nobody has seen begin. */
static void unknown_return(void)
{
	struct bed b = bed_with_cost();
	const struct call_value *a = &of(&b, A)->values[EVENT];

	enter(&b, PID, A, 1000);
	work(&b, PID, 30 + COST);
	leave(&b, PID, B, 900);
	work(&b, PID, 2 + COST);
	leave(&b, PID, A, 1000);
	ok(a->least && a->total <= 32 && a->exclusive <= 2 && a->exclusive_least,
	   "a return without an entry is a lost call within the call");
	ok(!of(&b, B)->misled, "but it does not show that stacks were switched");
	calls_free(b.c);
}

/* A function whose loop begins at its first instruction, within another one. */
static void loop(void)
{
	struct bed b = bed_with_cost();

	for (int i = 0; i < 2; i++) {
		enter(&b, PID, A, 1000);
		for (int turn = 0; turn < 3; turn++) {
			enter(&b, PID, B, 900);
			work(&b, PID, 5);
		}
		work(&b, PID, COST);
		for (int turn = 0; turn < 3; turn++)
			leave(&b, PID, B, 900);
		work(&b, PID, 1 + COST);
		leave(&b, PID, A, 1000);
	}
	ok(of(&b, B)->calls == 2 && total(&b, B) == 30 && exclusive(&b, B) == 30 && !lost(&b),
	   "a loop that begins at the first instruction is one call");
	ok(of(&b, B)->again && !of(&b, A)->again, "or calls through another function, which the call tells");
	ok(of(&b, B)->values[EVENT].each.min == 15 && of(&b, B)->values[EVENT].each.max == 15, "with all its turns");
	ok(total(&b, A) == 32 && exclusive(&b, A) == 2 && !of(&b, A)->values[EVENT].exclusive_least,
	   "and the call around it has it once");
	calls_free(b.c);
}

/* B is called at one place, and left each time but the last. */
static void left_again(void)
{
	struct bed b = bed_with_cost();

	enter(&b, PID, A, 1000);
	for (int i = 0; i < 4; i++) {
		enter(&b, PID, B, 900);
		work(&b, PID, 5);
	}
	work(&b, PID, COST);
	leave(&b, PID, B, 900);
	work(&b, PID, 1 + COST);
	leave(&b, PID, A, 1000);
	ok(of(&b, B)->calls == 1 && total(&b, B) == 5 && of(&b, B)->lost[LOST_LEFT] == 3,
	   "one return at a place that was entered often: the calls before were left");
	ok(of(&b, A)->values[EVENT].least && of(&b, A)->values[EVENT].exclusive_least && exclusive(&b, A) <= 1,
	   "and the call around them is not exact");
	calls_free(b.c);
}

/* A was left, and then B is called at the same place: it returns by itself. */
static void left_then_other(void)
{
	struct bed b = bed_with_cost();

	enter(&b, PID, B, 1000);
	enter(&b, PID, A, 900);
	enter(&b, PID, B, 900);
	work(&b, PID, 5 + COST);
	leave(&b, PID, B, 900);
	enter(&b, PID, B, 900);
	work(&b, PID, 5 + COST);
	leave(&b, PID, B, 900);
	work(&b, PID, 1 + COST);
	leave(&b, PID, B, 1000);
	ok(of(&b, A)->lost[LOST_LEFT] == 1 && of(&b, B)->calls == 3 && total(&b, B) <= 11,
	   "a call that does not return with the one at its place was left");
	ok(of(&b, B)->values[EVENT].least, "its cost makes the count around it a bound");
	calls_free(b.c);
}

/* Two stacks: B is entered further out, and the kernel forgets A. */
static void switched_stack(void)
{
	struct bed b = bed_new();

	enter(&b, PID, A, 900);
	enter(&b, PID, B, 2000);
	leave(&b, PID, B, 900); /* the call of A returns to where B was called */
	ok(of(&b, B)->misled && !of(&b, A)->misled,
	   "a return at the place of a call that was left: stacks were switched");
	calls_free(b.c);
	b = bed_new();
	enter(&b, PID, A, 900);
	enter(&b, PID, B, 2000);
	leave(&b, PID, B, 2000);
	enter(&b, PID, A, 900);
	leave(&b, PID, A, 900);
	ok(!of(&b, A)->misled && !of(&b, B)->misled, "after another entry there, it is not");
	calls_free(b.c);
}

/* The first stop of a process takes 100 more, which it does only once, even if its first thread ends. */
static void first_stop(void)
{
	struct bed b = bed_new();

	for (int kind = CALL_EMULATED; kind <= CALL_STEPPED; kind++)
		for (int i = 0; i < 2 * CALIBRATION_CALLS; i++) {
			calls_enter(b.c, 1, 1, CALIBRATION(FUNCTIONS, kind), b.time, 10);
			work(&b, 1, kind == CALL_EMULATED && i == 0 ? 100 : 0);
			leave(&b, 1, CALIBRATION(FUNCTIONS, kind), 10);
		}
	calls_end_thread(b.c, 1);
	ok(calls_compute_costs(b.c) && calls_cost(b.c, A, EVENT).first == 100, "a first stop has a cost");
	calls_warm(b.c, PID);
	enter(&b, PID, A, 1000);
	work(&b, PID, 300);
	leave(&b, PID, A, 1000);
	is_number(total(&b, A), 300, "a process that has stopped before does not have it");
	enter(&b, OTHER, A, 1000);
	calls_end_thread(b.c, PID);
	work(&b, OTHER, 300);
	leave(&b, OTHER, A, 1000);
	is_number(total(&b, A), 600, "nor its other threads when the first one has ended");
	calls_fork(b.c, PID);
	enter(&b, PID, A, 1000);
	work(&b, PID, 300);
	leave(&b, PID, A, 1000);
	ok(total(&b, A) == 800 && of(&b, A)->values[EVENT].first_unknown,
	   "but a new process of that id may have, unless it shares its parent's memory");
	calls_lose(b.c, B, false, 1, LOST_RECORDS);
	calls_exec(b.c, PID);
	enter(&b, PID, A, 1000);
	work(&b, PID, 300);
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->values[EVENT].least && total(&b, A) == 1000, "after stops without records it may have");
	calls_free(b.c);
}

static void contradiction(void)
{
	struct bed b = bed_with_cost();

	enter(&b, PID, A, 1000);
	work(&b, PID, COST - 1);
	leave(&b, PID, A, 1000);
	ok(of(&b, A)->values[EVENT].contradicts, "a call with less than the cost of its probes is a contradiction");
	calls_free(b.c);
}

int main(void)
{
	within();
	unknown_return();
	loop();
	left_again();
	left_then_other();
	switched_stack();
	first_stop();
	contradiction();
	return tap_done();
}
