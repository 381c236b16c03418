/* The start record of --json: the host, the events, the metrics and the commands. */
#include <sys/utsname.h>

#include "host/environment.h"
#include "lib/cpuset.h"
#include "metric/metric_set.h"
#include "report/formats/records.h"
#include "report/report_internal.h"

static void put_host(struct json *j)
{
	struct utsname uts = {.nodename = ""};
	char cpu[CPUINFO_MAX];

	uname(&uts);
	json_string(j, "host", uts.nodename);
	json_string(j, "kernel", uts.release);
	json_string(j, "arch", uts.machine);
	json_string(j, "cpu", *cpu_model_read(cpu) ? cpu : NULL);
}

static void put_encoding(struct json *j, const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	json_u64(j, "type", attr->type);
	json_u64(j, "config", attr->config);
	/* a probe's config1 is the address of a string in this process */
	if (event->config1_string)
		json_string(j, "config1", event->config1_string);
	else
		json_u64(j, "config1", attr->config1);
	json_u64(j, "config2", attr->config2);
	if (attr->config3) /* of few PMUs */
		json_u64(j, "config3", attr->config3);
	if (attr->config4)
		json_u64(j, "config4", attr->config4);
	json_bool(j, "exclude_user", attr->exclude_user);
	json_bool(j, "exclude_kernel", attr->exclude_kernel);
	json_bool(j, "exclude_hv", attr->exclude_hv);
	json_bool(j, "exclude_idle", attr->exclude_idle);
	json_bool(j, "exclude_host", attr->exclude_host);
	json_bool(j, "exclude_guest", attr->exclude_guest);
	json_u64(j, "precise_ip", attr->precise_ip);
}

static void put_event(struct json *j, const struct event *event, unsigned group)
{
	json_object_begin(j, NULL);
	json_string(j, "name", event->name);
	json_string(j, "full_name", event->full_name);
	json_string(j, "source", event_source_name(event->source));
	json_string(j, "pmu", event->pmu);
	json_string(j, "unit", *event->unit ? event->unit : NULL);
	json_double(j, "scale", event->scale);
	json_string(j, "filter", event->filter);
	json_string(j, "cpus", event->only_cpus);
	if (event_is_opened(event))
		put_encoding(j, event);
	json_known(j, "group", group > 0, group);
	if (event->remark) /* both codes of a name that libpfm4 encodes wrongly, for example */
		json_string(j, "remark", event->remark);
	json_object_end(j);
}

static void put_events(struct json *j, const struct session *session)
{
	const struct event *event;
	unsigned group;

	json_array_begin(j, "events");
	for (size_t i = 0; (event = session_event(session, i, &group)); i++)
		put_event(j, event, group);
	json_array_end(j);
}

/* Writes the metrics by expression. A name includes the core PMU for which a file defines the metric, but not the core
 * PMU on which it was counted, which the names of its rows also have. */
static void put_definitions(struct json *j, const struct session *session)
{
	const struct metric_set *set = session->metrics;
	auto_free size_t *events = set ? xcalloc(set->n_events + 1, sizeof(*events)) : NULL;

	json_array_begin(j, "metrics");
	for (size_t i = 0; set && i < set->n; i++) {
		const struct metric *metric = set->chosen[i];
		auto_free char *name = xasprintf("%s%s%s", metric->name, *metric->pmu ? " on " : "", metric->pmu);
		size_t n = metric_list_events(set, metric, events);

		json_object_begin(j, NULL);
		json_string(j, "name", name);
		json_string(j, "expression", metric->text);
		json_double(j, "scale", metric->scale);
		json_string(j, "unit", *metric->unit ? metric->unit : NULL);
		json_array_begin(j, "events");
		for (size_t k = 0; k < n; k++)
			json_u64(j, NULL, set->events[events[k]].index + 1);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Writes for each command the values that --scan gave it. They are text: 08 is not 8. */
static void put_parameters(struct json *j, const struct session *session)
{
	const struct parameters *p = session->parameters;

	if (!p)
		return;
	json_array_begin(j, "parameters");
	for (size_t i = 0; i < session->n_commands; i++) {
		json_object_begin(j, NULL);
		for (size_t k = 0; k < p->n; k++)
			if (p->values[i * p->n + k])
				json_string(j, p->names[k], p->values[i * p->n + k]);
		json_object_end(j);
	}
	json_array_end(j);
	json_array_begin(j, "origins");
	for (size_t i = 0; i < session->n_commands; i++)
		json_u64(j, NULL, p->origins[i] + 1);
	json_array_end(j);
}

/* Writes the commands or saved reports of a comparison, or the merged reports. */
static void put_commands(struct json *j, const struct session *session)
{
	size_t n = session->n_merged ? session->n_merged : session->n_commands;

	if (session->n_commands < 2 && !session->n_merged)
		return;
	json_array_begin(j, session->commands ? "commands" : "reports");
	for (size_t i = 0; i < n; i++) {
		if (session->commands)
			json_words(j, NULL, session->commands[i]);
		else
			json_string(j, NULL, session->command_names[i]);
	}
	json_array_end(j);
	if (session->n_merged)
		json_strings(j, "merged_runs", session->merged_runs);
	put_parameters(j, session);
}

void report_put_start_record(struct json *j, const struct session *session)
{
	auto_free char *cpus = session->cpus && session->cpus->n ? cpuset_text(session->cpus) : NULL;

	json_object_begin(j, NULL);
	json_string(j, "kind", "start");
	json_u64(j, "schema", 1);
	json_string(j, "tool", "pfmstat");
	json_string(j, "version", session->version);
	json_double(j, "start_time", session->start_time);
	put_host(j);
	json_words(j, "command", session->command);
	put_commands(j, session);
	if (session->has_seed)
		json_u64(j, "seed", session->seed);
	if (session->medians)
		json_string(j, "statistic", "median");
	json_string(j, "target", session->target_kind);
	if (cpus)
		json_string(j, "cpus", cpus);
	put_events(j, session);
	put_definitions(j, session);
	if (session_group_notes(session))
		json_strings(j, "notes", session_group_notes(session));
	json_object_end(j);
	json_newline(j);
}
