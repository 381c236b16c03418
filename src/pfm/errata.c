#include "pfm/errata.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "lib/util.h"

/* Copies the first word. Returns the text after it and a space. */
static const char *word_copy(char *buf, size_t size, const char *s)
{
	size_t n = strcspn(s, " ");

	snprintf(buf, size, "%.*s", (int)n, s);
	return s + n + 1;
}

static void line_parse(struct erratum *x, const char *line)
{
	uint64_t *const codes[] = {&x->config, &x->config1, &x->right, &x->right1};
	const char *s = word_copy(x->name, sizeof(x->name), word_copy(x->pmu, sizeof(x->pmu), line));
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++, s = end + 1)
		*codes[i] = strtoull(s, &end, 16);
	x->source = strchr(s, '\t') + 1;
	x->counted = strchr(x->source, '\t') + 1;
}

/* Finds the row of an event and one of its umasks, or of an event alone. */
static bool erratum_find(struct erratum *x, const char *pmu, const char *name)
{
	for (const char *line = errata_table; *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, " ");

		if (strncasecmp(line + n + 1, name, strlen(name)) != 0 || line[n + 1 + strlen(name)] != ' ')
			continue;
		line_parse(x, line);
		if (fnmatch(x->pmu, pmu, 0) == 0)
			return true;
	}
	return false;
}

/* True if the library encodes the name as in the row. */
static bool is_as_in_row(const struct query *q, const struct erratum *x)
{
	auto_free char *text = xasprintf("%s::%s", q->pmu.name, x->name), *fstr = NULL;
	uint64_t differing = x->config1 ^ x->right1;
	struct perf_event_attr attr;

	if (query_encode(q, text, &attr, &fstr) != PFM_SUCCESS)
		return false;
	if (x->config == 0 && x->right == 0)
		return (attr.config1 & differing) == (x->config1 & differing);
	return attr.config == x->config && attr.config1 == x->config1;
}

size_t errata_count(const struct query *q)
{
	size_t count = 0;

	for (const char *line = errata_table; *line; line = strchr(line, '\n') + 1) {
		struct erratum x;

		line_parse(&x, line);
		count += fnmatch(x.pmu, q->pmu.name, 0) == 0 && is_as_in_row(q, &x);
	}
	return count;
}

/* Stores the codes of the query's other umasks; all bits if the library does not encode them alone. */
static void others_encode(const struct query *q, const struct query_term *term, uint64_t others[2])
{
	auto_free char *text = xstrdup(q->text), *fstr = NULL;
	struct perf_event_attr attr;

	others[0] = others[1] = UINT64_MAX;
	for (size_t i = 0; i < q->n; i++) {
		auto_free char *shorter = text;

		text = &q->terms[i] == term ? xstrdup(shorter) : xasprintf("%s:%s", shorter, q->terms[i].text);
	}
	if (term && query_encode(q, text, &attr, &fstr) == PFM_SUCCESS) {
		others[0] = attr.config;
		others[1] = attr.config1;
	}
}

/* Replaces the bits that differ. alone: there are no other umasks; otherwise others has the bits that these need.
 * Returns false if a wrong bit is one of them. */
static bool bits_replace(uint64_t *bits, uint64_t wrong, uint64_t right, bool alone, uint64_t others)
{
	uint64_t differing = wrong ^ right;

	if ((*bits & wrong) != wrong || (!alone && (wrong & ~right & others)) ||
	    (alone && (*bits & differing) != (wrong & differing)))
		return false;
	*bits = (*bits & ~differing) | (right & differing);
	return true;
}

/* Both codes, or only config1 if the codes differ in it alone. */
static void remark(const struct query *q, const struct erratum *x, const uint64_t codes[2], const uint64_t right[2],
		   enum errata errata, struct event *event)
{
	size_t i = codes[0] == right[0], n = strcspn(x->counted, "\n");
	auto_free char *text =
		xasprintf("libpfm4 encodes %s::%s as %s0x%" PRIx64 "%s%.*s%s, but %.*s as 0x%" PRIx64 ", which is %s",
			  q->pmu.name, x->name, i ? "config1=" : "", codes[i], n ? " (counts " : "", (int)n, x->counted,
			  n ? ")" : "", (int)strcspn(x->source, "\t"), x->source, right[i],
			  errata == ERRATA_WARN ? "not used" : "used");

	event_remark(event, text);
}

/* True if the vendor's code has another counter mask, or threshold, and the user gave one. */
static bool is_cmask_given(uint64_t config, const struct erratum *x)
{
	const uint64_t cmask = 0xff000000;

	return ((x->config ^ x->right) & cmask) && ((x->config ^ config) & cmask);
}

int erratum_apply(const struct query *q, const struct erratum *x, const struct query_term *term, enum errata errata,
		  struct event *event, struct error *e)
{
	const uint64_t codes[2] = {event->attr.config, event->attr.config1};
	uint64_t right[2] = {codes[0], codes[1]}, others[2] = {0, 0};
	bool alone = q->umasks <= 1, replaced;

	if (!alone)
		others_encode(q, term, others);
	replaced = !is_cmask_given(codes[0], x) && bits_replace(&right[0], x->config, x->right, alone, others[0]) &&
		   bits_replace(&right[1], x->config1, x->right1, alone, others[1]);

	if (errata == ERRATA_WARN) {
		const uint64_t row_codes[2] = {x->config, x->config1}, row_right[2] = {x->right, x->right1};

		remark(q, x, replaced ? codes : row_codes, replaced ? right : row_right, errata, event);
		return 0;
	}
	if (!replaced)
		return error_set_at(
			e, EINVAL, term ? term->at : q->base, term ? term->n : q->base_n,
			"libpfm4's code of %s::%s is wrong, and cannot be corrected beside other umasks or attributes",
			q->pmu.name, x->name);
	remark(q, x, codes, right, errata, event);
	event->attr.config = right[0];
	event->attr.config1 = right[1];
	free(event->origin);
	event->origin = xstrndup(x->source, strcspn(x->source, "\t"));
	free(event->full_name); /* the library may have replaced the umask by its parts */
	event->full_name = query_text(q, q->n);
	return 0;
}

static int apply_row(const struct query *q, const struct erratum *x, const struct query_term *term, enum errata errata,
		     struct event *event, struct error *e)
{
	return is_as_in_row(q, x) ? erratum_apply(q, x, term, errata, event, e) : 0;
}

int errata_apply(const struct query *q, enum errata errata, struct event *event, struct error *e)
{
	const char *base = strstr(q->text, "::") + 2; /* as written: the library replaces an alias */
	struct erratum x;

	if (errata == ERRATA_OFF)
		return 0;
	if (q->umasks == 0 && erratum_find(&x, q->pmu.name, base))
		return apply_row(q, &x, NULL, errata, event, e);
	for (size_t i = 0; i < q->n; i++) {
		const struct query_term *term = &q->terms[i];
		auto_free char *name = xasprintf("%s:%s", base, term->name ? term->name : "");

		if (term->name && erratum_find(&x, q->pmu.name, name) && apply_row(q, &x, term, errata, event, e))
			return -e->code;
	}
	return 0;
}
