#!/bin/bash
# libtraceevent 1.7.1, which formats the records of tracepoints for perf script and trace-cmd, computes expressions of a
# print format otherwise than the kernel, which compiles the same text as C (Debian 12: libtraceevent1 1:1.7.1-1).
# Expected: C's values, or a message for an operator that is not supported.
#
#   sign      Operands are unsigned, also fields that the format declares as signed. The kernel's own event
#             kvm_wait_lapic_expire (delta < 0 ? "early" : "late") is "late" for each record; -100 / 10 is 429496719.
#   order     Operators of one precedence group from the right: 100 - 10 - 3 is 93.
#   xor       100 ^ 10 is 0, without a message.
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

struct record {
	unsigned short type;
	unsigned char flags, preempt_count;
	int pid, a, b, c, n;
	long long delta;
	int vcpu_id, end;
};

/* The format file of an event with these fields, as in tracefs, and what libtraceevent prints for one record. */
static void print(const char *format)
{
	static const struct record r = {1, 0, 0, 1, 100, 10, 3, -100, -5, 0, 0};
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event;
	struct tep_record record = {.data = (void *)&r, .size = sizeof r};
	struct trace_seq seq;
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
		 "print fmt: %s\n", format);
	if (tep_parse_format(tep, &event, text, strlen(text), "test"))
		return;
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &record, "%s", TEP_PRINT_INFO);
	trace_seq_do_printf(&seq);
}

#define COMPARE(expression)                                                                                            \
	do {                                                                                                           \
		printf("%-34s", #expression);                                                                          \
		fflush(stdout);                                                                                        \
		print("\"%16d\", " #expression);                                                                       \
		printf("  C: %d\n", expression);                                                                       \
	} while (0)

int main(void)
{
	const struct record *REC = &(const struct record){.a = 100, .b = 10, .c = 3, .n = -100};

	COMPARE(REC->n);
	COMPARE(REC->n / 10);
	COMPARE(REC->n < 0);
	COMPARE(REC->n == -100);
	COMPARE(REC->a - REC->b - REC->c);
	COMPARE(REC->a / REC->b / REC->c);
	COMPARE(REC->a % REC->b * REC->c);
	COMPARE(REC->a ^ REC->b);
	printf("kvm_wait_lapic_expire: ");
	print("\"vcpu %u: delta %lld (%s)\", REC->vcpu_id, REC->delta, REC->delta < 0 ? \"early\" : \"late\"");
	puts("");
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
END
