/* engine_part: a file of counts that Callgrind or Cachegrind has written, a whole process's or a part of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

struct engine_part {
	char *command; /* the words of the process's command line, or NULL */
	char *names;   /* of the columns */
	char *summary; /* since the counting was last started; NULL: the file is incomplete */
	char *totals;  /* of the lines; Cachegrind: NULL */
	uint64_t calls;
	bool forks;  /* the process called fork */
	bool spawns; /* the process called vfork or posix_spawn */
	/* Callgrind: paths of the programs and libraries whose code was executed, and could not be read */
	struct strings files, unread;
};

/* Reads a file that the caller closes. part is to be freed. */
void engine_part_read(FILE *in, struct engine_part *part);
void engine_part_free(struct engine_part *part);
