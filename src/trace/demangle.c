#include "trace/demangle.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "lib/text.h"

/* The C++ ABI's function, in libstdc++: https://itanium-cxx-abi.github.io/cxx-abi/abi.html#demangler */
typedef char *demangle_call(const char *mangled, char *buffer, size_t *size, int *status);

struct search {
	demangle_call *demangle;
	const char *wanted;
	struct strings *names;
	uint64_t *offsets;
	size_t n;
	struct suggest near;
};

static int load_demangler(demangle_call **demangle, struct error *e)
{
#ifdef PFMSTAT_STATIC
	*demangle = NULL;
	error_set(e, ENOENT, "this static build of pfmstat cannot read C++ names");
	return error_hint(e, "fix: give the mangled name, as --list=uprobe:PATH:_Z* shows it");
#else
	const struct library library = {"libstdc++.so.6", "libstdc++", "libstdc++6"};
	const struct library_symbol wanted[] = {LIBRARY_SYMBOL(__cxa_demangle, demangle)};

	return library_load(&library, wanted, ARRAY_SIZE(wanted), e);
#endif
}

size_t demangle_name_length(const char *text)
{
	size_t n = strcspn(text, ":");

	while (n && text[n] &&
	       (text[n + 1] == ':' || text[n - 1] == ':' || (n >= 4 && memcmp(text + n - 4, "[abi", 4) == 0)))
		n += 1 + strcspn(text + n + 1, ":");
	return n;
}

/* The name of a template function follows its result type, and its arguments follow in brackets. Parts of functions
 * that the compiler has moved are not functions. */
static bool matches(const char *full, const char *wanted)
{
	const char *at = strstr(full, wanted);
	size_t before = strcspn(full, "(");
	char after;

	if (!at || strstr(full, "[clone .cold") || (at != full && at[-1] != ' ') || (size_t)(at - full) > before)
		return false;
	after = at[strlen(wanted)];
	return after == '\0' || after == '(' || after == '<' || after == '[' || after == ' ';
}

/* Removes the tags that the ABI adds to a name, such as [abi:cxx11] where a function returns std::string: they are not
 * in the source. */
static void remove_abi_tags(char *full)
{
	char *to = full;

	for (const char *from = full; *from;) {
		const char *end = strncmp(from, "[abi:", 5) == 0 ? strchr(from, ']') : NULL;

		if (end)
			from = end + 1;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

static void find_function(void *arg, const char *name, const struct function *function)
{
	struct search *s = arg;
	bool known = s->n && s->offsets[s->n - 1] == function->offset; /* by another name */
	auto_free char *full = known ? NULL : s->demangle(name, NULL, NULL, &(int){0});

	if (!full)
		return;
	if (!strstr(s->wanted, "[abi:"))
		remove_abi_tags(full);
	if (!matches(full, s->wanted)) {
		auto_free char *bare = xstrndup(full, strcspn(full, "("));

		suggest_offer(&s->near, strchr(s->wanted, '(') ? full : bare);
		return;
	}
	*ARRAY_PUSH(s->offsets, s->n) = function->offset;
	strings_add(s->names, "%s", full);
}

int demangle_find(const char *path, const char *name, struct strings *names, uint64_t **offsets, struct error *e)
{
	struct search s = {.wanted = name, .names = names, .near = {.word = name}};
	int error = load_demangler(&s.demangle, e);

	if (error == 0 && symbol_each(path, "_Z*", find_function, &s, e) < 0 && e->code != ENOENT)
		error = -e->code;
	*offsets = s.offsets;
	if (error == 0 && s.n == 0) {
		error = error_set(e, ENOENT, "%s has no C++ function '%s'", path, name);
		error_suggest(e, &s.near);
	} else {
		char unused[1];

		suggest_finish(&s.near, unused, sizeof(unused));
	}
	return error;
}

static int find_only_cpp(const char *path, const char *name, struct function *function, struct error *e)
{
	auto_strings struct strings names = {.n = 0};
	auto_free uint64_t *offsets = NULL;
	auto_free char *list = NULL;
	int error = demangle_find(path, name, &names, &offsets, e);

	if (error)
		return error;
	*function = (struct function){.offset = offsets[0]};
	if (names.n == 1)
		return 0;
	list = strings_join(&names, ", ");
	error_set(e, EINVAL, "%s has %zu functions '%s': %.400s", path, names.n, name, list);
	return error_hint(e, "--list='uprobe:%s:%s' shows the symbol of each", path, name);
}

int demangle_find_only(const char *path, const char *name, struct function *function, struct error *e)
{
	struct error of_cpp;
	int error;

	if (strstr(name, "::"))
		return find_only_cpp(path, name, function, e);
	error = symbol_find(path, name, function, e);
	if (error != -ENOENT)
		return error;
	error = find_only_cpp(path, name, function, &of_cpp);
	if (error && (error != -ENOENT || (!e->hint[0] && of_cpp.hint[0])))
		*e = of_cpp;
	return error;
}

struct each {
	demangle_call *demangle; /* NULL: not loaded yet, or unavailable */
	bool tried;
	const char *pattern;
	demangle_seen *seen;
	void *arg;
	size_t n;
	uint64_t last; /* offset seen */
};

/* True if the glob matches the name of the source with its parameters, or without; and without its result type. */
static bool glob_matches(const char *pattern, const char *full)
{
	auto_free char *bare = xstrndup(full, strcspn(full, "("));
	size_t depth = 0;

	for (size_t i = 0; i == 0 || bare[i - 1]; i++) {
		bool begins = i == 0 || (bare[i - 1] == ' ' && depth == 0);

		if (begins && (fnmatch(pattern, full + i, 0) == 0 || fnmatch(pattern, bare + i, 0) == 0))
			return true;
		depth += bare[i] == '<';
		depth -= bare[i] == '>' && depth;
	}
	return false;
}

static void see_function(void *arg, const char *name, const struct function *function)
{
	struct each *s = arg;
	bool is_cpp = strncmp(name, "_Z", 2) == 0;
	struct error unavailable;
	auto_free char *full = NULL;

	if (is_cpp && !s->tried && load_demangler(&s->demangle, &unavailable) < 0)
		s->demangle = NULL;
	s->tried |= is_cpp;
	if (is_cpp && s->demangle)
		full = s->demangle(name, NULL, NULL, &(int){0});
	if (fnmatch(s->pattern, name, 0) != 0 && !(full && glob_matches(s->pattern, full)))
		return;
	if (s->n && s->last == function->offset)
		return; /* it has another name, which matches */
	s->seen(s->arg, name, full, function);
	s->last = function->offset;
	s->n++;
}

int demangle_each(const char *path, const char *pattern, demangle_seen *seen, void *arg, struct error *e)
{
	struct each s = {.pattern = pattern, .seen = seen, .arg = arg};
	int error = symbol_each(path, "*", see_function, &s, e);

	return error < 0 || s.n ? error : symbol_each(path, pattern, see_function, &s, e); /* reports what is near */
}

struct matching {
	struct strings *symbols;
	uint64_t *offsets;
	size_t n;
};

static void match_function(void *arg, const char *name, const char *source_name, const struct function *function)
{
	struct matching *m = arg;

	if (!source_name || strstr(source_name, "[clone .cold"))
		return;
	strings_add(m->symbols, "%s", name);
	*ARRAY_PUSH(m->offsets, m->n) = function->offset;
}

/* Adds the symbols of functions that have no name yet. */
static void add_symbols(const char *path, const struct matching *m, struct strings *names, struct strings *left_out)
{
	auto_free uint64_t *known = xcalloc(names->n + 1, sizeof(*known));
	struct function function;
	struct error unknown;
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		if (symbol_find(path, names->v[i], &function, &unknown) == 0)
			known[n++] = function.offset;
	for (size_t i = 0; i < m->n; i++) {
		size_t same = 0;

		while (same < n && known[same] != m->offsets[i])
			same++;
		if (same < n || strings_has(left_out, m->symbols->v[i]))
			continue;
		strings_add(symbol_find(path, m->symbols->v[i], &function, &unknown) ? left_out : names, "%s",
			    m->symbols->v[i]);
	}
}

int demangle_match(const char *path, const char *pattern, struct strings *names, struct strings *left_out,
		   struct error *e)
{
	auto_strings struct strings symbols = {.n = 0};
	struct matching m = {.symbols = &symbols};
	int error = symbol_match(path, pattern, names, left_out, e);
	struct error none;

	if ((error && error != -ENOENT) || strncmp(pattern, "_Z", 2) == 0)
		return error;
	demangle_each(path, pattern, match_function, &m, &none);
	if (names->n + m.n > SYMBOL_MATCHES_MAX)
		error = symbol_refuse_matches(path, pattern, names->n + m.n, e);
	else if (m.n)
		add_symbols(path, &m, names, left_out);
	free(m.offsets);
	return error == -E2BIG || names->n == 0 ? error : 0;
}
