#include "pmu/vendor_events.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "pmu/pmu_kind.h"

/* ---- which PMU ---- */

/* Units whose PMU is not `uncore_` and the unit in lower case. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{"core", ""},
	{"CBO", "uncore_cbox"},
	{"QPI LL", "uncore_qpi"},
	{"UPI LL", "uncore_upi"},
	{"SBO", "uncore_sbox"},
	{"iMPH-U", "uncore_arb"},
	{"CPU-M-CF", "cpum_cf"},
	{"CPU-M-SF", "cpum_sf"},
	{"PAI-CRYPTO", "pai_crypto"},
	{"PAI-EXT", "pai_ext"},
	{"L3PMC", "amd_l3"},
	{"DFPMC", "amd_df"},
	{"UMCPMC", "amd_umc"},
};

/* Units that are already names of PMUs. */
static const char *const unit_prefixes[] = {"cpu_", "hisi_", "imx8_", "imx9_",    "ali_",
					    "arm_", "amd_",  "armv",  "software", "tool"};

char *vendor_unit_pmu(const char *unit)
{
	char *pmu;

	if (!unit || !*unit)
		return xstrdup("");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return xstrdup(units[i].pmu);
	for (size_t i = 0; i < ARRAY_SIZE(unit_prefixes); i++)
		if (strncmp(unit_prefixes[i], unit, strlen(unit_prefixes[i])) == 0)
			return xstrdup(unit);
	pmu = xasprintf("uncore_%s", unit);
	for (char *s = pmu; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	return pmu;
}

/* ---- the index ---- */

static int event_add(void *arg, const struct vendor_object *object, struct error *e)
{
	struct vendor_events *events = arg;
	const char *name = vendor_object_get(object, "EventName");

	(void)e;
	if (!name && !vendor_object_get(object, "MetricExpr"))
		name = vendor_object_get(object, "ArchStdEvent");
	if (name && *name)
		*ARRAY_PUSH(events->v, events->n) =
			(struct vendor_event){name, vendor_unit_pmu(vendor_object_get(object, "Unit")), *object};
	return 0;
}

/* Keeps the order of the files, since the events are still contiguous here. */
static int event_compare(const void *a, const void *b)
{
	const struct vendor_event *one = a, *two = b;
	int order = strcasecmp(one->name, two->name);

	return order ? order : (one->object.order > two->object.order) - (one->object.order < two->object.order);
}

static int events_index(struct vendor_events *events, struct error *e)
{
	int error;

	if (events->indexed || !events->files)
		return 0;
	error = vendor_files_each(events->files, event_add, events, e);
	if (error)
		return error;
	if (events->n)
		qsort(events->v, events->n, sizeof(*events->v), event_compare);
	events->indexed = true;
	return 0;
}

/* Returns the first event that is not before this name. */
static size_t events_search(const struct vendor_events *events, const char *name)
{
	size_t low = 0, high = events->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcasecmp(events->v[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct vendor_event *vendor_events_find(struct vendor_events *events, const char *name, const char *pmu,
					      bool is_core, struct error *e)
{
	e->code = 0;
	if (!events || events_index(events, e))
		return NULL;
	for (size_t i = events_search(events, name); i < events->n && strcasecmp(events->v[i].name, name) == 0; i++) {
		const struct vendor_event *event = &events->v[i];

		if (!event->object.standard && (!pmu || (*event->pmu ? pmu_is_of_kind(pmu, event->pmu) : is_core)))
			return event;
	}
	return NULL;
}

const struct vendor_event *vendor_events_standard(struct vendor_events *events, const char *name)
{
	for (size_t i = events_search(events, name); i < events->n && strcasecmp(events->v[i].name, name) == 0; i++)
		if (vendor_event_has_code(&events->v[i]))
			return &events->v[i];
	return NULL;
}

void vendor_events_free(struct vendor_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->v[i].pmu);
	free(events->v);
	*events = (struct vendor_events){0};
}

/* ---- one event ---- */

static int field_error(const struct vendor_event *event, const char *field, const char *value, struct error *e)
{
	return error_set(e, EINVAL, "%s, line %zu: %s of event %.100s is '%.60s', which is not a number",
			 event->object.path, event->object.line, field, event->name, value);
}

/* Parses a number, the first one of several ("0xB7, 0xBB"); 0 without the field. */
static int field_number(const struct vendor_event *event, const char *field, uint64_t *number, struct error *e)
{
	const char *value = vendor_object_get(&event->object, field);
	auto_free char *text = NULL;

	*number = 0;
	if (!value || !*value)
		return 0;
	value += strspn(value, " ");
	text = xstrndup(value, strcspn(value, ", "));
	return parse_number(text, number) ? field_error(event, field, value, e) : 0;
}

/* "Fixed counter 1", or 33. */
static bool is_fixed(const struct vendor_event *event)
{
	const char *counter = vendor_object_get(&event->object, "Counter");
	uint64_t number;

	return counter && (strcasestr(counter, "fixed") || (parse_number(counter, &number) == 0 && number >= 32));
}

/* Intel's fixed counters have special codes in the files. The kernel knows instructions and cycles by the codes of
 * the general counters, and finds a counter for them (arch/x86/events/intel/core.c, FIXED_EVENT_CONSTRAINT). */
static void unfix(const struct vendor_event *event, uint64_t *code, uint64_t *umask)
{
	if (*code || !is_fixed(event) || strcasestr(event->name, "PREC_DIST"))
		return;
	if (*umask == 1 || *umask == 2) {
		*code = *umask == 1 ? 0xc0 : 0x3c;
		*umask = 0;
	}
}

bool vendor_event_has_code(const struct vendor_event *event)
{
	return vendor_object_get(&event->object, "EventCode") || vendor_object_get(&event->object, "ConfigCode");
}

/* In uncore units, 0 is the event that counts clock ticks. */
static bool lacks_code(const struct vendor_event *event)
{
	return !vendor_event_has_code(event) && !vendor_object_get(&event->object, "EventidCode") && !is_fixed(event);
}

static int put_code(FILE *out, const struct vendor_event *event, struct error *e)
{
	bool is_core = !*event->pmu || strncmp(event->pmu, "cpu_", 4) == 0;
	uint64_t code, extended, umask, more;

	if (field_number(event, "EventCode", &code, e) || field_number(event, "ExtSel", &extended, e) ||
	    field_number(event, "UMask", &umask, e) || field_number(event, "UMaskExt", &more, e))
		return -e->code;
	code |= extended << 8;
	if (umask <= 0xff)
		umask |= more << 8;
	if (is_core && lacks_code(event))
		return error_set(e, EINVAL, "%s, line %zu: event %.100s has no EventCode", event->object.path,
				 event->object.line, event->name);
	if (is_core)
		unfix(event, &code, &umask);
	if (vendor_object_get(&event->object, "ConfigCode")) {
		if (field_number(event, "ConfigCode", &code, e))
			return -e->code;
		fprintf(out, "config=0x%llx", (unsigned long long)code);
	} else if (vendor_object_get(&event->object, "EventidCode")) {
		if (field_number(event, "EventidCode", &code, e))
			return -e->code;
		fprintf(out, "eventid=0x%llx", (unsigned long long)code);
	} else {
		fprintf(out, "event=0x%llx", (unsigned long long)code);
	}
	if (umask)
		fprintf(out, ",umask=0x%llx", (unsigned long long)umask);
	return 0;
}

static int put_field_terms(FILE *out, const struct vendor_event *event, struct error *e)
{
	static const struct {
		const char *field, *term;
	} fields[] = {
		{"EdgeDetect", "edge"},         {"AnyThread", "any"},     {"Invert", "inv"},
		{"CounterMask", "cmask"},       {"PortMask", "ch_mask"},  {"FCMask", "fc_mask"},
		{"NodeType", "type"},           {"RdWrMask", "rdwrmask"}, {"EnAllCores", "enallcores"},
		{"EnAllSlices", "enallslices"}, {"SliceId", "sliceid"},   {"ThreadMask", "threadmask"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t value;

		if (field_number(event, fields[i].field, &value, e))
			return -e->code;
		if (value)
			fprintf(out, ",%s=0x%llx", fields[i].term, (unsigned long long)value);
	}
	return 0;
}

/* Writes the term for a model-specific register beside the counter's. */
static int put_register(FILE *out, const struct vendor_event *event, struct error *e)
{
	static const struct {
		uint64_t index;
		const char *term;
	} registers[] = {{0x1a6, "offcore_rsp"}, {0x1a7, "offcore_rsp"}, {0x3f6, "ldlat"}, {0x3f7, "frontend"}};
	uint64_t index, value;

	if (field_number(event, "MSRIndex", &index, e) || field_number(event, "MSRValue", &value, e))
		return -e->code;
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (registers[i].index == index)
			fprintf(out, ",%s=0x%llx", registers[i].term, (unsigned long long)value);
	return 0;
}

static bool is_filter(const char *text)
{
	return text && strchr(text, '=') != NULL;
}

static int put_terms(FILE *out, const struct vendor_event *event, struct error *e)
{
	const char *filter = vendor_object_get(&event->object, "Filter");

	if (put_code(out, event, e) || put_field_terms(out, event, e) || put_register(out, event, e))
		return -e->code;
	if (is_filter(filter))
		fprintf(out, ",%s", filter);
	return 0;
}

/* ArchStdEvent: the code is in another object. */
static int put_standard(FILE *out, struct vendor_events *events, const char *name, const struct vendor_event *event,
			struct error *e)
{
	const struct vendor_event *standard = vendor_events_standard(events, name);

	if (standard)
		return put_terms(out, standard, e);
	error_set(e, ENODATA, "%s, line %zu: ArchStdEvent %.100s has no code", event->object.path, event->object.line,
		  name);
	return error_hint(e, "add Arm's common-and-microarch.json to --metrics");
}

char *vendor_event_terms(struct vendor_events *events, const struct vendor_event *event, struct error *e)
{
	const char *standard = vendor_object_get(&event->object, "ArchStdEvent");
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	int error = standard && !vendor_event_has_code(event) ? put_standard(out, events, standard, event, e)
							      : put_terms(out, event, e);

	fclose(out);
	if (error == 0)
		return text;
	free(text);
	return NULL;
}

char *vendor_event_fields(const struct vendor_event *event)
{
	static const char *const texts[] = {"EventName", "BriefDescription", "PublicDescription"};
	char *fields;
	size_t size;
	FILE *out = xopen_memstream(&fields, &size);

	for (size_t i = 0; i < event->object.n; i++) {
		const struct json_member *member = &event->object.members[i];
		bool is_text = false;

		for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
			is_text |= strcmp(member->name, texts[k]) == 0;
		if (is_text || !member->value)
			continue;
		text_put_safe(out, member->name, strlen(member->name));
		putc('=', out);
		text_put_safe(out, member->value, strlen(member->value));
		putc('\n', out);
	}
	fclose(out);
	return fields;
}

void vendor_scale_unit(const char *text, double *scale, const char **unit)
{
	char *end;
	size_t n;

	*scale = strtod(text, &end); /* LC_NUMERIC is always C */
	n = (size_t)(end - text);
	/* strtod takes the start of "nanoseconds" and "info" for a number */
	if (n == 0 || (isalpha((unsigned char)text[n - 1]) && isalpha((unsigned char)text[n]))) {
		*scale = 1;
		n = 0;
	}
	*unit = text + n + strspn(text + n, " ");
}

int vendor_event_scale(const struct vendor_event *event, double *scale, char **unit, struct error *e)
{
	const char *text = vendor_object_get(&event->object, "ScaleUnit"), *own;

	vendor_scale_unit(text ? text : "", scale, &own);
	*unit = text_safe(own);
	if (isfinite(*scale) && fpclassify(*scale) != FP_ZERO)
		return 0;
	return error_set(e, EINVAL, "%s, line %zu: the factor of event %.100s, ScaleUnit '%.60s', is %s",
			 event->object.path, event->object.line, event->name, text,
			 isfinite(*scale) ? "0" : "not a finite number");
}

bool vendor_event_latency(const struct vendor_event *event, double *cycles)
{
	const char *text = vendor_object_get(&event->object, "RetirementLatencyMean");
	char *end;

	if (!text)
		return false;
	*cycles = strtod(text, &end);
	return end != text && !*end && isfinite(*cycles) && *cycles >= 0;
}

const char *vendor_event_description(const struct vendor_event *event)
{
	const char *text = vendor_object_get(&event->object, "BriefDescription");

	if (!text)
		text = vendor_object_get(&event->object, "PublicDescription");
	return text ? text : "";
}

bool vendor_event_is_deprecated(const struct vendor_event *event)
{
	const char *text = vendor_object_get(&event->object, "Deprecated");

	return text && strcmp(text, "1") == 0;
}

/* Intel's descriptions already contain this, and the event that replaces it. */
char *vendor_event_remark(const struct vendor_event *event)
{
	const char *text = vendor_event_description(event);
	auto_free char *remark = strcasestr(text, "deprecated") ? xasprintf("%s: %s", event->name, text)
								: xasprintf("%s is deprecated", event->name);

	return vendor_event_is_deprecated(event) ? text_safe(remark) : NULL;
}
