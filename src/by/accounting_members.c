/* Whom figures are kept for, and what is known of them. */
#include <string.h>

#include "by/accounting_internal.h"

size_t accounting_add_unit(struct accounting *b, size_t process, pid_t tid)
{
	struct unit *unit = ARRAY_PUSH(b->units, b->n_units);

	unit->process = process;
	unit->tid = tid;
	if (b->n_units > b->n_sums) {
		size_t room = b->n_sums ? 2 * b->n_sums : 64;

		b->sums = xreallocarray(b->sums, room * b->n_events, sizeof(*b->sums));
		memset(b->sums + b->n_sums * b->n_events, 0, (room - b->n_sums) * b->n_events * sizeof(*b->sums));
		if (b->options.parts) {
			b->told = xreallocarray(b->told, room * b->n_events, sizeof(*b->told));
			memset(b->told + b->n_sums * b->n_events, 0,
			       (room - b->n_sums) * b->n_events * sizeof(*b->told));
		}
		b->n_sums = room;
	}
	return b->n_units - 1;
}

void accounting_name_unit(struct accounting *b, size_t unit, const char *name)
{
	snprintf(b->units[unit].name, sizeof(b->units[unit].name), "%s", name);
}

struct sample *accounting_sum(const struct accounting *b, size_t unit, size_t event)
{
	return &b->sums[unit * b->n_events + event];
}

struct told *accounting_told(const struct accounting *b, size_t unit, size_t event)
{
	return &b->told[unit * b->n_events + event];
}

static void touch(struct accounting *b, size_t unit)
{
	if (!b->told || b->units[unit].touched)
		return;
	b->units[unit].touched = true;
	*ARRAY_PUSH(b->touched, b->n_touched) = unit;
}

void accounting_charge(struct accounting *b, size_t unit, size_t event, struct sample s)
{
	struct sample *sum = accounting_sum(b, unit, event);

	sum->value += s.value;
	sum->enabled += s.enabled;
	sum->running += s.running;
	touch(b, unit);
}

void accounting_read_cmdline(const struct accounting *b, struct process *p)
{
	char text[4096];
	ssize_t n;

	if (!b->options.cmdline)
		return;
	free(p->cmdline);
	p->cmdline = NULL;
	n = file_readf(text, sizeof(text), "/proc/%d/cmdline", (int)p->pid);
	if (n <= 0) /* it has gone, or its exec has not got so far */
		return;
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	p->cmdline = xstrdup(text);
}

bool accounting_is_active(const struct accounting *b, size_t unit)
{
	for (size_t event = 0; event < b->n_events; event++)
		if (accounting_sum(b, unit, event)->enabled || accounting_sum(b, unit, event)->value)
			return true;
	return false;
}

bool accounting_shows_active(const struct accounting *b)
{
	return b->everybody || b->restarted;
}

const char *accounting_program(const struct accounting *b, size_t unit)
{
	const struct unit *u = &b->units[unit];

	return *u->told ? u->told : tree_name(&b->tree, u->process);
}

static enum aggr_mode scope_of(enum by by)
{
	return by == BY_THREAD ? AGGR_THREAD : by == BY_COMM ? AGGR_COMM : AGGR_PROCESS;
}

static void add_program_key(const struct accounting *b, size_t unit, struct aggr_map *map)
{
	const struct unit *u = &b->units[unit];
	const char *name = accounting_program(b, unit);
	struct key *key = aggr_map_add(map, AGGR_COMM, name);

	key->count += u->process == TREE_NONE ? (unsigned)u->folded : 1;
	if (!key->comm)
		key->comm = xstrdup(name);
}

static void add_own_key(const struct accounting *b, size_t unit, struct aggr_map *map)
{
	const struct unit *u = &b->units[unit];
	const struct process *p = &b->tree.processes[u->process];
	bool is_thread = b->options.by == BY_THREAD;
	auto_free char *id = xasprintf("%d", (int)(is_thread ? u->tid : p->pid));
	struct key *key = aggr_map_add_new(map, scope_of(b->options.by), id); /* ids are given out again */

	key->comm = xstrdup(is_thread ? u->name : tree_name(&b->tree, u->process));
	key->pid = p->pid;
	key->ppid = p->ppid;
}

void accounting_add_key(const struct accounting *b, size_t unit, struct aggr_map *map)
{
	const struct unit *u = &b->units[unit];
	bool is_folded = u->process == TREE_NONE;

	if (is_folded && (!u->folded || b->options.ended == ENDED_TOGETHER))
		aggr_map_skip(map);
	else if (b->options.by == BY_COMM)
		add_program_key(b, unit, map);
	else if (is_folded)
		aggr_map_add_new(map, scope_of(b->options.by), OTHERS)->others = u->folded;
	else
		add_own_key(b, unit, map);
}

void accounting_add_unattributed(const struct accounting *b, struct aggr_map *map)
{
	aggr_map_show(map, 0, scope_of(b->options.by), UNATTRIBUTED)->comm = xstrdup(UNATTRIBUTED);
}
