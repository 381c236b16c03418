/* The empty functions, and their calls. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/functions.h"

#define TIMES_4(call)  call call call call
#define TIMES_64(call) TIMES_4(TIMES_4(TIMES_4(call)))
_Static_assert(CALIBRATION_CALLS == 64, "as often as TIMES_64");

/* Written in assembly language, to choose the first instruction, which is probed. */
#if defined(__x86_64__) || defined(__i386__)
#define FIRST_EMULATED "nop"
#define FIRST_STEPPED  "mov %eax, %eax"
#define FIRST_LANDING  ".byte 0xf3, 0x0f, 0x1e, 0xfa"
#define NOP_SIZE       1
#elif defined(__aarch64__)
#define FIRST_EMULATED "cbz x0, 1f\n1:"
#define FIRST_STEPPED  "mov x0, x0"
#define FIRST_LANDING  "nop"
#define NOP_SIZE       4
#endif

#ifdef NOP_SIZE
#define BODY(name, first)                                                                                     \
	void name(void);                                                                                      \
	__asm__(".pushsection .text\n.hidden " #name "\n.globl " #name "\n.type " #name ", %function\n" #name \
		":\n" first "\nret\n"                                                                         \
		".popsection");
#else /* only this kind is used */
#define BODY(name, first)                                   \
	__attribute__((noinline, noclone)) void name(void); \
	void name(void)                                     \
	{                                                   \
		__asm__ volatile("" ::: "memory");          \
	}
#define NOP_SIZE 0
#endif

/* A function, a copy without probes, and a function that calls both one after the other, with nothing between the
 * calls. */
#define EMPTY(name, first)                       \
	BODY(name, first)                        \
	BODY(name##_copy, first)                 \
	static void call_##name(void)            \
	{                                        \
		TIMES_64(name();)                \
		TIMES_64(name(); name##_copy();) \
	}

EMPTY(pfmstat_emulated, FIRST_EMULATED)
EMPTY(pfmstat_stepped, FIRST_STEPPED)
EMPTY(pfmstat_landing, FIRST_LANDING)
EMPTY(pfmstat_pair, "nop\nnop")

static const struct {
	void (*function)(void), (*calls)(void);
} empty[CALL_KINDS] = {
	[CALL_EMULATED] = {pfmstat_emulated, call_pfmstat_emulated},
	[CALL_STEPPED] = {pfmstat_stepped, call_pfmstat_stepped},
	[CALL_LANDING] = {pfmstat_landing, call_pfmstat_landing},
	[CALL_PAIR] = {pfmstat_pair, call_pfmstat_pair},
};

/* Finds the function's place in the file of this program. */
static int find_empty(uintptr_t address, char *path, size_t size, uint64_t *offset)
{
	auto_fclose FILE *f = fopen("/proc/self/maps", "re");
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	auto_free char *line = NULL;
	size_t room = 0;

	path[n > 0 ? n : 0] = '\0';
	while (f && n > 0 && getline(&line, &room, f) > 0) {
		char *rest; /* BEGIN-END MODES OFFSET ... */
		uint64_t begin = strtoull(line, &rest, 16), beyond = strtoull(rest + 1, &rest, 16);

		if (*rest++ != ' ' || address < begin || address >= beyond)
			continue;
		*offset = address - begin + strtoull(rest + strcspn(rest, " "), NULL, 16);
		return 0;
	}
	return -ENOENT;
}

static int add_empty(struct functions *f, enum call_kind kind, struct error *e)
{
	char path[4096], escaped[2 * sizeof(path)], *to = escaped;
	auto_free char *entry = NULL, *end = NULL;
	bool pair = kind == CALL_PAIR && NOP_SIZE;
	uint64_t offset;

	if (find_empty((uintptr_t)empty[kind].function, path, sizeof(path), &offset) < 0)
		return error_set(e, ENOENT,
				 "--regions: pfmstat cannot find its program file to measure what probes cost");
	for (const char *c = path; *c; *to++ = *c++)
		if (*c == ':')
			*to++ = '\\';
	*to = '\0';
	entry = xasprintf("uprobe:%s:0x%" PRIx64, escaped, offset);
	end = xasprintf("%s:%s:0x%" PRIx64, pair ? "uprobe" : "uretprobe", escaped, offset + (pair ? NOP_SIZE : 0));
	return functions_add_probes(f, CALIBRATION(f->names.n, kind), entry, end, e);
}

int functions_add_calibration(struct functions *f, struct error *e)
{
	int error = 0;

	for (size_t k = 0; k < CALL_KINDS && error == 0; k++)
		if (calls_have_kind(f->kinds, f->names.n, (enum call_kind)k))
			error = add_empty(f, (enum call_kind)k, e);
	return error;
}

/* Touches the pages of the stack that the calls need, so that these cause no page faults. */
__attribute__((noinline)) static void touch_stack(void)
{
	volatile char room[16384];

	for (size_t i = 0; i < sizeof(room); i += 1024)
		room[i] = 0;
}

/* Starts the process without SIGCHLD, which would be taken for the command's. The process shares no memory, so that its
 * first call costs as much as the first one in any process. */
pid_t functions_calibrate(const struct functions *f)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		touch_stack();
		for (size_t k = 0; k < CALL_KINDS; k++)
			if (calls_have_kind(f->kinds, f->names.n, (enum call_kind)k))
				empty[k].calls();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, __WALL);
	return pid < 0 ? -errno : pid;
}
