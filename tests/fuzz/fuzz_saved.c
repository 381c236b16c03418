/* Any file as a report that was saved: it is refused with a reason, or compared with itself. */
#include "compare/differences.h"
#include "fuzz.h"
#include "saved/saved.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	auto_free char *path = xstrdup(fuzz_file(data, size));
	char *const paths[] = {path, path, NULL};
	struct error e = {0};
	struct saved saved;

	if (saved_read(&saved, paths, true, &e) < 0)
		check(e.text[0]);
	else
		differences_add(&saved.result, 1);
	saved_free(&saved);
	return 0;
}
