/* seed: fill the kernel's random number generator, as every machine has done by the end of its boot, and always with
 * the same. Nothing else does it in a guest, and without it each system call of a kernel that randomizes its stacks
 * takes ten thousand instructions: it derives a key of its own each time.
 */
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(void)
{
	union {
		struct rand_pool_info info;
		char room[sizeof(struct rand_pool_info) + 64];
	} seed = {.info = {.entropy_count = 512, .buf_size = 64}};
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed) < 0) {
		perror("/dev/urandom");
		return 1;
	}
	return 0;
}
