#include "rows/tool_rows.h"

#include <math.h>

static void set_value(struct filling *f, uint64_t value)
{
	const uint64_t elapsed = f->context->elapsed_ns;

	f->row->status = STATUS_EXACT;
	f->row->value = count_value(value);
	f->row->has_raw = true;
	f->row->raw = (struct sample){value, elapsed, elapsed};
}

/* A figure of the machine is the same at any time. */
static void set_constant(struct filling *f)
{
	if (isnan(f->event->constant))
		filling_set_state(f, STATUS_UNSUPPORTED, "this machine does not report it");
	else
		set_value(f, (uint64_t)f->event->constant);
}

static void set_tree_peak(struct filling *f, const struct tree_peak *peak)
{
	if (peak->missing) {
		filling_set_state(f, peak->denied ? STATUS_DENIED : STATUS_UNSUPPORTED,
				  result_text(f->result, peak->missing));
		return;
	}
	set_value(f, peak->bytes);
	if (peak->lost) {
		filling_set_state(f, STATUS_PARTIAL,
				  "the kernel's records of memory were lost; later peaks are not known");
	} else if (peak->error) {
		filling_set_state(f, STATUS_SCALED, "before Linux 6.2, the kernel adds up the memory of tasks late");
		f->row->error = (double)peak->error;
	} else {
		row_explain_text(f->row, result_format(f->result, "the peak was %.3f s after the start",
						       (double)peak->after_ns / 1e9));
		f->row->why = WHY_MOMENT;
	}
}

void filling_set_tool(struct filling *f)
{
	const struct collect_context *c = f->context;
	enum event_tool tool = f->event->tool;
	const uint64_t ns[] = {
		[TOOL_DURATION_TIME] = c->elapsed_ns,
		[TOOL_USER_TIME] = c->user_ns,
		[TOOL_SYSTEM_TIME] = c->system_ns,
	};

	if (tool == TOOL_MACHINE) {
		set_constant(f);
		return;
	}
	if (tool != TOOL_DURATION_TIME && !c->has_usage) {
		filling_explain(f, STATUS_UNSUPPORTED, c->has_command ? WHY_NOT_ENDED : WHY_NO_COMMAND);
		return;
	}
	if (tool == TOOL_TREE_RSS)
		set_tree_peak(f, c->tree_peak);
	else
		set_value(f, ns[tool]);
	if (plan_is_simulated(f->plan) && status_has_value(f->row->status))
		filling_explain(f, STATUS_SCALED, WHY_SIMULATED);
	else
		row_set_clock_accuracy(f->row, c->user_ns + c->system_ns, false);
}
