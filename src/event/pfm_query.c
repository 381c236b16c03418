#include "event/pfm_query.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "event/pfm.h"
#include "lib/util.h"

/* The event's umask or attribute of this name. Single letters must have the right case: the library takes `e` (edge)
 * for the umask E where there is one, and `I` (perf's "not idle") for invert. */
bool query_has_attr(const struct query *q, const char *name, size_t n, pfm_attr_ctrl_t ctrl,
		    pfm_event_attr_info_t *info)
{
	for (int i = 0; i < q->event.nattrs; i++)
		if (pfm_attr_get(&q->lib, &q->event, i, info) && info->ctrl == ctrl && strlen(info->name) == n &&
		    (n == 1 ? *info->name == *name : strncasecmp(info->name, name, n) == 0))
			return true;
	return false;
}

static bool pmu_has_event(const struct query *q, const pfm_pmu_info_t *pmu)
{
	pfm_event_info_t info;

	for (int i = pmu->first_event; i >= 0; i = q->lib.event_next(i))
		if (pfm_event_get(&q->lib, i, &info) && strlen(info.name) == q->base_n &&
		    strncasecmp(info.name, q->name + q->base, q->base_n) == 0)
			return true;
	return false;
}

static void hint_near(struct suggest *s, struct error *e)
{
	char near[256];

	if (*suggest_finish(s, near, sizeof(near)))
		error_hint(e, "%s", near);
}

/* The library did not find the event: is it the event, the PMU, or the machine? */
static int explain_not_found(const struct query *q, struct error *e)
{
	auto_free char *word = xstrndup(q->name, q->base + q->base_n);
	struct suggest s = {.word = word};
	pfm_pmu_info_t pmu;

	if (!q->pmu_n) {
		error_set(e, ENOENT, "no such event '%s'", word);
	} else if (!pfm_pmu_find(&q->lib, word, q->pmu_n, &pmu)) {
		word[q->pmu_n] = '\0';
		error_set(e, ENOENT, "libpfm4 knows no PMU '%s'", word);
		for (int id = -1; (id = pfm_pmu_next(&q->lib, id, &pmu)) >= 0;)
			suggest_offer(&s, pmu.name);
		hint_near(&s, e);
		return error_token(e, 0, q->pmu_n);
	} else if (pmu_has_event(q, &pmu)) {
		pfm_explain_absent(pmu.name, e);
		return error_token(e, 0, q->pmu_n);
	} else {
		error_set(e, ENOENT, "PMU %s has no event '%s'", pmu.name, word + q->base);
	}
	pfm_suggest(&s);
	hint_near(&s, e);
	return error_token(e, q->base, q->base_n);
}

int query_find(struct query *q, struct error *e)
{
	size_t n = strcspn(q->name, PFM_SEPARATORS);
	auto_free char *word = NULL;
	int idx;

	if (strncmp(q->name + n, "::", 2) == 0) {
		q->pmu_n = n;
		q->base = n + 2;
	}
	q->base_n = strcspn(q->name + q->base, PFM_SEPARATORS);
	if (!q->base_n || (q->base && !q->pmu_n)) {
		error_set(e, EINVAL, "'%s' names no %s", q->name, q->base_n ? "PMU before '::'" : "event");
		return error_token(e, q->base_n ? 0 : q->base, q->base_n ? 2 : 0);
	}
	word = xstrndup(q->name, q->base + q->base_n);
	/* the library takes an errno left over from before for an overflow of its own */
	errno = 0;
	idx = q->lib.find(word);
	if (idx < 0 || !pfm_event_get(&q->lib, idx, &q->event))
		return explain_not_found(q, e);
	q->event.idx = idx;
	q->pmu = (pfm_pmu_info_t){.size = sizeof(q->pmu)};
	if (q->lib.pmu_info(q->event.pmu, &q->pmu) != PFM_SUCCESS)
		return explain_not_found(q, e);
	/* the base as it was written: an alias stands for umasks too, which the event's proper name has not */
	q->text = xasprintf("%s::%s", q->pmu.name, word + q->base);
	return 0;
}

void query_hint_umasks(const struct query *q, struct error *e)
{
	pfm_event_attr_info_t info;
	char list[300] = "";
	size_t used = 0;

	for (int i = 0; i < q->event.nattrs; i++) {
		if (!pfm_attr_get(&q->lib, &q->event, i, &info) || info.type != PFM_ATTR_UMASK)
			continue;
		if (used + strlen(info.name) + sizeof(", …") >= sizeof(list)) {
			snprintf(list + used, sizeof(list) - used, ", …");
			break;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", used ? ", " : "", info.name);
	}
	if (used)
		error_hint(e, "umasks of %s: %s", q->event.name, list);
}

static int explain_segment(const struct query *q, const char *segment, size_t n, struct error *e)
{
	auto_free char *word = xstrndup(segment, strcspn(segment, PFM_SEPARATORS "="));
	struct suggest s = {.word = word};
	char attributes[200] = "";
	size_t used = 0;
	pfm_event_attr_info_t info;

	error_set(e, EINVAL, "%s::%s has no umask, attribute or modifier '%.*s'", q->pmu.name, q->event.name, (int)n,
		  segment);
	for (int i = 0; i < q->event.nattrs; i++) {
		if (!pfm_attr_get(&q->lib, &q->event, i, &info))
			continue;
		suggest_offer(&s, info.name);
		if (info.type != PFM_ATTR_UMASK && used < sizeof(attributes))
			used += (size_t)snprintf(attributes + used, sizeof(attributes) - used, "%s%s", used ? ", " : "",
						 info.name);
	}
	hint_near(&s, e);
	query_hint_umasks(q, e);
	if (used)
		error_hint(e, "attributes: %s", attributes);
	return error_token(e, (size_t)(segment - q->name), n);
}

static void part_add(struct query *q, size_t at, size_t n, const pfm_event_attr_info_t *info, char *text)
{
	struct part *part = ARRAY_PUSH(q->parts, q->n);

	*part = (struct part){at, n, info ? info->name : NULL, info ? info->desc : NULL, text};
	q->umasks += !info || info->type == PFM_ATTR_UMASK;
}

/* Whose is this segment: the event's, as umask or attribute, or modifier's? */
static int query_segment(struct query *q, size_t at, size_t n, struct modifiers *m, struct error *e)
{
	const char *segment = q->name + at;
	const char *equals = memchr(segment, '=', n);
	size_t key = equals ? (size_t)(equals - segment) : n;
	auto_free char *copy = xstrndup(segment, n);
	pfm_event_attr_info_t info;
	uint64_t raw;
	int rc;

	if (query_has_attr(q, segment, key, PFM_ATTR_CTRL_PMU, &info) && !(equals && info.type == PFM_ATTR_UMASK)) {
		/* =1 spelled out, or the library may take it for a umask of that letter */
		const char *value = equals ? copy + key : info.type == PFM_ATTR_MOD_BOOL ? "=1" : "";

		part_add(q, at, n, &info, xasprintf("%s%s", info.name, value));
		return 0;
	}
	if (isdigit((unsigned char)*segment) && parse_u64(copy, 0, &raw) == 0) {
		part_add(q, at, n, NULL, xstrdup(copy));
		return 0;
	}
	rc = modifiers_parse(m, segment, n, e);
	if (rc == 0)
		return 0;
	/* a modifier after all, but wrong: modifier.c knows why */
	if (strspn(segment, "ukhGHIpPDSWeb") < key && !query_has_attr(q, segment, key, PFM_ATTR_CTRL_PERF_EVENT, &info))
		return explain_segment(q, segment, n, e);
	e->at += at;
	return rc;
}

int query_split(struct query *q, struct modifiers *m, struct error *e)
{
	size_t at = q->base + q->base_n;
	int rc = 0;

	while (rc == 0 && q->name[at]) {
		size_t n = strcspn(q->name + ++at, PFM_SEPARATORS);

		if (n == 0) {
			error_set(e, EINVAL, "nothing follows '%c' in '%s'", q->name[at - 1], q->name);
			return error_token(e, at - 1, 1);
		}
		rc = query_segment(q, at, n, m, e);
		at += n;
	}
	return rc;
}

char *query_text(const struct query *q, size_t n)
{
	char *text = xstrdup(q->text);

	for (size_t i = 0; i < n; i++) {
		char *longer = xasprintf("%s:%s", text, q->parts[i].text);

		free(text);
		text = longer;
	}
	return text;
}

int query_encode(const struct query *q, const char *text, struct perf_event_attr *attr, char **fstr)
{
	pfm_perf_encode_arg_t arg = {.attr = attr, .fstr = fstr, .size = sizeof(arg)};
	int rc;

	/* without a size the library takes attr for the first kernel's, and config2 is lost */
	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	*fstr = NULL;
	errno = 0;
	/* both levels, since with none it would exclude both; the modifiers are applied by ourselves */
	rc = q->lib.encode(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	return rc;
}

void query_free(struct query *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->parts[i].text);
	free(q->parts);
	free(q->text);
}
