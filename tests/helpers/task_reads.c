/* task_reads: tests whether the kernel writes a PERF_RECORD_READ for a task that ends, as --by needs it on a command.
 * Status 0: yes; 1: no, with the reason on standard output. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_dummy(int inherit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1};

	if (inherit)
		attr.inherit = attr.inherit_stat = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int ring = open_dummy(0), counter = open_dummy(1);
	const struct perf_event_mmap_page *control = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
	pid_t child;

	if (ring < 0 || counter < 0 || control == MAP_FAILED || ioctl(counter, PERF_EVENT_IOC_SET_OUTPUT, ring) < 0) {
		printf("the counts of tasks cannot be recorded here: %s\n", strerror(errno));
		return 1;
	}
	child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	if (control->data_head)
		return 0;
	puts("this kernel does not report the counts of tasks that end");
	return 1;
}
