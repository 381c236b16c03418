#include "lib/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdbool.h>
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

/* False: none are lent. */
static bool capabilities_read(struct capabilities *c)
{
	return getauxval(AT_SECURE) && capabilities_get(c);
}

static bool capabilities_lower(struct capabilities c, bool for_good)
{
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		c.data[i].effective = 0;
		c.data[i].permitted = for_good ? 0 : c.data[i].permitted;
	}
	return syscall(SYS_capset, &c.header, c.data) == 0;
}

int rights_call(int (*call)(void *arg), void *arg)
{
	struct capabilities lent;
	int result, error;

	if (!capabilities_read(&lent))
		return call(arg);
	if (!capabilities_lower(lent, false))
		return -1;
	result = call(arg);
	error = errno;
	syscall(SYS_capset, &lent.header, lent.data);
	errno = error;
	return result;
}

struct opening {
	const char *path;
	int flags;
	mode_t mode;
};

static int open_file(void *arg)
{
	const struct opening *o = arg;

	return open(o->path, o->flags, o->mode);
}

int rights_open_file(const char *path, int flags, mode_t mode)
{
	return rights_call(open_file, &(struct opening){path, flags, mode});
}

uint64_t rights_effective(void)
{
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

void rights_drop(void)
{
	struct capabilities lent;

	if (capabilities_read(&lent))
		capabilities_lower(lent, true);
}
