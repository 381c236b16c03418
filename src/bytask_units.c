/* Whom figures are kept for, and what is known of them. */
#include <string.h>

#include "bytask_internal.h"

size_t bytask_add_unit(struct bytask *b, size_t process, pid_t tid)
{
	struct unit *unit = ARRAY_PUSH(b->units, b->n_units);

	unit->process = process;
	unit->tid = tid;
	if (b->n_units > b->n_sums) {
		size_t room = b->n_sums ? 2 * b->n_sums : 64;

		b->sums = xreallocarray(b->sums, room * b->n_events, sizeof(*b->sums));
		memset(b->sums + b->n_sums * b->n_events, 0, (room - b->n_sums) * b->n_events * sizeof(*b->sums));
		b->n_sums = room;
	}
	return b->n_units - 1;
}

void bytask_name_unit(struct bytask *b, size_t unit, const char *name)
{
	snprintf(b->units[unit].name, sizeof(b->units[unit].name), "%s", name);
}

struct sample *bytask_sum(const struct bytask *b, size_t unit, size_t event)
{
	return &b->sums[unit * b->n_events + event];
}

void bytask_read_cmdline(const struct bytask *b, struct process *p)
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
