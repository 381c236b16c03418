/* Cgroups by the names of units, containers and pods, in a tree of directories with the names that runtimes give. */
#include "host/cgroup_names.h"

#include <errno.h>

#include "host/cgroupfs.h"
#include "scratch.h"
#include "tap.h"

#define A   "1111111111111111111111111111111111111111111111111111111111111111"
#define AB  "1111111111111111111111111111111111111111111111111111111111112222"
#define C   "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define D   "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
#define E   "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
#define UID "01234567-89ab-cdef-0123-456789abcdef"

static const char *const directories[] = {
	"system.slice/nginx.service",
	"system.slice/nginx-old.service",
	"system.slice/run-1.scope",
	"user.slice/user-1.slice/user@1.service/app.slice/agent.service",
	"user.slice/user-2.slice/user@2.service/app.slice/agent.service",
	"machine.slice/libpod-" A ".scope/container",
	"machine.slice/libpod-conmon-" A ".scope",
	"machine.slice/libpod-" AB ".scope",
	"machine.slice/machine-libpod_pod_" D ".slice",
	"system.slice/docker-" C ".scope",
	"docker/" D,
	"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice/"
	"cri-containerd-" E ".scope",
};

static void check(const char *root, enum cgroup_kind kind, const char *name, const char *expected)
{
	auto_free char *files = xstrndup(root, strlen(root) - strlen("/cgroups"));
	auto_strings struct strings paths = {0};
	struct error e = {0};
	int error = cgroup_names_find(root, files, kind, name, &paths, &e);

	if (error < 0)
		is_string(e.text, expected, name);
	else
		is_string(paths.n == 1 ? cgroupfs_name(root, paths.v[0]) : "", expected, name);
}

static void test_units(const char *root)
{
	check(root, CGROUP_OF_UNIT, "nginx.service", "system.slice/nginx.service");
	check(root, CGROUP_OF_UNIT, "nginx", "system.slice/nginx.service");
	check(root, CGROUP_OF_UNIT, "run-1.scope", "system.slice/run-1.scope");
	check(root, CGROUP_OF_UNIT, "system.slice", "system.slice");
	check(root, CGROUP_OF_UNIT, "agent", "--unit: 'agent' means 2 cgroups; name one with --for-each-cgroup:");
	check(root, CGROUP_OF_UNIT, "a/b", "'a/b' is not a name: paths of cgroups are for --for-each-cgroup");
}

static void test_containers(const char *root)
{
	check(root, CGROUP_OF_CONTAINER, A, "machine.slice/libpod-" A ".scope");
	check(root, CGROUP_OF_CONTAINER, "ccc", "system.slice/docker-" C ".scope");
	check(root, CGROUP_OF_CONTAINER, "dd", "docker/" D);
	check(root, CGROUP_OF_CONTAINER, "web", "machine.slice/libpod-" AB ".scope");
	check(root, CGROUP_OF_CONTAINER, "db", "system.slice/docker-" C ".scope");
	check(root, CGROUP_OF_CONTAINER, "sidecar",
	      "kubepods.slice/kubepods-burstable.slice/"
	      "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-" E ".scope");
	check(root, CGROUP_OF_CONTAINER, "11", "--container: '11' means 2 cgroups; name one with --for-each-cgroup:");
}

static void test_pods(const char *root)
{
	check(root, CGROUP_OF_POD, UID,
	      "kubepods.slice/kubepods-burstable.slice/"
	      "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice");
	check(root, CGROUP_OF_POD, "0123",
	      "kubepods.slice/kubepods-burstable.slice/"
	      "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice");
	check(root, CGROUP_OF_POD, "front",
	      "kubepods.slice/kubepods-burstable.slice/"
	      "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice");
	check(root, CGROUP_OF_POD, "dddd", "machine.slice/machine-libpod_pod_" D ".slice");
}

static void put_bytes(const char *root, const char *path, const char *bytes, size_t n)
{
	auto_free char *full = xasprintf("%s/%s", root, path);
	FILE *f;

	scratch_put(root, path, "");
	f = fopen(full, "w");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		abort();
}

int main(void)
{
	static const char conmon[] = "/usr/bin/conmon\0--api-version\0001\0-c\0" AB "\0-u\0" AB "\0-n\0web\0--syslog";
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *cgroups = NULL;

	scratch_make(root);
	cgroups = xasprintf("%s/cgroups", root);
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		auto_free char *file = xasprintf("cgroups/%s/cgroup.procs", directories[i]);

		scratch_put(root, file, "");
	}
	put_bytes(root, "proc/7/cmdline", conmon, sizeof(conmon));
	put_bytes(root, "proc/8/cmdline", "sh\0-n\0web", sizeof("sh\0-n\0web"));
	scratch_put(root, "var/lib/docker/containers/" C "/config.v2.json", "{\"ID\":\"" C "\",\"Name\":\"/db\"}");
	scratch_put(root, "var/log/containers/front_shop_sidecar-" E ".log", "");
	scratch_put(root, "var/log/containers/nonsense", "");
	scratch_put(root, "var/log/pods/shop_front_" UID "/x", "");
	test_units(cgroups);
	test_containers(cgroups);
	test_pods(cgroups);
	scratch_remove(root);
	return tap_done();
}
