#!/bin/bash
# libtraceevent 1.7.1, which formats records of tracepoints for perf script and trace-cmd and filters them for trace-cmd,
# computes expressions otherwise than the kernel, which compiles print formats as C and has C's rules in its filters
# (Debian 12: libtraceevent1 1:1.7.1-1). Expected: C's values, or a message for an operator that is not supported.
#
#   sign      Operands are unsigned, also fields that the format declares as signed. The kernel's own event
#             kvm_wait_lapic_expire (delta < 0 ? "early" : "late") is "late" for each record; -100 / 10 is 429496719.
#   order     Operators of one precedence group from the right: 100 - 10 - 3 is 93.
#   xor       100 ^ 10 is 0, without a message.
#   filter    n > 0 selects a record with n = -100, n < 0 does not. And && does not bind more tightly than ||.
#
# The bare field is right: %d and %lld print negative values.
#
# Output seen, with a = 100, b = 10, c = 3, n = -100, delta = -5:
#   REC->n                                        -100  C: -100
#   REC->n / 10                              429496719  C: -10
#   REC->n < 0                                       0  C: 1
#   REC->n == -100                                   0  C: 1
#   REC->a - REC->b - REC->c                        93  C: 87
#   REC->a / REC->b / REC->c                        33  C: 3
#   REC->a % REC->b * REC->c                        10  C: 0
#   REC->a ^ REC->b                                  0  C: 110
#   kvm_wait_lapic_expire: vcpu 0: delta -5 (late)
#   filter n > 0                                   yes  C: 0
#   filter n < 0                                    no  C: 1
#   filter n == -100                               yes  C: 1
#   filter a == 100 || b == 1 && c == 1             no  C: 1
#   filter a == 100 || (b == 1 && c == 1)          yes  C: 1
#
# Needs apt-get (Debian 12), dpkg-deb and gcc, on x86-64. Exit status 1 if one of them has changed.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get -o APT::Sandbox::User=root download libtraceevent1=1:1.7.1-1 libtraceevent-dev=1:1.7.1-1 >/dev/null
for package in *.deb; do dpkg-deb -x "$package" .; done

cat >print.c <<'END'
#include <event-parse.h>
#include <stdio.h>
#include <string.h>
#include <trace-seq.h>

struct fields {
	unsigned short type;
	unsigned char flags, preempt_count;
	int pid, a, b, c, n;
	long long delta;
	int vcpu_id, end;
};
static struct fields values = {1, 0, 0, 1, 100, 10, 3, -100, -5, 0, 0};
static struct tep_record record = {.data = &values, .size = sizeof values};

/* A library that knows the event test:event with these fields and a print format, from a format file as in tracefs. */
static struct tep_handle *library(const char *print)
{
	struct tep_handle *tep = tep_alloc();
	char text[2000];

	tep_set_long_size(tep, 8);
	snprintf(text, sizeof text,
		 "name: event\nID: 1\nformat:\n"
		 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		 "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:int b;\toffset:12;\tsize:4;\tsigned:1;\n"
		 "\tfield:int c;\toffset:16;\tsize:4;\tsigned:1;\n"
		 "\tfield:int n;\toffset:20;\tsize:4;\tsigned:1;\n"
		 "\tfield:s64 delta;\toffset:24;\tsize:8;\tsigned:1;\n"
		 "\tfield:u32 vcpu_id;\toffset:32;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: %s\n", print);
	tep_parse_event(tep, text, strlen(text), "test");
	return tep;
}

static void format(const char *print)
{
	struct tep_handle *tep = library(print);
	struct trace_seq seq;

	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_do_printf(&seq);
}

static const char *filter(const char *expression)
{
	struct tep_event_filter *events = tep_filter_alloc(library("\"%d\", REC->a"));
	char text[200];

	snprintf(text, sizeof text, "test/event: %s", expression);
	if (tep_filter_add_filter_str(events, text))
		return "error";
	return tep_filter_match(events, &record) == TEP_ERRNO__FILTER_MATCH ? "yes" : "no";
}

#define FORMAT(expression)                                                                                             \
	do {                                                                                                           \
		printf("%-34s", #expression);                                                                          \
		fflush(stdout);                                                                                        \
		format("\"%16d\", " #expression);                                                                      \
		printf("  C: %d\n", expression);                                                                       \
	} while (0)
#define FILTER(expression) printf("filter %-38s %4s  C: %d\n", #expression, filter(#expression), expression)

int main(void)
{
	const struct fields *REC = &values;
	int a = values.a, b = values.b, c = values.c, n = values.n;

	FORMAT(REC->n);
	FORMAT(REC->n / 10);
	FORMAT(REC->n < 0);
	FORMAT(REC->n == -100);
	FORMAT(REC->a - REC->b - REC->c);
	FORMAT(REC->a / REC->b / REC->c);
	FORMAT(REC->a % REC->b * REC->c);
	FORMAT(REC->a ^ REC->b);
	printf("kvm_wait_lapic_expire: ");
	fflush(stdout);
	format("\"vcpu %u: delta %lld (%s)\", REC->vcpu_id, REC->delta, REC->delta < 0 ? \"early\" : \"late\"");
	puts("");
	FILTER(n > 0);
	FILTER(n < 0);
	FILTER(n == -100);
	FILTER(a == 100 || b == 1 && c == 1);
	FILTER(a == 100 || (b == 1 && c == 1));
	return 0;
}
END
library=$(echo usr/lib/*/libtraceevent.so.1)
gcc -Iusr/include/traceevent -o print print.c "$library" -Wl,-rpath,"${library%/*}"
./print | tee seen
diff seen - <<'END'
REC->n                                        -100  C: -100
REC->n / 10                              429496719  C: -10
REC->n < 0                                       0  C: 1
REC->n == -100                                   0  C: 1
REC->a - REC->b - REC->c                        93  C: 87
REC->a / REC->b / REC->c                        33  C: 3
REC->a % REC->b * REC->c                        10  C: 0
REC->a ^ REC->b                                  0  C: 110
kvm_wait_lapic_expire: vcpu 0: delta -5 (late)
filter n > 0                                   yes  C: 0
filter n < 0                                    no  C: 1
filter n == -100                               yes  C: 1
filter a == 100 || b == 1 && c == 1             no  C: 1
filter a == 100 || (b == 1 && c == 1)          yes  C: 1
END
