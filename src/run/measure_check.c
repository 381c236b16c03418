#include "run/measure_check.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "lib/number.h"
#include "os/program.h"

#define COUNTED_LEAST   0.25   /* of the time on a CPU; a loop that only forks and execs reaches 0.6 */
#define NS_OF_AN_EXEC   200000 /* the kernel removes counters 10 us after it enables them; few programs end as early */
#define NS_WORTH_A_NOTE 10000000   /* some hundred forks whose children do nothing */
#define NS_OF_A_CHILD   10000000   /* of children: one of them was not counted */
#define NS_STANDSTILL   1000000000 /* of the command's process: longer than a virtual machine's CPU stands still */
#define ENDS_NOTED      0.02       /* of the time on a CPU */
#define SWITCHES_NOTED  0.05       /* also */

/* ns that counters of tasks leave out, as measured in a virtual machine, and at most, or there is another cause: to
 * free the memory of a page fault; to switch, where starts and ends of threads and processes are included. */
#define NS_OF_A_FAULT  500
#define FAULT_AT_MOST  1000
#define NS_OF_A_SWITCH 15000
#define SWITCH_AT_MOST 30000
#define MOST_EXPLAINED 0.5 /* of the time on a CPU: 20,000 short threads or vforks, which do nothing, reach 0.4 */

/* At most, the start and end of a fork leave out 1 ms and 150 ns for each page of its memory, and 40% of the CPU time
 * of a loop that only forks. */
#define FORK_AT_MOST  1000000
#define PAGE_AT_MOST  150
#define PAGE          4096
#define FORKS_AT_MOST 0.4

/* Page faults that getrusage knows and no event counts: two before the exec, one of the kernel for the arguments of
 * each exec, estimated by voluntary switches, and the page faults of mlock, MAP_POPULATE and O_DIRECT. A program has
 * more, even a static one without a C library, and runs for NS_OF_A_PROGRAM. A count of user space also lacks the
 * kernel's page faults: four for each process, and one for each page that is read into new memory, which may be most of
 * all; but their CPU time is counted. */
#define FAULTS_OF_A_PROGRAM   4
#define FAULTS_OF_KERNEL      0.05 /* of all page faults */
#define FAULTS_OF_A_WAIT      1    /* a voluntary switch */
#define USER_FAULTS_OF_A_WAIT 2
#define NS_OF_A_PROGRAM       500000
#define TIME_OF_A_PROGRAM     0.1     /* of the time on a CPU, where the kernel's page faults are not counted */
#define NS_UNEXPLAINED        2000000 /* or this, beyond explain_missing: 1 ms at most in 8,000 runs beside load */

/* Loops of forks have more such faults than a program, but as many as execs, most of which follow a fork; without the
 * kernel's, four each. 10 to 140 us of a fork, or 280 us if it has 13 MB, were missing beyond NS_OF_A_FAULT and
 * NS_OF_A_SWITCH, and less of further execs. */
#define FAULTS_OF_A_FORK      1
#define USER_FAULTS_OF_A_FORK 4
#define FAULTS_BEYOND_FORKS   20
#define NS_OF_A_FORK          250000

#define LOSS     "CPU time is missing: the kernel stops counting programs that gain rights or are unreadable"
#define FIX_LOSS "fix: -a, or run pfmstat with the same privileges"

static bool has_tool_event(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->events[i].source == EVENT_TOOL)
			return true;
	return false;
}

static int refuse_row(const struct row *row, struct error *e)
{
	error_set(e, ENODEV, "--strict: %s cannot be counted%s: %s", row->item->name, row->user_only ? " in full" : "",
		  row->reason);
	if (row->user_only)
		error_hint(e, "to count only user space: %s:u, or --all-user", row->item->name);
	return -ENODEV;
}

int measured_check(const struct measured *m, const struct measure_options *o, struct error *e)
{
	const struct event_list *list = o->backend.plan->list;
	bool none = !o->command && list->n && !has_tool_event(list) && !counts_is_any_open(&m->counts);
	struct result result = {0};
	int error = 0;

	if (!none && !o->strict)
		return 0;
	measured_collect(m, o, &result);
	if (none)
		error = error_set(e, ENODEV, "none of the events can be counted: %s: %s", result.rows[0].item->name,
				  result.rows[0].reason);
	for (size_t i = 0; i < result.n && error == 0; i++) {
		const struct row *row = &result.rows[i];
		bool planned = row->item->kind == ITEM_COUNT && row->item->event &&
			       row->item->event->source != EVENT_SIMULATED && /* it counts from the exec on */
			       (row->group > 0 || !event_is_opened(row->item->event));

		if (planned && (!status_has_value(row->status) || row->user_only))
			error = refuse_row(row, e);
	}
	result_free(&result);
	return error;
}

char *result_find_inexact(const struct result *result)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		double enabled = (double)row->raw.enabled;
		auto_free char *share = NULL;

		if (row->item->metric && row->approximate) /* its events may all be exact, of different runs */
			return xasprintf("--strict: %s is not exact: %s", row->item->name, row->reason);
		if (row->item->kind != ITEM_COUNT || !row->item->event)
			continue;
		if ((row->status == STATUS_EXACT || row->status == STATUS_IDLE) && !row->may_miss)
			continue;
		if (row->status == STATUS_SCALED && row->raw.running < row->raw.enabled)
			share = xasprintf("it was on a counter for %.2f%% of the time",
					  100 * (double)row->raw.running / enabled);
		return xasprintf("--strict: %s was not counted exactly: %s", row->item->name,
				 share ? share : row->reason);
	}
	return NULL;
}

/* ---- counters that the kernel takes away ---- */

void measured_prepare_check(struct measured *m, const struct measure_options *o, const pid_t *command,
			    const struct attach *attach)
{
	struct tree_time *t = &m->tree_time;

	if (!o->backend.inherit)
		return;
	if (o->backend.target->kind == TARGET_COMMAND) {
		t->ids = command;
		t->n = 1;
	} else if (o->backend.target->kind == TARGET_PROCESS) {
		t->ids = attach->ids;
		t->n = attach->n_ids;
		tree_time_begin(t);
	}
}

char *measure_foretell_loss(const struct measure_options *o)
{
	const char *why = o->backend.target->kind == TARGET_COMMAND && o->backend.scope == AGGR_TOTAL &&
					  !plan_is_simulated(o->backend.plan)
				  ? program_exec_loss_reason(o->command[0])
				  : NULL;

	return why ? xasprintf("the kernel stops counting when '%s' is executed: %s; " FIX_LOSS, o->command[0], why)
		   : NULL;
}

/* Returns the ns on a CPU while counters existed: the longest enabled time of an event. */
static double longest_enabled(const struct counts *counts)
{
	double longest = 0;

	for (size_t event = 0; event < counts->n_events; event++) {
		double enabled = 0;

		for (size_t slot = 0; slot < counts->n_slots; slot++)
			enabled += (double)counts_at(counts, slot, event)->sample.enabled;
		longest = number_larger(longest, enabled);
	}
	return longest;
}

/* Returns what was counted during the command's whole life; NULL if that is not known. */
static const struct counts *counts_of_life(const struct measured *m, const struct measure_options *o)
{
	if (m->life.n_slots)
		return &m->life;
	return o->pace.delay || o->control || o->regions || m->run.stopped ? NULL : &m->counts;
}

/* CPU time without a counter has another cause in virtual machines: their CPU may stand still at the end of the
 * command's process, after its counters have gone, mostly for less than 60 ms. At the end of a child, this is rare.
 * From root, hardly any program takes counters, so that a standstill is likelier there. */
static bool is_certain(double children_ns, double missing)
{
	double child = geteuid() ? NS_OF_A_CHILD : 2 * NS_OF_A_CHILD;

	return missing >= (children_ns >= child ? child : NS_STANDSTILL);
}

static bool has_kernel_event(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (event_is_opened(&list->events[i]) && !list->events[i].attr.exclude_kernel)
			return true;
	return false;
}

/* Notes what the counts leave out of each command, without numbers, so that repeated runs have one note. */
static void note_gap(struct measured *m, const struct measure_options *o, double used, double missing)
{
	bool is_memory = m->faults * NS_OF_A_FAULT > m->switches * NS_OF_A_SWITCH;

	if (is_memory && missing >= used * ENDS_NOTED && has_kernel_event(o->backend.plan->list))
		strings_add(&m->notes, "%s",
			    "2% or more of the CPU time is missing: since Linux 6.16 the kernel stops counting an "
			    "ending process before it frees its memory; fix: -a");
	if (!is_memory && missing >= used * SWITCHES_NOTED)
		m->of_clocks = "5% or more of the CPU time is missing: the kernel's clocks of tasks leave out the "
			       "context switches, and the start and end of threads and processes; user_time and "
			       "system_time include them";
}

/* Returns the number of page faults that no counter has seen; NAN if the event is not counted. kernel: whether it
 * includes faults in the kernel. */
static double uncounted_faults(const struct measured *m, const struct counts *life, const struct plan *plan,
			       bool *kernel)
{
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct event *event = &plan->events[i];
		const struct count *count = counts_at(life, 0, i);

		if (!event_counts_faults(event) || !count->open || count->sample.running < count->sample.enabled)
			continue;
		*kernel = !event->attr.exclude_kernel && !count->user_only;
		return (double)m->faults - (double)count->sample.value;
	}
	return NAN;
}

static double count_forks(const struct measured *m)
{
	return m->backend && m->backend->ops->forks ? (double)m->backend->ops->forks(m->backend) : INFINITY;
}

static double ns_of_pages(const struct measured *m)
{
	return (double)m->max_rss / PAGE * PAGE_AT_MOST;
}

/* Returns the ns that a command may have used without counters although all its programs were counted. */
static double explain_missing(const struct measured *m, double used)
{
	double forks = count_forks(m) * (FORK_AT_MOST + ns_of_pages(m));
	double explained = (double)m->faults * FAULT_AT_MOST + (double)m->switches * SWITCH_AT_MOST +
			   number_smaller(forks, used * FORKS_AT_MOST);

	return number_smaller(explained, used * MOST_EXPLAINED);
}

/* Page faults and ns that may be missing although all programs were counted. */
struct usual {
	double faults, ns;
};

/* Of programs that hardly fork. kernel: page faults in the kernel are counted. faults: those that were not counted, of
 * MAP_POPULATE and the like; how long one takes to free differs. */
static struct usual usual_of_programs(const struct measured *m, bool kernel, double faults)
{
	double all = (double)m->faults, switches = (double)m->switches, waits = switches - (double)m->preemptions;

	return (struct usual){
		.faults = FAULTS_OF_KERNEL * all + waits * (kernel ? FAULTS_OF_A_WAIT : USER_FAULTS_OF_A_WAIT),
		.ns = all * NS_OF_A_FAULT + switches * NS_OF_A_SWITCH +
		      number_larger(faults, 0) * (FAULT_AT_MOST - NS_OF_A_FAULT),
	};
}

/* Of loops of forks. */
static struct usual usual_of_forks(const struct measured *m, bool kernel, struct usual of_programs)
{
	double forks = count_forks(m);

	return (struct usual){
		.faults = FAULTS_BEYOND_FORKS + forks * (kernel ? FAULTS_OF_A_FORK : USER_FAULTS_OF_A_FORK),
		.ns = of_programs.ns + (double)m->switches * NS_OF_A_SWITCH + forks * (NS_OF_A_FORK + ns_of_pages(m)),
	};
}

enum loss { LOSS_UNKNOWN, LOSS_NONE, LOSS_CERTAIN };

/* Judges by page faults and CPU time whether a program was not counted. Faults alone can be of mlock and the like, CPU
 * time alone of forks, or of a virtual machine whose CPU stands still. */
static enum loss loss_by_faults(const struct measured *m, const struct counts *life, const struct plan *plan,
				double used, double missing)
{
	/* Children take time. A program that the command's process executes takes most of it, or the end of that
	 * process may have stood still (is_certain). */
	bool of_program = (double)m->children_ns >= NS_OF_A_PROGRAM || used - missing < used * COUNTED_LEAST;
	bool kernel = false;
	double faults = life->n_slots == 1 ? uncounted_faults(m, life, plan, &kernel) : NAN;
	double time = kernel ? NS_OF_A_PROGRAM : number_larger(NS_OF_A_PROGRAM, used * TIME_OF_A_PROGRAM);
	struct usual usual;

	if (fabs(faults) < FAULTS_OF_A_PROGRAM) /* below 0: getrusage lacks orphans */
		return LOSS_NONE;
	if (!of_program || isnan(faults)) /* page faults are not counted */
		return LOSS_UNKNOWN;
	usual = usual_of_programs(m, kernel, faults);
	if (faults > usual.faults &&
	    (missing - usual.ns >= time || missing - explain_missing(m, used) >= NS_UNEXPLAINED))
		return LOSS_CERTAIN;
	if (faults <= FAULTS_BEYOND_FORKS || missing - usual.ns < time) /* whatever the number of forks */
		return LOSS_UNKNOWN;
	usual = usual_of_forks(m, kernel, usual);
	return faults > usual.faults && missing - usual.ns >= time ? LOSS_CERTAIN : LOSS_UNKNOWN;
}

/* True if the processes that still run have used time without counters. getrusage(2) knows nothing of them, and how
 * often they were switched is not known. */
static bool lacks_running(const struct measured *m, const struct counts *life)
{
	double used = (double)m->tree_time.ns - (double)m->before_exec;
	double rest = used - longest_enabled(life) - used * MOST_EXPLAINED;

	return m->tree_time.known && is_certain((double)m->tree_time.children_ns, rest);
}

/* by_time: missing time is the only sign. */
static char *explain_time(bool by_time)
{
	return xasprintf(LOSS "%s; " FIX_LOSS, by_time ? ", or a virtual machine's CPU stood still" : "");
}

/* Of the command's own process; NULL if it was counted to its end, as far as is known. */
static char *explain_exec(const struct backend *backend)
{
	char program[EXEC_NAME_SIZE];

	if (!backend || !backend->ops->stopped_at_exec || !backend->ops->stopped_at_exec(backend, program))
		return NULL;
	return xasprintf("the kernel stopped counting when the command executed '%s', which gains rights or is "
			 "unreadable; " FIX_LOSS,
			 program);
}

/* why: owned from now on; NULL: nothing was lost. */
static void set_lost(struct measured *m, const struct measure_options *o, char *why)
{
	m->lost = why;
	if (why && o->pace.interval)
		strings_add(&m->notes, "the intervals are lower bounds, although they are not marked: %s", m->lost);
}

void measured_find_loss(struct measured *m, const struct measure_options *o)
{
	double of_others = o->backend.inherit ? 0 : (double)m->children_ns;
	double used = (double)(m->user_ns + m->system_ns) - (double)m->before_exec - of_others;
	const struct counts *life = counts_of_life(m, o);
	double counted = longest_enabled(life ? life : &m->counts), missing = used - counted;
	double rest; /* missing time that forks and the like do not explain */
	bool little = counted < used * COUNTED_LEAST;
	bool may_be_foretold = little || counted < NS_OF_AN_EXEC;
	bool by_records = o->backend.by || o->backend.functions; /* which show such programs of a command */
	enum loss loss = LOSS_UNKNOWN;

	if (m->backend && m->backend->lost && !m->lost)
		m->lost = xstrdup(m->backend->lost);
	if (plan_is_simulated(o->backend.plan) || m->lost || !counts_is_any_open(&m->counts))
		return;
	if (by_records && o->backend.target->kind != TARGET_PROCESS)
		return;
	if (may_be_foretold && m->has_usage)
		m->lost = measure_foretell_loss(o);
	if (!m->lost)
		set_lost(m, o, explain_exec(m->backend));
	if (m->lost || !life)
		return;
	if (lacks_running(m, life))
		set_lost(m, o, explain_time(true));
	if (m->lost || !m->has_usage || by_records)
		return;
	if (o->backend.inherit)
		loss = loss_by_faults(m, life, o->backend.plan, used, missing);
	if (missing < NS_WORTH_A_NOTE && loss != LOSS_CERTAIN)
		return;
	rest = missing - explain_missing(m, used);
	if (loss == LOSS_UNKNOWN &&
	    (rest < NS_WORTH_A_NOTE || rest < used * ENDS_NOTED || (m->backend && m->backend->knows_lost)))
		loss = LOSS_NONE;
	if (loss == LOSS_NONE) {
		note_gap(m, o, used, missing);
	} else if (o->backend.inherit && (loss == LOSS_CERTAIN || is_certain((double)m->children_ns, rest))) {
		set_lost(m, o, explain_time(loss != LOSS_CERTAIN));
	} else if (o->backend.inherit && little) {
		strings_add(&m->notes, "%s", LOSS "; " FIX_LOSS);
		free(m->left_out);
		m->left_out = xstrdup(LOSS "; " FIX_LOSS);
	}
}
