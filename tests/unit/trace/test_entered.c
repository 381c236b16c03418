/* entered: machine code that jumps to its first byte, and code that seems to. */
#include "trace/entered.h"

#include <errno.h>

#include "tap.h"

#define x86(code)   entered_jumps_x86((const unsigned char *)(code), sizeof(code) - 1)
#define arm64(code) entered_jumps_arm64((const unsigned char *)(code), sizeof(code) - 1)

static void test_x86(void)
{
	ok(x86("\x48\xff\xcf\x75\xfb\xc3"), "jne");
	ok(x86("\x48\xff\xcf\xeb\xfb"), "jmp");
	ok(x86("\x48\xff\xcf\x0f\x85\xf7\xff\xff\xff\xc3"), "jne, long");
	ok(x86("\x48\xff\xcf\xe9\xf8\xff\xff\xff"), "jmp, long");
	ok(!x86("\x90\x48\xff\xcf\x75\xfb\xc3"), "to the second instruction");
	ok(!x86("\x48\xff\xcf\x75\x00\xc3"), "forward");
	ok(!x86("\x48\xff\xcf\x75"), "the code ends within a jump");
	ok(!x86("\x48\xff\xcf\x0f\x85\xf7\xff\xff"), "... within a long one");
	ok(!x86("\x48\xff\xcf\xe9\xf8\xff\xff"), "... within another one");
	ok(!x86(""), "no code");
}

/* A function that jumps to its first instruction does not take more of the stack each time. */
static void test_x86_stack(void)
{
	ok(!x86("\x53\x48\xff\xcf\x75\xfa"), "push, and jne");
	ok(x86("\x53\x48\xff\xcf\x5b\x75\xf9"), "push, pop, and jne");
	ok(x86("\x55\x48\x89\xe5\xc9\xeb\xf9"), "push, leave, and jmp");
	ok(!x86("\xf3\x0f\x1e\xfa\x41\x57\xeb\xf8"), "endbr64, push, and jmp");
	ok(x86("\xf3\x0f\x1e\xfa\x41\x57\x41\x5f\xeb\xf6"), "endbr64, push, pop, and jmp");
	ok(!x86("\x48\x83\xec\x08\x90\xeb\xf9"), "sub from the stack pointer, and jmp");
	ok(x86("\x48\x83\xec\x08\x48\x83\xc4\x08\xeb\xf6"), "... which is added again");
	ok(x86("\x48\x81\xec\x00\x01\x00\x00\x48\x81\xc4\x00\x01\x00\x00\xeb\xf0"), "... of more bytes");
}

static void test_arm64(void)
{
	ok(arm64("\x00\x04\x00\xf1\xe1\xff\xff\x54\xc0\x03\x5f\xd6"), "b.ne");
	ok(arm64("\x00\x04\x00\xd1\xff\xff\xff\x17"), "b");
	ok(arm64("\x00\x04\x00\xd1\xe0\xff\xff\xb5\xc0\x03\x5f\xd6"), "cbnz");
	ok(arm64("\x00\x04\x00\xd1\xe0\xff\x07\x37\xc0\x03\x5f\xd6"), "tbnz");
	ok(arm64("\x00\x00\x00\x14"), "to itself");
	ok(!arm64("\x00\x04\x00\xd1\xff\xff\xff\x97"), "bl, which is a call");
	ok(!arm64("\x1f\x20\x03\xd5\x00\x04\x00\xd1\xe0\xff\xff\xb5"), "to the second instruction");
	ok(!arm64("\x00\x04\x00\xd1\xe0\xff\xff"), "the code ends within a jump");
}

static void test_calls(void)
{
#define x86_call(code)   entered_calls_x86((const unsigned char *)(code), sizeof(code) - 1)
#define arm64_call(code) entered_calls_arm64((const unsigned char *)(code), sizeof(code) - 1)
	struct error e = {0};

	ok(x86_call("\xe8\xfb\xff\xff\xff"), "call");
	ok(x86_call("\xff\xd0") && x86_call("\x41\xff\xd4") && x86_call("\xff\x15\0\0\0\0"), "call of a pointer");
	ok(x86_call("\xf2\xe8\xfb\xff\xff\xff") && x86_call("\x3e\xff\xd0"), "... with a prefix");
	ok(!x86_call("\x75\xfb\xe8") && !x86_call("\xeb\xfb\xe8") && !x86_call("\xe9\xe8\0\0\0"), "jumps");
	ok(!x86_call("\xff\xe0") && !x86_call("\xff\x25\0\0\0\0") && !x86_call("\xff\x70"), "jmp of a pointer, push");
	ok(!x86_call("\xff") && !x86_call("\x41") && !x86_call(""), "too little code");
	ok(arm64_call("\xff\xff\xff\x97") && arm64_call("\x20\x00\x3f\xd6"), "bl and blr");
	ok(arm64_call("\x1f\x08\x3f\xd6") && arm64_call("\x22\x08\x3f\xd7"), "blraaz and blraa");
	ok(!arm64_call("\xff\xff\xff\x17") && !arm64_call("\xe1\xff\xff\x54"), "b and b.ne");
	ok(!arm64_call("\x20\x00\x1f\xd6") && !arm64_call("\xc0\x03\x5f\xd6"), "br and ret");
	ok(!arm64_call("\xff\xff\xff"), "... too little code");
	ok(entered_is_call("/nowhere", 0, &e) == -ENOENT, "no file");
}

int main(void)
{
	test_x86();
	test_x86_stack();
	test_arm64();
	test_calls();
	return tap_done();
}
