/*
 * Tests of worker/box/native/template.rules and what is made of it: a box that
 * a template has forked is under the filter of its template, which it cannot
 * shed, and under that of any box. Both together must say of each call what the
 * latter says of it.
 *
 * All numbers are judged with all values that the two programs compare with
 * anything, and those beside them, in any two of the arguments that one of them
 * looks at for this number: whatever a program could tell apart is among these.
 */
#include <sched.h>
#include <sys/syscall.h>

#include "tests/unit/unit.h"

#include "bpf.h"

#include "box_filter.h"
#include "template_filter.h"

#define NUMBERS 600
#define X32 0x40000000
#define ARGUMENTS 4
#define VALUES_MAX 512

/* Bits that the kernel ignores in an int must not matter: CVE-2019-10063. */
#define HIGH 0x100000000ULL

static uint64_t values[VALUES_MAX];
static size_t nvalues;

static uint32_t
judge_forked(const struct seccomp_data *data)
{
	uint32_t first = bpf_judge(box_filter, UNIT_COUNT(box_filter), data);
	uint32_t second = bpf_judge(
	    template_filter, UNIT_COUNT(template_filter), data);

	/* The kernel asks the newest first, and takes what is lowest. */
	return (int32_t)(second & SECCOMP_RET_ACTION_FULL) <
	        (int32_t)(first & SECCOMP_RET_ACTION_FULL) ?
	    second : first;
}

static void
check(const struct seccomp_data *data)
{
	uint32_t verdict = judge_forked(data);
	uint32_t wanted = bpf_judge(box_filter, UNIT_COUNT(box_filter), data);

	if (verdict != wanted)
		ck_abort_msg("call %d (%llx, %llx, %llx, %llx): 0x%x, not 0x%x",
		    data->nr, (unsigned long long)data->args[0],
		    (unsigned long long)data->args[1],
		    (unsigned long long)data->args[2],
		    (unsigned long long)data->args[3], verdict, wanted);
}

static void
value_add(uint64_t value)
{
	size_t i;

	for (i = 0; i < nvalues; i++)
		if (values[i] == value)
			return;
	ck_assert_uint_lt(nvalues, VALUES_MAX);
	values[nvalues++] = value;
}

/* What the arguments are compared with, and the masks. */
static void
values_collect(const struct sock_filter *filter, size_t len)
{
	const struct sock_filter *insn;

	for (insn = filter; insn < filter + len; insn++)
		if (insn->code == (BPF_JMP | BPF_JEQ | BPF_K) ||
		    insn->code == (BPF_ALU | BPF_AND | BPF_K)) {
			value_add(insn->k);
			value_add(insn->k + 1);
			value_add(insn->k & (insn->k - 1));
		}
}

static void
setup(void)
{
	nvalues = 0;
	value_add(0);
	value_add(UINT64_MAX);
	values_collect(box_filter, UNIT_COUNT(box_filter));
	values_collect(template_filter, UNIT_COUNT(template_filter));
}

/* One argument, the others being 0. */
static void
check_argument(struct seccomp_data *data, size_t one)
{
	size_t i;

	for (i = 0; i < nvalues; i++) {
		data->args[one] = values[i];
		check(data);
	}
	data->args[one] = 0;
}

/* Any two arguments, the others being 0. */
static void
check_pair(struct seccomp_data *data, size_t one, size_t other)
{
	size_t i;

	for (i = 0; i < nvalues; i++) {
		data->args[one] = values[i];
		check_argument(data, other);
	}
	data->args[one] = HIGH;
	data->args[other] = HIGH;
	check(data);
	data->args[one] = 0;
	data->args[other] = 0;
}

/* Pairs of those only that some program looks at. */
static void
check_number(struct seccomp_data *data)
{
	size_t one, other;

	bpf_looked_at = 0;
	for (one = 0; one < ARGUMENTS; one++)
		check_argument(data, one);
	for (one = 0; one < ARGUMENTS; one++)
		for (other = 0; other < one; other++)
			if ((bpf_looked_at >> one & 1) != 0 &&
			    (bpf_looked_at >> other & 1) != 0)
				check_pair(data, one, other);
}

UNIT_TEST(both_say_what_that_of_a_box_says)
{
	struct seccomp_data data = { .arch = ARCH };

	setup();
	for (data.nr = 0; data.nr < NUMBERS; data.nr++)
		check_number(&data);
}

UNIT_TEST(of_numbers_that_are_none_too)
{
	struct seccomp_data data = { .arch = ARCH };
	int nr;

	for (nr = -NUMBERS; nr < 20000; nr++) {
		data.nr = nr;
		check(&data);
		data.nr = nr | X32;
		check(&data);
	}
	data.arch = FOREIGN_ARCH;
	for (data.nr = 0; data.nr < NUMBERS; data.nr++)
		ck_assert_uint_eq(
		    judge_forked(&data), SECCOMP_RET_KILL_PROCESS);
}

/* What it takes to make a box, and what the code of one may not. */
static const int builds[] = { SYS_unshare, SYS_mount, SYS_mount_setattr,
	SYS_open_tree, SYS_chroot, SYS_setresuid, SYS_seccomp, SYS_capset };

UNIT_TESTS(only_the_template_builds, UNIT_COUNT(builds))
{
	struct seccomp_data data = { .nr = builds[_i], .arch = ARCH };

	ck_assert_uint_eq(bpf_judge(template_filter,
	                      UNIT_COUNT(template_filter), &data),
	    SECCOMP_RET_ALLOW);
	ck_assert_uint_ne(judge_forked(&data), SECCOMP_RET_ALLOW);
}

/* The namespaces of networks, and no other. */
UNIT_TEST(only_the_template_enters)
{
	struct seccomp_data data = { .nr = SYS_setns, .arch = ARCH };

	data.args[1] = CLONE_NEWUSER;
	ck_assert_uint_eq(bpf_judge(template_filter,
	                      UNIT_COUNT(template_filter), &data),
	    SECCOMP_RET_ALLOW);
	ck_assert_uint_ne(judge_forked(&data), SECCOMP_RET_ALLOW);
	data.args[1] = CLONE_NEWNS;
	ck_assert_uint_ne(bpf_judge(template_filter,
	                      UNIT_COUNT(template_filter), &data),
	    SECCOMP_RET_ALLOW);
}
