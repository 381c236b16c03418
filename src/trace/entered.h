/* entered: whether a probe at a function's first instruction is passed by more than the calls of that function, as the
 * machine code and the symbols say. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"
#include "trace/symbol.h"

/* True if the code of a function, n bytes, has a jump to its first byte. x86: any bytes that look like such a jump,
 * also within other instructions; that is so in about one of 1000 functions. */
bool entered_jumps_x86(const unsigned char *code, size_t n);
bool entered_jumps_arm64(const unsigned char *code, size_t n);

/* True if the code begins with an instruction that calls. */
bool entered_calls_x86(const unsigned char *code, size_t n);
bool entered_calls_arm64(const unsigned char *code, size_t n);

/* Reads the code of a function, of this size in bytes, at an offset of a file of this machine. False if it is unknown.
 */
bool entered_by_jump(int fd, uint64_t offset, uint64_t size);

/* Returns 1 if the instruction at this virtual address of an ELF file of this machine is a call; 0 if it is another
 * one, such as a jump, or is outside the file; -errno if it cannot be read. */
int entered_is_call(const char *path, uint64_t address, struct error *e);
