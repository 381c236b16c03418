/* The fields of a record, and the events and metrics in the record `start`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"
#include "metric/metric.h"
#include "saved/saved_internal.h"

/* Returns NULL if it is not a number. */
static const char *number_text(const struct json_member *member)
{
	return member && !member->is_string && strchr("-0123456789", *member->value) && *member->value ? member->value
												       : NULL;
}

const char *member_string(const struct json_member *member)
{
	return member && member->is_string ? member->value : "";
}

static double member_real(struct reader *r, const struct json_member *member)
{
	const char *text = number_text(member);
	double real = text ? strtod(text, NULL) : NAN; /* LC_NUMERIC is always C */

	if (member && isinf(real))
		r->wrong = member->name;
	return real;
}

static uint64_t member_count(struct reader *r, const struct json_member *member, uint64_t most)
{
	const char *text = number_text(member);
	uint64_t count = 0;

	if (text && parse_u64(text, 10, &count) < 0) {
		double real = strtod(text, NULL); /* for example 4e0 */
		bool held = real >= 0 && real < 0x1p64;

		count = held ? (uint64_t)real : 0;
		if (!held || (double)count != real)
			r->wrong = member->name;
	}
	if (count > most)
		r->wrong = member->name;
	return count;
}

static struct value member_value(struct reader *r, const struct json_member *member)
{
	const char *text = number_text(member);
	uint64_t count;

	if (!text)
		return (struct value){.type = VALUE_NONE};
	if (parse_u64(text, 10, &count) == 0)
		return count_value(count);
	if (text[strspn(text, "0123456789")] == '\0') /* beyond 64 bits */
		r->wrong = member->name;
	return real_value(member_real(r, member));
}

static bool member_truth(const struct json_member *member)
{
	return member && !member->is_string && strcmp(member->value, "true") == 0;
}

/* ---- by name, for records that are not rows ---- */

static const struct json_member *field_get(const struct reader *r, const struct json_record *record, const char *key)
{
	return record->n ? json_member_find(r->records.members + record->first, record->n, key) : NULL;
}

const char *field_string(const struct reader *r, const struct json_record *record, const char *key)
{
	return member_string(field_get(r, record, key));
}

double field_real(struct reader *r, const struct json_record *record, const char *key)
{
	return member_real(r, field_get(r, record, key));
}

uint64_t field_count(struct reader *r, const struct json_record *record, const char *key, uint64_t most)
{
	return member_count(r, field_get(r, record, key), most);
}

static bool field_truth(const struct reader *r, const struct json_record *record, const char *key)
{
	return member_truth(field_get(r, record, key));
}

/* ---- by column ---- */

/* Of several members of one name, the last counts, as in json_member_find. */
void take_fields(struct reader *r, const struct json_record *record)
{
	enum column column = 0;

	memset(r->fields, 0, sizeof(r->fields));
	for (size_t i = 0; i < record->n; i++) {
		const struct json_member *member = &r->records.members[record->first + i];
		enum column found = column_find(member->name, column);

		if (found < COLUMNS) {
			r->fields[found] = member;
			column = found + 1;
		}
	}
}

static bool take_choice(const struct column_type *column, const char *text, int *choice)
{
	int most = (int)column->most;

	*choice = 0;
	while (*choice <= most && strcmp(column->choice(*choice), text) != 0)
		++*choice;
	return *choice <= most;
}

/* A count, a deviation and half of an interval are not below 0. */
static void check_sign(struct reader *r, const struct record *record)
{
	if (record->item.kind == ITEM_COUNT && value_real(record->row.value) < 0)
		r->wrong = columns[COLUMN_VALUE].name;
	if (record->spread.stddev < 0)
		r->wrong = columns[COLUMN_STDDEV].name;
	if (record->row.error < 0)
		r->wrong = columns[COLUMN_ERROR].name;
}

bool take_columns(struct reader *r, struct record *record)
{
	char *const parts[] = {
		[PART_row] = (char *)&record->row,
		[PART_spread] = (char *)&record->spread,
		[PART_item] = (char *)&record->item,
		[PART_subject] = (char *)&record->subject,
	};
	bool known = true;

	*record = (struct record){.item = {.kind = ITEM_COUNT}};
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column_type *column = &columns[i];
		void *place = parts[column->part] + column->offset;

		if (column->size == 0)
			continue;
		if (column->is == COLUMN_IS_TEXT)
			*(const char **)place = member_string(r->fields[i]);
		else if (column->is == COLUMN_IS_CHOICE)
			known &= take_choice(column, member_string(r->fields[i]), place);
		else if (column->is == COLUMN_IS_REAL)
			*(double *)place = member_real(r, r->fields[i]);
		else if (column->is == COLUMN_IS_VALUE)
			*(struct value *)place = member_value(r, r->fields[i]);
		else if (column->is == COLUMN_IS_TRUTH)
			*(bool *)place = member_truth(r->fields[i]);
		else if (column->size == sizeof(int))
			*(unsigned *)place = (unsigned)member_count(r, r->fields[i], column->most);
		else
			*(uint64_t *)place = member_count(r, r->fields[i], column->most);
	}
	check_sign(r, record);
	return known;
}

char *copy_string(const struct reader *r, const struct json_record *record, const char *key)
{
	const char *string = field_string(r, record, key);

	return *string ? xstrdup(string) : NULL;
}

struct strings field_strings(const struct reader *r, const struct json_record *record, const char *key)
{
	const struct json_member *members = r->records.members + record->first;
	struct strings strings = {0};

	for (size_t i = 0; i < record->n; i++)
		if (members[i].is_string && strcmp(members[i].name, key) == 0)
			strings_add(&strings, "%s", members[i].value);
	return strings;
}

/* ---- the events and metrics by expression of a report's rows ---- */

static void take_encoding(struct reader *r, const struct json_record *record, struct event *event)
{
	struct perf_event_attr *attr = &event->attr;

	attr->type = (uint32_t)field_count(r, record, "type", UINT32_MAX);
	attr->config = field_count(r, record, "config", UINT64_MAX);
	attr->config1 = field_count(r, record, "config1", UINT64_MAX);
	event->config1_string = copy_string(r, record, "config1");
	attr->config2 = field_count(r, record, "config2", UINT64_MAX);
	attr->config3 = field_count(r, record, "config3", UINT64_MAX);
	attr->config4 = field_count(r, record, "config4", UINT64_MAX);
	attr->exclude_user = field_truth(r, record, "exclude_user");
	attr->exclude_kernel = field_truth(r, record, "exclude_kernel");
	attr->exclude_hv = field_truth(r, record, "exclude_hv");
	attr->exclude_idle = field_truth(r, record, "exclude_idle");
	attr->exclude_host = field_truth(r, record, "exclude_host");
	attr->exclude_guest = field_truth(r, record, "exclude_guest");
	attr->precise_ip = field_count(r, record, "precise_ip", 3) & 3;
}

static void take_event(struct reader *r, const struct json_record *record)
{
	struct event *event = xcalloc(1, sizeof(*event));
	double scale = field_real(r, record, "scale");
	enum event_source source = EVENT_SIMULATED;

	while (source > EVENT_ABI && strcmp(event_source_name(source), field_string(r, record, "source")) != 0)
		source--;
	event_init(event, source);
	event->name = xstrdup(field_string(r, record, "name"));
	event->full_name = copy_string(r, record, "full_name");
	event->pmu = copy_string(r, record, "pmu");
	event->filter = copy_string(r, record, "filter");
	event->only_cpus = copy_string(r, record, "cpus");
	free(event->unit);
	event->unit = xstrdup(field_string(r, record, "unit"));
	event->scale = isfinite(scale) ? scale : 1;
	take_encoding(r, record, event);
	*ARRAY_PUSH(r->saved->events, r->saved->n_events) = event;
}

/* Leaves the events unknown if the report has other numbers. */
static void take_events_of(struct reader *r, const struct json_record *record, struct metric *metric)
{
	size_t n = 0, all = r->saved->n_events - r->first_event;
	const struct event **events = result_allocate(&r->saved->result, (record->n + 1) * sizeof(*events));

	for (size_t i = 0; i < record->n; i++) {
		const struct json_member *member = &r->records.members[record->first + i];
		uint64_t number;

		if (strcmp(member->name, "events") != 0)
			continue;
		if (parse_u64(member->value, 10, &number) < 0 || number < 1 || number > all)
			return;
		events[n++] = r->saved->events[r->first_event + number - 1];
	}
	metric->events = n ? events : NULL;
	metric->n_events = n;
}

static void take_metric(struct reader *r, const struct json_record *record)
{
	struct result *result = &r->saved->result;
	struct metric *metric = result_allocate(result, sizeof(*metric));

	*metric = (struct metric){
		.name = result_text(result, field_string(r, record, "name")),
		.text = result_text(result, field_string(r, record, "expression")),
		.scale = field_real(r, record, "scale"),
	};
	take_events_of(r, record, metric);
	*ARRAY_PUSH(r->saved->metrics, r->saved->n_metrics) = metric;
}

/* A time that pfmstat measures has no event, but its place in the list, so that the numbers are right. */
void take_definitions(struct reader *r)
{
	const char *tool = event_source_name(EVENT_TOOL);

	for (size_t i = 0; i < r->records.n; i++) {
		const struct json_record *record = &r->records.v[i];
		const char *list = record->value_of ? record->value_of : "";

		if (strcmp(list, "events") == 0 && strcmp(field_string(r, record, "source"), tool) != 0)
			take_event(r, record);
		else if (strcmp(list, "events") == 0)
			*ARRAY_PUSH(r->saved->events, r->saved->n_events) = NULL;
	}
	for (size_t i = 0; i < r->records.n; i++) {
		const char *list = r->records.v[i].value_of;

		if (list && strcmp(list, "metrics") == 0)
			take_metric(r, &r->records.v[i]);
	}
}

const struct event *find_event(const struct reader *r, size_t number)
{
	size_t n = r->saved->n_events - r->first_event;

	return number && number <= n ? r->saved->events[r->first_event + number - 1] : NULL;
}

const struct metric *find_metric(struct reader *r)
{
	uint64_t number = member_count(r, r->fields[COLUMN_METRIC], UINT64_MAX);
	size_t n = r->saved->n_metrics - r->first_metric;

	return number && number <= n ? r->saved->metrics[r->first_metric + number - 1] : NULL;
}

char *copy_text(struct reader *r, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(result_allocate(&r->saved->result, size), text, size);
}

const struct metric *make_metric(struct reader *r, const struct item *item, const struct metric *of)
{
	uint64_t hash = text_hash(text_hash(TEXT_HASH, item->name), item->unit);
	struct metric *metric;

	for (size_t i = SIZE_MAX; (i = index_find(&r->made_index, hash, i)) != SIZE_MAX;)
		if (r->made[i].of == of && strcmp(r->made[i].metric->name, item->name) == 0 &&
		    strcmp(r->made[i].metric->unit, item->unit) == 0)
			return r->made[i].metric;
	metric = result_allocate(&r->saved->result, sizeof(*metric));
	*metric = of ? *of : (struct metric){.scale = NAN};
	metric->name = copy_text(r, item->name);
	metric->unit = copy_text(r, item->unit);
	*ARRAY_PUSH(r->made, r->n_made) = (struct made_metric){of, metric};
	index_add(&r->made_index, hash);
	return metric;
}
