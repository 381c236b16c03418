/* The text of an expression as a tree: precedence climbing. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/util.h"
#include "metric/expr.h"

#define DEPTH_MAX 100   /* of parentheses, functions and so on: the trees are walked by recursion */
#define NODES_MAX 10000 /* of a chain of operators, for the same reason */
#define NAME_SIZE 4096

struct expr_parser {
	const char *text;
	size_t at; /* of the next byte */
	size_t depth, nodes;
	size_t (*name_length)(void *arg, const char *s); /* as in expr_parse_with, or NULL */
	void *arg;
	struct error *e;
};

/* Operators by level, from the weakest to the strongest. */
static const char *const levels[] = {"|", "^", "&", "<>=", "+-", "*/%"};

static const struct function {
	const char *name;
	enum expr_kind kind;
	bool of_name; /* its argument is a name; otherwise it has two expressions */
} functions[] = {
	{"min", EXPR_MIN, false},
	{"max", EXPR_MAX, false},
	{"d_ratio", EXPR_D_RATIO, false},
	{"has_event", EXPR_HAS_EVENT, true},
	{"source_count", EXPR_SOURCE_COUNT, true},
	{"strcmp_cpuid_str", EXPR_CPUID, true},
};

static struct expr *parse_if(struct expr_parser *p);

/* ---- tokens ---- */

static void skip_space(struct expr_parser *p)
{
	while (isspace((unsigned char)p->text[p->at]))
		p->at++;
}

static bool byte_is_of_name(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:", c));
}

/* Returns the length of the name or number at the start of s, or 0. */
static size_t word_length(const char *s)
{
	size_t n = 0;

	while (byte_is_of_name(s[n]) || (s[n] == '\\' && s[n + 1]) || (n && s[n] == '@')) {
		if (s[n] == '@') /* up to the second '@'; if it is missing, unescape_name reports it */
			for (n++; s[n] && s[n] != '@';)
				n += s[n] == '\\' && s[n + 1] ? 2 : 1;
		else
			n += s[n] == '\\';
		n += s[n] != '\0';
	}
	return n;
}

/* Returns the length of the token at the next byte, for an error: a word, or one byte. */
static size_t token_length(const struct expr_parser *p)
{
	size_t n = word_length(p->text + p->at);

	return n ? n : p->text[p->at] != '\0';
}

/* Always returns NULL, so that callers can return it. */
static struct expr *expected(struct expr_parser *p, const char *what)
{
	size_t n;

	skip_space(p);
	n = token_length(p);
	if (n)
		error_set_at(p->e, EINVAL, p->at, n, "%s expected, not '%.*s'", what, (int)(n > 60 ? 60 : n),
			     p->text + p->at);
	else
		error_set_at(p->e, EINVAL, p->at, 0, "%s expected at the end", what);
	return NULL;
}

/* True if the keyword or the byte comes next, which is then skipped. */
static bool accept(struct expr_parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_space(p);
	if (strncmp(p->text + p->at, token, n) != 0 ||
	    (isalpha((unsigned char)*token) && word_length(p->text + p->at) != n))
		return false;
	p->at += n;
	return true;
}

/* ---- nodes ---- */

static struct expr *node_new(struct expr_parser *p, enum expr_kind kind, size_t at, struct expr *a, struct expr *b)
{
	struct expr *x = xcalloc(1, sizeof(*x));

	*x = (struct expr){
		.kind = kind, .at = at, .length = p->at - at, .arguments = {a, b}, .event = (size_t)-1, .factor = 1};
	p->nodes++;
	return x;
}

/* ---- leaves ---- */

/* Returns the name's n bytes as in -e; NULL if an '@' is unpaired. */
static char *unescape_name(const char *s, size_t n)
{
	char *name = xmalloc(n + 1), *to = name;
	bool open = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '@') {
			*to++ = '/';
			open = !open;
		} else {
			i += s[i] == '\\' && i + 1 < n;
			*to++ = s[i];
		}
	}
	*to = '\0';
	if (!open)
		return name;
	free(name);
	return NULL;
}

static struct expr *parse_name(struct expr_parser *p, enum expr_kind kind)
{
	size_t at, n;
	struct expr *x;
	char *name;

	skip_space(p);
	at = p->at;
	n = word_length(p->text + at);
	if (n == 0)
		return expected(p, "a name");
	if (p->name_length) {
		size_t longer = p->name_length(p->arg, p->text + at);

		n = longer > n ? longer : n;
	}
	if (n > NAME_SIZE) {
		error_set_at(p->e, EINVAL, at, n, "a name of %zu bytes; the longest is %d", n, NAME_SIZE);
		return NULL;
	}
	name = unescape_name(p->text + at, n);
	if (!name) {
		error_set_at(p->e, EINVAL, at, n, "'@' has no closing '@'");
		return NULL;
	}
	p->at += n;
	x = node_new(p, kind, at, NULL, NULL);
	x->name = name;
	return x;
}

static struct expr *parse_constant(struct expr_parser *p, size_t n)
{
	struct expr *x;
	size_t at = p->at;

	p->at += n;
	x = node_new(p, EXPR_NUMBER, at, NULL, NULL);
	x->number = strtod(p->text + at, NULL);
	if (isfinite(x->number))
		return x;
	error_set_at(p->e, EINVAL, at, n, "the number '%.*s' is too large", (int)(n > 60 ? 60 : n), p->text + at);
	expr_free(x);
	return NULL;
}

static struct expr *parse_literal(struct expr_parser *p)
{
	size_t at = p->at, n = 1;
	struct expr *x;

	while (isalnum((unsigned char)p->text[at + n]) || p->text[at + n] == '_')
		n++;
	p->at += n;
	x = node_new(p, EXPR_LITERAL, at, NULL, NULL);
	x->name = xstrndup(p->text + at, n);
	return x;
}

/* Parses a call of f at `at`, with the next byte after its '('. */
static struct expr *parse_call(struct expr_parser *p, const struct function *f, size_t at)
{
	struct expr *a, *b = NULL, *x;

	if (f->of_name) {
		x = parse_name(p, f->kind);
		if (x && !accept(p, ")")) {
			expr_free(x);
			return expected(p, "')'");
		}
		return x;
	}
	a = parse_if(p);
	if (a && !accept(p, ",")) {
		expected(p, "','");
	} else if (a) {
		b = parse_if(p);
		if (b && accept(p, ")"))
			return node_new(p, f->kind, at, a, b);
		if (b)
			expected(p, "')'");
	}
	expr_free(a);
	expr_free(b);
	return NULL;
}

static struct expr *parse_primary(struct expr_parser *p)
{
	size_t at = p->at, n = word_length(p->text + at), number = 0;
	const char *word = p->text + at;
	char *end;

	if (isdigit((unsigned char)*word) || *word == '.') {
		strtod(word, &end);
		number = (size_t)(end - word);
	}
	if (number && number >= n) /* 128B_PACKED is a name */
		return parse_constant(p, number);
	if ((n == 2 && strncmp(word, "if", n) == 0) || (n == 4 && strncmp(word, "else", n) == 0))
		return expected(p, "a value");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (strlen(functions[i].name) != n || strncmp(word, functions[i].name, n) != 0)
			continue;
		p->at += n;
		if (accept(p, "("))
			return parse_call(p, &functions[i], at);
		p->at = at;
	}
	return parse_name(p, EXPR_NAME);
}

static struct expr *parse_parentheses(struct expr_parser *p)
{
	size_t open = p->at - 1;
	struct expr *x = parse_if(p);

	if (!x || accept(p, ")"))
		return x;
	skip_space(p);
	if (p->text[p->at])
		expected(p, "an operator or ')'");
	else
		error_set_at(p->e, EINVAL, open, 1, "'(' has no closing ')'");
	expr_free(x);
	return NULL;
}

static struct expr *parse_unary(struct expr_parser *p)
{
	size_t at;

	skip_space(p);
	at = p->at;
	if (accept(p, "-")) {
		struct expr *x;

		if (++p->depth > DEPTH_MAX) {
			error_set_at(p->e, EINVAL, at, 1, "more than %d levels", DEPTH_MAX);
			return NULL;
		}
		x = parse_unary(p);
		p->depth--;
		return x ? node_new(p, EXPR_NEGATE, at, x, NULL) : NULL;
	}
	if (accept(p, "("))
		return parse_parentheses(p);
	if (p->text[at] == '#' && isalpha((unsigned char)p->text[at + 1]))
		return parse_literal(p);
	return word_length(p->text + at) ? parse_primary(p) : expected(p, "a value");
}

/* ---- operators ---- */

/* Returns and skips an operator of the level; 0 if none comes next. */
static char accept_operator(struct expr_parser *p, const char *level)
{
	char c;

	skip_space(p);
	c = p->text[p->at];
	if (!c || !strchr(level, c) || (c == '=' && p->text[p->at + 1] != '='))
		return 0;
	p->at += c == '=' ? 2 : 1;
	return c;
}

static struct expr *parse_binary(struct expr_parser *p, size_t level)
{
	size_t at;
	struct expr *x;
	char c;

	if (level == ARRAY_SIZE(levels))
		return parse_unary(p);
	skip_space(p);
	at = p->at;
	x = parse_binary(p, level + 1);
	if (!x)
		return NULL;
	while ((c = accept_operator(p, levels[level]))) {
		struct expr *y = parse_binary(p, level + 1);

		if (y && p->nodes > NODES_MAX) {
			error_set_at(p->e, EINVAL, y->at, y->length, "more than %d names, numbers and operators",
				     NODES_MAX);
			expr_free(y);
			y = NULL;
		}
		if (!y) {
			expr_free(x);
			return NULL;
		}
		x = node_new(p, EXPR_BINARY, at, x, y);
		x->sign = c;
	}
	return x;
}

/* Parses the rest of an `if` after value; returns value if the next word is not `if`. */
static struct expr *parse_rest_of_if(struct expr_parser *p, size_t at, struct expr *value)
{
	struct expr *condition, *other = NULL, *x;

	if (!value || !accept(p, "if"))
		return value;
	condition = parse_binary(p, 0);
	if (condition && !accept(p, "else"))
		expected(p, "'else'");
	else if (condition)
		other = parse_if(p);
	if (!other) {
		expr_free(value);
		expr_free(condition);
		return NULL;
	}
	x = node_new(p, EXPR_IF, at, value, condition);
	x->arguments[2] = other;
	return x;
}

static struct expr *parse_if(struct expr_parser *p)
{
	struct expr *x;
	size_t at;

	skip_space(p);
	at = p->at;
	if (++p->depth > DEPTH_MAX) {
		error_set_at(p->e, EINVAL, at, token_length(p), "more than %d levels", DEPTH_MAX);
		return NULL;
	}
	x = parse_rest_of_if(p, at, parse_binary(p, 0));
	p->depth--;
	return x;
}

int expr_parse(struct expr **out, const char *text, struct error *e)
{
	return expr_parse_with(out, text, NULL, NULL, e);
}

int expr_parse_with(struct expr **out, const char *text, size_t (*name_length)(void *arg, const char *s), void *arg,
		    struct error *e)
{
	struct expr_parser p = {.text = text, .name_length = name_length, .arg = arg, .e = e};
	struct expr *x = parse_if(&p);

	skip_space(&p);
	if (x && text[p.at]) {
		expected(&p, "an operator");
		expr_free(x);
		x = NULL;
	}
	*out = x;
	return x ? 0 : -EINVAL;
}
