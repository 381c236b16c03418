/* Modifiers compared with the attributes of perf 6.1 (`strace -v -e perf_event_open perf stat -e cs:…`), except guests
 * (see modifier.h), and with those of libpfm4 4.13 for its words. */
#include "event/modifier.h"

#include <errno.h>

#include "tap.h"

/* exclude bits and the rest, as letters: u k h G(uest) H(ost) I(dle), number of precise_ip, D(pinned), e(xclusive) */
static const char *describe(const struct event *event, char *buf)
{
	const struct perf_event_attr *a = &event->attr;

	sprintf(buf, "%s%s%s%s%s%s%d%s%s", a->exclude_user ? "u" : "", a->exclude_kernel ? "k" : "",
		a->exclude_hv ? "h" : "", a->exclude_guest ? "G" : "", a->exclude_host ? "H" : "",
		a->exclude_idle ? "I" : "", (int)a->precise_ip, a->pinned ? "D" : "", a->exclusive ? "e" : "");
	return buf;
}

struct expectation {
	const char *tail, *excludes;
};

static const struct expectation expectations[] = {
	{"", "G0"},
	{":", "G0"},
	{":u", "khG0"},
	{":k", "uhG0"},
	{":h", "ukG0"},
	{":uk", "hG0"},
	{":ku", "hG0"},
	{":uh", "kG0"},
	{":ukh", "G0"},
	{":u:k", "hG0"},
	{"uk", "hG0"},
	{":G", "H0"},
	{":H", "G0"},
	{":GH", "0"},
	{":G:H", "0"},
	{":I", "GI0"},
	{":p", "G1"},
	{":pp", "G2"},
	{":ppp", "G3"},
	{":p:pp", "G3"},
	{":P", "G3"},
	{":Pp", "G3"},
	{":D", "G0D"},
	{":e", "G0e"},
	{":S", "G0"},
	{":W", "G0"},
	{":b", "G0"},
	{":uG", "khH0"},
	{":kH", "uhG0"},
	{":uGH", "kh0"},
	{":up", "khG1"},
	{":pG", "H1"},
	{":ukpp", "hG2"},
	{":mg", "H0"},
	{":mh", "G0"},
	{":mg:mh", "0"},
	{":MG:Mh=y", "0"},
	{":mg=0", "G0"},
	{":mh=0", "H0"},
	{":u=1", "khG0"},
	{":u=0", "uG0"},
	{":u:k:h=0", "hG0"},
	{":u:u=y", "khG0"},
	{":k=n:h=f", "khG0"},
	{":precise=2", "G2"},
	{":excl", "G0e"},
	{":excl=0", "G0"},
	{":pinned=1", "G0D"},
	{":period=100", "G0"},
	{":u=0:k=0", "ukG0"},
	{":precise=0", "G0"},
	{":hw_smpl", "G0"},
	{":freq=0x10:k", "uhG0"},
};

static void test_attr(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(expectations); i++) {
		struct modifiers m = MODIFIERS_NONE;
		struct event event;
		struct error e = {0};
		char buf[64];

		event_init(&event, EVENT_ABI);
		is_number(modifiers_parse_tail(&m, expectations[i].tail, &e), 0, expectations[i].tail);
		modifiers_apply(&m, &event);
		is_string(describe(&event, buf), expectations[i].excludes, "... its bits");
		modifiers_free(&m);
		event_free(&event);
	}
}

static void test_flags(void)
{
	struct modifiers m = MODIFIERS_NONE;
	struct event event;
	struct error e = {0};

	event_init(&event, EVENT_ABI);
	event.attr.exclude_kernel = 1;
	is_number(modifiers_parse_tail(&m, ":pW", &e), 0, "pW");
	modifiers_apply(&m, &event);
	ok(event.attr.exclude_kernel && !event.modes_given && !event.guest_given, "modes not given stay as they were");
	ok(event.weak && !event.precise_max && event.cpu == -1, "weak, and nothing more");
	is_number(modifiers_parse_tail(&m, ":uGP:cpu=3", &e), 0, "uGP:cpu=3");
	modifiers_apply(&m, &event);
	ok(event.modes_given && event.guest_given && event.precise_max, "modes, guest and P are flagged");
	is_number(event.cpu, 3, "the CPU");
	is_number(m.ignored.n, 0, "nothing is ignored");
	is_number(modifiers_parse_tail(&m, ":S:period=7:ub:hw_smpl", &e), 0, "modifiers without effect");
	is_number(m.ignored.n, 4, "are kept");
	ok(strings_has(&m.ignored, "S") && strings_has(&m.ignored, "b") && strings_has(&m.ignored, "period=7") &&
		   strings_has(&m.ignored, "hw_smpl"),
	   "... as written");
	modifiers_free(&m);
	event_free(&event);
}

static void refuses(const char *tail, size_t at, size_t length, const char *text)
{
	struct modifiers m = MODIFIERS_NONE;
	struct error e = {0};

	is_number(modifiers_parse_tail(&m, tail, &e), -EINVAL, tail);
	is_string(e.text, text, "... has the message");
	is_number(e.at, at, "... its position");
	is_number(e.length, length, "... its length");
	modifiers_free(&m);
}

static void test_errors(void)
{
	refuses(":ux", 2, 1, "unknown modifier 'x'");
	refuses(":u:U", 3, 1, "unknown modifier 'U'");
	refuses("uq", 1, 1, "unknown modifier 'q'");
	refuses(":pppp", 4, 1, "modifier p is given more than 3 times");
	refuses(":pp:pp", 5, 1, "modifier p is given more than 3 times");
	refuses(":uu", 2, 1, "modifier u is given twice");
	refuses(":precise=4", 9, 1, "4 is too large for modifier precise (at most 3)");
	refuses(":precise", 1, 7, "modifier precise needs a value: precise=N");
	refuses(":cpu=-1", 5, 2, "modifier cpu takes a number, not '-1'");
	refuses(":cpu=99999999999999999999", 5, 20,
		"99999999999999999999 is too large for modifier cpu (at most 2147483647)");
	refuses(":u=2", 3, 1, "modifier u takes 0, 1, n or y, not '2'");
	refuses(":u=", 1, 2, "modifier u takes 0, 1, n or y, not ''");
	refuses(":foo=1", 1, 3, "unknown modifier 'foo'");
	refuses(":=1", 1, 2, "unknown modifier '=1'");
	refuses(":G=1", 1, 1, "unknown modifier 'G'");
	refuses(":u=0:k=0:h=0", 9, 3, "'h=0' excludes everything from counting");
	refuses(":u=0:u=1", 5, 3, "modifier u=1 contradicts a modifier before it");
	refuses(":u:k:u=0", 5, 3, "modifier u=0 contradicts a modifier before it");
	refuses(":u=0:ku", 6, 1, "modifier u contradicts a modifier before it");
	refuses(":mg:mg=0", 4, 4, "modifier mg=0 contradicts a modifier before it");
	refuses(":D:pinned=0", 3, 8, "modifier pinned=0 contradicts a modifier before it");
	refuses(":pp:precise=1", 4, 9, "modifier precise=1 contradicts a modifier before it");
	refuses(":cpu=0:cpu=1", 7, 5, "modifier cpu=1 contradicts a modifier before it");
	refuses(":mg=0:mh=0", 6, 4, "'mh=0' excludes everything from counting");
}

int main(void)
{
	test_attr();
	test_flags();
	test_errors();
	return tap_done();
}
