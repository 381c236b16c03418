#include "os/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

#include "lib/util.h"

static const int ending[] = {SIGINT,   SIGTERM,   SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
			     SIGALRM,  SIGVTALRM, SIGPROF, SIGXCPU, SIGPWR,  SIGIO,
#ifdef SIGSTKFLT /* not on MIPS and SPARC */
			     SIGSTKFLT
#endif
};

/* Shells without job control start background jobs with SIGINT and SIGQUIT ignored, but scripts still end them with
 * SIGINT. */
static bool is_heeded_always(int number)
{
	return number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

/* A blocked signal is queued even if it is ignored; of the signals that the caller ignored, only these three are
 * taken. */
static void add_unless_ignored(sigset_t *mask, int number)
{
	struct sigaction action;

	if (is_heeded_always(number) || (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN))
		sigaddset(mask, number);
}

/* Until signals_block, a signal that is not ignored ends the process. */
void signals_prepare(struct signals *s)
{
	sigset_t ignored;
	struct sigaction action;

	sigemptyset(&ignored);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (is_heeded_always(ending[i]) && sigaction(ending[i], NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN)
			sigaddset(&ignored, ending[i]);
	sigprocmask(SIG_BLOCK, &ignored, &s->old_mask);
	s->prepared = true;
}

int signals_block(struct signals *s, struct error *e)
{
	/* the kernel would discard the child's status if SIGCHLD is ignored, which is inherited */
	const struct sigaction chld_default = {.sa_handler = SIG_DFL};
	sigset_t blocked;

	if (!s->old_files.rlim_max)
		getrlimit(RLIMIT_NOFILE, &s->old_files);
	sigemptyset(&s->mask);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		add_unless_ignored(&s->mask, ending[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		add_unless_ignored(&s->mask, number);
	sigaddset(&s->mask, SIGCHLD);
	blocked = s->mask;
	sigaddset(&blocked, SIGPIPE);
	sigaddset(&blocked, SIGXFSZ);
	sigaction(SIGCHLD, &chld_default, &s->old_chld);
	sigprocmask(SIG_BLOCK, &blocked, s->prepared ? NULL : &s->old_mask);
	s->fd = signalfd(-1, &s->mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return error_set(e, errno, "signalfd: %s", strerror(errno));
	s->blocked = true;
	return 0;
}

int signals_open_waiter(const struct signals *s)
{
	sigset_t mask;

	if (!s || !s->blocked)
		return -1;
	mask = s->mask;
	sigdelset(&mask, SIGCHLD);
	return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool signals_ask_to_end(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending, asking;

	sigpending(&pending);
	sigemptyset(&asking);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (sigismember(&pending, numbers[i]) == 1)
			add_unless_ignored(&asking, numbers[i]);
	return !sigisemptyset(&asking);
}

bool signals_next(struct signals *s, struct signal_event *event)
{
	struct signalfd_siginfo info;

	if (read(s->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	event->number = (int)info.ssi_signo;
	event->sender = info.ssi_code == SI_KERNEL ? 0 : (pid_t)info.ssi_pid;
	return true;
}

void signals_restore(const struct signals *s)
{
	setrlimit(RLIMIT_NOFILE, &s->old_files);
	sigaction(SIGCHLD, &s->old_chld, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

_Noreturn void signals_die(int number)
{
	const struct rlimit no_core = {0, 0};
	sigset_t mask;

	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	_exit(128 + number);
}

const char *signal_name(int number)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return strsignal(number);
}
