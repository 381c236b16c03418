#include "trace/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/text.h"
#include "os/program.h"
#include "trace/demangle.h"
#include "trace/probe.h"

/* ---- the list ---- */

/* function: its index. */
static void append_probe(struct functions *f, size_t function, const struct event *event, bool at_return)
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
		append_probe(f, function, event, at_return);
		return;
	}
	for (char *where = strtok_r(list, ",", &save); where; where = strtok_r(NULL, ",", &save)) {
		struct event one;

		probe_instance(&one, event, where);
		append_probe(f, function, &one, at_return);
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

#if defined(__x86_64__) || defined(__i386__)
/* arch/x86/kernel/uprobes.c */
static enum call_kind kind_of_code(const unsigned char *code)
{
	if ((code[0] & 0xf0) == 0x40) /* a prefix */
		code++;
	if (memcmp(code, "\xf3\x0f\x1e", 3) == 0)
		return CALL_LANDING;
	if ((code[0] & 0xf8) == 0x50 || code[0] == 0x90 || memcmp(code, "\x0f\x1f", 2) == 0 || code[0] == 0xe8 ||
	    code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70)
		return CALL_EMULATED;
	return CALL_STEPPED;
}
#elif defined(__aarch64__)
/* arch/arm64/kernel/probes/decode-insn.c */
static enum call_kind kind_of_code(const unsigned char *code)
{
	static const struct {
		uint32_t mask, value;
	} emulated[] = {
		{0x7c000000, 0x14000000}, /* b, bl */
		{0xff000010, 0x54000000}, /* b.cond */
		{0x7c000000, 0x34000000}, /* cbz, cbnz, tbz, tbnz */
		{0x1f000000, 0x10000000}, /* adr, adrp */
		{0x3b000000, 0x18000000}, /* ldr, ldrsw of a literal */
		{0xff9ffc1f, 0xd61f0000}, /* br, blr, ret */
	};
	uint32_t word = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;

	for (size_t i = 0; i < ARRAY_SIZE(emulated); i++)
		if ((word & emulated[i].mask) == emulated[i].value)
			return CALL_EMULATED;
	return word == 0xd503201f ? CALL_LANDING : CALL_STEPPED; /* nop */
}
#else
/* On other architectures, nearly all instructions are single-stepped. */
static enum call_kind kind_of_code(const unsigned char *code)
{
	(void)code;
	return CALL_STEPPED;
}
#endif

/* Finds whether the kernel emulates the first instruction. */
static enum call_kind kind_of_probe(const struct event *probe)
{
	unsigned char code[5] = {0};
	auto_close int fd = open(probe->config1_string, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || pread(fd, code, sizeof(code), (off_t)probe->attr.config2) != (ssize_t)sizeof(code))
		return CALL_STEPPED;
	return kind_of_code(code);
}

/* Returns the function before the last one that has a probe at the same entry; SIZE_MAX if there is none. A function
 * may have several names (aliases), and a file several paths (links). */
static size_t find_same(const struct functions *f)
{
	for (size_t last = 0; last < f->n_probes; last++)
		for (size_t i = 0; i < last && f->of[last] == f->names.n && !f->returns[last]; i++)
			if (f->of[i] != f->names.n && !f->returns[i] &&
			    event_has_place_of(&f->probes[i], &f->probes[last]))
				return f->of[i];
	return SIZE_MAX;
}

/* Adds the function of the last probes. */
static int name_function(struct functions *f, const char *name, enum call_kind kind, struct error *e)
{
	size_t same = kind == CALL_PAIR ? SIZE_MAX : find_same(f); /* pairs may share one of their probes */

	if (same != SIZE_MAX && strcmp(f->names.v[same], name) != 0) {
		error_set(e, EINVAL, "--regions: '%s' is the same function as '%s'", name, f->names.v[same]);
		return error_hint(e, "name one of them");
	}
	if (f->names.n == FUNCTIONS_MAX) {
		error_set(e, E2BIG, "--regions: more than %d functions", FUNCTIONS_MAX);
		return error_hint(e, "name fewer, or write a narrower pattern");
	}
	if (!strings_has(&f->names, name)) {
		f->kinds = xreallocarray(f->kinds, f->names.n + 1, sizeof(*f->kinds));
		f->kinds[f->names.n] = kind;
		strings_add(&f->names, "%s", name);
		return 0;
	}
	return error_set(e, EINVAL, "--regions: '%s' is named twice", name);
}

int functions_add_probes(struct functions *f, size_t function, const char *entry, const char *end, struct error *e)
{
	int error = add_at(f, function, entry, false, e);

	return error == 0 ? add_at(f, function, end, true, e) : error;
}

/* place: PATH:FUNCTION or PATH:0xOFFSET. */
static int add_place(struct functions *f, size_t function, const char *place, struct error *e)
{
	auto_free char *entry = xasprintf("uprobe:%s", place), *end = xasprintf("uretprobe:%s", place);

	return functions_add_probes(f, function, entry, end, e);
}

static int add_function(struct functions *f, const char *place, const char *name, struct error *e)
{
	int error = add_place(f, f->names.n, place, e);

	return error == 0 ? name_function(f, name, kind_of_probe(&f->probes[f->n_probes - 1]), e) : error;
}

/* PATH:FUNCTION of C++, with or without parameters. The names of several functions have their parameters. */
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

		error = add_function(f, place, names.n == 1 ? item : name, e);
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
	error = functions_add_probes(f, f->names.n, begin, end, e);
	return error == 0 ? name_function(f, name, CALL_PAIR, e) : error;
}

/* PATH:FUNCTION. A name of C++ may be that of several functions. */
static int add_named(struct functions *f, const char *item, struct error *e)
{
	struct error of_symbol;
	bool is_cpp = strstr(strchr(item, ':') + 1, "::");
	int error = is_cpp ? -ENOENT : add_function(f, item, item, &of_symbol), of_cpp;

	if (error != -ENOENT && error != -EINVAL) {
		*e = of_symbol;
		return error;
	}
	of_cpp = add_cpp(f, item, e);
	if (of_cpp == -ENOENT && !is_cpp)
		*e = of_symbol;
	return of_cpp == -ENOENT ? error : of_cpp;
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
	error = add_named(f, item, e);
	if (error != -ENOENT || !probe_is_glob(probe))
		return error;
	if (probe_expand(probe, &matches, notes, e) < 0)
		return -e->code;
	error = 0;
	for (size_t i = 0; i < matches.n && error == 0; i++)
		error = add_function(f, matches.v[i] + strlen("uprobe:"), matches.v[i] + strlen("uprobe:"), e);
	return error;
}

int functions_add(struct functions *f, const char *list, struct strings *notes, struct error *e)
{
	int error = 0;

	for (char *item; error == 0 && (item = text_item(&list, true)); free(item))
		error = add_item(f, item, notes, e);
	return error < 0 ? error_token(e, 0, 0) : 0;
}

bool functions_have_copies(const struct functions *f, size_t function)
{
	for (size_t i = 0; i < f->n_probes; i++)
		if (f->of[i] == function && !f->returns[i] && f->probes[i].copies)
			return true;
	return false;
}

bool functions_have_place(const struct functions *f, size_t function, const struct event *event)
{
	for (size_t i = 0; i < f->n_probes && event_is_user_probe(event); i++)
		if ((function == SIZE_MAX || f->of[i] == function) && event_has_place_of(&f->probes[i], event))
			return true;
	return false;
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
