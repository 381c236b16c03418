#include "pfm/pfm.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/util.h"
#include "pfm/errata.h"
#include "pfm/pfm_internal.h"
#include "pfm/pfm_vendor.h"
#include "pmu/pmu.h"

static int explain_no_kernel_pmu(const struct query *q, struct error *e)
{
	error_set_at(e, ENODEV, 0, q->base + q->base_n, "the kernel has no PMU for the events of %s (%s)", q->pmu.name,
		     q->pmu.desc);
	return error_hint(e, "the driver may be missing, or the virtual machine may not expose the PMU; " SYSFS_ROOT
			     " lists the available PMUs");
}

/* Finds the term that makes the library fail: the library reports only the kind of failure. If a umask is wrong, the
 * name without terms is not tried, since it may fail in the same way for lack of a umask. */
static const struct query_term *find_culprit(const struct query *q, int rc)
{
	struct perf_event_attr attr;

	for (size_t i = rc == PFM_ERR_UMASK && q->umasks; i <= q->n; i++) {
		auto_free char *text = query_text(q, i);
		auto_free char *fstr = NULL;

		if (query_encode(q, text, &attr, &fstr) == rc)
			return i ? &q->terms[i - 1] : NULL;
	}
	return NULL;
}

static int explain_encoding(const struct query *q, int rc, struct error *e)
{
	const struct query_term *term = find_culprit(q, rc);
	auto_free char *word = term ? xstrndup(q->name + term->at, term->n) : xstrdup(q->event.name);

	if (rc == PFM_ERR_NOTSUPP && q->pmu.type == PFM_PMU_TYPE_UNCORE)
		return explain_no_kernel_pmu(q, e);
	if (rc == PFM_ERR_UMASK && !q->umasks) {
		error_set(e, EINVAL, "%s::%s needs a umask", q->pmu.name, q->event.name);
		term = NULL;
	} else if (rc == PFM_ERR_UMASK) {
		error_set(e, EINVAL, "%s::%s does not accept the umasks of '%s' together", q->pmu.name, q->event.name,
			  q->name);
	} else if (rc == PFM_ERR_FEATCOMB) {
		error_set(e, EINVAL, "'%s' cannot be combined with the rest of '%s'", word, q->name);
	} else if (rc == PFM_ERR_ATTR_VAL && term && term->name) {
		error_set(e, EINVAL, "'%s' has no value or a bad one: %s is %s", word, term->name, term->desc);
	} else if (rc == PFM_ERR_ATTR_SET) {
		error_set(e, EINVAL, "'%s' sets a field that is already set", word);
	} else if (term && !term->name) {
		error_set(e, EINVAL, "'%s' is not a umask of %s::%s", word, q->pmu.name, q->event.name);
	} else {
		error_set(e, EINVAL, "libpfm4 refuses '%s': %s", word, q->lib.strerror(rc));
	}
	if (rc == PFM_ERR_UMASK || (term && !term->name))
		query_hint_umasks(q, e);
	return term ? error_token(e, term->at, term->n) : error_token(e, q->base, q->base_n);
}

/* Finds the value that the library used for an attribute, in its `PMU::EVENT:UMASK:c=1:…:u=1:k=1`. The library cuts
 * that text at 255 bytes, so the last value may be incomplete. */
static bool used_value(const char *fstr, const char *name, uint64_t *value)
{
	size_t n = strlen(name);

	for (const char *s = strchr(fstr, ':'); s; s = strchr(s + 1, ':')) {
		if (strncasecmp(s + 1, name, n) == 0 && s[1 + n] == '=') {
			char *end;

			*value = strtoull(s + n + 2, &end, 0);
			return *end == ':';
		}
	}
	return false;
}

/* Checks that the library used every value as given. If a umask contains a value, the library ORs both: c=2 with a
 * umask of c=1 becomes c=3. */
static int check_values(const struct query *q, const char *fstr, struct error *e)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct query_term *term = &q->terms[i];
		const char *equals = strchr(term->text, '=');
		uint64_t given, used;

		if (equals && parse_u64(equals + 1, 0, &given) == 0 && used_value(fstr, term->name, &used) &&
		    given != used) {
			return error_set_at(e, EINVAL, term->at, term->n,
					    "'%s' would become %s=%llu: %s::%s also sets it", term->text, term->name,
					    (unsigned long long)used, q->pmu.name, q->event.name);
		}
	}
	return 0;
}

/* Refuses encodings that the library returns without an error, but that cannot be meant. */
static int check_encoding(const struct query *q, const struct perf_event_attr *attr, const char *fstr, struct error *e)
{
	/* a PMU that sysfs lacks becomes a raw event of the core */
	if (q->pmu.type == PFM_PMU_TYPE_UNCORE && attr->type == PERF_TYPE_RAW)
		return explain_no_kernel_pmu(q, e);
	/* libpfm4 takes a tracepoint's subsystem without an event for its event 0 */
	if (attr->type == PERF_TYPE_TRACEPOINT && !q->umasks)
		return error_set_at(e, EINVAL, q->base, q->base_n, "'%s' is a subsystem of tracepoints, not an event",
				    q->event.name);
	/* without them the library takes READ and MISS; an alias contains access and result */
	if (attr->type == PERF_TYPE_HW_CACHE && q->pmu.type == PFM_PMU_TYPE_OS_GENERIC && q->umasks < 2 &&
	    strcasecmp(strstr(q->text, "::") + 2, q->event.name) == 0) {
		error_set_at(e, EINVAL, q->base, q->base_n, "%s needs an access and its result, as in %s:READ:ACCESS",
			     q->event.name, q->event.name);
		query_hint_umasks(q, e);
		return -EINVAL;
	}
	return check_values(q, fstr, e);
}

/* Returns the library's full name without the modifiers and without attributes that are 0. */
static char *shorten(const char *fstr)
{
	char *name = xstrdup(fstr), *out;
	const char *s = strstr(fstr, "::") + 2;

	s += strcspn(s, ":");
	out = name + (s - fstr);
	while (*s == ':') {
		const char *term = s + 1;
		size_t n = strcspn(term, ":"), key = strcspn(term, ":=");

		if (key == n || (!modifier_is_word(term, key) && strncmp(term + key, "=0", n - key) != 0))
			out = mempcpy(out, s, n + 1);
		s = term + n;
	}
	*out = '\0';
	return name;
}

/* Returns a name that includes the defaults, if the library encodes it to the same event: raw events have no such name
 * (`perf_raw:::u=1`), and a default umask may have another meaning when it is named. */
static char *full_name(const struct query *q, const struct perf_event_attr *attr, const char *fstr)
{
	auto_free char *again = NULL;
	char *name = fstr && strstr(fstr, "::") ? shorten(fstr) : xstrdup("");
	struct perf_event_attr other;

	if (query_encode(q, name, &other, &again) == PFM_SUCCESS && other.type == attr->type &&
	    other.config == attr->config && other.config1 == attr->config1 && other.config2 == attr->config2)
		return name;
	free(name);
	return query_text(q, q->n);
}

static int query_fill(const struct query *q, const struct perf_event_attr *attr, const char *fstr, struct event *event,
		      struct error *e)
{
	uint32_t type = attr->type;
	char pmu[256], cpus[4096];

	if (type == PERF_TYPE_RAW && q->pmu.type == PFM_PMU_TYPE_CORE && corepmu_type(q->pmu.name, &type, e) < 0)
		return error_token(e, 0, q->base + q->base_n);
	event_init(event, EVENT_PFM);
	event->full_name = full_name(q, attr, fstr);
	event->pmu = xstrdup(q->pmu.name);
	event->attr.type = type;
	event->attr.config = attr->config;
	event->attr.config1 = attr->config1;
	event->attr.config2 = attr->config2;
	event->attr.config3 = attr->config3;
	/* some CPUs may lack the PMU: uncore PMUs have a cpumask, each of several core PMUs has cpus */
	if (type >= PERF_TYPE_MAX && pmu_name(SYSFS_ROOT, type, pmu, sizeof(pmu)) == 0 &&
	    pmu_cpus(SYSFS_ROOT, pmu, cpus, sizeof(cpus)) > 0)
		event->cpus = xstrdup(cpus);
	if (q->pmu.type == PFM_PMU_TYPE_UNCORE) /* which refuse every exclude bit */
		event->attr.exclude_guest = 0;
	if (q->pmu.pmu == PFM_PMU_INTEL_RAPL) { /* the descriptions of its events contain the unit */
		free(event->unit);
		event->unit = xstrdup("Joules");
		event->scale = 0x1p-32;
	}
	return 0;
}

/* Refuses a code of an Intel core that has no event select, which counts nothing, unless the kernel knows it: for its
 * fixed counters and the metrics of PERF_METRICS (arch/x86/events/intel/core.c). Knights Corner has such events. */
static int check_select(const struct query *q, const struct event *event, struct error *e)
{
	static const uint64_t known[] = {0x0100, 0x0300, 0x0400, 0x0500, 0x0600, 0x0700};
	uint64_t code = event->attr.config & 0xffff;

	if (q->pmu.type != PFM_PMU_TYPE_CORE || strncmp(q->pmu.desc, "Intel ", 6) != 0 ||
	    strcmp(q->pmu.name, "knc") == 0 || (code & 0xff) || code >= 0x8000)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (code == known[i])
			return 0;
	error_set_at(e, EINVAL, q->base, q->base_n, "libpfm4 encodes '%s' as 0x%llx, which counts nothing", q->name,
		     (unsigned long long)event->attr.config);
	return error_hint(e, "use the event of the vendor's file (--metrics), or the CPU's manual and rHEX");
}

/* Chooses between the codes of the library, the vendor's file and the table of errata. */
static int settle(const struct query *q, const struct pfm_sources *sources, struct event *event, struct error *e)
{
	__attribute__((cleanup(pfm_vendor_free))) struct pfm_vendor vendor = {0};
	const struct erratum *x = &vendor.codes;
	int rc;

	if (sources->errata == ERRATA_OFF)
		return 0;
	rc = pfm_vendor_load(sources->vendor, e);
	if (rc < 0)
		return rc;
	pfm_vendor_find(&vendor, q, sources->vendor, event);
	if (vendor.found && sources->compared)
		++*sources->compared;
	if (!vendor.found || !vendor.is_used)
		rc = errata_apply(q, sources->errata, event, e);
	if (rc == 0 && vendor.found && !event->remark && (x->config != x->right || x->config1 != x->right1))
		rc = erratum_apply(q, x, NULL, vendor.is_used ? sources->errata : ERRATA_WARN, event, e);
	return rc || event->remark ? rc : check_select(q, event, e);
}

static int resolve_one(const struct pfm *lib, const char *name, const struct pfm_sources *sources, struct event *event,
		       struct modifiers *m, struct error *e)
{
	struct query q = {.lib = *lib, .name = name};
	struct perf_event_attr attr;
	auto_free char *fstr = NULL;
	int rc = query_find(&q, e);

	if (rc == 0)
		rc = query_split(&q, m, e);
	if (rc == 0) {
		auto_free char *text = query_text(&q, q.n);
		int failed = query_encode(&q, text, &attr, &fstr);

		rc = failed ? explain_encoding(&q, failed, e) : check_encoding(&q, &attr, fstr, e);
	}
	if (rc == 0)
		rc = query_fill(&q, &attr, fstr, event, e);
	if (rc == 0)
		rc = settle(&q, sources, event, e);
	query_free(&q);
	return rc < 0 ? rc : (int)strlen(name);
}

/* Adds the kernel's PMU for an event's type. */
static void add_kernel_pmu(const struct event *event, struct strings *pmus)
{
	char pmu[256];

	if (pmu_name(SYSFS_ROOT, event->attr.type, pmu, sizeof(pmu)) == 0 && !strings_has(pmus, pmu))
		strings_add(pmus, "%s", pmu);
}

/* `skx_unc_imc*::EVENT`, n bytes before the colons: an event on all matching PMUs of this machine. */
static int resolve_glob(const struct pfm *lib, const char *name, size_t n, const struct pfm_sources *sources,
			struct event *event, struct modifiers *m, struct error *e)
{
	auto_free char *glob = xstrndup(name, n);
	auto_strings struct strings pmus = {0};
	pfm_pmu_info_t pmu;

	error_set_at(e, ENOENT, 0, n, "libpfm4 knows no PMU that matches '%s'", glob);
	for (int id = -1; (id = pfm_pmu_next(lib, id, &pmu)) >= 0;) {
		auto_free char *own = xasprintf("%s%s", pmu.name, name + n);
		auto_modifiers struct modifiers of_own = MODIFIERS_NONE;
		struct event one = {0};
		struct error why;

		if (fnmatch(glob, pmu.name, FNM_CASEFOLD) != 0)
			continue;
		if (resolve_one(lib, own, sources, &one, &of_own, &why) < 0) {
			*e = why;
			error_token(e, 0, 0); /* the error is about another name */
			continue;
		}
		add_kernel_pmu(&one, &pmus);
		if (event->pmu) {
			event_free(&one);
		} else {
			*event = one;
			*m = of_own;
			of_own = MODIFIERS_NONE;
		}
	}
	if (!event->pmu)
		return -e->code;
	if (pmus.n > 1)
		event->instances = strings_join(&pmus, ",");
	return (int)strlen(name);
}

int pfm_resolve(const char *name, const struct pfm_sources *sources, struct event *event, struct modifiers *m,
		struct error *e)
{
	const char *colons = strstr(name, "::");
	size_t n = colons ? (size_t)(colons - name) : 0;
	struct pfm lib;
	int rc = pfm_load(&lib, e);

	*event = (struct event){0};
	if (rc < 0) { /* the hint is still right */
		auto_free char *reason = xstrdup(e->text);

		snprintf(e->text, sizeof(e->text), "libpfm4 may know it, but cannot be used: %s", reason);
		return error_token(e, 0, strcspn(name, PFM_SEPARATORS));
	}
	return strcspn(name, "*?[") < n ? resolve_glob(&lib, name, n, sources, event, m, e)
					: resolve_one(&lib, name, sources, event, m, e);
}

bool pfm_encode(const char *name, const struct pfm_sources *sources, struct event *event)
{
	auto_modifiers struct modifiers m = MODIFIERS_NONE;
	struct error ignored;
	struct pfm lib;

	*event = (struct event){0};
	if (pfm_load(&lib, &ignored) < 0)
		return false;
	errno = 0;
	if (lib.find(name) >= 0 && resolve_one(&lib, name, sources, event, &m, &ignored) > 0)
		return true;
	event_free(event);
	return false;
}

int pfm_check_present(const struct event *event, struct error *e)
{
	struct pfm lib;
	pfm_pmu_info_t pmu;
	int rc;

	if (event->source != EVENT_PFM)
		return 0;
	rc = pfm_load(&lib, e);
	if (rc < 0)
		return rc;
	if (!pfm_pmu_find(&lib, event->pmu, strlen(event->pmu), &pmu) || !pmu.is_present)
		return pfm_explain_absent(event->pmu, 0, e);
	return 0;
}
