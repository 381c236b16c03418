/* The question of --check whether counts are right: known work is counted by each class of event. */
#include <string.h>

#include "cli/check_internal.h"
#include "count/known_work.h"
#include "host/findings.h"
#include "lib/number.h"

/* Returns what is wrong with the count, for a report. The caller frees it. */
static char *describe(const struct known_count *count)
{
	double off = 100 * ((double)count->counted / count->truth - 1);

	if (count->verdict == KNOWN_NONSENSE)
		return xasprintf("the count of %s is wrong (%llu for known work of about %.0f)", count->event,
				 (unsigned long long)count->counted, count->truth);
	return xasprintf("%s is off by %+.0f%% (%llu for known work of about %.0f)", count->event, off,
			 (unsigned long long)count->counted, count->truth);
}

void check_counts(struct checking *c)
{
	struct known_count counts[KNOWN_COUNTS];
	auto_strings struct strings right = {0}, wrong = {0}, untried = {0}, kept = {0};
	auto_free char *all_right = NULL, *all_untried = NULL;

	known_work_try(counts);
	for (size_t i = 0; i < KNOWN_COUNTS; i++) {
		auto_free char *text = NULL;

		if (counts[i].verdict == KNOWN_RIGHT)
			strings_add(&right, "%s", counts[i].event);
		else if (counts[i].verdict == KNOWN_UNTRIED)
			strings_add(&untried, "%s", counts[i].event);
		else
			strings_add(&wrong, "%s", text = describe(&counts[i]));
		if (text && counts[i].hardware)
			strings_add(&kept, "%s", text);
	}
	for (size_t i = 0; i < wrong.n; i++)
		check_put(c, CHECK_FAIL, "do not trust it here; count on another machine, or on the host of this one",
			  "%s", wrong.v[i]);
	all_right = strings_join(&right, ", ");
	all_untried = strings_join(&untried, ", ");
	if (right.n)
		check_put(c, CHECK_OK, NULL, "right for known work: %s", all_right);
	if (untried.n)
		check_put(c, right.n || wrong.n ? CHECK_OK : CHECK_PART, NULL, "not checkable here: %s", all_untried);
	findings_keep(&kept); /* for reports with hardware events */
}
