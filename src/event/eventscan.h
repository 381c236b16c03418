/* eventscan: a list of events cut into tokens, so that a slip in its grammar (see eventlist.h) is reported before any
 * name is looked up. Pure; knows nothing of what the names mean, but for the ones that hold a path.
 */
#pragma once

#include <stddef.h>

#include "lib/error.h"

enum event_token_kind {
	TOKEN_EVENT, /* with its modifiers */
	TOKEN_OPEN,  /* '{' */
	TOKEN_CLOSE, /* the letters behind '}', with their colon; may be empty */
};

struct event_token {
	enum event_token_kind kind;
	size_t at, length; /* in the list's text */
};

struct event_tokens {
	struct event_token *v;
	size_t n;
};

/* Append the text's tokens: each TOKEN_OPEN has its TOKEN_CLOSE, and an event at least between them. 0, or -EINVAL with
 * the error complete: column, token, caret. tokens->v is to be freed either way. */
int event_scan(struct event_tokens *tokens, const char *text, struct error *e);

/* An event's text without the backslashes that only kept its commas and braces from the scanner. */
char *event_token_name(const struct event_token *token, const char *text);

/* Where a byte of that name stands within the token. */
size_t event_token_offset(const struct event_token *token, const char *text, size_t at);
