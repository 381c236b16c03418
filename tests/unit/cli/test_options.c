/* The command line as numbers: times are in ns, beyond 32 bits. */
#include "cli/options.h"

#include "lib/util.h"
#include "tap.h"

int main(void)
{
	char line[] = "pfmstat -I 3000 --timeout 5000 -D 4000000 true", *argv[9], *rest = line;
	struct options o = {0};
	int argc = 0;

	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	options_parse(&o, argc, argv);
	ok(o.pace.interval == 3000000000u, "-I 3000: three seconds");
	ok(o.pace.timeout == 5000000000u, "--timeout 5000: five seconds");
	ok(o.pace.delay == 4000000000000u, "-D 4000000: more than an hour");
	options_free(&o);
	return tap_done();
}
