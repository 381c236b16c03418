/* eventscan: a list of events cut into tokens, so that an error of its grammar (see eventlist.h) is reported before any
 * name is looked up. Of what the names mean it knows only which of them hold a path.
 */
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

/* Append the text's tokens: each TOKEN_OPEN has its TOKEN_CLOSE, with an event or more between them. 0, or -EINVAL with
 * a complete error: column, token, caret. tokens->v is to be freed either way. */
int event_scan(struct event_tokens *tokens, const char *text, struct error *e);

/* An event's text without the backslashes before its commas and braces. */
char *event_token_name(const struct event_token *token, const char *text);

/* Where a byte of that name stands within the token. */
size_t event_token_offset(const struct event_token *token, const char *text, size_t at);
