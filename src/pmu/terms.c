#include "pmu/terms.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "pmu/pmu.h"
#include "pmu/terms_internal.h"
#include "pmu/vendor.h"
#include "pmu/vendor_lost.h"

/* The text to resolve, and the result so far. */
struct request {
	const struct terms_context *context;
	const char *pmu;
	struct terms terms; /* as the user wrote them */
	struct event *event;
	char *alias;              /* the event named by a term, or NULL */
	struct strings canonical; /* the terms of full_name */
};

static void request_free(struct request *r)
{
	terms_free(&r->terms);
	free(r->alias);
	strings_free(&r->canonical);
}

static int term_set(struct request *r, const struct term *t, const struct pmu_format *format, bool canonical,
		    struct error *e)
{
	uint64_t value;
	int ret = term_number(t, &value, e);

	if (ret)
		return ret;
	ret = pmu_format_set(format, value, &r->event->attr);
	if (ret == -ERANGE) {
		error_set(e, ERANGE, "value %s of term '%s' is too large: the largest is 0x%llx",
			  t->value ? t->value : "1", t->name, (unsigned long long)pmu_format_largest(format));
		return term_value_error(t, e);
	}
	if (ret)
		return error_set_at(e, -ret, t->at, t->length,
				    "term '%s' of PMU '%s' needs perf_event_attr.config%u, which this version of "
				    "pfmstat does not set",
				    t->name, r->pmu, format->config);
	if (canonical)
		strings_add(&r->canonical, "%s=0x%llx", t->name, (unsigned long long)value);
	return 0;
}

/* Finds the format of a term: one of the PMU, or a whole field. Returns 0, -ENOENT or an error. */
static int term_format(const struct request *r, const struct term *t, struct pmu_format *format, struct error *e)
{
	int ret = pmu_format(r->context->root, r->pmu, t->name, format);

	if (ret == -ENOENT && pmu_format_whole(t->name, format))
		return 0;
	if (ret == 0 || ret == -ENOENT)
		return ret;
	return error_set_at(e, -ret, t->at, t->length,
			    "the kernel's description of term '%s' of PMU '%s' cannot be used: %s", t->name, r->pmu,
			    ret == -EINVAL ? "it is garbled" : strerror(-ret));
}

static bool terms_have(const struct terms *terms, const char *name)
{
	for (size_t i = 0; i < terms->n; i++)
		if (strcmp(terms->v[i].name, name) == 0 && terms->v[i].value)
			return true;
	return false;
}

/* Finds the PMU's format for a term of a file. The least number of occurrences for which a cycle is counted has one
 * name in files (CounterMask, the term cmask) and three in the kernel's drivers (arch/x86/events/intel/uncore*.c). */
static int file_term_format(const struct request *r, const struct term *t, struct pmu_format *format, struct error *e)
{
	static const char *const names[] = {"thresh", "threshold"};
	int ret = term_format(r, t, format, e);

	for (size_t i = 0; i < ARRAY_SIZE(names) && ret == -ENOENT && strcmp(t->name, "cmask") == 0; i++)
		ret = pmu_format(r->context->root, r->pmu, names[i], format);
	return ret;
}

/* Applies one term of the kernel's or a vendor's definition of an event; by: the term that named the event. */
static int alias_term(struct request *r, struct term *t, const struct term *by, struct error *e)
{
	struct pmu_format format = {0};
	int ret;

	t->at = by->at;
	t->length = by->length;
	if (t->value && strcmp(t->value, "?") == 0) {
		if (terms_have(&r->terms, t->name))
			return 0;
		error_set_at(e, EINVAL, by->at, by->length, "term '%s' needs a value: event '%s' does not set it",
			     t->name, r->alias);
		return error_hint(e, "for example %s/%s,%s=1/", r->pmu, r->alias, t->name);
	}
	ret = r->event->origin ? file_term_format(r, t, &format, e) : term_format(r, t, &format, e);
	if (ret == -ENOENT)
		error_set(e, ENOENT, "there is no term '%s'", t->name);
	if (ret == 0)
		ret = term_set(r, t, &format, false, e);
	if (ret) {
		char why[sizeof(e->text)];

		memcpy(why, e->text, sizeof(why));
		return error_set_at(e, EINVAL, by->at, by->length,
				    "%s definition of event '%s' of PMU '%s' cannot be used: %.800s",
				    r->event->origin ? "the file's" : "the kernel's", r->alias, r->pmu, why);
	}
	return 0;
}

/* Applies the terms of an event's definition. */
static int alias_define(struct request *r, const char *name, const char *text, const struct term *by, struct error *e)
{
	__attribute__((cleanup(terms_free))) struct terms terms = {0};
	int ret = 0;

	if (r->alias)
		return error_set_at(e, EINVAL, by->at, by->length,
				    "'%s' is a second event: '%s' has been named already", name, r->alias);
	r->alias = xstrdup(name);
	strings_add(&r->canonical, "%s", name);
	terms_split(&terms, text, strcspn(text, "\n"), 0);
	for (size_t i = 0; i < terms.n && ret == 0; i++)
		ret = alias_term(r, &terms.v[i], by, e);
	return ret;
}

static void set_unit(struct event *event, const char *unit)
{
	free(event->unit);
	event->unit = xstrdup(unit);
}

/* Applies an event that the kernel names. Returns 0, -ENOENT (no such event; e is not filled) or an error. */
static int alias_of_kernel(struct request *r, const char *name, const struct term *by, struct error *e)
{
	const char *root = r->context->root;
	char text[PMU_TEXT_MAX], unit[128];
	ssize_t n = pmu_event(root, r->pmu, name, text, sizeof(text));

	if (n == -ENOENT)
		return -ENOENT;
	if (n < 0)
		return error_set_at(e, (int)-n, by->at, by->length, "event '%s' of PMU '%s' cannot be read: %s", name,
				    r->pmu, strerror((int)-n));
	if (alias_define(r, name, text, by, e))
		return -e->code;
	if (pmu_event_scale(root, r->pmu, name, &r->event->scale))
		return error_set_at(e, EINVAL, by->at, by->length,
				    "the scale of event '%s' of PMU '%s' is not a number", name, r->pmu);
	pmu_event_unit(root, r->pmu, name, unit, sizeof(unit));
	set_unit(r->event, unit);
	return 0;
}

static int set_vendor_scale(struct event *event, const struct vendor_event *found, const struct term *by,
			    struct error *e)
{
	char *unit = NULL;
	int error = vendor_event_scale(found, &event->scale, &unit, e);

	if (!error)
		set_unit(event, unit);
	free(unit);
	return error ? error_token(e, by->at, by->length) : 0;
}

/* Applies an event of a vendor's file, with the same results. */
static int alias_of_vendor(struct request *r, const char *name, const struct term *by, struct error *e)
{
	bool is_core = pmu_is_core(r->context->root, r->pmu);
	struct error failed = {0};
	const struct vendor_event *found = vendor_events_find(r->context->vendor, name, r->pmu, is_core, &failed);
	struct event *event = r->event;
	auto_free char *text = found ? vendor_event_terms(r->context->vendor, found, &failed) : NULL;
	auto_free char *remark = NULL, *loss = NULL;

	if (failed.code) {
		*e = failed;
		return error_token(e, by->at, by->length);
	}
	if (!text)
		return -ENOENT;
	event->source = EVENT_VENDOR;
	free(event->origin);
	event->origin = xasprintf("%s, line %zu", found->object.path, found->object.line);
	remark = vendor_event_remark(found);
	if (remark)
		event_remark(event, remark);
	loss = vendor_event_loss(found);
	if (loss)
		event_remark(event, loss);
	if (alias_define(r, found->name, text, by, e))
		return -e->code;
	return set_vendor_scale(event, found, by, e);
}

/* Applies a named event. Returns 0, -ENOENT (the PMU has no such event; e is not filled) or an error. */
static int alias_apply(struct request *r, const char *name, const struct term *by, struct error *e)
{
	int ret = alias_of_kernel(r, name, by, e);

	return ret == -ENOENT && r->context->vendor ? alias_of_vendor(r, name, by, e) : ret;
}

/* Applies rHEX. Returns false for other terms. */
static bool term_raw(struct request *r, const struct term *t)
{
	uint64_t value;

	if (t->value || t->name[0] != 'r' || !isxdigit((unsigned char)t->name[1]) ||
	    parse_u64(t->name + 1, 16, &value) != 0)
		return false;
	r->event->attr.config = value;
	strings_add(&r->canonical, "config=0x%llx", (unsigned long long)value);
	return true;
}

static int term_unknown(const struct request *r, const struct term *t, struct error *e)
{
	auto_strings struct strings terms = {0}, names = {0};
	struct suggest near = {.word = t->name};
	struct error ignored;
	char buf[270];

	error_set_at(e, ENOENT, t->at, strlen(t->name), "PMU '%s' has no %s '%s'", r->pmu,
		     t->value ? "term" : "term or event", t->name);
	pmu_list_terms(r->context->root, r->pmu, &terms);
	if (!t->value)
		pmu_list_events(r->context->root, r->pmu, &names);
	for (size_t i = 0; i < terms.n; i++)
		suggest_offer(&near, terms.v[i]);
	for (size_t i = 0; i < names.n; i++)
		suggest_offer(&near, names.v[i]);
	if (!t->value)
		(void)vendor_each(r->context->vendor, event_offer, &near, &ignored);
	error_suggest(e, &near);
	if (terms.n)
		error_hint(e, "terms of %s: %s", r->pmu, strings_fit(&terms, buf, sizeof(buf)));
	return -ENOENT;
}

static int term_apply(struct request *r, const struct term *t, struct error *e)
{
	struct pmu_format format = {0};
	uint64_t number;
	int ret;

	if (t->name[0] == '\0')
		return error_set_at(e, EINVAL, t->at, t->length, "a term is missing");
	if (strcmp(t->name, "event") == 0 && t->value && parse_number(t->value, &number) == -EINVAL) {
		ret = alias_apply(r, t->value, t, e);
		if (ret != -ENOENT)
			return ret;
	}
	ret = term_format(r, t, &format, e);
	if (ret == 0)
		return term_set(r, t, &format, true, e);
	if (ret != -ENOENT)
		return ret;
	if (!t->value) {
		ret = alias_apply(r, t->name, t, e);
		if (ret != -ENOENT)
			return ret;
	}
	ret = term_common(r->context->root, r->event, t, e);
	if (ret != -ENOENT)
		return ret;
	return term_raw(r, t) ? 0 : term_unknown(r, t, e);
}

int terms_apply(const struct terms_context *context, const char *pmu, const char *text, size_t n, size_t at,
		struct event *event, struct error *e)
{
	__attribute__((cleanup(request_free))) struct request r = {.context = context, .pmu = pmu, .event = event};
	auto_free char *joined = NULL;

	terms_split(&r.terms, text, n, at);
	for (size_t i = 0; i < r.terms.n; i++) {
		int ret = term_apply(&r, &r.terms.v[i], e);

		if (ret)
			return ret;
	}
	joined = strings_join(&r.canonical, ",");
	free(event->full_name);
	event->full_name = xasprintf("%s/%s/", pmu, joined ? joined : "");
	return 0;
}
