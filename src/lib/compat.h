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
/* There is no locale with groups of digits. */
#ifndef GROUPING
#define GROUPING THOUSEP
#endif
#endif
