/* compat: what C libraries other than glibc lack. */
#pragma once

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>

/* argp writes its messages to stderr, which only glibc lets be another stream for a while. */
#ifdef __GLIBC__
#define stderr_set(stream) ((void)(stderr = (stream)))
#else
#define stderr_set(stream) ((void)(stream))
#endif

#ifndef __GLIBC__
/* on_exit(3) for one function, which gets the status of a failure whatever the real one is. */
int on_exit(void (*function)(int status, void *arg), void *arg);

/* There is no locale with groups of digits. */
#ifndef GROUPING
#define GROUPING THOUSEP
#endif
#endif
