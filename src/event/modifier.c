#include "event/modifier.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#define PRECISE_MAX 3

/* The meaning of a letter or a word: modes, flags, numbers. MOD_IGNORED has no effect on counting. */
enum mod {
	MOD_USER,
	MOD_KERNEL,
	MOD_HYPERVISOR,
	MOD_GUEST,
	MOD_HOST,
	MOD_IDLE,
	MOD_PRECISE_MAX,
	MOD_PINNED,
	MOD_EXCLUSIVE,
	MOD_WEAK,
	MOD_PRECISE,
	MOD_CPU,
	MOD_IGNORED,
};

#define BIT(mode)  (1u << (mode))
#define PRIVILEGES (BIT(MOD_USER) | BIT(MOD_KERNEL) | BIT(MOD_HYPERVISOR))
#define MACHINES   (BIT(MOD_GUEST) | BIT(MOD_HOST))

/* perf's, see perf-list(1) */
static const struct letter {
	char letter;
	enum mod mod;
} letters[] = {
	{'u', MOD_USER}, {'k', MOD_KERNEL},    {'h', MOD_HYPERVISOR},  {'G', MOD_GUEST},   {'H', MOD_HOST},
	{'I', MOD_IDLE}, {'p', MOD_PRECISE},   {'P', MOD_PRECISE_MAX}, {'S', MOD_IGNORED}, {'D', MOD_PINNED},
	{'W', MOD_WEAK}, {'e', MOD_EXCLUSIVE}, {'b', MOD_IGNORED},     {'X', MOD_IGNORED},
};

/* libpfm4's, see pfm_get_os_event_encoding(3); its u, k and h may have a value */
static const struct word {
	const char *word;
	enum mod mod;
	uint64_t max; /* the largest value of a number, which is required; 0: a boolean, whose value is optional */
} words[] = {
	{"u", MOD_USER, 0},
	{"k", MOD_KERNEL, 0},
	{"h", MOD_HYPERVISOR, 0},
	{"mg", MOD_GUEST, 0},
	{"mh", MOD_HOST, 0},
	{"period", MOD_IGNORED, UINT64_MAX},
	{"freq", MOD_IGNORED, UINT64_MAX},
	{"precise", MOD_PRECISE, PRECISE_MAX},
	{"excl", MOD_EXCLUSIVE, 0},
	{"cpu", MOD_CPU, INT_MAX},
	{"pinned", MOD_PINNED, 0},
	{"hw_smpl", MOD_IGNORED, 0},
};

/* Returns -EINVAL if a modifier before it gave another value: u=0 after u, cpu=2 after cpu=1. */
static int modifier_set(struct modifiers *m, enum mod mod, uint64_t value)
{
	bool *const flags[] = {
		[MOD_IDLE] = &m->exclude_idle, [MOD_PRECISE_MAX] = &m->precise_max,
		[MOD_PINNED] = &m->pinned,     [MOD_EXCLUSIVE] = &m->exclusive,
		[MOD_WEAK] = &m->weak,
	};
	uint64_t before = value;

	if (mod <= MOD_HOST) {
		before = m->counted & BIT(mod) ? 1 : 0;
		*(value ? &m->counted : &m->excluded) |= BIT(mod);
	} else if (mod < ARRAY_SIZE(flags)) {
		before = *flags[mod];
		*flags[mod] = value;
	} else if (mod == MOD_PRECISE) {
		before = m->precise;
		m->precise = (unsigned)value;
	} else if (mod == MOD_CPU) {
		before = (uint64_t)m->cpu;
		m->cpu = (int)value;
	}
	if (m->given & BIT(mod) && before != value)
		return -EINVAL;
	m->given |= BIT(mod);
	return 0;
}

static int refuse_contradiction(const char *segment, size_t at, size_t n, struct error *e)
{
	return error_set_at(e, EINVAL, at, n, "modifier %.*s contradicts a modifier before it", (int)n, segment + at);
}

static bool has_modes_left(const struct modifiers *m, unsigned modes)
{
	return m->counted & modes || (m->excluded & modes) != modes;
}

/* Finds the word of n bytes. Single letters without a value are perf's, those with a value libpfm4's. */
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

bool modifier_is_word(const char *name, size_t n)
{
	return word_find(name, n, true);
}

static int parse_word_value(const struct word *word, const char *text, uint64_t *value, struct error *e)
{
	if (!word->max) { /* the values that libpfm4 accepts */
		if (strlen(text) != 1 || !strchr("1yYtT0nNfF", *text))
			return error_set(e, EINVAL, "modifier %s takes 0, 1, n or y, not '%s'", word->word, text);
		*value = strchr("1yYtT", *text) != NULL;
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

	if (!equals && word->max)
		return error_set_at(e, EINVAL, 0, n, "modifier %s needs a value: %s=N", word->word, word->word);
	if (equals) {
		size_t at = (size_t)(equals + 1 - segment);
		auto_free char *text = xstrndup(equals + 1, n - at);

		if (parse_word_value(word, text, &value, e))
			return at < n ? error_token(e, at, n - at) : error_token(e, 0, n);
	}
	if (modifier_set(m, word->mod, value))
		return refuse_contradiction(segment, 0, n, e);
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

static int modifier_unknown(const char *segment, size_t at, size_t n, struct error *e)
{
	if (n == 1 && segment[at] == 'R') { /* only perf has it */
		error_set_at(e, EINVAL, at, n, "modifier R is for a latency, which only sampling measures");
		return error_hint(e, "in a metric (-M), EVENT:R is the mean from the vendor's file");
	}
	error_set_at(e, EINVAL, at, n, "unknown modifier '%.*s'", (int)n, segment + at);
	error_hint(e, "letters: u k h G H I p P D e W S b X (upper and lower case differ)");
	return error_hint(e, "words: u=, k=, h=, mg, mh, precise=, excl, cpu=, pinned, period=, freq=, hw_smpl");
}

/* As in perf, only p may be repeated within one run of letters: any other repeated letter is a mistake. */
static int parse_letters(struct modifiers *m, const char *segment, size_t n, struct error *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct letter *letter = letter_find(segment[i]);

		if (!letter)
			return modifier_unknown(segment, i, 1, e);
		if (letter->mod == MOD_PRECISE) {
			if (m->precise == PRECISE_MAX)
				return error_set_at(e, EINVAL, i, 1, "modifier p is given more than %d times",
						    PRECISE_MAX);
			m->precise++;
			m->given |= BIT(MOD_PRECISE);
			continue;
		}
		if (memchr(segment, segment[i], i))
			return error_set_at(e, EINVAL, i, 1, "modifier %c is given twice", segment[i]);
		if (modifier_set(m, letter->mod, 1))
			return refuse_contradiction(segment, i, 1, e);
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
		r = modifier_unknown(segment, 0, name ? name : n, e);
	else
		r = parse_letters(m, segment, n, e);
	if (r)
		return r;
	if (!has_modes_left(m, PRIVILEGES) || !has_modes_left(m, MACHINES))
		return error_set_at(e, EINVAL, 0, n, "'%.*s' excludes everything from counting", (int)n, segment);
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

void modifiers_apply(const struct modifiers *m, struct event *event)
{
	unsigned given = m->counted | m->excluded;
	unsigned counted = m->counted & PRIVILEGES ? m->counted : ~m->excluded;
	/* without the host, the guests remain */
	bool guest = m->counted & BIT(MOD_GUEST) || m->excluded & BIT(MOD_HOST);

	if (given & PRIVILEGES) {
		event->attr.exclude_user = !(counted & BIT(MOD_USER));
		event->attr.exclude_kernel = !(counted & BIT(MOD_KERNEL));
		event->attr.exclude_hv = !(counted & BIT(MOD_HYPERVISOR));
		event->modes_given = true;
	}
	if (given & MACHINES) {
		event->attr.exclude_guest = !guest;
		event->attr.exclude_host = guest && !(m->counted & BIT(MOD_HOST));
		event->guest_given = true;
	}
	/* not |=, which makes older compilers warn */
	event->attr.exclude_idle = event->attr.exclude_idle || m->exclude_idle;
	event->attr.pinned = event->attr.pinned || m->pinned;
	event->attr.exclusive = event->attr.exclusive || m->exclusive;
	event->weak |= m->weak;
	event->precise_max |= m->precise_max;
	if (m->precise || m->precise_max)
		event->attr.precise_ip = (m->precise_max ? PRECISE_MAX : m->precise) & 3;
	if (m->cpu >= 0)
		event->cpu = m->cpu;
}

void modifiers_free(struct modifiers *m)
{
	strings_free(&m->ignored);
	*m = MODIFIERS_NONE;
}
