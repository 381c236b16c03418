/* JSON read in place: every object, however deep, and where exactly a malformed text is wrong. */
#include "lib/json_reader.h"

#include <errno.h>

#include "lib/util.h"
#include "tap.h"

/* All records as text: line:value_of:name=value; …|… */
static char *records_text(const struct json_records *records)
{
	auto_strings struct strings texts = {0};
	char *all;

	for (size_t i = 0; i < records->n; i++) {
		const struct json_record *r = &records->v[i];
		auto_strings struct strings members = {0};
		auto_free char *joined = NULL;

		for (size_t k = 0; k < r->n; k++) {
			const struct json_member *m = &records->members[r->first + k];

			strings_add(&members, m->is_string ? "%s='%s'" : "%s=%s", m->name, m->value);
		}
		joined = strings_join(&members, ";");
		strings_add(&texts, "%zu:%s%s%s", r->line, r->value_of ? r->value_of : "", r->value_of ? ":" : "",
			    joined ? joined : "");
	}
	all = strings_join(&texts, "|");
	return all ? all : xstrdup("");
}

static void reads_n(const char *json, size_t n, const char *expected)
{
	auto_free char *text = xcalloc(n + 1, 1), *got = NULL;
	struct json_records records = {0};
	struct error e = {0};

	memcpy(text, json, n);
	json_read(&records, text, n, "a.json", 1, &e);
	got = e.code ? xstrdup(e.text) : records_text(&records);
	json_records_free(&records);
	is_string(got, expected, expected);
}

static void reads(const char *json, const char *expected)
{
	reads_n(json, strlen(json), expected);
}

static void test_records(void)
{
	reads("[]", "");
	reads(" {} \n", "1:");
	reads("[{\"a\":\"b\"},\n\n { \"c\" : \"d\" , \"e\" : \"\" } ]", "1:a='b'|3:c='d';e=''");
	reads("{\"Header\":{\"v\":1},\"Events\":[{\"n\":\"x\"},{\"n\":\"y\"}],\"last\":true}",
	      "1:Header:v=1|1:Events:n='x'|1:Events:n='y'|1:last=true");
	reads("{\"a\":-1.5e+3,\"b\":null,\"c\":false,\"d\":0\n}", "1:a=-1.5e+3;b=;c=false;d=0");
	reads("[1,\"two\",[3,{\"a\":4}],null]", "1:a=4");
	reads("[[12\n,3]\n,{\"a\":\n7\n}]", "3:a=7");
	reads("{\"a\":[1,\"1\",{\"b\":[]},[2]],\"c\":3,\"d\":{\"e\":4}}", "1:a:|1:d:e=4|1:a=1;a='1';a=[;a=2;c=3");
}

static void test_strings(void)
{
	reads("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "1:a='\"\\/\b\f\n\r\t'");
	reads("{\"\\u0041\\u00e9\":\"\\u20ac \\ud83d\\ude00 \\ud83d \\ude00x\"}",
	      "1:A\xc3\xa9='\xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd \xef\xbf\xbdx'");
	reads("{\"a\":\"\xc3\xa9\xff\"}", "1:a='\xc3\xa9\xff'");
	reads("{\"a\":\"x@cmask\\\\=1@\"}", "1:a='x@cmask\\=1@'");
}

static void test_errors(void)
{
	auto_free char *deep = xmalloc(70);

	reads("", "a.json, line 1, column 1: the text ends where '{' or '[' is expected");
	reads("\n\n  x", "a.json, line 3, column 3: 'x' where '{' or '[' is expected");
	reads("[{\"a\":\"b\"}\n {}]", "a.json, line 2, column 2: '{' where ',' or ']' is expected");
	reads("[{\"a\" \"b\"}]", "a.json, line 1, column 7: '\"' where ':' is expected");
	reads("[{a:1}]", "a.json, line 1, column 3: 'a' where a member's name is expected");
	reads("[{\"a\":1,}]", "a.json, line 1, column 9: '}' where a member's name is expected");
	reads("[1,]", "a.json, line 1, column 4: ']' where a value is expected");
	reads("[nul]", "a.json, line 1, column 2: 'n' where a value is expected");
	reads("[0x10]", "a.json, line 1, column 2: '0' where a value is expected");
	reads("[{\"a\":nan}]", "a.json, line 1, column 7: 'n' where a value is expected");
	reads("[{\"a\":\"b", "a.json, line 1, column 9: the text ends within a string");
	reads("[{\"a\":\"b\\", "a.json, line 1, column 9: the text ends within a string");
	reads("[{\"a\":\"b\nc\"}]", "a.json, line 1, column 9: a control character within a string");
	reads("[{\"a\":\"\\q\"}]", "a.json, line 1, column 8: an escape sequence that JSON does not have, or a NUL");
	reads("[{\"a\":\"\\u0000\"}]",
	      "a.json, line 1, column 8: an escape sequence that JSON does not have, or a NUL");
	reads("[{\"a\":\"\\u12", "a.json, line 1, column 8: the text ends within a string");
	reads("[{\"a\":\"b\"}", "a.json, line 1, column 11: the text ends where ',' or ']' is expected");
	reads("{\"a\":1} {}", "a.json, line 1, column 9: '{' where the end is expected");
	reads("[\x01]", "a.json, line 1, column 2: byte 0x01 where a value is expected");
	reads_n("[{\"a\":\"b\0c\"}]", 14, "a.json, line 1, column 9: a control character within a string");
	reads_n("[]\0", 3, "a.json, line 1, column 3: byte 0x00 where the end is expected");
	memset(deep, '[', 69);
	deep[69] = '\0';
	reads(deep, "a.json, line 1, column 65: objects and arrays are nested too deeply");
}

int main(void)
{
	test_records();
	test_strings();
	test_errors();
	return tap_done();
}
