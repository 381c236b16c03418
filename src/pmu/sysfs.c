#include "pmu/sysfs.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"
#include "pmu/pmu_kind.h"
#include "pmu/terms.h"

void sysfs_find_pmus(const char *root, const char *word, struct strings *pmus)
{
	auto_strings struct strings all = {0};
	uint32_t type;

	if (pmu_type(root, word, &type) != -ENOENT) {
		strings_add(pmus, "%s", word);
		return;
	}
	directory_list(root, &all);
	for (size_t i = 0; i < all.n; i++)
		if (fnmatch(word, all.v[i], 0) == 0 || pmu_is_of_kind(all.v[i], word))
			strings_add(pmus, "%s", all.v[i]);
}

/* Sets the error for a missing PMU, with near names. */
static int pmu_missing(const char *root, const char *pmu, struct error *e)
{
	auto_strings struct strings all = {0};
	struct suggest near = {.word = pmu};
	char buf[256];
	int ret = directory_list(root, &all);

	error_set_at(e, ENOENT, 0, strlen(pmu), "the kernel has no PMU '%s' here", pmu);
	if (ret || all.n == 0)
		return error_hint(e, "%s cannot be listed (%s); sysfs may not be mounted", root,
				  ret ? strerror(-ret) : "it is empty");
	for (size_t i = 0; i < all.n; i++)
		suggest_offer(&near, all.v[i]);
	error_suggest(e, &near);
	return error_hint(e, "PMUs here: %s", strings_fit(&all, buf, sizeof(buf)));
}

/* Reads the PMU's type and CPUs. */
static int pmu_describe(const char *root, const char *pmu, uint32_t *type, char **cpus, struct error *e)
{
	char text[PMU_TEXT_MAX];
	int ret = pmu_type(root, pmu, type);
	ssize_t n;

	if (ret == -ENOENT)
		return pmu_missing(root, pmu, e);
	if (ret)
		return error_set(e, -ret, "the type of PMU '%s' cannot be used: %s", pmu,
				 ret == -EINVAL ? "it is garbled" : strerror(-ret));
	n = pmu_cpus(root, pmu, text, sizeof(text));
	if (n < 0 && n != -ENOENT) /* without a list the PMU counts on any CPU */
		return error_set(e, (int)-n, "the list of CPUs of PMU '%s' cannot be used: %s", pmu,
				 n == -EINVAL ? "it is garbled" : strerror((int)-n));
	*cpus = n > 0 ? xstrdup(text) : NULL;
	return 0;
}

/* Joins the CPUs of all PMUs, each list once. */
static int join_cpus(const char *root, const struct strings *pmus, char **all, struct error *e)
{
	auto_strings struct strings lists = {0};

	for (size_t i = 0; i < pmus->n; i++) {
		auto_free char *cpus = NULL;
		uint32_t type;

		if (pmu_describe(root, pmus->v[i], &type, &cpus, e))
			return -e->code;
		if (cpus && !strings_has(&lists, cpus))
			strings_add(&lists, "%s", cpus);
	}
	*all = strings_join(&lists, ",");
	return 0;
}

/* Checks that all PMUs are of one kind: a glob may match PMUs whose terms mean different things. */
static int check_kind(const char *root, const struct strings *pmus, const char *word, struct error *e)
{
	char buf[300];

	for (size_t i = 1; i < pmus->n; i++)
		if (!pmu_is_like(root, pmus->v[i], pmus->v[0])) {
			error_set_at(e, EINVAL, 0, strlen(word), "'%s' matches PMUs of several kinds; name one kind",
				     word);
			return error_hint(e, "it matches %s", strings_fit(pmus, buf, sizeof(buf)));
		}
	return 0;
}

int sysfs_resolve_on(const struct terms_context *context, const struct strings *pmus, const char *kind,
		     const char *terms, size_t n, size_t at, struct event *event, struct error *e)
{
	size_t blame = at ? strlen(kind) : n; /* a bare name contains no PMU */
	const char *pmu = pmus->v[0];
	char *own = NULL, *cpus = NULL;
	uint32_t type;
	int ret;

	if (check_kind(context->root, pmus, kind, e))
		return -e->code;
	if (pmu_describe(context->root, pmu, &type, &own, e))
		return error_token(e, 0, blame);
	free(own);
	if (join_cpus(context->root, pmus, &cpus, e))
		return error_token(e, 0, blame);
	event_init(event, EVENT_SYSFS);
	event->attr.type = type;
	event->only_core = pmu_is_only_core(context->root, pmu);
	event->pmu = xstrdup(pmus->n > 1 ? kind : pmu);
	event->cpus = cpus;
	ret = terms_apply(context, pmu, terms, n, at, event, e);
	if (ret == 0 && pmus->n > 1) {
		auto_free char *full = event->full_name;

		event->full_name = xasprintf("%s%s", kind, strchr(full, '/'));
		event->instances = strings_join(pmus, ",");
	}
	if (ret)
		event_free(event);
	return ret;
}

/* Resolves the event that the first of n bytes of terms names, on any PMU that has it. Returns 0 if not found. */
static int resolve_bare(const char *root, const char *terms, size_t n, struct event *event, struct error *e)
{
	size_t length = strcspn(terms, ",");
	auto_free char *base = xstrndup(terms, length < n ? length : n), *kind = NULL;
	auto_strings struct strings pmus = {0}, core = {0}, others = {0}; /* the PMUs that have this event */
	const struct strings *found = &core;
	char text[8];

	if (pmu_name_is_valid(base))
		directory_list(root, &pmus);
	for (size_t i = 0; i < pmus.n; i++)
		if (pmu_event(root, pmus.v[i], base, text, sizeof(text)) >= 0)
			strings_add(pmu_is_core(root, pmus.v[i]) ? &core : &others, "%s", pmus.v[i]);
	if (core.n == 0)
		found = &others;
	if (found->n == 0)
		return 0;
	kind = found->n == 1 ? xstrdup(found->v[0]) : core.n ? NULL : pmu_kind(root, found);
	if (kind) {
		if (sysfs_resolve_on(&(struct terms_context){.root = root}, found, kind, terms, n, 0, event, e))
			return -e->code;
		event->any_core = core.n && event->cpus;
		return (int)n;
	}
	error_set_at(e, EINVAL, 0, strlen(base), "event '%s' exists on more than one %s; name one", base,
		     core.n ? "kind of core" : "PMU");
	for (size_t i = 0; i < found->n; i++)
		error_hint(e, "%s/%s/", found->v[i], base);
	return -e->code;
}

int sysfs_resolve(const char *root, const char *name, struct event *event, struct error *e)
{
	size_t slash = strcspn(name, "/:"), n;
	auto_free char *word = xstrndup(name, slash), *terms = NULL;
	auto_strings struct strings pmus = {0};
	int ret;

	/* a ':' before the first slash, or a leading slash: a probe or a breakpoint */
	if (name[slash] != '/')
		return strchr(name, '/') ? 0 : resolve_bare(root, word, slash, event, e);
	if (slash == 0)
		return 0;
	n = terms_span(name + slash + 1, "/");
	if (name[slash + 1 + n] != '/')
		return error_set_at(e, EINVAL, slash, 1, "the closing '/' of '%s' is missing", name);
	sysfs_find_pmus(root, word, &pmus);
	if (pmus.n) {
		ret = sysfs_resolve_on(&(struct terms_context){.root = root}, &pmus, word, name + slash + 1, n,
				       slash + 1, event, e);
		return ret ? ret : (int)(slash + 1 + n + 1);
	}
	terms = xstrndup(name, slash + 1 + n); /* EVENT/term,…/ */
	terms[slash] = n ? ',' : '\0';
	ret = resolve_bare(root, terms, strlen(terms), event, e);
	return ret > 0 ? (int)(slash + 1 + n + 1) : ret < 0 ? ret : pmu_missing(root, word, e);
}

int sysfs_mux_path(const char *root, uint32_t type, char *buf, size_t size)
{
	char name[256];
	int error = pmu_name(root, type, name, sizeof(name));

	if (error < 0)
		return error;
	if ((size_t)snprintf(buf, size, "%s/%s/perf_event_mux_interval_ms", root, name) >= size)
		return -ENOBUFS;
	return access(buf, F_OK) == 0 ? 0 : -errno;
}

unsigned sysfs_mux_interval(const char *root, uint32_t type)
{
	char path[PATH_MAX], text[32];
	struct timespec tick = {0};
	long ms;

	if (sysfs_mux_path(root, type, path, sizeof(path)) == 0 && file_readf(text, sizeof(text), "%s", path) > 0 &&
	    parse_long(text, 1, INT_MAX, &ms) == 0)
		return (unsigned)ms;
	/* PERF_CPU_HRTIMER, 1000 / HZ but at least 1 (kernel/events/core.c). Only the coarse clocks show HZ: their
	 * resolution is a tick (KTIME_LOW_RES). */
	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return tick.tv_nsec >= 1000000 ? (unsigned)(tick.tv_nsec / 1000000) : 1;
}

void sysfs_each(const char *root, event_each *each, void *arg)
{
	auto_strings struct strings pmus = {0};
	char text[PMU_TEXT_MAX], unit[128];

	directory_list(root, &pmus);
	for (size_t i = 0; i < pmus.n; i++) {
		auto_strings struct strings events = {0};

		pmu_list_events(root, pmus.v[i], &events);
		for (size_t k = 0; k < events.n; k++) {
			auto_free char *full = xasprintf("%s/%s/", pmus.v[i], events.v[k]);
			auto_free char *description = NULL;

			pmu_event(root, pmus.v[i], events.v[k], text, sizeof(text));
			pmu_event_unit(root, pmus.v[i], events.v[k], unit, sizeof(unit));
			description = xasprintf("%s%s%s", text, unit[0] ? ", in " : "", unit);
			each(arg,
			     &(struct event_entry){full, event_source_name(EVENT_SYSFS), pmus.v[i], "", description});
		}
	}
}
