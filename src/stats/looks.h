/* looks: the rounds of a comparison after which its intervals are looked at, and the probability of error of each look.
 * Pure.
 *
 * Alpha spending (K. K. G. Lan and D. L. DeMets, Biometrika 70(3), 1983) in proportion to the rounds: a look at the end
 * of round n, after a look at the end of round m, has the share (n - m) / budget of the whole probability. The shares
 * add up to 1, so that the probability that any look is wrong is at most the whole one, however the looks depend on
 * each other.
 *
 * Order of calls: looks_init before the results of the first look are known; after each round looks_is_due; if it is,
 * or if the rounds end, looks_take. */
#pragma once

#include <stdbool.h>

struct looks {
	unsigned usual, budget; /* round of an additional look; the largest number of rounds */
	unsigned at, n;         /* round of the last look, and the number of looks */
	double share;           /* of the last look: the part of the probability of error, up to 1 */
};

/* 1 <= usual <= budget. */
void looks_init(struct looks *looks, unsigned usual, unsigned budget);

/* True at the end of round 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 55, 75, then ten times 10 to 75, and so on; and at the
 * ends of the usual number of rounds and of the budget. */
bool looks_is_due(const struct looks *looks, unsigned rounds);

/* Looks at the end of this round, which was not looked at before. last: no round follows, whatever the results are:
 * this look has the rest of the probability. */
void looks_take(struct looks *looks, unsigned rounds, bool last);
