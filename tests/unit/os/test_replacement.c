/* A file that is replaced: its mode and owner, links, files that cannot be replaced, and files that remain. */
#include "os/replacement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "scratch.h"
#include "tap.h"

static size_t count_files(const char *directory)
{
	DIR *d = opendir(directory);
	size_t n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static bool replace(const char *path, const char *text)
{
	struct replacement r;
	int error = -1;
	bool done = replacement_open(&r, path, &error) && error == 0;

	if (done) {
		replacement_put(&r, text, strlen(text) / 2);
		replacement_put(&r, text + strlen(text) / 2, strlen(text) - strlen(text) / 2);
		done = replacement_commit(&r) == 0;
	}
	replacement_free(&r);
	return done;
}

static bool holds(const char *path, const char *text)
{
	char buf[100];

	return file_read(path, buf, sizeof(buf)) >= 0 && strcmp(buf, text) == 0;
}

static void test_files(const char *root)
{
	auto_free char *path = xasprintf("%s/a.prom", root), *link = xasprintf("%s/link.prom", root);
	auto_free char *far = xasprintf("%s/dir/far.prom", root), *to_far = xasprintf("%s/to_far.prom", root);
	struct stat st;
	ino_t before;
	int old;
	char text[8] = "";

	umask(022);
	ok(replace(path, "one") && holds(path, "one"), "a new file");
	stat(path, &st);
	ok((st.st_mode & 0777) == 0644, "its mode follows the umask");
	chmod(path, 0604);
	before = st.st_ino;
	old = open(path, O_RDONLY | O_CLOEXEC);
	ok(replace(path, "two") && holds(path, "two"), "an old file");
	stat(path, &st);
	ok((st.st_mode & 0777) == 0604, "its mode stays");
	ok(st.st_ino != before && read(old, text, 7) == 3 && strcmp(text, "one") == 0,
	   "a reader that has it open still reads the old text");
	close(old);
	ok(symlink("a.prom", link) == 0 && replace(link, "three") && holds(path, "three"), "the target of a link");
	ok(lstat(link, &st) == 0 && S_ISLNK(st.st_mode), "the link stays");
	scratch_put(root, "dir/other", "");
	ok(symlink("dir/far.prom", to_far) == 0 && replace(to_far, "far") && holds(far, "far"),
	   "the target need not exist");
	ok(count_files(root) == 4, "no other file is left");
}

static void test_refusals(const char *root)
{
	auto_free char *fifo = xasprintf("%s/fifo", root), *loop = xasprintf("%s/loop", root);
	auto_free char *nowhere = xasprintf("%s/no/where", root), *shut = xasprintf("%s/shut", root);
	auto_free char *inside = xasprintf("%s/shut/file", root);
	struct replacement r;
	int error = 0;

	ok(mkfifo(fifo, 0600) == 0 && !replacement_open(&r, fifo, &error), "a FIFO is written to");
	ok(!replacement_open(&r, "/dev/null", &error) && !replacement_open(&r, root, &error),
	   "and so is any other special file");
	ok(!replacement_open(&r, "/proc/self/fd/1", &error), "and an open descriptor, even of a file");
	ok(replacement_open(&r, "/dev/pfmstat.no-file", &error), "a file below /dev");
	replacement_free(&r);
	ok(symlink("loop", loop) == 0 && replacement_open(&r, loop, &error) && error == ELOOP, "links in a circle");
	replacement_free(&r);
	ok(replacement_open(&r, nowhere, &error) && error == ENOENT, "no such directory");
	replacement_free(&r);
	scratch_put(root, "shut/file", "old");
	chmod(shut, 0500);
	if (geteuid() != 0)
		ok(replacement_open(&r, inside, &error) && error == EACCES, "a directory without permission");
	else
		ok(replacement_open(&r, inside, &error) && error == 0, "root needs no permission");
	replacement_free(&r);
	chmod(shut, 0700);
}

/* The directory goes away between two texts. */
static void test_later(const char *root)
{
	auto_free char *path = xasprintf("%s/later/file", root), *directory = xasprintf("%s/later", root);
	struct replacement r;
	int error = 0;

	scratch_put(root, "later/file", "old");
	ok(replacement_open(&r, path, &error) && error == 0, "it can be replaced");
	replacement_put(&r, "new", 3);
	unlink(path);
	rmdir(directory);
	ok(replacement_commit(&r) == ENOENT, "and then it cannot");
	replacement_free(&r);
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;

	scratch_make(root);
	test_files(root);
	test_refusals(root);
	test_later(root);
	scratch_remove(root);
	return tap_done();
}
