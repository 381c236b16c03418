/* tap: the few lines a TAP test needs. Each test program ends with `return tap_done();`. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_run, tap_failed;

static inline bool tap_ok(bool passed, const char *file, int line, const char *what)
{
	printf("%sok %d - %s\n", passed ? "" : "not ", ++tap_run, what);
	if (!passed) {
		tap_failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	return passed;
}

#define ok(condition, what) tap_ok((condition), __FILE__, __LINE__, what)

#define is_number(got, expected, what)                                                                        \
	do {                                                                                                  \
		long long got_ = (long long)(got), expected_ = (long long)(expected);                         \
		if (!tap_ok(got_ == expected_, __FILE__, __LINE__, what))                                     \
			printf("# got %lld (%#llx), expected %lld (%#llx)\n", got_, (unsigned long long)got_, \
			       expected_, (unsigned long long)expected_);                                     \
	} while (0)

#define is_string(got, expected, what)                                                              \
	do {                                                                                        \
		const char *got_ = (got), *expected_ = (expected);                                  \
		if (!tap_ok(got_ && strcmp(got_, expected_) == 0, __FILE__, __LINE__, what))        \
			printf("# got '%s'\n# expected '%s'\n", got_ ? got_ : "(null)", expected_); \
	} while (0)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_run);
	return tap_failed != 0 || tap_run == 0;
}
