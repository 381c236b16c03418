#include "run/regions.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define NAMED_MOST 5 /* in a note */

/* ---- open and closed ---- */

static void region_open(struct regions *r, struct region *region)
{
	struct counts room = region->before;

	r->run->backend->ops->read(r->run->backend);
	r->run->backend->ops->current(r->run->backend, &r->now);
	region->before = r->now;
	r->now = room;
	region->since = run_counted_ns(r->run);
}

/* Called after the counters have been read. */
static void region_close(struct regions *r, struct region *region)
{
	r->run->backend->ops->current(r->run->backend, &r->now);
	counts_subtract(&r->added, &r->now, &region->before);
	counts_accumulate(&region->sum, &r->added);
	region->counted_ns += run_counted_ns(r->run) - region->since;
}

/* ---- entries ---- */

static int find_region(struct regions *r, const char *name, size_t *at, struct error *e)
{
	for (*at = 0; *at < r->n; ++*at)
		if (strcmp(r->v[*at].name, name) == 0)
			return 0;
	if (!*name)
		return error_set(e, EINVAL, "'region begin' needs a name");
	if (strlen(name) > REGION_NAME_MAX)
		return error_set(e, EINVAL, "a region's name has no more than %d bytes", REGION_NAME_MAX);
	if (r->n == REGIONS_MAX)
		return error_set(e, ENOSPC, "no more than %d regions are counted", REGIONS_MAX);
	*ARRAY_PUSH(r->v, r->n) = (struct region){.name = xstrdup(name)};
	return 0;
}

int regions_begin(struct regions *r, const char *name, pid_t owner, struct error *e)
{
	struct region *region;
	size_t at;

	if (r->n_open == REGION_ENTRIES_MAX)
		return error_set(e, ENOSPC, "%d regions are already open", REGION_ENTRIES_MAX);
	if (find_region(r, name, &at, e) < 0)
		return -e->code;
	region = &r->v[at];
	*ARRAY_PUSH(r->open, r->n_open) = (struct region_entry){at, owner};
	region->entries++;
	if (region->open++ == 0)
		region_open(r, region);
	return 0;
}

static void end_entry(struct regions *r, size_t at)
{
	struct region *region = &r->v[r->open[at].region];

	if (--region->open == 0) {
		r->run->backend->ops->read(r->run->backend);
		region_close(r, region);
	}
	r->n_open--;
	memmove(&r->open[at], &r->open[at + 1], (r->n_open - at) * sizeof(*r->open));
}

int regions_end(struct regions *r, const char *name, pid_t owner, struct error *e)
{
	bool in_another = false;

	for (size_t i = r->n_open; i-- > 0;)
		if (r->open[i].owner == owner && (!*name || strcmp(r->v[r->open[i].region].name, name) == 0)) {
			end_entry(r, i);
			return 0;
		}
	if (!*name)
		return error_set(e, ENOENT, "no region is open%s", r->n_open ? " in this process" : "");
	for (size_t i = 0; i < r->n; i++)
		in_another |= r->v[i].open && strcmp(r->v[i].name, name) == 0;
	return error_set(e, ENOENT, "region '%.*s' is not open%s", REGION_NAME_MAX, name,
			 in_another ? " in this process" : "");
}

void regions_finish(struct regions *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].open) {
			r->v[i].unended = r->v[i].open;
			region_close(r, &r->v[i]);
		}
}

/* ---- results ---- */

/* For metrics by expression; NULL if none of them uses it. */
static const struct event *find_duration(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].tool == TOOL_DURATION_TIME)
			return &plan->events[i];
	return NULL;
}

void regions_mark_uncounted(struct regions *r, const struct counts *whole)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t event = 0; event < r->v[i].sum.n_events; event++)
			counts_at(&r->v[i].sum, 0, event)->uncounted |= counts_at(whole, 0, event)->uncounted;
}

void regions_collect(const struct regions *r, struct result *result, const struct plan *plan,
		     const struct collect_context *context)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct region *region = &r->v[i];
		const struct item time = {.name = "duration_time", .unit = "ns", .event = find_duration(plan)};

		collect_region(result, plan, &region->sum, region->name, region->counted_ns, context);
		collect_region_value(result, region->name, &time, count_value(region->counted_ns));
		collect_region_value(result, region->name, &(struct item){.name = "entries"},
				     count_value(region->entries));
	}
}

/* Returns "'a', 'b' and 3 more". */
static char *name_unended(const struct regions *r)
{
	auto_strings struct strings names = {0};
	auto_free char *text = NULL;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].unended && n++ < NAMED_MOST)
			strings_add(&names, "'%s' (%" PRIu64 " of %" PRIu64 ")", r->v[i].name, r->v[i].unended,
				    r->v[i].entries);
	text = strings_join(&names, ", ");
	if (n <= NAMED_MOST)
		return text ? xstrdup(text) : NULL;
	return xasprintf("%s and %zu more", text, n - NAMED_MOST);
}

/* No note begins with "entries": that is the name of a row. */
void regions_add_notes(const struct regions *r, struct strings *notes)
{
	auto_free char *unended = name_unended(r);

	if (unended)
		strings_add(notes,
			    "the program did not end all regions that it began; they are counted until the end of the "
			    "run: %s",
			    unended);
	if (r->n == 0)
		strings_add(notes, "no region was begun: the program must mark them (pfmstat.h, pfmstat.py)");
}

void regions_free(struct regions *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->v[i].name);
		counts_free(&r->v[i].before);
		counts_free(&r->v[i].sum);
	}
	free(r->v);
	free(r->open);
	counts_free(&r->now);
	counts_free(&r->added);
	*r = (struct regions){.n = 0};
}
