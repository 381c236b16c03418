/* rates: known work whose rate of user instructions varies. Under -icount every instruction takes the same time, so the
 * rate is varied by the share of time in user space: in each quantum of about 0.25 ms (at eight ns an instruction) a
 * part is spent in a loop and the rest in system calls. The instructions in user space depend only on the arguments.
 * Lengths and parts are drawn at random, from half to one and a half times what they are on average: so there is noise
 * without memory at any rate, and nothing is in step with the rotation.
 *
 *   rates flat|fast|phases|slow|ramp|period|bursts|rare|heavy|wave4|wave7|sleepy|duty|children|step MS [SEED [PERIOD]]
 *
 * heavy has bursts of which most are short and few very long, wave4 and wave7 a period of about so many ms, sleepy
 * sleeps between any two ms, duty is on the CPU 5% of the time, children is a process for each ms. step is a square
 * wave of PERIOD ms by the clock, for a rate in step with the rotation; it prints the tenths of a ms that it spent in
 * user space, since they are not known before.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOPS  15625 /* of two instructions: a quantum in user space */
#define CALLS  67.5  /* about a quantum in the kernel: 460 instructions each */
#define QUANTA 4     /* a ms */

struct profile {
	const char *name;
	double level; /* now: the share of user space */
	double left;  /* ms until it changes */
	uint64_t random;
};

static double next_random(struct profile *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (double)(p->random >> 11) / 9007199254740992.0;
}

/* Exponentially distributed with this mean, by the sum of the terms of -ln(1 - u). */
static double exponential(struct profile *p, double mean)
{
	double u = next_random(p), power = u, sum = 0;

	for (int i = 1; i < 200; i++, power *= u)
		sum += power / i;
	return mean * sum;
}

static void new_level(struct profile *p, double mean_ms)
{
	p->level = 0.1 + 0.9 * next_random(p);
	p->left = exponential(p, mean_ms);
}

/* Similar to a Pareto distribution with the shape 1.2: twice as rare, 1.78 times as long. */
static double heavy_tailed(struct profile *p)
{
	double length = 0.5, u = 1 - next_random(p);

	for (; u < 0.5 && length < 300; u *= 2)
		length *= 1.78; /* 2^(1 / 1.2) */
	return length / u * 0.5;
}

static void burst_or_not(struct profile *p, double between_ms)
{
	if (p->level < 0.5) {
		p->level = 1;
		p->left = exponential(p, 3);
	} else {
		p->level = 0.05;
		p->left = exponential(p, between_ms);
	}
}

static int is(const struct profile *p, const char *name)
{
	return strcmp(p->name, name) == 0;
}

/* The share of user space in the i-th ms of n. */
static double share(struct profile *p, long i, long n)
{
	if (is(p, "flat"))
		return 0.5;
	if (is(p, "ramp"))
		return 0.05 + 0.9 * (double)i / (double)n;
	if (is(p, "period")) {
		double x = 2 * (double)(i % 50) / 50 - 1; /* 50 ms */

		return 0.1 + 0.8 * (1 - x * x);
	}
	if (is(p, "wave4"))
		return 0.5 + (i % 4 == 0 ? 0.4 : i % 4 == 2 ? -0.4 : 0);
	if (is(p, "wave7"))
		return i % 7 < 3 ? 0.9 : 0.1;
	if (p->left-- > 0)
		return p->level;
	if (is(p, "fast"))
		new_level(p, 3);
	else if (is(p, "phases") || is(p, "sleepy") || is(p, "duty") || is(p, "children"))
		new_level(p, 20);
	else if (is(p, "slow"))
		new_level(p, 150);
	else if (is(p, "heavy") && p->level < 0.5)
		p->level = 1, p->left = heavy_tailed(p);
	else
		burst_or_not(p, is(p, "rare") ? 100 : 20);
	return p->level;
}

/* A quantum of this multiple of the usual length; a remainder below a system call is left to the next. */
static void spend(double user, double length)
{
	static double due;
	unsigned long loops = (unsigned long)(user * length * LOOPS) + 1;

	due += (1 - user) * length * CALLS;
	while (loops--)
		__asm__ volatile("" ::: "memory");
	for (; due >= 1; due--)
		syscall(SYS_getppid);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static long step(long ms, uint64_t period_ms)
{
	uint64_t begin = now_ns(), period = period_ms * 1000000, t;
	long chunks = 0;

	while ((t = now_ns() - begin) < (uint64_t)ms * 1000000) {
		if (t % period < period / 2) {
			for (unsigned long loops = LOOPS * QUANTA / 10; loops; loops--)
				__asm__ volatile("" ::: "memory");
			chunks++;
		} else {
			syscall(SYS_getppid);
		}
	}
	return chunks;
}

/* In a separate process for children. */
static void one_ms(struct profile *p, long i, long n)
{
	double level = share(p, i, n);
	pid_t child = is(p, "children") ? fork() : 0;

	for (int k = 0; k < QUANTA; k++) {
		double user = level * (0.5 + next_random(p)), length = 0.5 + next_random(p);

		if (child == 0)
			spend(user < 1 ? user : 1, length);
	}
	if (child == 0 && is(p, "children"))
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	struct profile p = {.name = argc > 1 ? argv[1] : "flat"};
	long n = (argc > 2 ? strtol(argv[2], NULL, 10) : 300);

	p.random = 88172645463325252u + (argc > 3 ? strtoul(argv[3], NULL, 10) : 0) * 0x9e3779b97f4a7c15u;
	for (int i = 0; i < 20; i++)
		next_random(&p);
	if (is(&p, "step")) {
		printf("%ld\n", step(n, argc > 4 ? strtoul(argv[4], NULL, 10) : 12));
		return 0;
	}
	if (is(&p, "duty"))
		n /= 20;
	for (long i = 0; i < n; i++) {
		one_ms(&p, i, n);
		if (is(&p, "sleepy"))
			usleep(500);
		if (is(&p, "duty"))
			usleep(19000);
	}
	return 0;
}
