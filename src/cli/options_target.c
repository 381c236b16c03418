/* Of whom, and in rows for what. */
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

static void add_ids(struct argp_state *state, struct options *o, enum target_kind kind, const char *list)
{
	struct error e;

	o->target.kind = kind;
	if (target_add_ids(&o->target, list, &e) < 0)
		argp_error(state, "%s", e.text);
}

static void add_cpus(struct argp_state *state, struct options *o, const char *list)
{
	struct error e;

	o->target.kind = TARGET_CPU;
	if (cpuset_parse(&o->target.cpus, list, &e) < 0)
		argp_error(state, "-C: %s", e.text);
}

static void set_scope(struct argp_state *state, struct options *o, enum aggr_mode scope)
{
	if (o->scope != AGGR_TOTAL && o->scope != scope)
		argp_error(state, "rows per %s and per %s do not go together: choose one", aggr_mode_name(o->scope),
			   aggr_mode_name(scope));
	o->scope = scope;
}

/* "2", "L2"; NULL: the last level. */
static void set_cache_level(struct argp_state *state, struct options *o, const char *arg)
{
	long level = 0;

	if (arg && parse_long(arg + (*arg == 'L' || *arg == 'l'), 1, 9, &level) < 0)
		argp_error(state, "--per-cache: '%s' is no cache level, as in 2 or L2", arg);
	o->cache_level = (unsigned)level;
}

static void add_cgroups(struct options *o, const char *list, bool for_each)
{
	strings_add(&o->cgroups.lists, "%s", list);
	o->cgroups.for_each = for_each;
}

/* One row per what. */
static error_t parse_scope(int key, char *arg, struct argp_state *state, struct options *o)
{
	static const struct {
		int key;
		enum aggr_mode scope;
	} scopes[] = {
		{'A', AGGR_CPU},
		{KEY_PER_CORE, AGGR_CORE},
		{KEY_PER_CLUSTER, AGGR_CLUSTER},
		{KEY_PER_CACHE, AGGR_CACHE},
		{KEY_PER_DIE, AGGR_DIE},
		{KEY_PER_SOCKET, AGGR_SOCKET},
		{KEY_PER_NODE, AGGR_NODE},
	};
	error_t known = ARGP_ERR_UNKNOWN;

	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		if (scopes[i].key == key) {
			if (key == KEY_PER_CACHE)
				set_cache_level(state, o, arg);
			set_scope(state, o, scopes[i].scope);
			known = 0;
		}
	return known;
}

error_t options_parse_target(int key, char *arg, struct argp_state *state, struct options *o)
{
	switch (key) {
	case 'p':
		add_ids(state, o, TARGET_PROCESS, arg);
		break;
	case 't':
		add_ids(state, o, TARGET_THREAD, arg);
		break;
	case 'i':
		o->inherit = false;
		break;
	case 'a':
		if (o->target.kind != TARGET_CPU)
			o->target.kind = TARGET_SYSTEM;
		break;
	case 'C':
		add_cpus(state, o, arg);
		break;
	case 'G':
	case KEY_FOR_EACH_CGROUP:
		add_cgroups(o, arg, key != 'G');
		break;
	default:
		return parse_scope(key, arg, state, o);
	}
	return 0;
}
