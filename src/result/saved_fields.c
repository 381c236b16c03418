/* The fields of a record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "result/saved_internal.h"

static const struct json_member *field_get(const struct reader *r, const struct json_record *record, const char *key)
{
	const struct json_member *members = r->records.members + record->first;

	for (size_t i = 0; i < record->n; i++)
		if (strcmp(members[i].name, key) == 0)
			return &members[i];
	return NULL;
}

/* NULL: it is none. */
static const char *number_text(const struct reader *r, const struct json_record *record, const char *key)
{
	const struct json_member *field = field_get(r, record, key);

	return field && !field->is_string && strchr("-0123456789", *field->value) && *field->value ? field->value
												   : NULL;
}

const char *field_string(const struct reader *r, const struct json_record *record, const char *key)
{
	const struct json_member *field = field_get(r, record, key);

	return field && field->is_string ? field->value : "";
}

bool field_is_number(const struct reader *r, const struct json_record *record, const char *key)
{
	return number_text(r, record, key) != NULL;
}

double field_real(struct reader *r, const struct json_record *record, const char *key)
{
	const char *text = number_text(r, record, key);
	double real = text ? strtod(text, NULL) : NAN; /* LC_NUMERIC is C always */

	if (isinf(real))
		r->wrong = key;
	return real;
}

uint64_t field_count(struct reader *r, const struct json_record *record, const char *key, uint64_t most)
{
	const char *text = number_text(r, record, key);
	uint64_t count = 0;

	if (text && parse_u64(text, 10, &count) < 0) {
		double real = strtod(text, NULL); /* as 4e0 */
		bool held = real >= 0 && real < 0x1p64;

		count = held ? (uint64_t)real : 0;
		if (!held || (double)count != real)
			r->wrong = key;
	}
	if (count > most)
		r->wrong = key;
	return count;
}

struct value field_value(struct reader *r, const struct json_record *record, const char *key)
{
	const char *text = number_text(r, record, key);
	uint64_t count;

	if (!text)
		return (struct value){.type = VALUE_NONE};
	if (parse_u64(text, 10, &count) == 0)
		return (struct value){.type = VALUE_COUNT, .count = count};
	if (text[strspn(text, "0123456789")] == '\0') /* beyond 64 bits */
		r->wrong = key;
	return (struct value){.type = VALUE_REAL, .real = field_real(r, record, key)};
}

bool field_truth(const struct reader *r, const struct json_record *record, const char *key)
{
	const struct json_member *field = field_get(r, record, key);

	return field && !field->is_string && strcmp(field->value, "true") == 0;
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
