/* compat: substitutes for features that only glibc has. */
#pragma once

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>

/* argp writes its messages to stderr; only glibc allows assigning another stream to it. */
#ifdef __GLIBC__
#define stderr_set(stream) ((void)(stderr = (stream)))
#else
#define stderr_set(stream) ((void)(stream))
#endif

#ifndef __GLIBC__
/* Locales without grouping of digits. */
#ifndef GROUPING
#define GROUPING THOUSEP
#endif
#endif
