/* The reports that a total leaves out, or may leave out, and the reasons. */
#include "lib/util.h"
#include "saved/merge.h"

#define NAMED_MOST 3 /* reports in a reason */

/* Returns "2, 5 and 7 others": the reports without a value, or only the marked ones among them (marked: NULL for all).
 * Returns NULL if there are none. The caller frees it. */
static char *name_missing(const struct merge *m, const struct merge_entry *entry, const bool *marked,
			  char *const *labels)
{
	auto_strings struct strings names = {0};
	size_t others = 0, k = 0;
	char *text;

	for (unsigned report = 1; report <= m->reports; report++) {
		if (k < entry->n && entry->values[k].report == report)
			k++;
		else if (marked && !marked[report - 1])
			continue;
		else if (names.n < NAMED_MOST)
			strings_add(&names, "%s", labels[report - 1]);
		else
			others++;
	}
	text = strings_join(&names, ", ");
	if (others) {
		auto_free char *named = text;

		return xasprintf("%s and %zu other%s", named, others, others == 1 ? "" : "s");
	}
	return text;
}

/* A program that did not run in a report, or a cgroup or region that did not exist, is not left out. */
const char *merge_reason(struct merge *m, const struct merge_entry *entry, char *const *labels)
{
	enum aggr_mode scope = m->result.rows[entry->total].subject->scope;
	auto_free char *missing = NULL, *hidden = NULL;
	bool said = entry->missing && *entry->missing;

	if (entry->n == 0)
		return entry->missing ? entry->missing : "";
	if (entry->n < m->reports && (scope == AGGR_TOTAL || entry->missing)) {
		missing = name_missing(m, entry, NULL, labels);
		return result_format(&m->result, "in %zu of %u reports, not in %s%s%s", entry->n, m->reports, missing,
				     said ? ": " : "", said ? entry->missing : "");
	}
	if (scope == AGGR_COMM)
		hidden = name_missing(m, entry, m->has_others, labels);
	if (hidden)
		return result_format(&m->result, "in %zu of %u reports; it may be in the row of others of %s", entry->n,
				     m->reports, hidden);
	if (entry->remarks == 0 || entry->remarks == m->reports)
		return entry->remarks ? entry->remark : "";
	return result_format(&m->result, "in %u of %u reports: %s", entry->remarks, m->reports, entry->remark);
}
