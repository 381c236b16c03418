/* What the session of a result says, for those who do not know how events are counted. */
#include "plan/plan.h"
#include "rows/result.h"

const char *session_failure(const struct session *session, unsigned command)
{
	return session->failures && !session->ignore_failure ? session->failures[command - 1] : NULL;
}

const struct event *session_event(const struct session *session, size_t i, unsigned *group)
{
	const struct plan *plan = session->plan;
	size_t n = plan ? plan->n_shown : 0;

	*group = i < n && plan->group_of[i] >= 0 ? (unsigned)plan->group_of[i] + 1 : 0;
	return i < n ? &plan->events[i] : i - n < session->n_events ? session->events[i - n] : NULL;
}

const struct strings *session_group_notes(const struct session *session)
{
	return session->plan ? &session->plan->too_big : NULL;
}

bool session_is_of_times_only(const struct session *session)
{
	return session->plan && session->plan->n_shown == 0;
}
