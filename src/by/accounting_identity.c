/* After records were lost: a birth may be among them, or an end, and its id be another one's. What the process is that
 * has an id now is asked of /proc, and compared by the time of its birth; what has gone meanwhile is nobody's. */
#include <time.h>

#include "by/accounting_internal.h"
#include "host/procfs.h"

/* Births are told in ticks, and of the command's own process the time is not quite its birth's. */
#define BIRTH_SLACK_NS 100000000u

/* From ticks since boot to CLOCK_MONOTONIC, which stands still while the machine is suspended. */
static uint64_t birth_time(uint64_t ticks)
{
	struct timespec boot;
	uint64_t now, since_boot;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	now = clock_now();
	since_boot = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
	return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK)) - (since_boot - now);
}

/* Is it the process that the tree has under this id? */
static bool is_same(const struct accounting *b, const struct process *p, const struct proc_stat *r)
{
	int64_t apart = (int64_t)(birth_time(r->start) - p->start);

	if (p->pid == b->options.root)
		return r->start == b->start;
	return !p->start || (apart < (int64_t)BIRTH_SLACK_NS && apart > -(int64_t)BIRTH_SLACK_NS);
}

void accounting_forget(struct accounting *b, pid_t tid)
{
	tree_put_task(&b->tree, tid, TREE_NONE, STRANGER)->generation--;
}

static struct task *renew(struct accounting *b, struct task *task)
{
	task->generation = b->tree.generation;
	return task;
}

static const struct task *find_leader(const struct accounting *b, pid_t pid, const struct proc_stat *r)
{
	const struct task *task = tree_find_first(&b->tree, pid);

	return task && is_same(b, &b->tree.processes[task->process], r) ? task : NULL;
}

/* Its parent's id is as good as its parent: it has children. */
static bool is_child(const struct accounting *b, const struct proc_stat *r)
{
	const struct task *parent = tree_find_task(&b->tree, r->ppid);
	struct proc_stat other;

	return parent && parent->process != TREE_NONE && procfs_read_stat(r->ppid, &other) == 0 &&
	       find_leader(b, r->ppid, &other);
}

/* Its birth was not told. */
static void adopt(struct accounting *b, const struct proc_stat *r)
{
	accounting_forget(b, r->pid);
	accounting_add_newcomer(b, r->pid, r->pid);
	b->tree.processes[tree_find_task(&b->tree, r->pid)->process].start = birth_time(r->start);
}

/* With threads for targets, others of their processes are strangers; births are not to be guessed. */
static struct task *identify_thread(struct accounting *b, pid_t pid, pid_t tid, bool *unknown)
{
	struct task *task = tree_find_task(&b->tree, tid);
	const struct process *p;
	struct proc_stat r;

	*unknown = procfs_read_stat(tid, &r) < 0;
	if (*unknown)
		return NULL;
	p = task && task->process != TREE_NONE ? &b->tree.processes[task->process] : NULL;
	if (p && p->pid == pid && (tid != pid || is_same(b, p, &r)))
		return renew(b, task);
	*unknown = r.start >= b->start;
	if (!*unknown)
		tree_put_task(&b->tree, tid, TREE_NONE, STRANGER);
	return NULL;
}

struct task *accounting_identify(struct accounting *b, pid_t pid, pid_t tid, bool *unknown)
{
	struct task *task = tree_find_task(&b->tree, tid);
	const struct task *leader;
	struct proc_stat r;

	if (b->options.threads)
		return identify_thread(b, pid, tid, unknown);
	*unknown = procfs_read_stat(pid, &r) < 0;
	if (*unknown)
		return NULL;
	leader = find_leader(b, pid, &r);
	if (leader && task && task->process == leader->process)
		return renew(b, task);
	if (leader || is_child(b, &r) || b->everybody) {
		if (!leader)
			adopt(b, &r);
		accounting_add_newcomer(b, pid, tid);
		return tree_find_task(&b->tree, tid);
	}
	*unknown = r.start >= b->start; /* orphans have a stranger for a parent */
	if (!*unknown)
		tree_put_task(&b->tree, tid, TREE_NONE, STRANGER);
	return NULL;
}
