/* eventscan: cuts a list of events into tokens, so that an error of the grammar (see eventlist.h) is reported before
 * any name is looked up. It knows nothing about names, except which names contain a path. */
#pragma once

#include <stddef.h>

#include "lib/error.h"

enum event_token_kind {
	TOKEN_EVENT, /* with its modifiers */
	TOKEN_OPEN,  /* '{' */
	TOKEN_CLOSE, /* the letters after '}', with their colon; may be empty */
};

struct event_token {
	enum event_token_kind kind;
	size_t at, length; /* in the list's text */
};

struct event_tokens {
	struct event_token *v;
	size_t n;
};

/* Appends the text's tokens: each TOKEN_OPEN has its TOKEN_CLOSE, with at least one event between them. Returns 0, or
 * -EINVAL with a complete error: column, token, underline. The caller frees tokens->v in both cases. */
int event_scan(struct event_tokens *tokens, const char *text, struct error *e);

/* Returns an event's text without the backslashes before its commas and braces. */
char *event_token_name(const struct event_token *token, const char *text);

/* Returns the position within the token of a byte of that name. */
size_t event_token_offset(const struct event_token *token, const char *text, size_t at);
