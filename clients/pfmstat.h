/* pfmstat.h: a program names the parts of it that pfmstat counts separately. For C99 and C++, on Linux, without a
 * library.
 *
 *	#include <pfmstat.h>
 *
 *	pfmstat_region_begin("parse");          pfmstat --regions ./program
 *	parse();
 *	pfmstat_region_end("parse");
 *
 *	{                                       or until the end of the block:
 *		PFMSTAT_REGION("sort");
 *		sort();
 *	}
 *
 *	pfmstat_enable();                       with pfmstat --regions --delay=-1: only this is counted at all
 *	work();
 *	pfmstat_disable();
 *
 * Without pfmstat, each of these is one comparison, after the first. All may be called by any thread and after fork(2),
 * but not between vfork(2) and exec. Regions may lie within others and overlap; pfmstat-regions(7) describes this case.
 *A name has up to 255 bytes. They return 0, or -1 if pfmstat is absent or refuses. errno is kept.
 *
 * They wait until pfmstat has read its counters. If it does not answer for PFMSTAT_PATIENCE seconds, or has ended, the
 * process continues without it, and gets no signal.
 *
 * How it works: the environment has PFMSTAT_CONTROL=PATH, that of a unix(7) socket of SOCK_SEQPACKET; each packet is a
 * command or its answer. A connection is used by one thread at a time, and kept for the next one; after a fork the
 * child opens another. A descriptor that the program has closed, or closed and used again, is not touched. On the few
 * architectures without atomic operations of 64 bits, link with -latomic.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PFMSTAT_H
#define PFMSTAT_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef PFMSTAT_PATIENCE
#define PFMSTAT_PATIENCE 5
#endif

/* Names that end in an underscore are not for programs. */

#ifdef __cplusplus /* without warnings about casts */
#define PFMSTAT_CAST_(type, value) static_cast<type>(value)
#else
#define PFMSTAT_CAST_(type, value) ((type)(value))
#endif

#define PFMSTAT_VARIABLE_ "PFMSTAT_CONTROL"
#define PFMSTAT_PREFIX_   "/pfmstat-" /* of the directory in the path */
#define PFMSTAT_IDLE_     8
#define PFMSTAT_NAME_     256 /* bytes of a name that are sent; pfmstat refuses this length */

struct pfmstat_state_ {
	int off;                      /* no pfmstat, or it has ended */
	uint64_t idle[PFMSTAT_IDLE_]; /* connections: the process, and the descriptor + 1; 0: none */
};

static inline struct pfmstat_state_ *pfmstat_shared_(void)
{
	static struct pfmstat_state_ state;

	return &state;
}

/* Returns 0 if there is no pfmstat. */
static inline int pfmstat_address_(struct sockaddr_un *address)
{
	const char *path = getenv(PFMSTAT_VARIABLE_);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	if (!path || path[0] != '/' || strlen(path) >= sizeof(address->sun_path))
		return 0;
	memcpy(address->sun_path, path, strlen(path));
	return 1;
}

/* Whether the descriptor is still the connection. The socket's name is DIRECTORY/s. Functions that begin() has not
 * called would be loaded into memory here, within the region. */
static inline int pfmstat_is_ours_(int fd)
{
	struct sockaddr_un peer;
	void *address = &peer;
	socklen_t size = sizeof(peer);
	size_t tail = strlen(PFMSTAT_PREFIX_) + sizeof("XXXXXX/s");

	return getpeername(fd, PFMSTAT_CAST_(struct sockaddr *, address), &size) == 0 && peer.sun_family == AF_UNIX &&
	       size <= sizeof(peer) && size >= offsetof(struct sockaddr_un, sun_path) + tail &&
	       memcmp(PFMSTAT_CAST_(const char *, address) + size - tail, PFMSTAT_PREFIX_, strlen(PFMSTAT_PREFIX_)) ==
		       0;
}

/* Not with the number of a standard stream that the program has closed. */
static inline int pfmstat_move_up_(int fd)
{
	int copy;

	if (fd < 0 || fd > 2)
		return fd;
	copy = fcntl(fd, F_DUPFD, 3);
	close(fd);
	if (copy >= 0)
		fcntl(copy, F_SETFD, FD_CLOEXEC);
	return copy;
}

/* A new connection, or -1; *gone if nobody listens. */
static inline int pfmstat_connect_(int *gone)
{
	const struct timeval patience = {PFMSTAT_PATIENCE, 0};
	struct sockaddr_un address;
	const void *where = &address;
	time_t begin = time(NULL);
	int there = pfmstat_address_(&address), failed;
	int fd = there ? pfmstat_move_up_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) : -1;

	*gone = !there;
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	do
		failed = connect(fd, PFMSTAT_CAST_(const struct sockaddr *, where), sizeof(address));
	while (failed && errno == EINTR && time(NULL) - begin < PFMSTAT_PATIENCE);
	if (!failed)
		return fd;
	*gone = 1;
	close(fd);
	return -1;
}

/* An idle connection, or -1. */
static inline int pfmstat_take_(struct pfmstat_state_ *state)
{
	uint64_t self = PFMSTAT_CAST_(uint64_t, getpid());

	for (int i = 0; i < PFMSTAT_IDLE_; i++) {
		uint64_t taken = __atomic_exchange_n(&state->idle[i], 0, __ATOMIC_ACQ_REL);
		int fd = PFMSTAT_CAST_(int, taken & 0xffffffffU) - 1;

		if (taken == 0 || !pfmstat_is_ours_(fd))
			continue;
		if (taken >> 32 == self)
			return fd;
		close(fd); /* the copy of the parent's descriptor */
	}
	return -1;
}

static inline void pfmstat_keep_(struct pfmstat_state_ *state, int fd)
{
	uint64_t kept = PFMSTAT_CAST_(uint64_t, getpid()) << 32 | PFMSTAT_CAST_(uint64_t, fd + 1);

	for (int i = 0; i < PFMSTAT_IDLE_; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&state->idle[i], &none, kept, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	close(fd);
}

/* 1: "ack"; 0: refused; -1: the connection has ended; -2: no answer in time. */
static inline int pfmstat_ask_(int fd, const char *text, size_t length)
{
	time_t begin = time(NULL);
	char answer[64];
	ssize_t n;

	do
		n = send(fd, text, length, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR && time(NULL) - begin < PFMSTAT_PATIENCE);
	if (n != PFMSTAT_CAST_(ssize_t, length))
		return n < 0 && (errno == EAGAIN || errno == EINTR) ? -2 : -1;
	do
		n = recv(fd, answer, sizeof(answer), 0);
	while (n < 0 && errno == EINTR && time(NULL) - begin < PFMSTAT_PATIENCE);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -2 : -1;
	if (n == 0)
		return -1;
	return n >= 3 && memcmp(answer, "ack", 3) == 0;
}

/* pfmstat may close a connection before it reads the next packet, when it has too many: then use a new one. */
static inline int pfmstat_send_(struct pfmstat_state_ *state, const char *text, size_t length)
{
	time_t begin = time(NULL);
	int fd = pfmstat_take_(state), answer = -1, gone = 0;

	if (fd < 0)
		fd = pfmstat_connect_(&gone);
	while (fd >= 0 && (answer = pfmstat_ask_(fd, text, length)) == -1 && time(NULL) - begin < PFMSTAT_PATIENCE) {
		close(fd);
		fd = pfmstat_connect_(&gone);
	}
	if (fd >= 0 && answer >= 0)
		pfmstat_keep_(state, fd);
	else if (fd >= 0)
		close(fd);
	if (gone || answer == -2)
		__atomic_store_n(&state->off, 1, __ATOMIC_RELAXED);
	return answer == 1 ? 0 : -1;
}

static inline int pfmstat_say_(const char *command, const char *name)
{
	struct pfmstat_state_ *state = pfmstat_shared_();
	char text[32 + PFMSTAT_NAME_];
	size_t length = strlen(command), more = strlen(name);
	int error = errno, result;

	memcpy(text, command, length);
	if (more > PFMSTAT_NAME_)
		more = PFMSTAT_NAME_;
	memcpy(text + length, name, more);
	result = pfmstat_send_(state, text, length + more);
	errno = error;
	return result;
}

static inline int pfmstat_is_off_(void)
{
	return __atomic_load_n(&pfmstat_shared_()->off, __ATOMIC_RELAXED);
}

/* ---- for programs ---- */

static inline int pfmstat_enable(void)
{
	return pfmstat_is_off_() ? -1 : pfmstat_say_("enable", "");
}

static inline int pfmstat_disable(void)
{
	return pfmstat_is_off_() ? -1 : pfmstat_say_("disable", "");
}

static inline int pfmstat_region_begin(const char *name)
{
	return pfmstat_is_off_() ? -1 : pfmstat_say_("region begin ", name);
}

static inline int pfmstat_region_end(const char *name)
{
	return pfmstat_is_off_() ? -1 : pfmstat_say_("region end ", name);
}

/* PFMSTAT_REGION("name"); from here to the end of the block. The name must stay valid as long. */
#define PFMSTAT_JOIN2_(a, b) a##b
#define PFMSTAT_JOIN_(a, b)  PFMSTAT_JOIN2_(a, b)
#ifdef __COUNTER__ /* two may stand in one line */
#define PFMSTAT_NUMBER_ __COUNTER__
#else
#define PFMSTAT_NUMBER_ __LINE__
#endif

#ifdef __cplusplus
namespace pfmstat
{
class region
{
      public:
	explicit region(const char *name) : name_(name)
	{
		pfmstat_region_begin(name_);
	}
	~region()
	{
		pfmstat_region_end(name_);
	}

      private:
	region(const region &);
	region &operator=(const region &);
	const char *name_;
};
} // namespace pfmstat
#define PFMSTAT_REGION(name) pfmstat::region PFMSTAT_JOIN_(pfmstat_region_, PFMSTAT_NUMBER_)(name)
#else
static inline const char *pfmstat_scope_begin_(const char *name)
{
	pfmstat_region_begin(name);
	return name;
}

static inline void pfmstat_scope_end_(const char *const *name)
{
	pfmstat_region_end(*name);
}
#define PFMSTAT_REGION(name)                                                                  \
	__attribute__((cleanup(pfmstat_scope_end_), unused)) const char *const PFMSTAT_JOIN_( \
		pfmstat_region_, PFMSTAT_NUMBER_) = pfmstat_scope_begin_(name)
#endif

#endif
