#include "trace/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/program.h"
#include "trace/demangle.h"
#include "trace/probe.h"

/* ---- the list ---- */

/* function: its index. */
static void add_probe(struct functions *f, size_t function, const struct event *event, bool at_return)
{
	size_t n = f->n_probes;

	*ARRAY_PUSH(f->probes, f->n_probes) = *event;
	f->of = xreallocarray(f->of, f->n_probes, sizeof(*f->of));
	f->returns = xreallocarray(f->returns, f->n_probes, sizeof(*f->returns));
	f->of[n] = function;
	f->returns[n] = at_return;
}

/* A USDT probe may have several places, which are probes of one function. */
static void add_places(struct functions *f, size_t function, struct event *event, bool at_return)
{
	char *save = NULL, *list = event->instances;

	if (!list) {
		add_probe(f, function, event, at_return);
		return;
	}
	for (char *where = strtok_r(list, ",", &save); where; where = strtok_r(NULL, ",", &save)) {
		struct event one;

		probe_instance(&one, event, where);
		add_probe(f, function, &one, at_return);
	}
	event_free(event);
}

static int add_at(struct functions *f, size_t function, const char *name, bool at_return, struct error *e)
{
	struct event event;
	int taken = probe_resolve(name, &event, e);

	if (taken < 0)
		return taken;
	if (name[taken]) {
		event_free(&event);
		return error_set(e, EINVAL, "--regions: nothing may follow the function in '%s'", name);
	}
	event.name = xstrdup(name);
	add_places(f, function, &event, at_return);
	return 0;
}

/* Finds whether the kernel emulates the first instruction (arch/x86/kernel/uprobes.c). On other architectures than x86,
 * it single-steps nearly all of them. */
static enum call_kind kind_of(const struct event *probe)
{
	unsigned char code[4] = {0};
#if defined(__x86_64__) || defined(__i386__)
	auto_close int fd = open(probe->config1_string, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && pread(fd, code, sizeof(code), (off_t)probe->attr.config2) != (ssize_t)sizeof(code))
		code[0] = 0;
#else
	(void)probe;
#endif
	if ((code[0] & 0xf0) == 0x40) /* a prefix */
		code[0] = code[1];
	if ((code[0] & 0xf8) == 0x50 || code[0] == 0x90 || memcmp(code, "\xf3\x0f\x1e", 3) == 0 ||
	    memcmp(code, "\x0f\x1f", 2) == 0 || code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb ||
	    (code[0] & 0xf0) == 0x70)
		return CALL_EMULATED;
	return CALL_STEPPED;
}

/* Adds the last probes' function. */
static int add_name(struct functions *f, const char *name, struct error *e)
{
	if (f->names.n == FUNCTIONS_MAX) {
		error_set(e, E2BIG, "--regions: more than %d functions", FUNCTIONS_MAX);
		return error_hint(e, "name fewer, or write a narrower pattern");
	}
	if (!strings_has(&f->names, name)) {
		f->kinds = xreallocarray(f->kinds, f->names.n + 1, sizeof(*f->kinds));
		f->kinds[f->names.n] = kind_of(&f->probes[f->n_probes - 1]);
		strings_add(&f->names, "%s", name);
		return 0;
	}
	return error_set(e, EINVAL, "--regions: '%s' is named twice", name);
}

/* The probes at its entry and at its return. */
static int add_probes(struct functions *f, size_t function, const char *entry, const char *end, struct error *e)
{
	int error = add_at(f, function, entry, false, e);

	return error == 0 ? add_at(f, function, end, true, e) : error;
}

/* place: PATH:FUNCTION or PATH:0xOFFSET. */
static int add_place(struct functions *f, size_t function, const char *place, struct error *e)
{
	auto_free char *entry = xasprintf("uprobe:%s", place), *end = xasprintf("uretprobe:%s", place);

	return add_probes(f, function, entry, end, e);
}

static int add_function(struct functions *f, const char *place, const char *name, struct error *e)
{
	int error = add_place(f, f->names.n, place, e);

	return error == 0 ? add_name(f, name, e) : error;
}

static bool is_cpp(const char *name)
{
	return strstr(name, "::") || strchr(name, '(');
}

/* PATH:NAMESPACE::FUNCTION, with or without parameters. */
static int add_cpp(struct functions *f, const char *item, struct error *e)
{
	size_t length = strcspn(item, ":");
	auto_free char *path = xstrndup(item, length), *file = program_find_file(path);
	auto_strings struct strings names = {.n = 0};
	auto_free uint64_t *offsets = NULL;
	int error = demangle_find(file, item + length + 1, &names, &offsets, e);

	for (size_t i = 0; i < names.n && error == 0; i++) {
		auto_free char *place = xasprintf("%s:0x%" PRIx64, path, offsets[i]);
		auto_free char *name = xasprintf("%s:%s", path, names.v[i]);

		error = add_function(f, place, name, e);
	}
	return error;
}

/* usdt:PATH:PROVIDER:BEGIN-END */
static int add_pair(struct functions *f, const char *name, struct error *e)
{
	const char *colon = strrchr(name, ':'), *dash = strrchr(colon, '-');
	auto_free char *begin = NULL, *end = NULL;
	int error;

	if (!dash || dash == colon + 1 || !dash[1])
		return error_set(e, EINVAL, "--regions: '%s' is not usdt:PATH:PROVIDER:BEGIN-END", name);
	begin = xstrndup(name, (size_t)(dash - name));
	end = xasprintf("%.*s%s", (int)(colon + 1 - name), name, dash + 1);
	error = add_probes(f, f->names.n, begin, end, e);
	return error == 0 ? add_name(f, name, e) : error;
}

static int add_item(struct functions *f, const char *item, struct strings *notes, struct error *e)
{
	auto_free char *probe = xasprintf("uprobe:%s", item);
	auto_strings struct strings matches = {.n = 0};
	int error = 0;

	if (strncmp(item, "usdt:", 5) == 0)
		return add_pair(f, item, e);
	if (!strchr(item, ':') || strncmp(item, "uprobe:", 7) == 0) {
		bool is_path = strchr(item, '/');

		error_set(e, EINVAL, "--regions: '%s' is not PATH:FUNCTION", item);
		if (strchr(item, ':'))
			return error_hint(e, "fix: --regions=%s", item + 7);
		return error_hint(e, "fix: name the file and the function: --regions=%s:%s", is_path ? item : "./prog",
				  is_path || !*item ? "FUNCTION" : item);
	}
	if (is_cpp(strchr(item, ':') + 1))
		return add_cpp(f, item, e);
	if (!probe_is_glob(probe))
		return add_function(f, item, item, e);
	if (probe_expand(probe, &matches, notes, e) < 0)
		return -e->code;
	for (size_t i = 0; i < matches.n && error == 0; i++)
		error = add_function(f, matches.v[i] + strlen("uprobe:"), matches.v[i] + strlen("uprobe:"), e);
	return error;
}

/* Returns the length up to the next comma outside the parentheses and brackets of a C++ name. */
static size_t item_length(const char *list)
{
	size_t n = 0;
	int depth = 0;

	for (; list[n] && (list[n] != ',' || depth > 0); n++)
		depth += (list[n] == '(' || list[n] == '<') - (list[n] == ')' || list[n] == '>');
	return n;
}

int functions_add(struct functions *f, const char *list, struct strings *notes, struct error *e)
{
	int error = 0;

	while (error == 0) {
		size_t n = item_length(list);
		auto_free char *item = xstrndup(list, n);

		error = add_item(f, item, notes, e);
		if (!list[n])
			break;
		list += n + 1;
	}
	return error < 0 ? error_token(e, 0, 0) : 0;
}

/* ---- the empty functions ---- */

#if defined(__x86_64__) || defined(__i386__)
__attribute__((naked, noinline)) static void emulated(void)
{
	__asm__("push %rbp; pop %rbp; ret");
}

__attribute__((naked, noinline)) static void stepped(void)
{
	__asm__("mov %eax, %eax; ret");
}
#else
__attribute__((noinline)) static void emulated(void)
{
	__asm__ volatile("" ::: "memory");
}

#define stepped emulated
#endif

static void (*const empty[CALL_KINDS])(void) = {[CALL_EMULATED] = emulated, [CALL_STEPPED] = stepped};

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
	auto_free char *place = NULL;
	uint64_t offset;

	if (find_empty((uintptr_t)empty[kind], path, sizeof(path), &offset) < 0)
		return error_set(e, ENOENT,
				 "--regions: pfmstat cannot find its program file to measure what probes cost");
	for (const char *c = path; *c; *to++ = *c++)
		if (*c == ':')
			*to++ = '\\';
	*to = '\0';
	place = xasprintf("%s:0x%" PRIx64, escaped, offset);
	return add_place(f, CALIBRATION(f->names.n, kind), place, e);
}

int functions_add_calibration(struct functions *f, struct error *e)
{
	int error = 0;

	for (size_t k = 0; k < CALL_KINDS && error == 0; k++)
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

/* Without SIGCHLD, which would be taken for the command's. The process shares no memory, so that its first call costs
 * as much as the first one in any process. */
pid_t functions_calibrate(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		touch_stack();
		for (size_t k = 0; k < CALL_KINDS; k++)
			for (volatile int i = 0; i < CALIBRATION_CALLS; i++)
				empty[k]();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, __WALL);
	return pid < 0 ? -errno : pid;
}

void functions_free(struct functions *f)
{
	for (size_t i = 0; i < f->n_probes; i++)
		event_free(&f->probes[i]);
	free(f->probes);
	free(f->kinds);
	free(f->of);
	free(f->returns);
	strings_free(&f->names);
	*f = (struct functions){.n_probes = 0};
}
