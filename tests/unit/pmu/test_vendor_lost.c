/* All rows of the table of events that lost a field, and events that did not. */
#include "pmu/vendor_lost.h"

#include <stdio.h>
#include <string.h>

#include "lib/util.h"
#include "tap.h"

static char *loss_of(const char *name, const char *code, const char *umask, const char *field, const char *value)
{
	char pmu[] = "uncore_unit";
	const struct json_member members[] = {{"EventCode", code, true}, {"UMask", umask, true}, {field, value, true}};
	const struct vendor_event event = {
		.name = name, .pmu = pmu, .object = {.path = "a\tfile", .members = members, .n = ARRAY_SIZE(members)}};

	return vendor_event_loss(&event);
}

static void is_lost(bool expected, const char *name, const char *code, const char *umask, const char *field,
		    const char *value, const char *what)
{
	auto_free char *loss = loss_of(name, code, umask, field, value);

	ok((loss != NULL) == expected, what);
}

/* Returns the number of events in a line that are not recognized. */
static size_t test_line(const char *line, size_t *events)
{
	char base[64], code[16], field[16], full[160];
	int at;
	size_t wrong = 0;

	if (sscanf(line, "%63s %15s %15s%n", base, code, field, &at) != 3)
		return 1;
	for (const char *rest = line + at + 1; rest[-1] != '\n'; rest += strcspn(rest, " \n") + 1) {
		auto_free char *hex = xasprintf("0x%s", code), *loss = NULL, *sound = NULL;
		int n = (int)strcspn(rest, " \n");

		snprintf(full, sizeof(full), "%s%s%.*s", base, *rest == '-' ? "" : ".", *rest == '-' ? 0 : n, rest);
		loss = loss_of(full, hex, "0x0", "Unit", "ANY");
		sound = loss_of(full, hex, "0x0", field, "0x1");
		wrong += !loss || !strstr(loss, field) || sound;
		++*events;
	}
	return wrong;
}

int main(void)
{
	size_t wrong = 0, events = 0;
	auto_free char *text = NULL;

	for (const char *line = vendor_lost_table; *line; line = strchr(line, '\n') + 1)
		wrong += test_line(line, &events);
	is_number(events, 346, "all events, two of them with two codes");
	is_number(wrong, 0, "each is recognized without its field, and left alone with it");
	is_lost(true, "unc_q_cto_count", "0x38", "0x0", "Unit", "QPI", "in lower case");
	is_lost(true, "UNC_Q_RxL_FLITS_G1.DRS", "0x2", "0x18", "ExtSel", "0", "ExtSel is 0, beside a umask");
	is_lost(false, "UNC_P_CORE0_TRANSITION_CYCLES", "0x60", "0x0", "Unit", "PCU", "another CPU's event");
	is_lost(false, "UNC_CHA_TOR_INSERTS.DDR", "0x35", "0x4", "Unit", "CHA", "another CPU's umask");
	is_lost(false, "UNC_CHA_TOR_INSERTS.IA", "0x35", "0x0", "Unit", "CHA", "another umask");
	is_lost(false, "UNC_CHA_TOR_INSERTS", "0x35", "0x0", "Unit", "CHA", "without a umask");
	text = loss_of("UNC_Q_CTO_COUNT", "0x38", "", "Unit", "QPI");
	is_string(text,
		  "a\\tfile lacks the ExtSel of events of uncore_unit, as the files of Linux 6.12 do: they count other "
		  "events; "
		  "fix: take the file from intel/perfmon",
		  "the remark");
	return tap_done();
}
