#include "os/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

struct capabilities {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
};

static bool capabilities_get(struct capabilities *c)
{
	*c = (struct capabilities){.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
	return syscall(SYS_capget, &c->header, c->data) == 0;
}

/* Returns false if nothing has changed. */
static bool set_effective(bool raised)
{
	struct capabilities c;
	bool differs = false;

	if (!capabilities_get(&c))
		return false;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t wanted = raised ? c.data[i].permitted : 0;

		differs |= c.data[i].effective != wanted;
		c.data[i].effective = wanted;
	}
	return differs && syscall(SYS_capset, &c.header, c.data) == 0;
}

int rights_put_aside(struct error *e)
{
	struct capabilities c;

	if (!getauxval(AT_SECURE))
		return 0;
	set_effective(false);
	if (!capabilities_get(&c) || c.data[0].effective || c.data[1].effective)
		return error_set(e, EPERM, "cannot suspend the capabilities of pfmstat's file");
	return 0;
}

bool rights_raise(void)
{
	return getauxval(AT_SECURE) && set_effective(true);
}

void rights_lower(const bool *raised)
{
	int error = errno;

	if (*raised && !set_effective(false))
		_exit(125); /* rather than continue with these rights */
	errno = error;
}

uint64_t rights_effective(void)
{
	auto_rights bool raised = rights_raise();
	struct capabilities c;

	return capabilities_get(&c) ? (uint64_t)c.data[1].effective << 32 | c.data[0].effective : 0;
}

void rights_unset(const char *prefix)
{
	char **kept = environ;

	if (!getauxval(AT_SECURE))
		return;
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, prefix, strlen(prefix)) != 0)
			*kept++ = *variable;
	*kept = NULL;
}
