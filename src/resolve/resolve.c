#include "resolve/resolve.h"

#include <errno.h>
#include <string.h>

#include "event/abi.h"
#include "event/simulated.h"
#include "event/tool.h"
#include "lib/text.h"
#include "lib/util.h"
#include "pfm/pfm.h"
#include "pmu/pmu.h"
#include "pmu/pmu_kind.h"
#include "pmu/sysfs.h"
#include "pmu/terms.h"
#include "pmu/vendor.h"
#include "resolve/spelling.h"
#include "trace/probe.h"

bool resolve_is_path(const char *name)
{
	static const char *const prefixes[] = {"mem:", "uprobe:", "uretprobe:", "usdt:", "kprobe:", "kretprobe:"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool name_has_pmu(const char *name)
{
	const char *slash = strchr(name, '/');
	const char *colons = strstr(name, "::");

	return colons && (!slash || colons < slash) && !resolve_is_path(name);
}

bool resolve_is_glob(const char *name)
{
	if (resolve_is_path(name))
		return probe_is_glob(name);
	return !name_has_pmu(name) && !strchr(name, '/') && tracefs_is_glob(name);
}

/* True for SUBSYSTEM:NAME, unless modifiers follow the colon (`cycels:u`). The kernel's subsystems are in lower case,
 * vendors' events in upper case. */
static bool name_is_tracepoint(const char *name)
{
	static const char subsystem[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	auto_modifiers struct modifiers m = MODIFIERS_NONE;
	size_t n = strspn(name, subsystem);
	struct error ignored;

	if (n == 0 || name[n] != ':' || strspn(name + n + 1, word) == 0 || resolve_is_path(name))
		return false;
	return modifiers_parse_tail(&m, name + n, &ignored) < 0;
}

/* Puts the near names into the hint, before a resolver's advice. */
static bool hint_suggest(const struct resolvers *r, const char *name, struct error *e)
{
	size_t colon = strcspn(name, ":"), second = colon + (name[colon] == ':');
	auto_free char *one = xstrndup(name, colon), *two = xstrndup(name, second + strcspn(name + second, ":"));
	auto_free char *own = xstrdup(e->hint);
	struct suggest s = {.word = two};
	struct error ignored;
	bool found;

	e->hint[0] = '\0';
	if (name_is_tracepoint(name)) {
		tracefs_each(r->tracefs, two, event_offer, &s);
		error_suggest(e, &s);
	}
	if (!*e->hint) {
		s.word = one;
		abi_each(event_offer, &s);
		tool_each(event_offer, &s);
		sysfs_each(SYSFS_ROOT, event_offer, &s);
		pfm_suggest(&s);
		(void)vendor_each(r->vendor, event_offer, &s, &ignored);
		error_suggest(e, &s);
	}
	found = *e->hint;
	/* a resolver searched fewer names, so its suggestion is dropped */
	if (*own && (!found || strncmp(own, "did you mean", 12) != 0))
		error_hint(e, "%s", own);
	return found;
}

/* No resolver took the name, and e is libpfm4's reason: selects the most helpful reason of all resolvers.
 *
 * If tracefs contains the subsystem but not the event, its reason (missing) is used. If libpfm4 knows the event and
 * refuses the text after it, its reason stays. Otherwise, SUBSYSTEM:NAME may be a tracepoint that could not be looked
 * up, unless it is near an existing name. */
static int explain_failure(const struct resolvers *r, const char *name, const struct error *missing, struct error *e)
{
	struct error pfm = *e, unnamed = {0};
	bool no_library = e->code == ENOSYS;

	if (missing->code) {
		*e = *missing;
		hint_suggest(r, name, e);
		return -e->code;
	}
	if (name_has_pmu(name) || (e->code != ENOENT && !no_library))
		return -e->code;
	if (no_library) /* a hint after the near names: usually the name is wrong */
		snprintf(e->hint, sizeof(e->hint), "%.200s\n%.100s", pfm.text, pfm.hint);
	if (!hint_suggest(r, name, e) && name_is_tracepoint(name) && tracefs_check(r->tracefs, &unnamed)) {
		error_set(e, unnamed.code, "%s; if it is not a tracepoint: %s", unnamed.text, pfm.text);
		error_hint(e, "%s%s%s", unnamed.hint, *unnamed.hint && *pfm.hint ? "\n" : "", pfm.hint);
		return -e->code;
	}
	if (no_library)
		snprintf(e->text, sizeof(e->text), "the kernel has no such event");
	else if (e->length == strlen(name)) /* the name is quoted before the text */
		snprintf(e->text, sizeof(e->text), "no such event");
	return -e->code;
}

/* Parses the rest of the name after the bytes that a resolver has taken. */
static int parse_tail(const char *name, int taken, const struct event *event, struct modifiers *m, struct error *e)
{
	const char *tail = name + taken;

	if (!event_is_opened(event) && *tail)
		return error_set_at(e, EINVAL, (size_t)taken, strlen(tail), "a %s event takes no modifiers",
				    event_source_name(event->source));
	if (modifiers_parse_tail(m, tail, e)) {
		e->at += (size_t)taken;
		return -e->code;
	}
	return 0;
}

/* Applies the terms between the slash and the second one, which the scanner has seen. Returns the bytes up to there, or
 * -errno. */
static int apply_terms(const char *name, size_t slash, struct event *event, struct error *e)
{
	size_t n = terms_span(name + slash + 1, "/");
	int ret = terms_apply_common(name + slash + 1, n, slash + 1, event, e);

	return ret ? ret : (int)(slash + 1 + n + (name[slash + 1 + n] == '/'));
}

/* Resolves a name of the kernel with terms: `cycles/name=…/`. */
static int resolve_with_terms(const char *name, struct event *event, struct error *e)
{
	size_t slash = strcspn(name, "/:");
	auto_free char *base = xstrndup(name, slash);

	if (name[slash] != '/' || abi_resolve(base, event, e) != (int)slash)
		return 0;
	return apply_terms(name, slash, event, e);
}

/* Binds a generic event to one of several core PMUs. Returns false if it is not a generic event. */
static bool bind_to_core(struct event *event, const char *pmu)
{
	bool is_generic = event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE;
	struct core_pmus cores = {0};
	bool found = false;

	if (is_generic)
		core_pmus_read(&cores);
	for (size_t i = 0; i < cores.n && !found; i++) {
		auto_free char *full_name = NULL;

		if (strcmp(cores.v[i].name, pmu) != 0)
			continue;
		found = true;
		event->attr.config |= (uint64_t)cores.v[i].type << PERF_PMU_TYPE_SHIFT;
		event->cpus = xstrdup(cores.v[i].cpus);
		free(event->pmu);
		event->pmu = xstrdup(pmu);
		full_name = event->full_name;
		event->full_name = xasprintf("%s/%s/", pmu, full_name);
	}
	core_pmus_free(&cores);
	return found;
}

static int refuse_tool(const char *base, size_t at, struct error *e)
{
	struct suggest near = {.word = base};

	error_set_at(e, ENOENT, at, strlen(base), "pfmstat has no tool event '%s'", base);
	tool_each(event_offer, &near);
	error_suggest(e, &near);
	return -ENOENT;
}

/* Resolves a name of the kernel between the slashes of its PMU, as in perf: `software/page-faults/`,
 * `tool/duration_time,name=…/`, and on machines with several core PMUs `cpu_core/cycles/`. Returns 0 for other names.
 */
static int resolve_on_pmu(const char *name, struct event *event, struct error *e)
{
	size_t slash = strcspn(name, "/:"), n = name[slash] == '/' ? terms_span(name + slash + 1, "/") : 0;
	size_t first = n ? terms_span(name + slash + 1, ",/") : 0, rest = slash + 1 + first;
	auto_free char *pmu = xstrndup(name, slash), *base = xstrndup(name + slash + (n > 0), first);
	int ret = 0, taken = 0;

	if (first == 0 || name[slash + 1 + n] != '/' || strpbrk(base, "=:"))
		return 0;
	if (strcmp(pmu, "tool") == 0)
		taken = tool_resolve(base, event);
	taken = taken ?: abi_resolve(base, event, e);
	if (taken != (int)first)
		return strcmp(pmu, "tool") == 0 ? refuse_tool(base, slash + 1, e) : 0;
	if (event->source == EVENT_RAW || (strcmp(event->pmu, pmu) != 0 && !bind_to_core(event, pmu))) {
		event_free(event);
		return 0;
	}
	if (name[rest] == ',')
		ret = terms_apply_common(name + rest + 1, n - first - 1, rest + 1, event, e);
	return ret ? ret : (int)(slash + 1 + n + 1);
}

/* ---- asking the resolvers ---- */

static int ask_sysfs(const char *name, struct event *event, struct error *e)
{
	int taken = sysfs_resolve(SYSFS_ROOT, name, event, e), on_pmu;
	struct error own = {0};

	if (taken >= 0)
		return taken;
	on_pmu = resolve_on_pmu(name, event, &own);
	if (on_pmu < 0)
		*e = own;
	return on_pmu ? on_pmu : taken;
}

/* Mounts tracefs privately only for names that look like tracepoints: vendors' names also have colons. */
static int ask_tracefs(const struct resolvers *r, const char *name, struct event *event, struct error *e)
{
	int taken;

	if (!strchr(name, ':') || (!tracefs_is_mounted(r->tracefs) && !name_is_tracepoint(name)))
		return 0;
	taken = tracefs_resolve(r->tracefs, name, event, e);
	return taken > 0 && name[taken] == '/' ? apply_terms(name, (size_t)taken, event, e) : taken;
}

/* Asks all resolvers except libpfm4 and vendors' files. Returns 0 if none took the name; missing is the error of
 * tracefs if it knows the subsystem but not the event: libpfm4 may know an event of the same name. */
static int ask_kernel(const struct resolvers *r, const char *name, struct event *event, struct error *missing,
		      struct error *e)
{
	int taken = breakpoint_resolve(name, event, e) ?: probe_resolve(name, event, e);

	taken = taken ?: abi_resolve(name, event, e) ?: resolve_with_terms(name, event, e);
	taken = taken ?: simulated_resolve(name, event, e) ?: ask_sysfs(name, event, e);
	if (taken == 0 && (taken = ask_tracefs(r, name, event, e)) == -ENOENT) {
		*missing = *e;
		return 0;
	}
	return taken;
}

/* For --explain: says so if libpfm4 encodes the name of a file's event as another event. */
static void compare_with_library(const struct resolvers *r, struct event *event)
{
	const struct pfm_sources alone = {.errata = ERRATA_OFF};
	const char *slash = event->full_name ? strchr(event->full_name, '/') : NULL;
	auto_free char *name = slash ? xstrndup(slash + 1, strcspn(slash + 1, "/")) : NULL;
	auto_free char *origin = event->origin ? text_safe(event->origin) : NULL, *text = NULL;
	struct event other;
	bool same;

	if (!r->vendor->describe || r->errata == ERRATA_OFF || !name || !origin || !pfm_encode(name, &alone, &other))
		return;
	same = other.attr.config == event->attr.config;
	if (other.attr.type == event->attr.type && !(same && other.attr.config1 == event->attr.config1)) {
		text = xasprintf("libpfm4 encodes %s as %s0x%llx, but %s as 0x%llx, which is used", other.full_name,
				 same ? "config1=" : "",
				 (unsigned long long)(same ? other.attr.config1 : other.attr.config), origin,
				 (unsigned long long)(same ? event->attr.config1 : event->attr.config));
		event_remark(event, text);
	}
	event_free(&other);
}

/* Asked last; the reason of the others (e) stays if the files have no such event, or no file was given. A malformed
 * file is reported for any name. */
static int ask_vendor(const struct resolvers *r, const char *name, struct event *event, struct error *e)
{
	struct error own;
	int taken = vendor_resolve(SYSFS_ROOT, r->vendor, name, event, &own);

	if (taken < 0)
		*e = own;
	if (taken > 0)
		compare_with_library(r, event);
	return taken ? taken : -e->code;
}

/* Resolves a name that the kernel does not know. */
static int ask_others(const struct resolvers *r, const char *name, struct event *event, struct modifiers *m,
		      const struct error *missing, struct error *e)
{
	int taken;

	if (pfm_resolve(name, &(struct pfm_sources){.vendor = r->vendor, .errata = r->errata}, event, m, e) > 0)
		return 0;
	event_free(event);
	/* the PMUs that libpfm4 has seen of a glob */
	taken = name_has_pmu(name) ? -e->code : ask_vendor(r, name, event, e);
	if (taken > 0) {
		modifiers_free(m);
		*m = MODIFIERS_NONE;
		return parse_tail(name, taken, event, m, e);
	}
	explain_failure(r, name, missing, e);
	if (!name_has_pmu(name) && !strchr(name, '/'))
		(void)spelling_suggest(r, name, e);
	return -e->code;
}

/* True if only a file may explain the PMU or term, unlike events of pfmstat and the kernel. */
static bool may_be_of_file(const char *name)
{
	return strchr(name, '/') && !resolve_is_path(name) && strncmp(name, "software/", 9) != 0 &&
	       strncmp(name, "tool/", 5) != 0;
}

/* Sets what depends on the bits and not on the resolver: sysfs and libpfm4 also name software events and tracepoints.
 */
static void complete_by_bits(const struct resolvers *r, struct event *event)
{
	if (event->source != EVENT_PFM && event->source != EVENT_SYSFS)
		return;
	abi_complete(event);
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		tracefs_complete(r->tracefs, event);
}

int resolve_name(const struct resolvers *resolvers, const char *name, struct event *event, struct modifiers *m,
		 struct error *e)
{
	struct error missing = {0};
	int r;

	*event = (struct event){0};
	*e = (struct error){0};
	r = name_has_pmu(name) ? 0 : ask_kernel(resolvers, name, event, &missing, e);
	if (r < 0 && may_be_of_file(name)) {
		event_free(event);
		r = ask_vendor(resolvers, name, event, e);
	}
	if (r > 0) {
		r = parse_tail(name, r, event, m, e);
	} else if (r == 0) {
		event_free(event);
		*e = (struct error){0};
		r = ask_others(resolvers, name, event, m, &missing, e);
	}
	if (r)
		event_free(event);
	else
		complete_by_bits(resolvers, event);
	return r;
}

void resolve_instance(struct event *one, const struct event *event, const char *where)
{
	if (event->source == EVENT_PROBE)
		probe_instance(one, event, where);
	else
		instance_make(one, event, where);
}
