#include "event/modifier.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define PRECISE_MAX 3

/* What a letter or a word sets; MOD_IGNORED has no use when counting. */
enum mod {
	MOD_USER,
	MOD_KERNEL,
	MOD_HYPERVISOR,
	MOD_GUEST,
	MOD_HOST,
	MOD_IDLE,
	MOD_PRECISE,
	MOD_PRECISE_MAX,
	MOD_PINNED,
	MOD_EXCLUSIVE,
	MOD_WEAK,
	MOD_CPU,
	MOD_IGNORED,
};

struct letter {
	char letter;
	enum mod mod;
};

/* perf's, see perf-list(1) */
static const struct letter letters[] = {
	{'u', MOD_USER}, {'k', MOD_KERNEL},    {'h', MOD_HYPERVISOR},  {'G', MOD_GUEST},   {'H', MOD_HOST},
	{'I', MOD_IDLE}, {'p', MOD_PRECISE},   {'P', MOD_PRECISE_MAX}, {'S', MOD_IGNORED}, {'D', MOD_PINNED},
	{'W', MOD_WEAK}, {'e', MOD_EXCLUSIVE}, {'b', MOD_IGNORED},
};

enum value_kind { VALUE_BOOL, VALUE_NUMBER };

struct word {
	const char *word;
	enum mod mod;
	enum value_kind kind; /* a boolean's value may be left out, a number's may not */
	uint64_t max;         /* of a number */
};

/* libpfm4's, see pfm_get_os_event_encoding(3); its u, k and h take a value, too */
static const struct word words[] = {
	{"u", MOD_USER, VALUE_BOOL, 1},
	{"k", MOD_KERNEL, VALUE_BOOL, 1},
	{"h", MOD_HYPERVISOR, VALUE_BOOL, 1},
	{"mg", MOD_GUEST, VALUE_BOOL, 1},
	{"mh", MOD_HOST, VALUE_BOOL, 1},
	{"period", MOD_IGNORED, VALUE_NUMBER, UINT64_MAX},
	{"freq", MOD_IGNORED, VALUE_NUMBER, UINT64_MAX},
	{"precise", MOD_PRECISE, VALUE_NUMBER, PRECISE_MAX},
	{"excl", MOD_EXCLUSIVE, VALUE_BOOL, 1},
	{"cpu", MOD_CPU, VALUE_NUMBER, INT_MAX},
	{"pinned", MOD_PINNED, VALUE_BOOL, 1},
	{"hw_smpl", MOD_IGNORED, VALUE_BOOL, 1},
};

/* A mode counted and a mode taken away exclude each other; the last word holds. */
static void choose(bool *yes, bool *no, bool value)
{
	*yes = value;
	*no = !value;
}

static void set(struct modifiers *m, enum mod mod, uint64_t value)
{
	switch (mod) {
	case MOD_USER:
		choose(&m->user, &m->no_user, value);
		break;
	case MOD_KERNEL:
		choose(&m->kernel, &m->no_kernel, value);
		break;
	case MOD_HYPERVISOR:
		choose(&m->hypervisor, &m->no_hypervisor, value);
		break;
	case MOD_GUEST:
		choose(&m->guest, &m->no_guest, value);
		break;
	case MOD_HOST:
		choose(&m->host, &m->no_host, value);
		break;
	case MOD_IDLE:
		m->exclude_idle = value;
		break;
	case MOD_PRECISE:
		m->precise = (unsigned)value;
		break;
	case MOD_PRECISE_MAX:
		m->precise_max = value;
		break;
	case MOD_PINNED:
		m->pinned = value;
		break;
	case MOD_EXCLUSIVE:
		m->exclusive = value;
		break;
	case MOD_WEAK:
		m->weak = value;
		break;
	case MOD_CPU:
		m->cpu = (int)value;
		break;
	case MOD_IGNORED:
		break;
	}
}

static bool anything_left(const struct modifiers *m)
{
	bool modes = m->user || m->kernel || m->hypervisor || !(m->no_user && m->no_kernel && m->no_hypervisor);
	bool machines = m->guest || m->host || !(m->no_guest && m->no_host);

	return modes && machines;
}

/* The word that n bytes name. Single letters are perf's as they stand, and libpfm4's only with a value. */
static const struct word *word_find(const char *name, size_t n, bool has_value)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strlen(words[i].word) != n)
			continue;
		if (n == 1 ? has_value && words[i].word[0] == name[0] : strncasecmp(words[i].word, name, n) == 0)
			return &words[i];
	}
	return NULL;
}

/* A boolean as libpfm4 has it: one of these characters. */
static int parse_bool(const char *text, uint64_t *value)
{
	if (strlen(text) != 1 || !strchr("1yYtT0nNfF", *text))
		return -EINVAL;
	*value = strchr("1yYtT", *text) != NULL;
	return 0;
}

static int parse_value(const struct word *word, const char *text, uint64_t *value, struct error *e)
{
	if (word->kind == VALUE_BOOL) {
		if (parse_bool(text, value))
			return error_set(e, EINVAL, "modifier %s takes 0, 1, n or y, not '%s'", word->word, text);
		return 0;
	}
	if (parse_u64(text, 0, value) == -EINVAL)
		return error_set(e, EINVAL, "modifier %s takes a number, not '%s'", word->word, text);
	if (parse_u64(text, 0, value) || *value > word->max)
		return error_set(e, EINVAL, "%s is too large for modifier %s (at most %llu)", text, word->word,
				 (unsigned long long)word->max);
	return 0;
}

static int parse_word(struct modifiers *m, const struct word *word, const char *segment, size_t n, struct error *e)
{
	const char *equals = memchr(segment, '=', n);
	uint64_t value = 1;

	if (!equals && word->kind == VALUE_NUMBER)
		return error_set_at(e, EINVAL, 0, n, "modifier %s needs a value: %s=N", word->word, word->word);
	if (equals) {
		size_t at = (size_t)(equals + 1 - segment);
		auto_free char *text = xstrndup(equals + 1, n - at);

		if (parse_value(word, text, &value, e))
			return at < n ? error_token(e, at, n - at) : error_token(e, 0, n);
	}
	set(m, word->mod, value);
	if (word->mod == MOD_IGNORED)
		strings_add(&m->ignored, "%.*s", (int)n, segment);
	return 0;
}

static const struct letter *letter_find(char c)
{
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == c)
			return &letters[i];
	return NULL;
}

static int unknown(const char *token, size_t at, size_t n, struct error *e)
{
	error_set(e, EINVAL, "unknown modifier '%.*s'", (int)n, token);
	error_hint(e, "letters: u k h G H I p P D e W S b (upper and lower case differ)");
	error_hint(e, "words: u=, k=, h=, mg, mh, precise=, excl, cpu=, pinned, period=, freq=, hw_smpl");
	return error_token(e, at, n);
}

/* As perf, only p may be repeated within one run of letters: anything else twice is a slip. */
static int parse_letters(struct modifiers *m, const char *segment, size_t n, struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct letter *letter = letter_find(segment[i]);

		if (!letter)
			return unknown(segment + i, i, 1, e);
		if (letter->mod == MOD_PRECISE) {
			if (m->precise == PRECISE_MAX)
				return error_set_at(e, EINVAL, i, 1, "more than %d times the modifier p", PRECISE_MAX);
			m->precise++;
			continue;
		}
		if (memchr(segment, segment[i], i))
			return error_set_at(e, EINVAL, i, 1, "modifier %c is there twice", segment[i]);
		set(m, letter->mod, 1);
		if (letter->mod == MOD_IGNORED)
			strings_add(&m->ignored, "%c", letter->letter);
	}
	return 0;
}

int modifiers_parse(struct modifiers *m, const char *segment, size_t n, struct error *e)
{
	const char *equals = memchr(segment, '=', n);
	size_t name = equals ? (size_t)(equals - segment) : n;
	const struct word *word = word_find(segment, name, equals != NULL);
	int r;

	if (word)
		r = parse_word(m, word, segment, n, e);
	else if (equals)
		r = unknown(segment, 0, name ? name : n, e);
	else
		r = parse_letters(m, segment, n, e);
	if (r)
		return r;
	if (!anything_left(m))
		return error_set_at(e, EINVAL, 0, n, "nothing is left to count after '%.*s'", (int)n, segment);
	return 0;
}

int modifiers_parse_tail(struct modifiers *m, const char *tail, struct error *e)
{
	const char *segment = tail + (*tail == ':');

	for (;;) {
		size_t n = strcspn(segment, ":");

		if (modifiers_parse(m, segment, n, e)) {
			e->at += (size_t)(segment - tail);
			return -e->code;
		}
		if (!segment[n])
			return 0;
		segment += n + 1;
	}
}

static void apply_modes(const struct modifiers *m, struct event *event)
{
	bool all = !m->user && !m->kernel && !m->hypervisor;

	if (all && !m->no_user && !m->no_kernel && !m->no_hypervisor)
		return;
	event->attr.exclude_user = !(all ? !m->no_user : m->user);
	event->attr.exclude_kernel = !(all ? !m->no_kernel : m->kernel);
	event->attr.exclude_hv = !(all ? !m->no_hypervisor : m->hypervisor);
	event->modes_given = true;
}

static void apply_machines(const struct modifiers *m, struct event *event)
{
	bool guest = m->guest || m->no_host; /* without the host, the guests are what is left */

	if (!m->guest && !m->host && !m->no_guest && !m->no_host)
		return;
	event->attr.exclude_guest = !guest;
	event->attr.exclude_host = guest && !m->host;
	event->guest_given = true;
}

void modifiers_apply(const struct modifiers *m, struct event *event)
{
	apply_modes(m, event);
	apply_machines(m, event);
	if (m->exclude_idle)
		event->attr.exclude_idle = 1;
	if (m->precise)
		event->attr.precise_ip = m->precise & 3;
	if (m->precise_max) {
		event->attr.precise_ip = PRECISE_MAX;
		event->precise_max = true;
	}
	if (m->pinned)
		event->attr.pinned = 1;
	if (m->exclusive)
		event->attr.exclusive = 1;
	if (m->weak)
		event->weak = true;
	if (m->cpu >= 0)
		event->cpu = m->cpu;
}

void modifiers_free(struct modifiers *m)
{
	strings_free(&m->ignored);
	*m = MODIFIERS_NONE;
}
