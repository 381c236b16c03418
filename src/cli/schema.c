#include "cli/schema.h"

__asm__(".section .rodata\n"
	".globl schema_text\n"
	"schema_text:\n"
	".incbin \"schema/pfmstat-1.schema.json\"\n"
	".byte 0\n"
	".previous\n");
