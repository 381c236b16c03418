/* What the rows of a report are of: its events, and its metrics by expression. */
#include <math.h>
#include <string.h>

#include "metric/formula.h"
#include "result/saved_internal.h"

static void take_encoding(struct reader *r, const struct json_record *record, struct event *event)
{
	struct perf_event_attr *attr = &event->attr;

	attr->type = (uint32_t)field_count(r, record, "type", UINT32_MAX);
	attr->config = field_count(r, record, "config", UINT64_MAX);
	attr->config1 = field_count(r, record, "config1", UINT64_MAX);
	event->config1_string = copy_string(r, record, "config1");
	attr->config2 = field_count(r, record, "config2", UINT64_MAX);
	attr->exclude_user = field_truth(r, record, "exclude_user");
	attr->exclude_kernel = field_truth(r, record, "exclude_kernel");
	attr->exclude_hv = field_truth(r, record, "exclude_hv");
	attr->exclude_idle = field_truth(r, record, "exclude_idle");
	attr->exclude_host = field_truth(r, record, "exclude_host");
	attr->exclude_guest = field_truth(r, record, "exclude_guest");
	attr->precise_ip = field_count(r, record, "precise_ip", 3) & 3;
}

static void take_event(struct reader *r, const struct json_record *record)
{
	struct event *event = xcalloc(1, sizeof(*event));
	double scale = field_real(r, record, "scale");
	enum event_source source = EVENT_VENDOR;

	while (source > EVENT_ABI && strcmp(event_source_name(source), field_string(r, record, "source")) != 0)
		source--;
	event_init(event, source);
	event->name = xstrdup(field_string(r, record, "name"));
	event->full_name = copy_string(r, record, "full_name");
	event->pmu = copy_string(r, record, "pmu");
	event->filter = copy_string(r, record, "filter");
	free(event->unit);
	event->unit = xstrdup(field_string(r, record, "unit"));
	event->scale = isfinite(scale) ? scale : 1;
	take_encoding(r, record, event);
	*ARRAY_PUSH(r->saved->events, r->saved->n_events) = event;
}

static void take_metric(struct reader *r, const struct json_record *record)
{
	struct result *result = &r->saved->result;
	struct formula *formula = result_allocate(result, sizeof(*formula));

	*formula = (struct formula){
		.name = result_text(result, field_string(r, record, "name")),
		.text = result_text(result, field_string(r, record, "expression")),
		.scale = field_real(r, record, "scale"),
	};
	*ARRAY_PUSH(r->saved->formulas, r->saved->n_formulas) = formula;
}

/* Events are what ratios are recognized by, and different events of one name. Those of pfmstat itself have no encoding.
 */
void take_definitions(struct reader *r)
{
	for (size_t i = 0; i < r->records.n; i++) {
		const struct json_record *record = &r->records.v[i];
		const char *list = record->value_of ? record->value_of : "";

		if (strcmp(list, "metrics") == 0)
			take_metric(r, record);
		else if (strcmp(list, "events") == 0 && field_is_number(r, record, "type"))
			take_event(r, record);
		else if (strcmp(list, "events") == 0)
			*ARRAY_PUSH(r->saved->events, r->saved->n_events) = NULL;
	}
}

const struct event *find_event(struct reader *r, const struct row *row)
{
	struct event *const *events = r->saved->events;
	size_t n = r->saved->n_events;
	const struct event *found = NULL;

	if (row->number)
		return row->number <= n - r->first_event ? events[r->first_event + row->number - 1] : NULL;
	for (size_t i = r->first_event; i < n && !result_is_clock(row->name); i++) {
		if (!events[i] || strcmp(events[i]->name, row->name) != 0)
			continue;
		if (found)
			return NULL;
		found = events[i];
	}
	return found;
}

const struct formula *find_formula(const struct reader *r, const char *name)
{
	const struct formula *found = NULL;

	for (size_t i = r->first_formula; i < r->saved->n_formulas; i++) {
		const struct formula *formula = r->saved->formulas[i];
		size_t n = strlen(formula->name);

		if (strcmp(formula->name, name) == 0)
			return formula;
		if (strncmp(formula->name, name, n) == 0 && strncmp(name + n, " on ", 4) == 0)
			found = formula;
	}
	return found;
}

void make_metric(struct reader *r, struct row *row)
{
	const struct formula *of = find_formula(r, row->name);
	struct formula *formula = result_allocate(&r->saved->result, sizeof(*formula));
	char *unit = result_allocate(&r->saved->result, strlen(row->unit) + 1);

	strcpy(unit, row->unit);
	*formula = (struct formula){
		.name = row->name, .unit = unit, .text = of ? of->text : NULL, .scale = of ? of->scale : NAN};
	row->formula = formula;
}
