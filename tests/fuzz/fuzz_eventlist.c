/* Any text as a list of events: an error names its place and leaves the list unchanged; the names of a valid list are
 * a list that means the same. Files named in the text are opened for reading (probes), so be careful with the corpus.
 */
#include "fuzz.h"
#include "resolve/eventlist.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

#define TEXT_MAX 20000

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void check_error(const char *text, const struct error *e)
{
	const char *column = strstr(e->text, "(column ");
	unsigned long n;

	/* an event's name may contain the word, but never with a closing quote before it */
	for (const char *next = column; next; next = strstr(next + 1, "' (column "))
		column = next;
	check(e->code > 0 && e->text[0]);
	check(!strchr(e->text, '\n') || strchr(text, '\n'));
	check(e->at <= strlen(text) && e->length <= strlen(text) - e->at);
	check(column != NULL);
	n = strtoul(strchr(column, 'n') + 1, NULL, 10);
	check(n > 0 || strstr(text, "column"));
	check(n <= characters(text) + 1 || strstr(text, "column"));
	check(strlen(e->hint) < sizeof(e->hint));
}

static bool same_event(const struct event *a, const struct event *b)
{
	bool pointer = a->source == EVENT_PROBE; /* config1 is the address of a string */

	return strcmp(a->name, b->name) == 0 && a->source == b->source && a->attr.type == b->attr.type &&
	       a->attr.config == b->attr.config && (pointer || a->attr.config1 == b->attr.config1) &&
	       a->attr.config2 == b->attr.config2 && a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel && a->attr.exclude_hv == b->attr.exclude_hv &&
	       a->attr.exclude_guest == b->attr.exclude_guest && a->attr.precise_ip == b->attr.precise_ip &&
	       a->attr.pinned == b->attr.pinned && a->cpu == b->cpu && a->tool == b->tool;
}

/* Every event's name again, each by itself, so that the letters of groups are not missed. */
static void check_again(const struct event_list *list)
{
	for (size_t i = 0; i < list->n && i < 8; i++) {
		struct event_list again = {0};
		struct error e;

		if (event_list_parse(&again, list->events[i].name, &e)) {
			fprintf(stderr, "'%s': %s\n", list->events[i].name, e.text);
			abort();
		}
		check(again.n == 1 && again.n_groups == 0 && again.events[0].group == -1);
		check(same_event(&list->events[i], &again.events[0]) || list->events[i].group >= 0);
		event_list_free(&again);
	}
}

static void check_groups(const struct event_list *list)
{
	for (size_t g = 0; g < list->n_groups; g++) {
		const struct event_group *group = &list->groups[g];

		check(group->n > 0 && group->first + group->n <= list->n);
		for (size_t i = group->first; i < group->first + group->n; i++)
			check(list->events[i].group == (int)g && list->events[i].weak == group->weak);
	}
	check(list->last < list->n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct event_list list = {0};
	struct error e = {0};
	char *text;
	size_t before;

	if (size > TEXT_MAX)
		return -1;
	text = strndup((const char *)data, size);
	if (!text || event_list_parse(&list, "{cs,faults}", &e))
		abort();
	before = list.n;
	if (event_list_parse(&list, text, &e)) {
		check(list.n == before && list.n_groups == 1 && list.last == 0 && list.notes.n == 0);
		check_error(text, &e);
	} else {
		check(list.n > before);
		check_groups(&list);
		if (!strchr(text, '\\') && !strstr(text, "name"))
			check_again(&list);
		event_list_restrict(&list, true, false);
		event_list_filter(&list, "common_pid > 0", &e);
	}
	event_list_free(&list);
	free(text);
	return 0;
}
