/* JSON text against strings written by hand from RFC 8259 and the Unicode standard's rules for ill-formed UTF-8. */
#include "lib/json.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "tap.h"

static void is_written(void (*write)(struct json *), const char *expected, const char *what)
{
	char *text = NULL;
	size_t size;
	struct json j = {.out = open_memstream(&text, &size)};

	write(&j);
	fclose(j.out);
	is_string(text, expected, what);
	free(text);
}

static void write_nested(struct json *j)
{
	json_object_begin(j, NULL);
	json_array_begin(j, "a");
	json_u64(j, NULL, UINT64_MAX);
	json_i64(j, NULL, INT64_MIN);
	json_object_begin(j, NULL);
	json_object_end(j);
	json_array_begin(j, NULL);
	json_array_end(j);
	json_array_end(j);
	json_bool(j, "b", true);
	json_bool(j, "c", false);
	json_null(j, "d");
	json_string(j, "e", NULL);
	json_object_end(j);
	json_newline(j);
	json_object_begin(j, NULL);
	json_string(j, "a\"b", "");
	json_object_end(j);
	json_newline(j);
}

static void write_controls(struct json *j)
{
	json_string(j, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x1b[0m\x7f\xc2\x80\xc2\x9b");
}

static void write_utf8(struct json *j)
{
	json_string(j, NULL, "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

/* Overlong, surrogate, beyond U+10FFFF, cut short, lone continuation; each followed by a letter that must survive. */
static void write_ill_formed(struct json *j)
{
	json_array_begin(j, NULL);
	json_string(j, NULL,
		    "\xc0\xaf"
		    "A");
	json_string(j, NULL,
		    "\xed\xa0\x80"
		    "B");
	json_string(j, NULL,
		    "\xf4\x90\x80\x80"
		    "C");
	json_string(j, NULL,
		    "\xe2\x82"
		    "D");
	json_string(j, NULL, "\xf0\x9f\x98\"E");
	json_string(j, NULL,
		    "\x80"
		    "F\xff");
	json_string(j, NULL, "G\xe2");
	json_array_end(j);
}

static void write_doubles(struct json *j)
{
	const double values[] = {0.1, 1.0 / 3, 5e-324,   DBL_MAX, 1e22,   3,
				 0.0, NAN,     INFINITY, -2.5,    100000, 123456789.25};

	json_array_begin(j, NULL);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		json_double(j, NULL, values[i]);
	json_array_end(j);
}

int main(void)
{
	setlocale(LC_ALL, "");
	is_written(write_nested,
		   "{\"a\":[18446744073709551615,-9223372036854775808,{},[]],\"b\":true,\"c\":false,\"d\":null,"
		   "\"e\":null}\n{\"a\\\"b\":\"\"}\n",
		   "objects, arrays, records, and commas between them");
	is_written(write_controls, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u001b[0m\\u007f\\u0080\\u009b\"",
		   "control characters are escaped, C1 too");
	is_written(write_utf8, "\"\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"",
		   "UTF-8 is unchanged");
#define R "\xef\xbf\xbd"
	is_written(write_ill_formed,
		   "[\"" R R "A\",\"" R R R "B\",\"" R R R R "C\",\"" R "D\",\"" R "\\\"E\",\"" R "F" R "\",\"G" R
		   "\"]",
		   "ill-formed UTF-8 becomes U+FFFD and swallows nothing");
	is_written(write_doubles,
		   "[0.1,0.3333333333333333,5e-324,1.7976931348623157e+308,1e+22,3,0,null,null,-2.5,100000,"
		   "123456789.25]",
		   "doubles in as few digits as read back the same");
	return tap_done();
}
