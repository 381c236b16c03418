#include "host/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

static bool target_has(const struct target *target, pid_t id)
{
	for (size_t i = 0; i < target->n; i++)
		if (target->ids[i] == id)
			return true;
	return false;
}

bool target_is_cpus(const struct target *target)
{
	return target->kind == TARGET_SYSTEM || target->kind == TARGET_CPU;
}

int target_add_ids(struct target *target, const char *list, struct error *e)
{
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		auto_free char *token = xstrndup(at, length);
		long id;

		if (parse_long(token, 1, INT_MAX, &id) < 0) {
			error_set(e, EINVAL, "'%s' in '%s' is not a process or thread id (a number from 1)", token,
				  list);
			return error_token(e, (size_t)(at - list), length);
		}
		if (!target_has(target, (pid_t)id))
			*ARRAY_PUSH(target->ids, target->n) = (pid_t)id;
		at += length;
		if (!*at)
			return 0;
	}
}

static char *describe_ids(const struct target *target, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fprintf(out, "%s id%s '", what, target->n == 1 ? "" : "s");
	for (size_t i = 0; i < target->n; i++)
		fprintf(out, "%s%d", i ? "," : "", target->ids[i]);
	putc('\'', out);
	fclose(out);
	return text;
}

static char *describe_command(char *const *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	putc('\'', out);
	for (size_t i = 0; command[i]; i++) {
		if (i)
			putc(' ', out);
		text_put_safe(out, command[i], strlen(command[i]));
	}
	putc('\'', out);
	fclose(out);
	return text;
}

static char *describe_cpus(const struct target *target)
{
	auto_free char *list = cpuset_text(&target->cpus);

	return xasprintf("'CPU(s) %s'", list);
}

char *target_describe(const struct target *target, char *const *command)
{
	switch (target->kind) {
	case TARGET_PROCESS:
		return describe_ids(target, "process");
	case TARGET_THREAD:
		return describe_ids(target, "thread");
	case TARGET_SYSTEM:
		return xstrdup("'system wide'");
	case TARGET_CPU:
		return describe_cpus(target);
	default:
		return describe_command(command);
	}
}

const char *target_kind_name(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_COMMAND] = "command", [TARGET_PROCESS] = "process", [TARGET_THREAD] = "thread",
		[TARGET_SYSTEM] = "system",   [TARGET_CPU] = "cpu",
	};

	return names[kind];
}

void target_free(struct target *target)
{
	free(target->ids);
	cpuset_free(&target->cpus);
	*target = (struct target){0};
}
