/* Names of files with parts that differ between processes. */
#include <string.h>
#include <sys/utsname.h>

#include "lib/file_pattern.h"
#include "lib/util.h"
#include "tap.h"

static void gives(const char *pattern, const char *expected)
{
	auto_free char *name = NULL;
	struct error e = {0};

	file_pattern_expand(pattern, &name, &e);
	is_string(name ? name : e.text, expected, pattern);
}

/* The message begins so, and no name is made. */
static void refuses(const char *pattern, const char *begin)
{
	auto_free char *name = NULL;
	struct error e = {0};
	int r = file_pattern_expand(pattern, &name, &e);

	ok(r < 0 && !name && strncmp(e.text, begin, strlen(begin)) == 0, pattern);
	if (strncmp(e.text, begin, strlen(begin)) != 0)
		printf("# got %s\n", e.text);
}

static void test_parts(void)
{
	auto_free char *pid = xasprintf("out.%d.json", getpid()), *host = NULL;
	struct utsname uts;

	setenv("RANK", "3", 1);
	setenv("_2", "b c", 1);
	gives("out.json", "out.json");
	gives("", "");
	gives("-", "-");
	gives("out.%{RANK}.json", "out.3.json");
	gives("%{RANK}%{RANK}/%{_2}", "33/b c");
	gives("100%%", "100%");
	gives("%%{RANK}", "%{RANK}");
	gives("%%h", "%h");
	gives("out.%p.json", pid);
	uname(&uts);
	uts.nodename[strcspn(uts.nodename, ".")] = '\0';
	host = xasprintf("%s.csv", uts.nodename);
	gives("%h.csv", host);
}

static void test_refused(void)
{
	setenv("EMPTY", "", 1);
	setenv("SLASH", "../x", 1);
	unsetenv("UNSET");
	refuses("a.%{UNSET}.json", "'%{UNSET}' in the file name: the variable is not set");
	refuses("a.%{EMPTY}.json", "'%{EMPTY}' in the file name: it is empty");
	refuses("a.%{SLASH}.json", "'%{SLASH}' in the file name: its value '../x' contains a '/'");
	refuses("a.%{RANK.json", "'%{RANK.json' in the file name: the '}' is missing");
	refuses("a%{}", "'%{}' in the file name: this is not a variable's name");
	refuses("a%{RANK=3}", "'%{RANK=3}' in the file name: this is not a variable's name");
	refuses("a%{2}", "'%{2}' in the file name: this is not a variable's name");
	refuses("a%{A\tB}", "'%{A\tB}' in the file name: this is not a variable's name");
	refuses("a%x", "'%x' in the file name: not a placeholder");
	refuses("a%.json", "'%.' in the file name: not a placeholder");
	refuses("a%", "'%' in the file name: not a placeholder");
	refuses("a%\xc3\xa4", "'%\xc3\xa4' in the file name: not a placeholder");
}

/* No value leads out of the directory, or to standard output. */
static void test_escapes(void)
{
	setenv("DOT", ".", 1);
	setenv("DOTS", "..", 1);
	setenv("MINUS", "-", 1);
	refuses("a/%{DOTS}/b", "'a/%{DOTS}/b' would be 'a/../b'");
	refuses("a/%{DOT}%{DOT}/b", "'a/%{DOT}%{DOT}/b' would be 'a/../b'");
	refuses("a/.%{DOT}", "'a/.%{DOT}' would be 'a/..'");
	refuses("%{DOT}/b", "'%{DOT}/b' would be './b'");
	refuses("%{MINUS}", "'%{MINUS}' would be '-'");
	gives("../a.%{DOTS}.json", "../a....json");
	gives("./%{MINUS}", "./-");
}

int main(void)
{
	test_parts();
	test_refused();
	test_escapes();
	return tap_done();
}
