/* engine_requests against code that compilers made of callgrind.h for x86-64 and arm64. */
#include "run/engine_requests.h"
#include "scratch.h"
#include "tap.h"

#define X86_64 "\x48\xc1\xc7\x03\x48\xc1\xc7\x0d\x48\xc1\xc7\x3d\x48\xc1\xc7\x33\x48\x87\xdb"
#define ARM64  "\x8c\x0d\xcc\x93\x8c\x35\xcc\x93\x8c\xcd\xcc\x93\x8c\xf5\xcc\x93\x4a\x01\x0a\xaa"
/* movq $NUMBER, 0xe0(%rsp) */
#define MOVQ(low, tool) "\x48\xc7\x84\x24\xe0\x00\x00\x00" low "\x00" tool

static const struct {
	const char *name, *code;
	size_t size;
	bool callgrind, cachegrind;
} files[] = {
#define CODE(code) code, sizeof(code) - 1
	{"zero", CODE(MOVQ("\x01", "TC") X86_64), true, false},
	{"toggle", CODE(MOVQ("\x02", "TC") X86_64), true, false},
	{"stop", CODE(MOVQ("\x05", "TC") X86_64), true, false},
	{"dump", CODE(MOVQ("\x00", "TC") X86_64), false, false},
	{"dump_at", CODE(MOVQ("\x03", "TC") X86_64), false, false},
	{"of_cachegrind", CODE(MOVQ("\x01", "GC") X86_64), false, true},
	{"of_memcheck", CODE(MOVQ("\x01", "CM") X86_64), false, false},
	{"number_alone", CODE(MOVQ("\x01", "TC")), false, false},
	{"sequence_alone", CODE(X86_64), false, false},
	/* mov x21, #2; movk x21, #0x4354, lsl #16 */
	{"toggle_arm64", CODE("\x55\x00\x80\xd2\x95\x6a\xa8\xf2" ARM64), true, false},
	/* mov x21, #0x43540000 */
	{"dump_arm64", CODE("\x95\x6a\xa8\xd2" ARM64), false, false},
	{"empty", CODE(""), false, false},
};

static void put(const char *path, size_t at, const char *code, size_t size)
{
	FILE *f = fopen(path, "w");

	if (!f || fseek(f, (long)at, SEEK_SET) || fwrite(code, 1, size, f) != size || fclose(f))
		abort();
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;

	scratch_make(dir);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		auto_free char *path = xasprintf("%s/%s", dir, files[i].name);

		put(path, 64, files[i].code, files[i].size);
		ok(engine_requests_are_in(path, "callgrind") == files[i].callgrind, files[i].name);
		ok(engine_requests_are_in(path, "cachegrind") == files[i].cachegrind, "... Cachegrind");
	}
	for (size_t at = (1 << 20) - 36; at <= (1 << 20) + 4; at += 4) { /* across the end of a piece */
		auto_free char *path = xasprintf("%s/far", dir);

		put(path, at, files[0].code, files[0].size);
		ok(engine_requests_are_in(path, "callgrind"), "a request across the pieces that are read");
	}
	ok(!engine_requests_are_in("/nowhere", "callgrind"), "no file");
	ok(!engine_requests_are_in(dir, "callgrind"), "a directory");
	ok(!engine_requests_are_in("/bin/sh", "other"), "another tool");
	scratch_remove(dir);
	return tap_done();
}
