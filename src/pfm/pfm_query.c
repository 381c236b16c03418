#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/util.h"
#include "pfm/pfm.h"
#include "pfm/pfm_internal.h"

/* True if the event has a umask or attribute of this name. ctrl: attributes of the PMU (PFM_ATTR_CTRL_PMU), or
 * attributes that libpfm4 adds for perf_event_open, which modifier handles. Single letters must have the right case:
 * the library takes `e` (edge) for the umask E if it exists, and `I` (perf's "not idle") for invert. */
static bool query_has_attr(const struct query *q, const char *name, size_t n, pfm_attr_ctrl_t ctrl,
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

/* The library did not find the event: reports whether the event, the PMU or the machine is the reason. */
static int explain_not_found(const struct query *q, struct error *e)
{
	auto_free char *word = xstrndup(q->name, q->base + q->base_n);
	struct suggest s = {.word = word};
	pfm_pmu_info_t pmu;

	if (!q->pmu_n) {
		error_set_at(e, ENOENT, q->base, q->base_n, "no such event '%s'", word);
		pfm_suggest(&s);
	} else if (!pfm_pmu_find(&q->lib, word, q->pmu_n, &pmu)) {
		word[q->pmu_n] = '\0';
		error_set_at(e, ENOENT, 0, q->pmu_n, "libpfm4 knows no PMU '%s'", word);
		for (int id = -1; (id = pfm_pmu_next(&q->lib, id, &pmu)) >= 0;)
			suggest_offer(&s, pmu.name);
	} else if (pmu_has_event(q, &pmu)) {
		pfm_explain_absent(pmu.name, q->pmu_n, e);
	} else {
		error_set_at(e, ENOENT, q->base, q->base_n, "PMU %s has no event '%s'", pmu.name, word + q->base);
		pfm_suggest(&s);
	}
	error_suggest(e, &s);
	return -e->code;
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
	if (!q->base_n || (q->base && !q->pmu_n))
		return error_set_at(e, EINVAL, q->base_n ? 0 : q->base, q->base_n ? 2 : 0, "'%s' has no %s", q->name,
				    q->base_n ? "PMU before '::'" : "event");
	word = xstrndup(q->name, q->base + q->base_n);
	/* the library takes an earlier errno for an overflow */
	errno = 0;
	idx = q->lib.find(word);
	if (idx < 0 || !pfm_event_get(&q->lib, idx, &q->event))
		return explain_not_found(q, e);
	q->event.idx = idx;
	q->pmu = (pfm_pmu_info_t){.size = sizeof(q->pmu)};
	if (q->lib.pmu_info(q->event.pmu, &q->pmu) != PFM_SUCCESS)
		return explain_not_found(q, e);
	/* the base as written: an alias includes umasks that the event's proper name lacks */
	q->text = xasprintf("%s::%s", q->pmu.name, word + q->base);
	return 0;
}

void query_hint_umasks(const struct query *q, struct error *e)
{
	pfm_event_attr_info_t info;
	auto_strings struct strings umasks = {0};
	char list[301];

	for (int i = 0; i < q->event.nattrs; i++)
		if (pfm_attr_get(&q->lib, &q->event, i, &info) && info.type == PFM_ATTR_UMASK)
			strings_add(&umasks, "%s", info.name);
	if (umasks.n)
		error_hint(e, "umasks of %s: %s", q->event.name, strings_fit(&umasks, list, sizeof(list)));
}

static int explain_segment(const struct query *q, const char *segment, size_t n, struct error *e)
{
	auto_free char *word = xstrndup(segment, strcspn(segment, PFM_SEPARATORS "="));
	struct suggest s = {.word = word};
	auto_strings struct strings attributes = {0};
	pfm_event_attr_info_t info;
	char list[200];

	error_set_at(e, EINVAL, (size_t)(segment - q->name), n, "%s::%s has no umask, attribute or modifier '%.*s'",
		     q->pmu.name, q->event.name, (int)n, segment);
	for (int i = 0; i < q->event.nattrs; i++) {
		if (!pfm_attr_get(&q->lib, &q->event, i, &info))
			continue;
		suggest_offer(&s, info.name);
		if (info.type != PFM_ATTR_UMASK)
			strings_add(&attributes, "%s", info.name);
	}
	error_suggest(e, &s);
	query_hint_umasks(q, e);
	if (attributes.n)
		error_hint(e, "attributes: %s", strings_fit(&attributes, list, sizeof(list)));
	return -EINVAL;
}

static void query_add_term(struct query *q, size_t at, size_t n, const pfm_event_attr_info_t *info, char *text)
{
	*ARRAY_PUSH(q->terms, q->n) =
		(struct query_term){at, n, info ? info->name : NULL, info ? info->desc : NULL, text};
	q->umasks += !info || info->type == PFM_ATTR_UMASK;
}

/* Assigns a segment to the event, as a umask or attribute, or to the modifiers. */
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
		/* with =1, or the library may take the letter for a umask */
		const char *value = equals ? copy + key : info.type == PFM_ATTR_MOD_BOOL ? "=1" : "";

		query_add_term(q, at, n, &info, xasprintf("%s%s", info.name, value));
		return 0;
	}
	if (isdigit((unsigned char)*segment) && parse_u64(copy, 0, &raw) == 0) {
		query_add_term(q, at, n, NULL, xstrdup(copy));
		return 0;
	}
	rc = modifiers_parse(m, segment, n, e);
	if (rc == 0)
		return 0;
	/* for a wrong modifier, modifier.c has set the error */
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

		if (n == 0)
			return error_set_at(e, EINVAL, at - 1, 1, "nothing follows '%c' in '%s'", q->name[at - 1],
					    q->name);
		rc = query_segment(q, at, n, m, e);
		at += n;
	}
	return rc;
}

char *query_text(const struct query *q, size_t n)
{
	char *text = xstrdup(q->text);

	for (size_t i = 0; i < n; i++) {
		char *longer = xasprintf("%s:%s", text, q->terms[i].text);

		free(text);
		text = longer;
	}
	return text;
}

int query_encode(const struct query *q, const char *text, struct perf_event_attr *attr, char **fstr)
{
	pfm_perf_encode_arg_t arg = {.attr = attr, .fstr = fstr, .size = sizeof(arg)};

	/* without a size, the library takes attr for the struct of the first kernel, and config2 is lost */
	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	*fstr = NULL;
	errno = 0;
	/* both levels, since with none it would exclude both; pfmstat applies the modifiers itself */
	return q->lib.encode(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
}

void query_free(struct query *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->terms[i].text);
	free(q->terms);
	free(q->text);
}
