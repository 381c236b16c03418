#include "trace/probe.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util.h"
#include "os/program.h"
#include "pmu/pmu.h"
#include "trace/demangle.h"
#include "trace/symbol.h"
#include "trace/usdt.h"

struct probe_kind {
	const char *prefix, *pmu;
	bool user, at_return, usdt;
};

/* The parts of a probe's name. */
struct probe {
	const struct probe_kind *kind;
	char *path;   /* "\:" replaced by ":"; NULL for kernel probes */
	char *symbol; /* of usdt PROVIDER:NAME; NULL: only an offset */
	uint64_t offset;
	struct usdt_places places;                           /* of usdt */
	size_t path_at, path_length, place_at, place_length; /* positions in the name */
	char *file;                                          /* the absolute path */
	struct stat status;                                  /* the file's */
};

static void probe_free(struct probe *p)
{
	free(p->path);
	free(p->symbol);
	free(p->places.v);
	free(p->file);
}

static const struct probe_kind *kind_find(const char *name)
{
	static const struct probe_kind kinds[] = {
		{.prefix = "uprobe:", .pmu = "uprobe", .user = true},
		{.prefix = "uretprobe:", .pmu = "uprobe", .user = true, .at_return = true},
		{.prefix = "usdt:", .pmu = "uprobe", .user = true, .usdt = true},
		{.prefix = "kprobe:", .pmu = "kprobe"},
		{.prefix = "kretprobe:", .pmu = "kprobe", .at_return = true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
			return &kinds[i];
	return NULL;
}

/* Returns the path up to the first ':' without a backslash before it. */
static char *path_parse(const char *s, size_t *length)
{
	char *path = xmalloc(strlen(s) + 1), *out = path;
	size_t n = 0;

	while (s[n] && s[n] != ':') {
		if (s[n] == '\\' && s[n + 1] == ':')
			n++;
		*out++ = s[n++];
	}
	*out = '\0';
	*length = n;
	return path;
}

/* Parses SYMBOL, SYMBOL+OFF or, for user probes, 0xOFFSET. A '+' may belong to the name of a C++ operator. */
static int place_parse(struct probe *p, const char *text, struct error *e)
{
	auto_free char *place = xstrndup(text, p->place_length);
	char *plus = p->kind->usdt ? NULL : strrchr(place, '+');

	if (plus && strstr(place, "operator") && parse_number(plus + 1, &p->offset))
		plus = NULL;
	if (isdigit((unsigned char)*place) && p->kind->user && !p->kind->usdt) {
		if (strncasecmp(place, "0x", 2) == 0 && parse_number(place, &p->offset) == 0)
			return 0;
		return error_set_at(e, EINVAL, p->place_at, p->place_length,
				    "'%s' is neither a symbol nor an offset (0x…)", place);
	}
	if (plus && (plus == place || parse_number(plus + 1, &p->offset)))
		return error_set_at(e, EINVAL, p->place_at, p->place_length, "'%s' is not SYMBOL+OFFSET", place);
	if (plus && p->kind->at_return && p->offset)
		return error_set_at(e, EINVAL, p->place_at + (size_t)(plus - place), strlen(plus),
				    "a function's return has no offset: '%s'", place);
	p->symbol = xstrndup(place, plus ? (size_t)(plus - place) : p->place_length);
	return 0;
}

/* Parses FUNCTION, or for usdt PROVIDER:NAME. Returns 0 if it is neither. */
static size_t place_length(const struct probe *p, const char *place)
{
	size_t n = strcspn(place, ":"), name = n && place[n] ? strcspn(place + n + 1, ":") : 0;

	if (!p->kind->usdt)
		return demangle_name_length(place);
	return name ? n + 1 + name : 0;
}

/* Finds the path and the place, which may be a pattern, in the name. Returns 0 or -errno. */
static int probe_cut(struct probe *p, const char *name, struct error *e)
{
	p->place_at = strlen(p->kind->prefix);
	if (p->kind->user) {
		p->path_at = p->place_at;
		p->path = path_parse(name + p->path_at, &p->path_length);
		p->place_at += p->path_length + (name[p->path_at + p->path_length] == ':');
	}
	p->place_length = place_length(p, name + p->place_at);
	if (p->place_length == 0 || (p->kind->user && p->path_length == 0))
		return error_set_at(e, EINVAL, 0, strlen(name), "'%s' needs %s after it", p->kind->prefix,
				    p->kind->usdt   ? "PATH:PROVIDER:NAME"
				    : p->kind->user ? "PATH:SYMBOL or PATH:0xOFFSET"
						    : "the name of a kernel function");
	return 0;
}

static int probe_parse(struct probe *p, const char *name, struct error *e)
{
	int ret = probe_cut(p, name, e);

	return ret ? ret : place_parse(p, name + p->place_at, e);
}

static int file_find(struct probe *p, struct error *e)
{
	bool bare = p->path && !strchr(p->path, '/'); /* a user probe has a path */
	auto_close int fd = -1;

	p->file = program_find_file(p->path);
	fd = open(p->file, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &p->status))
		error_set(e, errno, bare ? "no program, file or library '%s'" : "cannot probe '%s': %s", p->path,
			  strerror(errno));
	else if (S_ISDIR(p->status.st_mode))
		error_set(e, EISDIR, "cannot probe '%s': it is a directory", p->file);
	else if (!S_ISREG(p->status.st_mode))
		error_set(e, EINVAL, "cannot probe '%s': it is not a regular file", p->file);
	else if (!p->symbol && p->offset >= (uint64_t)p->status.st_size)
		error_set(e, ERANGE, "offset 0x%llx is beyond the end of '%s'", (unsigned long long)p->offset, p->file);
	else
		return 0;
	return error_token(e, p->path_at, p->path_length);
}

/* Turns the symbol into an offset in the file, and checks that there is code. */
static int place_find_user(struct probe *p, struct error *e)
{
	struct function function;
	uint64_t into = p->offset;
	int ret;

	if (!p->symbol)
		return symbol_check_offset(p->file, p->offset, e);
	if (p->kind->usdt)
		return usdt_find(p->file, p->symbol, &p->places, e);
	ret = demangle_find_only(p->file, p->symbol, &function, e);
	if (ret)
		return ret;
	if (function.size && into >= function.size)
		return error_set(e, ERANGE, "function '%s' has %llu bytes, so there is no +%llu", p->symbol,
				 (unsigned long long)function.size, (unsigned long long)into);
	p->offset += function.offset;
	return function.size ? 0 : symbol_check_offset(p->file, p->offset, e);
}

/* The kernel finds its functions, but reports a missing one only at the open. */
static int place_find(struct probe *p, struct error *e)
{
	int ret = p->kind->user ? place_find_user(p, e) : symbol_check_kernel("/proc/kallsyms", p->symbol, e);

	if (ret == -EACCES || ret == -ENOEXEC)
		return error_token(e, p->path_at, p->path_length);
	return ret ? error_token(e, p->place_at, p->place_length) : 0;
}

/* Sets the event's type, and the bit for a return probe. */
static int probe_set_pmu(const struct probe *p, struct perf_event_attr *attr, struct error *e)
{
	uint32_t type;
	struct pmu_format format = {0};
	int ret = pmu_type(SYSFS_ROOT, p->kind->pmu, &type);

	if (ret == -ENOENT) {
		error_set_at(e, ENOENT, 0, strlen(p->kind->prefix) - 1, "this kernel has no %s PMU", p->kind->pmu);
		return error_hint(e, "it needs Linux 4.17 or later, built with %s",
				  p->kind->user ? "CONFIG_UPROBE_EVENTS" : "CONFIG_KPROBE_EVENTS");
	}
	if (ret == 0 && p->kind->at_return) {
		ret = pmu_format(SYSFS_ROOT, p->kind->pmu, "retprobe", &format);
		if (ret == 0)
			ret = pmu_format_set(&format, 1, attr);
	}
	if (ret)
		return error_set_at(e, -ret, 0, strlen(p->kind->prefix) - 1,
				    "the kernel's description of its %s PMU cannot be used: %s", p->kind->pmu,
				    strerror(-ret));
	attr->type = type;
	return 0;
}

/* Returns uprobe:/absolute/path:place, with a backslash before each colon of the path. */
static char *probe_full_name(const struct probe *p, const char *name)
{
	char *s = xmalloc(strlen(p->kind->prefix) + 2 * (p->file ? strlen(p->file) : 0) + p->place_length + 2);
	char *out = stpcpy(s, p->kind->prefix);

	for (const char *c = p->file; c && *c; c++) {
		if (*c == ':')
			*out++ = '\\';
		*out++ = *c;
	}
	if (p->file)
		*out++ = ':';
	memcpy(out, name + p->place_at, p->place_length);
	out[p->place_length] = '\0';
	return s;
}

/* Sets the semaphore: the word in the program's memory that the kernel counts up. The event has no other bits in
 * config. */
static int set_usdt_place(struct event *event, const struct usdt_place *place, struct error *e)
{
	struct pmu_format format = {0};
	int ret = place->semaphore ? pmu_format(SYSFS_ROOT, event->pmu, "ref_ctr_offset", &format) : 0;

	event->attr.config = 0;
	event->attr.config2 = place->offset;
	if (ret == 0 && place->semaphore)
		ret = pmu_format_set(&format, place->semaphore, &event->attr);
	return ret ? error_set(e, -ret, "it has a semaphore, which needs Linux 4.20: %s", strerror(-ret)) : 0;
}

/* Several places are counted together: each is an instance (pmu_kind.h), `0xOFFSET` or `0xOFFSET(0xSEMAPHORE)`. */
static int set_usdt_places(struct event *event, const struct usdt_places *places, struct error *e)
{
	auto_strings struct strings list = {.n = 0};

	for (size_t i = 0; i < places->n; i++)
		strings_add(&list, places->v[i].semaphore ? "0x%llx(0x%llx)" : "0x%llx",
			    (unsigned long long)places->v[i].offset, (unsigned long long)places->v[i].semaphore);
	if (places->n > 1)
		event->instances = strings_join(&list, ",");
	return places->n ? set_usdt_place(event, &places->v[0], e) : 0;
}

void probe_instance(struct event *one, const struct event *event, const char *where)
{
	struct usdt_place place = {.semaphore = 0};
	struct error known; /* when the event was made */
	char *end;

	event_copy(one, event);
	free(one->name);
	free(one->full_name);
	free(one->instances);
	one->name = xasprintf("%s [%s]", event->name, where);
	one->full_name = xasprintf("%s [%s]", event->full_name, where);
	one->instances = NULL;
	place.offset = strtoull(where, &end, 16);
	if (*end == '(')
		place.semaphore = strtoull(end + 1, NULL, 16);
	set_usdt_place(one, &place, &known);
}

int probe_resolve(const char *name, struct event *event, struct error *e)
{
	__attribute__((cleanup(probe_free))) struct probe p = {.kind = kind_find(name)};
	int ret;

	if (!p.kind)
		return 0;
	event_init(event, EVENT_PROBE);
	ret = probe_parse(&p, name, e);
	if (ret == 0 && p.kind->user)
		ret = file_find(&p, e);
	if (ret == 0)
		ret = probe_set_pmu(&p, &event->attr, e);
	if (ret == 0)
		ret = place_find(&p, e);
	event->pmu = xstrdup(p.kind->pmu);
	event->attr.config2 = p.offset;
	if (ret == 0 && set_usdt_places(event, &p.places, e))
		ret = error_token(e, p.place_at, p.place_length);
	if (ret) {
		event_free(event);
		return ret;
	}
	event->config1_string = xstrdup(p.kind->user ? p.file : p.symbol);
	event->attr.config1 = (uintptr_t)event->config1_string;
	event->file = (struct file_state){p.status.st_dev, p.status.st_ino, p.status.st_mtim};
	event->full_name = probe_full_name(&p, name);
	event->user_side = p.kind->user;
	event->kernel_side = !p.kind->user;
	event->at_return = p.kind->at_return;
	return (int)(p.place_at + p.place_length);
}

bool probe_is_glob(const char *name)
{
	__attribute__((cleanup(probe_free))) struct probe p = {.kind = kind_find(name)};
	struct error ignored;

	return p.kind && p.kind->user && probe_cut(&p, name, &ignored) == 0 &&
	       strcspn(name + p.place_at, "*?[") < p.place_length;
}

/* A name may contain a *, as Go's do, and parameters of C++. */
static int expand_place(const struct probe *p, const char *place, struct strings *places, struct strings *left_out,
			struct error *e)
{
	struct function function;
	struct error none;

	if (p->kind->usdt)
		return usdt_match(p->file, place, places, e);
	if (demangle_find_only(p->file, place, &function, &none))
		return demangle_match(p->file, place, places, left_out, e);
	strings_add(places, "%s", place);
	return 0;
}

int probe_expand(const char *name, struct strings *matches, struct strings *notes, struct error *e)
{
	__attribute__((cleanup(probe_free))) struct probe p = {.kind = kind_find(name)};
	auto_strings struct strings places = {.n = 0}, left_out = {.n = 0};
	auto_free char *place = NULL;
	char list[400];
	int ret;

	if (!p.kind || !p.kind->user)
		return error_set(e, EINVAL, "'%s' is not a user probe", name);
	ret = probe_cut(&p, name, e);
	if (ret == 0)
		ret = file_find(&p, e);
	if (ret)
		return ret;
	place = xstrndup(name + p.place_at, p.place_length);
	if (expand_place(&p, place, &places, &left_out, e))
		return error_token(e, p.place_at, p.place_length);
	for (size_t i = 0; i < places.n; i++)
		strings_add(matches, "%.*s%s", (int)p.place_at, name, places.v[i]);
	if (left_out.n)
		strings_add(notes,
			    "%.*s matches functions that are left out, since their names do not tell which code runs: "
			    "%s",
			    (int)(p.place_at + p.place_length), name, strings_fit(&left_out, list, sizeof(list)));
	return (int)(p.place_at + p.place_length);
}

struct listing {
	const char *before; /* the function in the name */
	size_t length;
	event_each *each;
	void *arg;
};

static void list_function(void *arg, const char *name, const char *source_name, const struct function *function)
{
	const struct listing *l = arg;
	auto_free char *full = xasprintf("%.*s%s", (int)l->length, l->before, name);
	auto_free char *text =
		xasprintf("%s%s%llu bytes at 0x%llx", source_name ? source_name : "", source_name ? ", " : "",
			  (unsigned long long)function->size, (unsigned long long)function->offset);

	l->each(l->arg, &(struct event_entry){full, event_source_name(EVENT_PROBE), "uprobe", "", text});
}

int probe_each(const char *name, event_each *each, void *arg, struct error *e)
{
	__attribute__((cleanup(probe_free))) struct probe p = {.kind = kind_find(name)};
	struct listing listing = {.before = name, .each = each, .arg = arg};
	int ret;

	if (!p.kind)
		return 0;
	ret = probe_cut(&p, name, e);
	if (ret == 0)
		ret = file_find(&p, e);
	listing.length = p.place_at;
	return ret ? ret : demangle_each(p.file, name + p.place_at, list_function, &listing, e);
}

bool probe_file_changed(const struct event *event)
{
	const struct file_state *was = &event->file;
	struct stat st;

	return event->source == EVENT_PROBE && event->user_side && stat(event->config1_string, &st) == 0 &&
	       (st.st_dev != was->device || st.st_ino != was->inode || st.st_mtim.tv_sec != was->modified.tv_sec ||
		st.st_mtim.tv_nsec != was->modified.tv_nsec);
}
