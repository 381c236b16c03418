#include "host/environment.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "lib/util.h"

/* The path, root and all, has text: 0 or more, its length. */
static ssize_t fact_read(const char *root, const char *path, char *buf, size_t size)
{
	return file_readf(buf, size, "%s%s", root, path);
}

/* ---- virtual machines ---- */

/* What the firmware or the device tree of a virtual machine says, and nothing else does. */
static const struct machine_mark {
	const char *path, *text, *kind;
} machine_marks[] = {
	{"/proc/device-tree/hypervisor/compatible", "xen", "Xen"},
	{"/proc/device-tree/hypervisor/compatible", "vmware", "VMware"},
	{"/proc/device-tree/hypervisor/compatible", "kvm", "KVM"},
	{"/proc/device-tree/compatible", "linux,dummy-virt", "QEMU"},
	{"/sys/class/dmi/id/sys_vendor", "QEMU", "QEMU"},
	{"/sys/class/dmi/id/product_name", "KVM", "KVM"},
	{"/sys/class/dmi/id/sys_vendor", "VMware", "VMware"},
	{"/sys/class/dmi/id/product_name", "VirtualBox", "VirtualBox"},
	{"/sys/class/dmi/id/sys_vendor", "Xen", "Xen"},
	{"/sys/class/dmi/id/product_name", "Virtual Machine", "Hyper-V"},
	{"/sys/class/dmi/id/product_name", "Google Compute Engine", "Google Compute Engine"},
	{"/sys/class/dmi/id/product_name", "Apple Virtualization", "Apple Virtualization"},
	{"/sys/class/dmi/id/sys_vendor", "Parallels", "Parallels"},
	{"/sys/class/dmi/id/sys_vendor", "Bochs", "Bochs"},
	{"/proc/sysinfo", "VM00 Control Program", "z/VM or KVM"},
};

/* A list of strings, each ended by NUL, is one text. */
static bool file_mentions(const char *root, const char *path, const char *text)
{
	char found[4096];
	ssize_t n = fact_read(root, path, found, sizeof(found));

	return n > 0 && memmem(found, (size_t)n, text, strlen(text));
}

static bool has_hypervisor_flag(const char *root)
{
	auto_free char *path = xasprintf("%s/proc/cpuinfo", root);
	auto_fclose FILE *in = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0;

	while (in && getline(&line, &size, in) > 0)
		if (strncmp(line, "flags", 5) == 0)
			return strstr(line, " hypervisor") != NULL;
	return false;
}

char *environment_machine(const char *root)
{
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(machine_marks); i++) {
		const struct machine_mark *mark = &machine_marks[i];

		if (file_mentions(root, mark->path, mark->text))
			return xasprintf("%s (%s)", mark->kind, mark->path);
	}
	if (fact_read(root, "/sys/hypervisor/type", text, sizeof(text)) > 0)
		return xasprintf("%s (/sys/hypervisor/type)", text);
	if (has_hypervisor_flag(root))
		return xstrdup("of an unknown kind (the flag hypervisor in /proc/cpuinfo)");
	return NULL;
}

#if defined(__x86_64__) || defined(__i386__)
#define HYPERVISOR_BIT  (1u << 31) /* of leaf 1, ECX: no real processor sets it */
#define HYPERVISOR_LEAF 0x40000000u

/* The names that hypervisors give themselves (Linux, arch/x86/kernel/cpu/hypervisor.c and its neighbours). */
char *environment_hypervisor(void)
{
	static const char *const names[][2] = {
		{"KVMKVMKVM", "KVM"},      {"TCGTCGTCGTCG", "QEMU"},    {"VMwareVMware", "VMware"},
		{"XenVMMXenVMM", "Xen"},   {"Microsoft Hv", "Hyper-V"}, {"VBoxVBoxVBox", "VirtualBox"},
		{"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "ACRN"},
	};
	unsigned a, b, c, d, id[3];
	char text[sizeof(id) + 1] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & HYPERVISOR_BIT))
		return NULL;
	__cpuid(HYPERVISOR_LEAF, a, id[0], id[1], id[2]);
	memcpy(text, id, sizeof(id));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(text, names[i][0]) == 0)
			return xasprintf("%s (CPUID)", names[i][1]);
	return *text ? xasprintf("%s (CPUID)", text) : xstrdup("of an unknown kind (CPUID)");
}
#else
char *environment_hypervisor(void)
{
	return NULL;
}
#endif

/* ---- containers ---- */

/* The value of container= among the variables that process 1 was started with; root alone may look. */
static bool first_process_variable(const char *root, char *value, size_t size)
{
	static const char name[] = "container=";
	char text[16384];
	ssize_t n = fact_read(root, "/proc/1/environ", text, sizeof(text));

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(text + at) + 1)
		if (strncmp(text + at, name, strlen(name)) == 0) {
			snprintf(value, size, "%s", text + at + strlen(name));
			return *value != '\0';
		}
	return false;
}

char *environment_container(const char *root, const char *variable)
{
	static const struct {
		const char *path, *kind;
	} marks[] = {{"/run/.containerenv", "Podman"}, {"/.dockerenv", "Docker"}};
	static const char *const groups[] = {"docker", "kubepods", "libpod", "containerd", "lxc"};
	char text[64];

	if (fact_read(root, "/run/systemd/container", text, sizeof(text)) > 0)
		return xasprintf("%s (/run/systemd/container)", text);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		auto_free char *path = xasprintf("%s%s", root, marks[i].path);

		if (access(path, F_OK) == 0)
			return xasprintf("%s (%s)", marks[i].kind, marks[i].path);
	}
	if (variable && *variable)
		return xasprintf("%s ($container)", variable);
	if (first_process_variable(root, text, sizeof(text)))
		return xasprintf("%s ($container of process 1)", text);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (file_mentions(root, "/proc/self/cgroup", groups[i]))
			return xasprintf("%s (/proc/self/cgroup)", groups[i]);
	return NULL;
}

enum watchdog environment_watchdog(const char *root)
{
	char text[32];
	long on;

	if (fact_read(root, "/proc/sys/kernel/nmi_watchdog", text, sizeof(text)) <= 0 ||
	    parse_long(text, 0, 1, &on) < 0)
		return WATCHDOG_UNKNOWN;
	return on ? WATCHDOG_IS_ON : WATCHDOG_IS_OFF;
}
