#include "host/cgroup_names.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "host/cgroupfs.h"
#include "lib/text.h"

#define ID_LENGTH 64 /* of a container */
#define HEX       "0123456789abcdef"

/* One search below a root. */
struct names_search {
	const char *root;
	enum cgroup_kind kind;
	const char *name;
	struct strings ids; /* of containers or pods with this name */
	struct strings exact, begins;
	struct suggest near;
};

/* ---- what a directory is ---- */

/* Returns the ID in "PREFIXID.scope", or the name if it is an ID; NULL if it is no container. The caller frees it. */
static char *container_id(const char *directory)
{
	static const char *const prefixes[] = {"libpod-", "docker-", "cri-containerd-", "crio-", ""};
	size_t length = strlen(directory);

	if (length > strlen(".scope") && strcmp(directory + length - strlen(".scope"), ".scope") == 0)
		length -= strlen(".scope");
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (length == n + ID_LENGTH && strncmp(directory, prefixes[i], n) == 0 &&
		    strspn(directory + n, HEX) >= ID_LENGTH)
			return xstrndup(directory + n, ID_LENGTH);
	}
	return NULL;
}

/* Returns the ID of a pod, in which systemd's names have '_' for '-'; NULL if it is no pod. The caller frees it. */
static char *pod_id(const char *directory)
{
	static const char podman[] = "libpod_pod_", kubernetes[] = "pod";
	const char *at = strstr(directory, podman);
	size_t n = at ? sizeof(podman) - 1 : sizeof(kubernetes) - 1;
	char *id;

	if (!at)
		at = strncmp(directory, kubernetes, n) == 0 ? directory : strstr(directory, "-pod");
	if (!at)
		return NULL;
	at += n + (*at == '-');
	n = strspn(at, HEX "-_");
	if (n < 32 || (at[n] && strcmp(at + n, ".slice") != 0))
		return NULL;
	id = xstrndup(at, n);
	for (char *s = id; (s = strchr(s, '_'));)
		*s = '-';
	return id;
}

/* ---- names in files of the runtimes ---- */

/* Podman starts a conmon for each container: `conmon … -c ID … -n NAME …`. */
static void add_podman_ids(struct names_search *s, const char *files)
{
	auto_free char *proc = xasprintf("%s/proc", files);
	auto_strings struct strings pids = {0};

	(void)directory_list(proc, &pids);
	for (size_t i = 0; i < pids.n; i++) {
		const char *id = NULL, *name = NULL;
		char line[8192];
		ssize_t n = strspn(pids.v[i], "0123456789") == strlen(pids.v[i])
				    ? file_readf(line, sizeof(line), "%s/%s/cmdline", proc, pids.v[i])
				    : 0;
		const char *word = line, *end = line + (n > 0 ? n : 0), *slash = strrchr(line, '/');

		if (n <= 0 || strcmp(slash ? slash + 1 : line, "conmon") != 0)
			continue;
		for (const char *next; word < end; word = next) {
			next = word + strlen(word) + 1;
			if (next < end && strcmp(word, "-c") == 0)
				id = next;
			if (next < end && strcmp(word, "-n") == 0)
				name = next;
		}
		if (id && name && strcmp(name, s->name) == 0)
			strings_add(&s->ids, "%s", id);
		if (id && name)
			suggest_offer(&s->near, name);
	}
}

/* Docker's are in containers/ID/config.v2.json. */
static void add_docker_ids(struct names_search *s, const char *files)
{
	auto_free char *directory = xasprintf("%s/var/lib/docker/containers", files);
	auto_free char *wanted = xasprintf("\"Name\":\"/%s\"", s->name);
	auto_strings struct strings ids = {0};
	auto_free char *text = xmalloc(1 << 16);

	(void)directory_list(directory, &ids);
	for (size_t i = 0; i < ids.n; i++)
		if (file_readf(text, 1 << 16, "%s/%s/config.v2.json", directory, ids.v[i]) > 0 && strstr(text, wanted))
			strings_add(&s->ids, "%s", ids.v[i]);
}

/* Kubernetes links the logs of containers: POD_NAMESPACE_CONTAINER-ID.log; a pod's are in NAMESPACE_POD_UID. */
static void add_kubernetes_ids(struct names_search *s, const char *files)
{
	bool pods = s->kind == CGROUP_OF_POD;
	auto_free char *directory = xasprintf("%s/var/log/%s", files, pods ? "pods" : "containers");
	auto_strings struct strings entries = {0};

	(void)directory_list(directory, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		char *entry = entries.v[i], *first = strchr(entry, '_'),
		     *second = first ? strchr(first + 1, '_') : NULL;
		char *id = pods || !second ? second : strrchr(second, '-');
		const char *name;

		if (!id)
			continue;
		name = pods ? first + 1 : second + 1;
		*id++ = '\0';
		id[strcspn(id, ".")] = '\0';
		suggest_offer(&s->near, name);
		if (strcmp(name, s->name) == 0)
			strings_add(&s->ids, "%s", id);
	}
}

/* ---- the search ---- */

static bool is_unit(const struct names_search *s, const char *directory)
{
	size_t n = strlen(s->name);

	return strncmp(directory, s->name, n) == 0 &&
	       (!directory[n] || (!strchr(s->name, '.') && strcmp(directory + n, ".service") == 0));
}

static void offer_unit(struct names_search *s, const char *directory)
{
	const char *dot = strrchr(directory, '.');
	auto_free char *stem = xstrndup(directory, dot ? (size_t)(dot - directory) : 0);

	if (dot)
		suggest_offer(&s->near, strchr(s->name, '.') ? directory : stem);
}

static void consider(struct names_search *s, const char *path)
{
	const char *directory = strrchr(path, '/') + 1;
	auto_free char *id = s->kind == CGROUP_OF_CONTAINER ? container_id(directory)
			     : s->kind == CGROUP_OF_POD     ? pod_id(directory)
							    : NULL;

	if (s->kind == CGROUP_OF_UNIT) {
		offer_unit(s, directory);
		if (is_unit(s, directory))
			strings_add(&s->exact, "%s", path);
		return;
	}
	if (!id)
		return;
	suggest_offer(&s->near, id);
	for (size_t i = 0; i < s->ids.n; i++)
		if (strcmp(s->ids.v[i], id) == 0) {
			strings_add(&s->exact, "%s", path);
			return;
		}
	if (strcmp(id, s->name) == 0)
		strings_add(&s->exact, "%s", path);
	else if (strncmp(id, s->name, strlen(s->name)) == 0)
		strings_add(&s->begins, "%s", path);
}

static void search_below(struct names_search *s, const char *path)
{
	auto_strings struct strings children = {0};

	cgroupfs_children(path, &children);
	for (size_t i = 0; i < children.n; i++) {
		consider(s, children.v[i]);
		search_below(s, children.v[i]);
	}
}

static int take(struct names_search *s, struct strings *paths, struct error *e)
{
	static const char *const whats[] = {
		[CGROUP_OF_UNIT] = "unit", [CGROUP_OF_CONTAINER] = "container", [CGROUP_OF_POD] = "pod"};
	const struct strings *found = s->exact.n ? &s->exact : &s->begins;
	const char *what = whats[s->kind];
	auto_free char *safe = text_safe(s->name);

	if (found->n == 1) {
		strings_add(paths, "%s", found->v[0]);
		return 0;
	}
	if (found->n == 0) {
		error_set(e, ENOENT, "--%s: no %s '%s' has a cgroup below %s", what, what, safe, s->root);
		error_suggest(e, &s->near);
		if (s->kind != CGROUP_OF_UNIT && geteuid() != 0)
			error_hint(e, "only root can read the names of most runtimes; the ID works for all users");
		return -ENOENT;
	}
	error_set(e, EINVAL, "--%s: '%s' means %zu cgroups; name one with --for-each-cgroup:", what, safe, found->n);
	for (size_t i = 0; i < found->n; i++)
		error_hint(e, "%s", cgroupfs_name(s->root, found->v[i]));
	return -EINVAL;
}

int cgroup_names_find(const char *root, const char *files, enum cgroup_kind kind, const char *name,
		      struct strings *paths, struct error *e)
{
	struct names_search s = {.root = root, .kind = kind, .name = name, .near = {.word = name}};
	int error;

	if (!*name || strchr(name, '/'))
		return error_set(e, EINVAL, "'%s' is not a name: paths of cgroups are for --for-each-cgroup", name);
	if (kind == CGROUP_OF_CONTAINER) {
		add_podman_ids(&s, files);
		add_docker_ids(&s, files);
	}
	if (kind != CGROUP_OF_UNIT)
		add_kubernetes_ids(&s, files);
	search_below(&s, root);
	error = take(&s, paths, e);
	suggest_finish(&s.near, (char[256]){0}, 256);
	strings_free(&s.ids);
	strings_free(&s.exact);
	strings_free(&s.begins);
	return error;
}
