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

struct json_object *field_get(const struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = NULL;

	return r->json->get(record, key, &value) ? value : NULL;
}

const char *field_string(const struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return value && r->json->type(value) == JSON_STRING ? r->json->string(value) : "";
}

bool is_json_number(const struct reader *r, const struct json_object *value)
{
	return value && (r->json->type(value) == JSON_INTEGER || r->json->type(value) == JSON_DOUBLE);
}

double field_real(const struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return is_json_number(r, value) ? r->json->real(value) : NAN;
}

uint64_t field_count(const struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return is_json_number(r, value) ? r->json->count(value) : 0;
}

struct value field_value(const struct reader *r, const struct json_object *record)
{
	struct json_object *value = field_get(r, record, "value");

	if (!is_json_number(r, value))
		return (struct value){.type = VALUE_NONE};
	/* counts are not negative; a metric may be, and whole */
	if (r->json->type(value) == JSON_INTEGER && r->json->real(value) >= 0)
		return (struct value){.type = VALUE_COUNT, .count = r->json->count(value)};
	return (struct value){.type = VALUE_REAL, .real = r->json->real(value)};
}

/* json-c aborts when asked for the length of anything else. */
size_t array_length(const struct reader *r, const struct json_object *value)
{
	return value && r->json->type(value) == JSON_ARRAY ? r->json->length(value) : 0;
}

bool field_truth(const struct reader *r, const struct json_object *record, const char *key)
{
	struct json_object *value = field_get(r, record, key);

	return value && r->json->type(value) == JSON_BOOLEAN && r->json->truth(value);
}

char *copy_string(const struct reader *r, const struct json_object *record, const char *key)
{
	const char *string = field_string(r, record, key);

	return *string ? xstrdup(string) : NULL;
}
