/* What is said of a word that getopt refused: what is wrong with it, and which options may have been meant. getopt's
 * own messages, which these replace, do not say the latter.
 */
#include <string.h>

#include "cli/options_internal.h"
#include "lib/text.h"
#include "lib/util.h"

static bool is_last(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc;
}

/* The options that n bytes of a long name may mean: that of this very name, or those that begin so, each key once. */
static void match_name(const struct argp_option *table, const char *name, size_t n, struct strings *names)
{
	int key = 0;

	for (const struct argp_option *o = table; !is_last(o); o++) {
		if (!o->name || strncmp(o->name, name, n) != 0 || (o->key && o->key == key))
			continue;
		if (o->key)
			key = o->key;
		if (!o->name[n]) {
			strings_free(names);
			strings_add(names, "--%s", o->name);
			return;
		}
		strings_add(names, "--%s", o->name);
	}
}

static void suggest_names(const struct argp_option *table, const char *word, char *text, size_t size)
{
	struct suggest near = {.word = word};

	for (const struct argp_option *o = table; !is_last(o); o++) {
		auto_free char *name = o->name ? xasprintf("--%s", o->name) : NULL;

		if (name && !(o->flags & OPTION_HIDDEN))
			suggest_offer(&near, name);
	}
	suggest_finish(&near, text, size);
}

static void refuse_name(const struct argp_state *state, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct argp_option *table = state->root_argp->options;
	auto_strings struct strings names = {0};
	auto_free char *option = xstrndup(word, n);
	char text[256];

	match_name(table, word + 2, n - 2, &names);
	if (names.n > 1)
		argp_error(state, "option '%s' is ambiguous: %s", option, strings_fit(&names, text, sizeof(text)));
	else if (names.n == 1)
		argp_error(state, "option '%s' %s", names.v[0],
			   word[n] ? "doesn't allow an argument" : "requires an argument");
	suggest_names(table, option, text, sizeof(text));
	argp_error(state, "unrecognized option '%s'%s%s", option, *text ? "; " : "", text);
}

static void refuse_letters(const struct argp_state *state, const char *letter)
{
	const struct argp_option *o = NULL;

	for (; *letter; letter++) {
		for (o = state->root_argp->options; !is_last(o) && o->key != (unsigned char)*letter;)
			o++;
		if (is_last(o))
			argp_error(state, "invalid option -- '%c'", *letter);
		if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL))
			argp_error(state, "option requires an argument -- '%c'", *letter);
	}
}

void options_refuse_unknown(const struct argp_state *state)
{
	const struct parsing *p = state->input;
	const char *word = state->argv[p->next > 0 ? p->next : 1];

	if (word[1] == '-')
		refuse_name(state, word);
	else
		refuse_letters(state, word + 1);
	exit(EXIT_FAILED); /* not reached: one of them has ended the program */
}
