/* The fields of a record, by json-c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "lib/text.h"
#include "result/saved_internal.h"

int json_c_load(struct json_c *json, struct error *e)
{
	const struct library library = {"libjson-c.so.5", "json-c", "libjson-c5"};
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(json_tokener_parse, &json->parse),
		LIBRARY_SYMBOL(json_object_object_get_ex, &json->get),
		LIBRARY_SYMBOL(json_object_get_type, &json->type),
		LIBRARY_SYMBOL(json_object_get_double, &json->real),
		LIBRARY_SYMBOL(json_object_get_uint64, &json->count),
		LIBRARY_SYMBOL(json_object_get_string, &json->string),
		LIBRARY_SYMBOL(json_object_array_length, &json->length),
		LIBRARY_SYMBOL(json_object_array_get_idx, &json->item),
		LIBRARY_SYMBOL(json_object_get_boolean, &json->truth),
		LIBRARY_SYMBOL(json_object_put, &json->put),
	};

	return library_load(&library, symbols, ARRAY_SIZE(symbols), e);
}

struct json_object *field_get(struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = NULL;

	return r->json->get(record, key, &value) ? value : NULL;
}

const char *field_string(struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return value && r->json->type(value) == JSON_STRING ? r->json->string(value) : "";
}

bool is_json_number(struct reader *r, const struct json_object *value)
{
	return value && (r->json->type(value) == JSON_INTEGER || r->json->type(value) == JSON_DOUBLE);
}

/* A whole number that 64 bits do not hold, instead of which json-c gives the nearest that they do. */
static bool is_beyond_64_bits(struct reader *r, const struct json_object *value)
{
	if (r->json->real(value) < 0)
		return r->json->real(value) == -0x1p63 && !strstr(r->text, "-9223372036854775808");
	return r->json->count(value) == UINT64_MAX && !strstr(r->text, "18446744073709551615");
}

double field_real(struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);
	double real = is_json_number(r, value) ? r->json->real(value) : NAN;

	if (isinf(real))
		r->wrong = key;
	return real;
}

uint64_t field_count(struct reader *r, const struct json_object *record, const char *key, uint64_t most)
{
	struct json_object *value = field_get(r, record, key);
	double real = is_json_number(r, value) ? r->json->real(value) : 0;
	bool held = real >= 0 && real <= 0x1p64;
	uint64_t count = 0;

	if (held && value && r->json->type(value) == JSON_INTEGER) {
		count = r->json->count(value);
		held = !is_beyond_64_bits(r, value);
	} else if (held) {
		count = real < 0x1p64 ? (uint64_t)real : UINT64_MAX;
		held = (double)count == real && real < 0x1p64;
	}
	if (!held || count > most)
		r->wrong = key;
	return count;
}

struct value field_value(struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);
	bool is_whole = value && r->json->type(value) == JSON_INTEGER;

	if (!is_json_number(r, value))
		return (struct value){.type = VALUE_NONE};
	if (is_whole && is_beyond_64_bits(r, value))
		r->wrong = key;
	/* counts are not negative; a metric may be, and whole */
	if (is_whole && r->json->real(value) >= 0)
		return (struct value){.type = VALUE_COUNT, .count = r->json->count(value)};
	return (struct value){.type = VALUE_REAL, .real = field_real(r, record, key)};
}

/* json-c aborts when asked for the length of anything else. */
size_t array_length(struct reader *r, const struct json_object *value)
{
	return value && r->json->type(value) == JSON_ARRAY ? r->json->length(value) : 0;
}

bool field_truth(struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return value && r->json->type(value) == JSON_BOOLEAN && r->json->truth(value);
}

char *copy_string(struct reader *r, const struct json_object *record, const char *key)
{
	const char *string = field_string(r, record, key);

	return *string ? xstrdup(string) : NULL;
}
