/* All rows of the table of errata, and a library that is mended, wrong in another way, or asked with modifiers and
 * several umasks. The library is a function here. */
#include "pfm/errata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "tap.h"

/* What the library encodes for a name alone, and config1 of a name without this umask. */
static uint64_t library_config, library_config1, others_config1;
static const char *wrong_umask = "";

static int encode(const char *name, int modes, pfm_os_t os, void *out)
{
	pfm_perf_encode_arg_t *arg = out;

	(void)modes, (void)os;
	arg->attr->config = library_config;
	arg->attr->config1 = strstr(name, wrong_umask) ? library_config1 : others_config1;
	return PFM_SUCCESS;
}

/* An event that the library has resolved. */
struct asked {
	const char *pmu, *event;
	const char *umasks[3];
	uint64_t config, config1;
	enum errata errata;
};

static int resolve(const struct asked *asked, struct event *event, struct error *e)
{
	struct query_term terms[3] = {0};
	struct query q = {
		.lib.encode = encode,
		.name = "",
		.text = xasprintf("%s::%s", asked->pmu, asked->event),
		.pmu.name = asked->pmu,
		.terms = terms,
	};
	int rc;

	for (; q.n < ARRAY_SIZE(terms) && asked->umasks[q.n]; q.n++)
		terms[q.n] = (struct query_term){.name = asked->umasks[q.n], .text = xstrdup(asked->umasks[q.n])};
	q.umasks = q.n;
	*event = (struct event){.full_name = xstrdup("")};
	event->attr.config = asked->config;
	event->attr.config1 = asked->config1;
	rc = errata_apply(&q, asked->errata, event, e);
	for (size_t i = 0; i < q.n; i++)
		free(terms[i].text);
	free(q.text);
	return rc;
}

static void becomes(const struct asked *asked, uint64_t config, uint64_t config1, bool remark, const char *what)
{
	struct event event;
	struct error e = {0};

	is_number(resolve(asked, &event, &e), 0, what);
	is_number(event.attr.config, config, "… config");
	is_number(event.attr.config1, config1, "… config1");
	ok((event.remark != NULL) == remark, remark ? "… said" : "… without a remark");
	event_free(&event);
}

static void test_rows(void)
{
	size_t rows = 0, wrong = 0;

	for (const char *line = errata_table; *line; line = strchr(line, '\n') + 1) {
		char pmu[64], name[128], *umask;
		uint64_t right, right1;
		struct event event;
		struct error e;

		if (sscanf(line, "%63s %127s %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, pmu, name, &library_config,
			   &library_config1, &right, &right1) != 6)
			wrong++;
		if (strchr(pmu, '*'))
			*strchr(pmu, '*') = '7';
		umask = strchr(name, ':');
		if (umask)
			*umask++ = '\0';
		if (resolve(&(struct asked){pmu, name, {umask}, library_config, library_config1, ERRATA_FIX}, &event,
			    &e) ||
		    event.attr.config != right || event.attr.config1 != right1 || !event.remark) {
			printf("# wrong: %s\n", name);
			wrong++;
		}
		rows++;
		event_free(&event);
	}
	ok(rows > 200, "a table");
	is_number(wrong, 0, "each row corrects its name");
}

static void test_versions(void)
{
	struct asked all = {"skl", "UOPS_RETIRED", {"ALL"}, 0x1c2, 0, ERRATA_FIX};

	library_config = 0x1c2;
	library_config1 = 0;
	becomes(&all, 0x2c2, 0, true, "the library's error");
	all.config = 0x10001c2;
	becomes(&all, 0x10002c2, 0, true, "… with c=1");
	all.config = 0x1c2;
	all.errata = ERRATA_WARN;
	becomes(&all, 0x1c2, 0, true, "… only said");
	all.errata = ERRATA_OFF;
	becomes(&all, 0x1c2, 0, false, "… not asked for");
	all.errata = ERRATA_FIX;
	all.config = library_config = 0x2c2;
	becomes(&all, 0x2c2, 0, false, "a library that is mended");
	all.config = library_config = 0x3c2;
	becomes(&all, 0x3c2, 0, false, "a library that is wrong in another way");
	library_config = 0x1c2;
	all = (struct asked){"icl", "UOPS_RETIRED", {"ALL"}, 0x1c2, 0, ERRATA_FIX};
	becomes(&all, 0x1c2, 0, false, "another PMU");
	all = (struct asked){"skl", "UOPS_RETIRED", {NULL}, 0x1c2, 0, ERRATA_FIX};
	all.event = "UOPS_RETIRED:AL";
	becomes(&all, 0x1c2, 0, false, "a name that begins alike");
}

static void test_count(void)
{
	struct query q = {.lib.encode = encode, .pmu.name = "ivb"};

	library_config = 0x158;
	library_config1 = 0;
	is_number(errata_count(&q), 1, "one of two names is still wrong");
	library_config = 0x7777;
	is_number(errata_count(&q), 0, "all are mended");
}

static void test_umasks(void)
{
	struct asked both = {"skx", "OFFCORE_RESPONSE_0", {"L3_MISS", "DMND_DATA_RD"}, 0x1b7, 0x3f84000001, ERRATA_FIX};
	struct event event;
	struct error e;

	library_config = 0x1b7;
	library_config1 = 0x3f84008fff;
	becomes(&both, 0x1b7, 0x3fbc000001, true, "bits of a register, beside others");
	wrong_umask = "DDR_FAR";
	library_config1 = 0x81008000;
	others_config1 = 0x10001;
	both = (struct asked){"knl", "OFFCORE_RESPONSE_0", {"DDR_FAR", "DMND_DATA_RD"}, 0x1b7, 0x81000001, ERRATA_FIX};
	becomes(&both, 0x1b7, 0x101000001, true, "a wrong bit, which the other umask does not set");
	others_config1 = 0x80800000;
	is_number(resolve(&both, &event, &e), -EINVAL, "a wrong bit, which the other umask sets");
	event_free(&event);
	wrong_umask = "";
	library_config = 0x4124;
	library_config1 = 0;
	both = (struct asked){"hsw", "L2_RQSTS", {"DEMAND_DATA_RD_HIT", "MISS"}, 0x7f24, 0, ERRATA_FIX};
	becomes(&both, 0xff24, 0, true, "a bit that is missing, beside another umask");
	library_config = 0x158;
	both = (struct asked){"ivb", "MOVE_ELIMINATION", {"INT_NOT_ELIMINATED", "SIMD_ELIMINATED"}, 0x358,
			      0,     ERRATA_FIX};
	is_number(resolve(&both, &event, &e), -EINVAL, "a bit that the other umask may have set");
	event_free(&event);
	both.errata = ERRATA_WARN;
	becomes(&both, 0x358, 0, true, "… only said");
}

/* A vendor's code with a counter mask, for an event with the user's attributes. */
static void corrects(uint64_t config, enum errata errata, int rc, uint64_t right, const char *what)
{
	char text[] = "spr::ARITH";
	const struct query q = {.name = "", .text = text, .pmu.name = "spr", .umasks = 1};
	const struct erratum x = {
		.name = "ARITH:IDIV", .config = 0x8b0, .right = 0x10008b0, .source = "a file, line 2", .counted = ""};
	struct event event = {.attr.config = config, .full_name = xstrdup("")};
	struct error e;

	is_number(erratum_apply(&q, &x, NULL, errata, &event, &e), rc, what);
	is_number(event.attr.config, right, "… config");
	if (rc == 0 && errata == ERRATA_WARN)
		is_string(
			event.remark,
			"libpfm4 encodes spr::ARITH:IDIV as 0x8b0, but a file, line 2 as 0x10008b0, which is not used",
			"… said");
	event_free(&event);
}

static void test_attributes(void)
{
	corrects(0x8b0, ERRATA_FIX, 0, 0x10008b0, "a counter mask");
	corrects(0x8408b0, ERRATA_FIX, 0, 0x18408b0, "a counter mask, beside other attributes");
	corrects(0x20008b0, ERRATA_FIX, -EINVAL, 0x20008b0, "a counter mask, beside the user's");
	corrects(0x20008b0, ERRATA_WARN, 0, 0x20008b0, "a counter mask, beside the user's, only said");
}

int main(void)
{
	test_rows();
	test_versions();
	test_count();
	test_umasks();
	test_attributes();
	return tap_done();
}
