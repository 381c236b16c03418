/* The columns of --csv and the keys of -j: the master copy. New ones go to the end. */
#include "report/report_internal.h"

static struct cell cell_string(const char *s)
{
	return s && *s ? (struct cell){.type = CELL_STRING, .string = s} : (struct cell){0};
}

static struct cell cell_count(bool known, uint64_t n)
{
	return known ? (struct cell){.type = CELL_COUNT, .count = n} : (struct cell){0};
}

static struct cell cell_real(double v)
{
	return isfinite(v) ? (struct cell){.type = CELL_REAL, .real = v} : (struct cell){0};
}

static struct cell get_kind(const struct row *row)
{
	static const char *const names[] = {
		[ROW_COUNT] = "count",
		[ROW_METRIC] = "metric",
		[ROW_DIFFERENCE] = "difference",
		[ROW_CHANGE] = "change",
	};

	return cell_string(names[row->kind]);
}

static struct cell get_time(const struct row *row)
{
	return cell_real(row->time);
}

static struct cell get_run(const struct row *row)
{
	return cell_count(row->run > 0, row->run);
}

static struct cell get_command(const struct row *row)
{
	return cell_count(row->command > 0, row->command);
}

static struct cell get_scope(const struct row *row)
{
	return cell_string(aggr_mode_name(row->scope));
}

static struct cell get_scope_id(const struct row *row)
{
	return cell_string(row->scope_id);
}

static struct cell get_name(const struct row *row)
{
	return cell_string(row->name);
}

static struct cell get_unit(const struct row *row)
{
	return cell_string(row->unit);
}

static struct cell get_status(const struct row *row)
{
	return cell_string(status_name(row->status));
}

static struct cell get_value(const struct row *row)
{
	if (!status_has_value(row->status))
		return (struct cell){0};
	if (row->value.type == VALUE_COUNT)
		return cell_count(true, row->value.count);
	return cell_real(value_real(row->value));
}

static struct cell get_error(const struct row *row)
{
	return status_has_value(row->status) ? cell_real(row->error) : (struct cell){0};
}

static struct cell get_n(const struct row *row)
{
	return cell_count(row->n > 0, row->n);
}

static struct cell get_stddev(const struct row *row)
{
	return cell_real(row->stddev);
}

static struct cell get_min(const struct row *row)
{
	return cell_real(row->min);
}

static struct cell get_median(const struct row *row)
{
	return cell_real(row->median);
}

static struct cell get_max(const struct row *row)
{
	return cell_real(row->max);
}

static struct cell get_raw(const struct row *row)
{
	return cell_count(row->has_raw, row->raw.value);
}

static struct cell get_enabled(const struct row *row)
{
	return cell_count(row->has_raw, row->raw.enabled);
}

static struct cell get_running(const struct row *row)
{
	return cell_count(row->has_raw, row->raw.running);
}

static struct cell get_group(const struct row *row)
{
	return cell_count(row->group > 0, (uint64_t)row->group);
}

static struct cell get_reason(const struct row *row)
{
	return cell_string(row->reason);
}

static struct cell get_pid(const struct row *row)
{
	return cell_count(row->pid > 0, (uint64_t)row->pid);
}

static struct cell get_ppid(const struct row *row)
{
	return cell_count(row->ppid > 0, (uint64_t)row->ppid);
}

static struct cell get_comm(const struct row *row)
{
	return cell_string(row->comm);
}

static struct cell get_cgroup(const struct row *row)
{
	return cell_string(row->cgroup);
}

const struct column report_columns[] = {
	{"kind", get_kind, "count or metric; of a comparison also difference and change"},
	{"time", get_time, "seconds at the end of the interval; empty in totals"},
	{"run", get_run, "number of the run; empty in a row over all runs"},
	{"command", get_command, "1 for the first command, 2 for the one after the first :::, and so on"},
	{"scope", get_scope, "what the row is about: total, cpu, core, thread, process, and so on"},
	{"scope_id", get_scope_id, "which of them; empty for the total"},
	{"name", get_name, "the event as the user wrote it, or the metric's name"},
	{"unit", get_unit, "of value and error; empty for a plain count and for a ratio"},
	{"status", get_status, "exact, scaled, idle, starved, unsupported, denied or lost"},
	{"value", get_value, "empty unless exact, scaled or idle"},
	{"error", get_error, "half-width of the 95% confidence interval; empty where exact or not known"},
	{"n", get_n, "runs behind the statistics; empty where there are none"},
	{"stddev", get_stddev, "standard deviation of the runs"},
	{"min", get_min, "smallest of the runs"},
	{"median", get_median, "median of the runs"},
	{"max", get_max, "largest of the runs"},
	{"raw", get_raw, "the counter's figure, never scaled"},
	{"enabled_ns", get_enabled, "how long the event was enabled, in nanoseconds"},
	{"running_ns", get_running, "how long it was on a counter, in nanoseconds"},
	{"group", get_group, "number of the group it was counted in; empty for none"},
	{"reason", get_reason,
	 "why there is no value, what it leaves out, or why it is approximate; the verdict of a difference"},
	{"pid", get_pid, "process id, for processes and threads"},
	{"ppid", get_ppid, "its parent's"},
	{"comm", get_comm, "its program's name"},
	{"cgroup", get_cgroup, "whose tasks alone it is about; empty for all tasks"},
	{NULL, NULL, NULL},
};

const char *report_column(size_t i)
{
	return i < ARRAY_SIZE(report_columns) ? report_columns[i].name : NULL;
}
