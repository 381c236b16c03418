/* environment: what this runs in and on, a virtual machine and a container, as far as anything tells. Each answer says
 * in parentheses how it is known. The files may be missing, or hold anything.
 *
 * root stands before every path: "", but for tests.
 */
#pragma once

#include <stdbool.h>

/* What stops the NMI watchdog, which holds a counter on each CPU. */
#define WATCHDOG_OFF "sysctl kernel.nmi_watchdog=0"

/* The virtual machine's kind, "QEMU (/proc/device-tree/compatible)"; NULL: nothing says that it is one. To be freed. */
char *environment_machine(const char *root);

/* The same of x86's CPUID, which no file can hide. */
char *environment_hypervisor(void);

/* "Docker (/.dockerenv)"; variable: $container, or NULL. NULL: nothing says that it is one. To be freed. */
char *environment_container(const char *root, const char *variable);

enum watchdog { WATCHDOG_UNKNOWN, WATCHDOG_IS_OFF, WATCHDOG_IS_ON };

/* kernel.nmi_watchdog. */
enum watchdog environment_watchdog(const char *root);
