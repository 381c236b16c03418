#include "host/target.h"

#include <errno.h>
#include <limits.h>
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
	auto_free char *copy = xstrdup(list);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, ","));) {
		auto_free char *token = text_trimmed(word, strlen(word));
		long id;

		if (!*token && !rest && word > copy) /* after a final comma */
			break;
		if (parse_long(token, 1, INT_MAX, &id) < 0) {
			auto_free char *in = strchr(list, ',') ? xasprintf(" in '%s'", list) : xstrdup("");

			error_set(e, EINVAL, "'%s'%s is not a process or thread id (a whole number, 1 or more)", token,
				  in);
			return error_token(e, (size_t)(word - copy) + strspn(word, " \t\n\v\f\r"), strlen(token));
		}
		if (!target_has(target, (pid_t)id))
			*ARRAY_PUSH(target->ids, target->n) = (pid_t)id;
	}
	return 0;
}

const char *target_kind_name(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_COMMAND] = "command", [TARGET_PROCESS] = "process", [TARGET_THREAD] = "thread",
		[TARGET_SYSTEM] = "system",   [TARGET_CPU] = "cpu",
	};

	return names[kind];
}

static void put_id_list(FILE *out, const struct target *target)
{
	fprintf(out, "%s id%s '", target_kind_name(target->kind), target->n == 1 ? "" : "s");
	for (size_t i = 0; i < target->n; i++)
		fprintf(out, "%s%d", i ? "," : "", target->ids[i]);
	putc('\'', out);
}

static void put_command_line(FILE *out, char *const *command)
{
	for (size_t i = 0; command[i]; i++) {
		putc(i ? ' ' : '\'', out);
		text_put_safe(out, command[i], strlen(command[i]));
	}
	putc('\'', out);
}

char *target_describe(const struct target *target, char *const *command)
{
	auto_free char *cpus = cpuset_text(&target->cpus);
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (target->kind == TARGET_COMMAND)
		put_command_line(out, command);
	else if (target->kind == TARGET_SYSTEM)
		fputs("'system wide'", out);
	else if (target->kind == TARGET_CPU)
		fprintf(out, "'CPU(s) %s'", cpus);
	else
		put_id_list(out, target);
	fclose(out);
	return text;
}

void target_free(struct target *target)
{
	free(target->ids);
	cpuset_free(&target->cpus);
	*target = (struct target){0};
}
