#include "rows/columns.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "metric/metric.h"

static const char *kind_name(int kind)
{
	static const char *const names[] = {
		[ITEM_COUNT] = "count",           [ITEM_METRIC] = "metric",
		[ITEM_DIFFERENCE] = "difference", [ITEM_CHANGE] = "change",
		[ITEM_SPREAD] = "spread",         [ITEM_IMBALANCE] = "imbalance",
		[ITEM_OUTLIER] = "outlier",       [ITEM_FOUND] = "found",
		[ITEM_THRESHOLD] = "threshold",   [ITEM_DISTURBANCE] = "disturbance",
	};
	return names[kind];
}

static const char *scope_name(int scope)
{
	return aggr_mode_name((enum aggr_mode)scope);
}

static const char *state_name(int status)
{
	return status_name((enum status)status);
}

#define PLACE(in, member) \
	.part = PART_##in, .offset = offsetof(struct in, member), .size = sizeof(((struct in *)NULL)->member)
#define TEXT(in, member)             .is = COLUMN_IS_TEXT, PLACE(in, member)
#define CHOICE(in, member, of, last) .is = COLUMN_IS_CHOICE, PLACE(in, member), .most = last, .choice = of
#define NUMBER(in, member, largest)  .is = COLUMN_IS_NUMBER, PLACE(in, member), .most = largest
#define REAL(in, member)             .is = COLUMN_IS_REAL, PLACE(in, member)
#define VALUE(in, member)            .is = COLUMN_IS_VALUE, PLACE(in, member)
#define TRUTH(in, member)            .is = COLUMN_IS_TRUTH, PLACE(in, member)

const struct column_type columns[COLUMNS] = {
	[COLUMN_KIND] = {"kind", CHOICE(item, kind, kind_name, ITEM_THRESHOLD)},
	[COLUMN_TIME] = {"time", REAL(row, time)},
	[COLUMN_RUN] = {"run", NUMBER(row, run, UINT_MAX)},
	[COLUMN_COMMAND] = {"command", NUMBER(row, command, UINT_MAX)},
	[COLUMN_SCOPE] = {"scope", CHOICE(subject, scope, scope_name, AGGR_REGION)},
	[COLUMN_SCOPE_ID] = {"scope_id", TEXT(subject, id)},
	[COLUMN_NAME] = {"name", TEXT(item, name)},
	[COLUMN_UNIT] = {"unit", TEXT(item, unit)},
	[COLUMN_STATUS] = {"status", CHOICE(row, status, state_name, STATUS_LOST)},
	[COLUMN_VALUE] = {"value", VALUE(row, value)},
	[COLUMN_ERROR] = {"error", REAL(row, error)},
	[COLUMN_N] = {"n", NUMBER(spread, n, UINT_MAX)},
	[COLUMN_STDDEV] = {"stddev", REAL(spread, stddev)},
	[COLUMN_MIN] = {"min", VALUE(spread, min)},
	[COLUMN_MEDIAN] = {"median", VALUE(spread, median)},
	[COLUMN_MAX] = {"max", VALUE(spread, max)},
	[COLUMN_RAW] = {.name = "raw"},
	[COLUMN_ENABLED] = {.name = "enabled_ns"},
	[COLUMN_RUNNING] = {.name = "running_ns"},
	[COLUMN_GROUP] = {"group", NUMBER(row, group, INT_MAX)},
	[COLUMN_REASON] = {"reason", TEXT(row, reason)},
	[COLUMN_PID] = {"pid", NUMBER(subject, pid, INT_MAX)},
	[COLUMN_PPID] = {"ppid", NUMBER(subject, ppid, INT_MAX)},
	[COLUMN_COMM] = {"comm", TEXT(subject, comm)},
	[COLUMN_CGROUP] = {"cgroup", TEXT(subject, cgroup)},
	[COLUMN_THRESHOLD] = {.name = "threshold"},
	[COLUMN_LOW] = {"low", REAL(row, low)},
	[COLUMN_HIGH] = {"high", REAL(row, high)},
	[COLUMN_WORDS] = {.name = "words"},
	[COLUMN_LABEL] = {.name = "label"},
	[COLUMN_PARAMETERS] = {.name = "parameters"},
	[COLUMN_EVENT] = {"event", NUMBER(item, event_number, SIZE_MAX)},
	[COLUMN_METRIC] = {.name = "metric"},
	[COLUMN_USER_ONLY] = {"user_only", TRUTH(row, user_only)},
	[COLUMN_APPROXIMATE] = {"approximate", TRUTH(row, approximate)},
};

enum column column_find(const char *name, enum column expected)
{
	for (enum column i = 0; i < COLUMNS; i++) {
		enum column column = (expected + i) % COLUMNS;

		if (strcmp(columns[column].name, name) == 0)
			return column;
	}
	return COLUMNS;
}

/* ---- writing ---- */

static bool is_share(enum item_kind kind)
{
	return kind == ITEM_CHANGE || kind == ITEM_IMBALANCE || kind == ITEM_FOUND || kind == ITEM_THRESHOLD;
}

void record_about(struct record *record, const struct row *row, enum item_kind kind)
{
	record->row = (struct row){
		.time = NAN,
		.command = row->command,
		.item = &record->item,
		.subject = row->subject,
		.error = NAN,
		.low = NAN,
		.high = NAN,
		.spread = &record->spread,
		.reason = "",
	};
	record->spread = spread_none;
	record->item = *row->item;
	record->item.kind = kind;
	if (is_share(kind))
		record->item.unit = "";
}

void record_of_variant(struct record *record, const struct row *row, const struct variant *variant)
{
	record_about(record, row, variant->kind);
	record->row.command = variant->command;
	record->row.status = variant->status;
	record->row.value = variant->value;
	record->row.error = variant->error;
	record->row.reason = variant->reason;
	record->spread = variant->spread;
}

struct cell column_text(const char *s)
{
	return (struct cell){s && *s ? CELL_STRING : CELL_NONE, .string = s};
}

static struct cell cell_count(bool known, uint64_t n)
{
	return (struct cell){known ? CELL_COUNT : CELL_NONE, .count = n};
}

static struct cell cell_real(double v)
{
	return (struct cell){isfinite(v) ? CELL_REAL : CELL_NONE, .real = v};
}

static struct cell cell_value(struct value v)
{
	return v.type == VALUE_COUNT ? cell_count(true, v.count) : cell_real(value_real(v));
}

/* Zero is no number, and is not written. */
static struct cell cell_of(const struct column_type *column, const void *place)
{
	uint64_t n;

	switch (column->is) {
	case COLUMN_IS_TEXT:
		return column_text(*(const char *const *)place);
	case COLUMN_IS_CHOICE:
		return column_text(column->choice(*(const int *)place));
	case COLUMN_IS_NUMBER:
		n = column->size == sizeof(int) ? *(const unsigned *)place : *(const uint64_t *)place;
		return cell_count(n > 0, n);
	case COLUMN_IS_REAL:
		return cell_real(*(const double *)place);
	case COLUMN_IS_VALUE:
		return cell_value(*(const struct value *)place);
	case COLUMN_IS_TRUTH:
		break;
	}
	return (struct cell){CELL_TRUTH, .truth = *(const bool *)place};
}

void column_cells(const struct row *row, struct cell cells[COLUMNS])
{
	static const char *const thresholds[] = {
		[THRESHOLD_NONE] = "", [THRESHOLD_WITHIN] = "within", [THRESHOLD_BEYOND] = "beyond"};
	const struct metric *metric = row->item->kind == ITEM_METRIC ? row->item->metric : NULL;
	struct interval interval = row_interval(row);
	const char *const parts[] = {
		[PART_row] = (const char *)row,
		[PART_spread] = (const char *)row->spread,
		[PART_item] = (const char *)row->item,
		[PART_subject] = (const char *)row->subject,
	};

	for (size_t i = 0; i < COLUMNS; i++)
		cells[i] = columns[i].size ? cell_of(&columns[i], parts[columns[i].part] + columns[i].offset)
					   : (struct cell){.type = CELL_NONE};
	cells[COLUMN_RAW] = cell_count(row->has_raw, row->raw.value);
	cells[COLUMN_ENABLED] = cell_count(row->has_raw, row->raw.enabled);
	cells[COLUMN_RUNNING] = cell_count(row->has_raw, row->raw.running);
	cells[COLUMN_THRESHOLD] = column_text(thresholds[row->threshold]);
	cells[COLUMN_LOW] = cell_real(interval.low);
	cells[COLUMN_HIGH] = cell_real(interval.high);
	cells[COLUMN_METRIC] = cell_count(metric && metric->number, metric ? metric->number : 0);
	if (!status_has_value(row->status))
		cells[COLUMN_VALUE] = cells[COLUMN_ERROR] = cells[COLUMN_LOW] = cells[COLUMN_HIGH] =
			(struct cell){.type = CELL_NONE};
}
