#include "lib/compat.h"

#ifndef __GLIBC__

#define EXIT_FAILED 125

static struct {
	void (*function)(int status, void *arg);
	void *arg;
} kept;

static void call_kept(void)
{
	kept.function(EXIT_FAILED, kept.arg);
}

int on_exit(void (*function)(int status, void *arg), void *arg)
{
	kept.function = function;
	kept.arg = arg;
	return atexit(call_kept);
}

#endif
