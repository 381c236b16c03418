/* The terms of a vendor's event: its code, and the fields beside it. */
#include <errno.h>
#include <string.h>

#include "pmu/vendor_events.h"

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

static bool event_is_of_core(const struct vendor_event *event)
{
	return !*event->pmu || strncmp(event->pmu, "cpu_", 4) == 0;
}

/* The fixed counter of an uncore unit: the kernel's drivers have one code for it (arch/x86/events/intel/uncore.h,
 * UNCORE_FIXED_EVENT), whatever the file contains. */
static bool is_fixed_of_unit(const struct vendor_event *event)
{
	const char *counter = vendor_object_get(&event->object, "Counter");

	return !event_is_of_core(event) && counter && strcasecmp(counter, "fixed") == 0;
}

static int put_code(FILE *out, const struct vendor_event *event, struct error *e)
{
	bool is_core = event_is_of_core(event);
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
	if (is_fixed_of_unit(event)) {
		code = 0xff;
		umask = 0;
	}
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

/* Refuses an event that would count something else without this member of its object. */
static int refuse_member(const struct vendor_event *event, const char *field, const char *why, struct error *e)
{
	error_set(e, EINVAL, "%s, line %zu: event %.100s cannot be encoded: its %s, '%.60s', %s", event->object.path,
		  event->object.line, event->name, field, vendor_object_get(&event->object, field), why);
	return error_hint(e, "use perf's version of the file, in tools/perf/pmu-events/arch of the kernel's sources");
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
		if (registers[i].index == index) {
			fprintf(out, ",%s=0x%llx", registers[i].term, (unsigned long long)value);
			return 0;
		}
	return index && value ? refuse_member(event, "MSRIndex", "is a register that Linux does not set", e) : 0;
}

/* True if a member has a value: Intel's files write none in several ways. */
static bool is_given(const char *text)
{
	static const char *const none[] = {"", "0", "0x0", "0x00", "na", "n/a", "null", "tbd"};

	for (size_t i = 0; text && i < ARRAY_SIZE(none); i++)
		if (strcasecmp(text, none[i]) == 0)
			return false;
	return text;
}

/* The filter beside the counter: perf's files contain its terms. Intel's files contain its value or, if there are
 * several values to choose from, its bits in words: such an event without a filter may count nothing, or everything.
 * Filters of ports are in PortMask and FCMask. */
static int put_filter(FILE *out, const struct vendor_event *event, struct error *e)
{
	const char *filter = vendor_object_get(&event->object, "Filter");
	bool is_of_port = filter && (strncasecmp(filter, "fc", 2) == 0 || strncasecmp(filter, "chnl", 4) == 0);
	uint64_t value;

	if (field_number(event, "FILTER_VALUE", &value, e))
		return -e->code;
	if (is_given(filter) && strchr(filter, '=')) {
		fprintf(out, ",%s", filter);
		return 0;
	}
	if (value && filter && strcasecmp(filter, "Filter1") == 0) {
		fprintf(out, ",config1=0x%llx", (unsigned long long)value);
		return 0;
	}
	if (value)
		return refuse_member(event, "FILTER_VALUE", "is for an unknown filter", e);
	if (!is_given(filter) || (is_of_port && vendor_object_get(&event->object, "PortMask")))
		return 0;
	refuse_member(event, "Filter", "has no value in the file", e);
	return error_hint(e, "or write its code and the filter as terms of PMU %s", event->pmu);
}

/* Free-running counters have PMUs of their own, for which the files as downloaded have neither a Unit nor a code. */
static int check_counter_type(const struct vendor_event *event, struct error *e)
{
	const char *type = vendor_object_get(&event->object, "CounterType");

	if (!type || strcasecmp(type, "FREERUN") != 0 || strstr(event->pmu, "free_running"))
		return 0;
	refuse_member(event, "CounterType", "means a counter whose code is not in the file", e);
	return error_hint(e, "or the kernel's names of these counters: --list='%s_free_running*'", event->pmu);
}

static int put_terms(FILE *out, const struct vendor_event *event, struct error *e)
{
	if (check_counter_type(event, e) || put_code(out, event, e) || put_field_terms(out, event, e) ||
	    put_register(out, event, e) || put_filter(out, event, e))
		return -e->code;
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
