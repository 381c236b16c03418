/* rendering: a report of a result as text, for tests that compare it with tests/golden. UPDATE_GOLDEN=1 rewrites the
 * golden files; look at the difference before believing it. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "report/report.h"
#include "tap.h"

static inline char *read_file(const char *path)
{
	auto_fclose FILE *f = fopen(path, "re");
	size_t n = 0;
	char *text = xmalloc(1 << 20);

	if (f)
		n = fread(text, 1, (1 << 20) - 1, f);
	text[n] = '\0';
	return text;
}

static inline char *temp_path(void)
{
	char path[] = "/tmp/pfmstat-report-XXXXXX";
	int fd = mkstemp(path);

	if (fd >= 0)
		close(fd);
	return xstrdup(path);
}

static inline int render_to(const struct report_options *options, const struct result *result, struct error *e)
{
	static const struct signals unblocked;
	struct report *report;
	int r = report_open(&report, options, &unblocked, e);

	if (r < 0)
		return r;
	report_start(report, result);
	report_rows(report, result);
	report_end(report, result, false);
	return report_close(report, e);
}

static inline char *render(struct report_options options, const struct result *result)
{
	auto_free char *path = temp_path();
	struct error e;
	char *text;

	options.path = path;
	ok(render_to(&options, result, &e) == 0, "rendered");
	text = read_file(path);
	unlink(path);
	return text;
}

static inline void is_golden(const char *name, const char *extension, char *text)
{
	const char *slash = strrchr(__FILE__, '/');
	auto_free char *path = xasprintf("%.*s/../golden/%s.%s", (int)(slash - __FILE__), __FILE__, name, extension);
	auto_free char *what = xasprintf("%s.%s", name, extension);
	auto_free char *expected = NULL;

	if (getenv("UPDATE_GOLDEN")) {
		auto_fclose FILE *f = fopen(path, "we");

		ok(f && fputs(text, f) >= 0, what);
		return;
	}
	expected = read_file(path);
	is_string(text, expected, what);
}
