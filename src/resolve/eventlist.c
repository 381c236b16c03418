#include "resolve/eventlist.h"

#include <errno.h>
#include <string.h>

#include "event/modifier.h"
#include "lib/text.h"
#include "pmu/pmu_kind.h"
#include "resolve/eventscan.h"
#include "resolve/resolve.h"
#include "trace/probe.h"

#define QUOTE_BYTES 60 /* of an event's name or filter, in an error's text */

struct parser {
	const char *text;
	struct event_tokens tokens;
	struct event_list *list;
	int group;     /* the group of the next event; -1 outside braces */
	char *letters; /* modifiers of that group, or NULL */
	struct error *e;
};

/* Turns the error of a resolver or a modifier into an error of the list. */
static int token_error(struct parser *p, const struct event_token *token, const char *what, const struct error *why)
{
	const char *s = p->text + token->at;
	size_t start = event_token_offset(token, p->text, why->at);
	size_t end = event_token_offset(token, p->text, why->at + why->length);
	size_t quote = token->length > QUOTE_BYTES ? QUOTE_BYTES : token->length;

	while (quote && quote < token->length && utf8_continues(s[quote])) /* not within a character */
		quote--;
	if (start >= end) {
		start = 0;
		end = token->length;
	}
	error_set_at(p->e, why->code, token->at + start, end - start, "%s '%.*s%s' (column %zu): %s", what, (int)quote,
		     s, quote < token->length ? "..." : "", text_column(p->text, token->at + start), why->text);
	memcpy(p->e->hint, why->hint, sizeof(p->e->hint));
	error_show_token(p->e, p->text);
	return -why->code;
}

static void note_ignored(struct parser *p, const struct modifiers *m, size_t at, size_t length)
{
	for (size_t i = 0; i < m->ignored.n; i++) {
		auto_free char *note = xasprintf("modifier %s of '%.*s' is ignored: it has no effect on counting",
						 m->ignored.v[i], (int)length, p->text + at);

		if (!strings_has(&p->list->notes, note))
			strings_add(&p->list->notes, "%s", note);
	}
}

static void note_remarks(struct parser *p, const char *lines)
{
	for (size_t n; lines && *lines; lines += n + (lines[n] == '\n')) {
		auto_free char *line = NULL;

		n = strcspn(lines, "\n");
		line = xstrndup(lines, n);
		if (!strings_has(&p->list->notes, line))
			strings_add(&p->list->notes, "%s", line);
	}
}

/* Moves the event into the list. */
static void append_event(struct event_list *list, struct event *event)
{
	auto_strings struct strings pmus = {0};

	if (!event->instances || !list->no_merge) {
		*ARRAY_PUSH(list->events, list->n) = *event;
		return;
	}
	instance_list(event, &pmus);
	for (size_t i = 0; i < pmus.n; i++)
		resolve_instance(ARRAY_PUSH(list->events, list->n), event, pmus.v[i]);
	event_free(event);
}

static int add_event(struct parser *p, const struct event_token *token, const char *name, struct error *why)
{
	auto_modifiers struct modifiers m = MODIFIERS_NONE;
	struct event event;
	const struct resolvers resolvers = {&p->list->tracefs, p->list->vendor, p->list->errata};
	int r = resolve_name(&resolvers, name, &event, &m, why);

	if (r == 0) {
		note_ignored(p, &m, token->at, token->length);
		note_remarks(p, event.remark);
		/* a group's letters apply to all members except those that take none */
		if (event_is_opened(&event) && modifiers_parse_tail(&m, p->letters ? p->letters : "", why)) {
			/* valid alone (open_group), but not with the event's modifiers: ppp and p */
			r = error_token(why, 0, 0);
			event_free(&event);
		}
	}
	if (r == 0) {
		modifiers_apply(&m, &event);
		if (!event.name) /* otherwise the name came from name=… of a PMU */
			event.name = xstrdup(name);
		event.group = p->group;
		append_event(p->list, &event);
	}
	return r;
}

static int add_glob(struct parser *p, const struct event_token *token, const char *name, struct error *why)
{
	auto_strings struct strings matches = {0};
	int taken = resolve_is_path(name) ? probe_expand(name, &matches, &p->list->notes, why)
					  : tracefs_expand(&p->list->tracefs, name, &matches, why);
	int r = taken < 0 ? taken : 0;

	for (size_t i = 0; r == 0 && i < matches.n; i++) {
		auto_free char *match = xasprintf("%s%s", matches.v[i], name + taken);

		r = add_event(p, token, match, why);
		if (r && why->length) /* it counts from the match, which is not in the text */
			error_token(why, 0, 0);
		if (r == 0)
			p->list->events[p->list->n - 1].matches = (unsigned)matches.n;
	}
	return r;
}

static int add_item(struct parser *p, const struct event_token *token)
{
	auto_free char *name = event_token_name(token, p->text);
	struct error why = {0};

	if (p->group < 0)
		p->list->last = p->list->n;
	if (resolve_is_glob(name) ? add_glob(p, token, name, &why) : add_event(p, token, name, &why)) {
		if (!strchr(name, '/') && strpbrk(name, " \t\n"))
			error_hint(&why, "events are separated by commas, not by blanks");
		return token_error(p, token, "event", &why);
	}
	return 0;
}

/* The letters follow the group, but its first event already needs them. */
static int open_group(struct parser *p, const struct event_token *open)
{
	const struct event_token *close = open;
	auto_modifiers struct modifiers m = MODIFIERS_NONE;
	struct error why = {0};
	int r;

	while (close->kind != TOKEN_CLOSE)
		close++;
	p->letters = xstrndup(p->text + close->at, close->length);
	p->group = (int)p->list->n_groups;
	p->list->last = p->list->n;
	r = modifiers_parse_tail(&m, p->letters, &why);
	if (r)
		token_error(p, close, "a group's modifiers", &why);
	else
		note_ignored(p, &m, open->at, close->at + close->length - open->at);
	*ARRAY_PUSH(p->list->groups, p->list->n_groups) = (struct event_group){.weak = m.weak, .first = p->list->n};
	return r;
}

static void close_group(struct parser *p)
{
	struct event_group *group = &p->list->groups[p->group];

	group->n = p->list->n - group->first;
	for (size_t i = group->first; i < p->list->n; i++)
		group->weak |= p->list->events[i].weak;
	for (size_t i = group->first; i < p->list->n; i++)
		p->list->events[i].weak = group->weak;
	free(p->letters);
	p->letters = NULL;
	p->group = -1;
}

int event_list_parse(struct event_list *list, const char *text, struct error *e)
{
	struct parser p = {.text = text, .list = list, .group = -1, .e = e};
	const struct event_list before = *list;
	int r = event_scan(&p.tokens, text, e);

	for (size_t i = 0; r == 0 && i < p.tokens.n; i++) {
		const struct event_token *token = &p.tokens.v[i];

		if (token->kind == TOKEN_EVENT)
			r = add_item(&p, token);
		else if (token->kind == TOKEN_OPEN)
			r = open_group(&p, token);
		else
			close_group(&p);
	}
	if (r) { /* remove the added events */
		while (list->n > before.n)
			event_free(&list->events[--list->n]);
		while (list->notes.n > before.notes.n)
			free(list->notes.v[--list->notes.n]);
		list->n_groups = before.n_groups;
		list->last = before.last;
	}
	free(p.letters);
	free(p.tokens.v);
	return r;
}

int event_list_add(struct event_list *list, const char *name, struct error *e)
{
	const struct event_token whole = {TOKEN_EVENT, 0, strlen(name)};
	struct parser p = {.text = name, .list = list, .group = -1, .e = e};

	return add_event(&p, &whole, name, e);
}

int event_list_filter(struct event_list *list, const char *filter, struct error *e)
{
	auto_free char *shown = NULL;
	size_t n = 0;

	if (filter[strspn(filter, " \t\n")] == '\0')
		return error_set(
			e, EINVAL,
			"--filter is empty: it takes an expression of the tracepoint's fields, such as 'prev_pid==0'");
	for (size_t i = list->last; i < list->n; i++) {
		struct event *event = &list->events[i];
		char *before = event->filter;

		if (event->source != EVENT_TRACEPOINT)
			continue;
		event->filter = before ? xasprintf("(%s) && (%s)", before, filter) : xstrdup(filter);
		free(before);
		n++;
	}
	if (n)
		return 0;
	shown = text_shorten(filter, QUOTE_BYTES, "...");
	if (list->n == 0)
		error_set(e, EINVAL, "filter '%s': no event before it", shown);
	else
		error_set(e, EINVAL, "filter '%s': '%s', the event before it, is not a tracepoint", shown,
			  list->events[list->last].name);
	return error_hint(e, "--filter follows the -e that names its tracepoint");
}

void event_list_restrict(struct event_list *list, bool user, bool kernel)
{
	if (user == kernel)
		return;
	for (size_t i = 0; i < list->n; i++) {
		struct event *event = &list->events[i];

		if (!event_is_opened(event) || event->modes_given)
			continue;
		event->attr.exclude_user = kernel;
		event->attr.exclude_kernel = user;
		event->attr.exclude_hv = 1; /* as with :u and :k */
		event->modes_given = true;
	}
}

void event_list_free(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		event_free(&list->events[i]);
	free(list->events);
	free(list->groups);
	strings_free(&list->notes);
	tracefs_unmount(&list->tracefs);
	*list = (struct event_list){0};
}
