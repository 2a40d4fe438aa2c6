/*
 * Tests of common/seccomp/seccomp_oci, the build-time tool: the profile that it
 * makes of the system calls of the box means, once an engine of containers has
 * compiled it, what a filter of the same rules means. Only the error of a call
 * that is refused for its arguments may be another one.
 *
 * Usage: test_seccomp_oci PATH/box_profile.json PATH/seccomp_oci
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"

#include "tests/unit/worker/box/native/bpf.h"
#include "box_profile_filter.h"

/* Numbers of system calls, and some that are none. */
#define CALLS 700
/* How often each is asked, with other arguments each time. */
#define TRIALS 1500

/* Values that rules compare, and their neighbours; the others are 0 to 63. */
static const uint32_t values[] = { F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS,
	F_DUPFD_CLOEXEC, 0x5401, 0x5402, 0x540f, 0x5413, 0x541b, 0x5421,
	0x5450, 0x5451, 0x5412, S_IFIFO, S_IFIFO | 0600, S_IFREG, S_IFCHR,
	S_IFSOCK, MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS,
	MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, MAP_POPULATE, 0x53564d41,
	SOCK_STREAM | SOCK_CLOEXEC, SOCK_DGRAM | SOCK_CLOEXEC,
	SOCK_SEQPACKET | SOCK_NONBLOCK, 0x00020000, 0x10000000, 0x7e020080,
	0x00008000, 0x3d0f00, UINT32_MAX, UINT32_MAX - 1, 0x80000000 };

/* A generator of numbers that are the same in every run. */
static uint32_t
draw(void)
{
	static uint64_t state = 19;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33);
}

static uint64_t
draw_argument(void)
{
	uint64_t high = draw() % 4 == 0 ? (uint64_t)draw() << 32 : 0;

	switch (draw() % 4) {
	case 0:
		return high | values[draw() % UNIT_COUNT(values)];
	case 1:
		return high | 1U << draw() % 32;
	case 2:
		return high | draw() % 3;
	default:
		return high | draw() % 64;
	}
}

/* What an engine does with a profile */

static uint32_t
action_of(json_t *row, const char *key, const char *errno_key)
{
	const char *name = json_string_value(json_object_get(row, key));

	ck_assert_ptr_nonnull(name);
	if (strcmp(name, "SCMP_ACT_ALLOW") == 0)
		return SCMP_ACT_ALLOW;
	ck_assert_str_eq(name, "SCMP_ACT_ERRNO");
	return SCMP_ACT_ERRNO((uint16_t)json_integer_value(
	    json_object_get(row, errno_key)));
}

/* As engines do, leaves out what is the default. */
static void
add_rule(scmp_filter_ctx ctx, json_t *rule, uint32_t fallback)
{
	uint32_t action = action_of(rule, "action", "errnoRet");
	struct scmp_arg_cmp compared[6];
	unsigned int n = 0;
	json_t *arg, *name;
	size_t i;

	if (action == fallback)
		return;
	json_array_foreach(json_object_get(rule, "args"), i, arg) {
		ck_assert_str_eq(json_string_value(json_object_get(arg, "op")),
		    "SCMP_CMP_MASKED_EQ");
		compared[n++] = (struct scmp_arg_cmp){
			(unsigned int)json_integer_value(
			    json_object_get(arg, "index")),
			SCMP_CMP_MASKED_EQ,
			(scmp_datum_t)json_integer_value(
			    json_object_get(arg, "value")),
			(scmp_datum_t)json_integer_value(
			    json_object_get(arg, "valueTwo")) };
	}
	json_array_foreach(json_object_get(rule, "names"), i, name)
		ck_assert_int_eq(seccomp_rule_add_array(ctx, action,
		    seccomp_syscall_resolve_name(json_string_value(name)), n,
		    compared), 0);
}

/* Compiles the profile; returns the length of the filter. */
static size_t
compile(struct sock_filter *filter, size_t most)
{
	json_t *profile = json_load_file(unit_argv[1], 0, NULL);
	int fd = memfd_create("filter", MFD_CLOEXEC);
	scmp_filter_ctx ctx;
	json_t *rule;
	ssize_t n;
	size_t i;

	ck_assert_ptr_nonnull(profile);
	ck_assert_uint_eq(
	    json_array_size(json_object_get(profile, "architectures")), 1);
	ctx = seccomp_init(
	    action_of(profile, "defaultAction", "defaultErrnoRet"));
	json_array_foreach(json_object_get(profile, "syscalls"), i, rule)
		add_rule(ctx, rule, action_of(profile, "defaultAction",
		    "defaultErrnoRet"));
	ck_assert_int_eq(seccomp_export_bpf(ctx, fd), 0);
	n = pread(fd, filter, most * sizeof(*filter), 0);
	ck_assert_int_gt(n, 0);
	ck_assert_int_lt(n, (ssize_t)(most * sizeof(*filter)));
	close(fd);
	seccomp_release(ctx);
	json_decref(profile);
	return (size_t)n / sizeof(*filter);
}

static struct sock_filter filter[BPF_MAXINSNS + 1];
static size_t filter_len;

static void
load(void)
{
	filter_len = compile(filter, UNIT_COUNT(filter));
}

/* Once, for all tests. */
static void __attribute__((constructor))
add_load(void)
{
	tcase_add_unchecked_fixture(unit_case(__FILE__), load, NULL);
}

/* Both filters kill, one the thread and one the process. */
static uint32_t
plain(uint32_t verdict)
{
	return verdict == SECCOMP_RET_KILL_THREAD ? SECCOMP_RET_KILL_PROCESS :
	    verdict;
}

static void
compare(const struct seccomp_data *data)
{
	uint32_t wanted =
	    bpf_judge(box_profile_filter, UNIT_COUNT(box_profile_filter), data);
	uint32_t got = plain(bpf_judge(filter, filter_len, data));

	ck_assert_msg(got == wanted ||
	        (wanted == (SECCOMP_RET_ERRNO | EPERM) &&
	            got == (SECCOMP_RET_ERRNO | ENOSYS)),
	    "call %d (0x%llx, 0x%llx, 0x%llx, 0x%llx): 0x%x, not 0x%x",
	    data->nr, (unsigned long long)data->args[0],
	    (unsigned long long)data->args[1],
	    (unsigned long long)data->args[2],
	    (unsigned long long)data->args[3], got, wanted);
}

UNIT_TESTS(it_means_the_same, CALLS)
{
	struct seccomp_data data = { .nr = _i, .arch = ARCH };
	size_t i, arg;

	for (i = 0; i < TRIALS; i++) {
		for (arg = 0; arg < 6; arg++)
			data.args[arg] = draw_argument();
		compare(&data);
	}
}

/* So that the test above compares calls that the rules tell apart. */
UNIT_TESTS(arguments_decide, 16)
{
	static const struct {
		int nr;
		uint64_t args[4];
		uint32_t verdict;
	} cases[] = {
		{ SYS_read, { 0 }, SECCOMP_RET_ALLOW },
		{ SYS_fsync, { 0 }, SECCOMP_RET_ERRNO },
		{ SYS_clone3, { 0 }, SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_mount, { 0 }, SECCOMP_RET_ERRNO | EPERM },
		{ SYS_setxattr, { 0 }, SECCOMP_RET_ERRNO | EOPNOTSUPP },
		{ SYS_sendfile, { 0 }, SECCOMP_RET_ERRNO | EINVAL },
		{ SYS_fcntl, { 0, F_GETFL }, SECCOMP_RET_ALLOW },
		{ SYS_fcntl, { 0, F_SETPIPE_SZ }, SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_ioctl, { 0, TIOCSPGRP }, SECCOMP_RET_ALLOW },
		{ SYS_ioctl, { 0, TIOCSTI }, SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_clone, { SIGCHLD }, SECCOMP_RET_ALLOW },
		{ SYS_clone, { CLONE_NEWUSER }, SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_madvise, { 0, 0, MADV_FREE }, SECCOMP_RET_ALLOW },
		{ SYS_madvise, { 0, 0, 0x10000000cULL },
		    SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_madvise, { 0, 0, 23 }, SECCOMP_RET_ERRNO | ENOSYS },
		{ SYS_prlimit64, { 1 }, SECCOMP_RET_ALLOW },
	};
	struct seccomp_data data = { .nr = cases[_i].nr, .arch = ARCH };

	memcpy(data.args, cases[_i].args, sizeof(cases[_i].args));
	compare(&data);
	ck_assert_uint_eq(
	    bpf_judge(filter, filter_len, &data), cases[_i].verdict);
}

UNIT_TEST(foreign_calls_kill)
{
	struct seccomp_data data = { .nr = SYS_read, .arch = FOREIGN_ARCH };

	compare(&data);
#ifdef __x86_64__
	data.arch = ARCH;
	data.nr |= 0x40000000;
	compare(&data);
#endif
}

/* A list that allows what it does not name would be no profile. */
UNIT_TEST(a_list_must_refuse_the_rest)
{
	auto_free char *command = mem_printf("printf 'default allow\\n"
	    "badarch kill\\nrefuse read\\n' | '%s' /dev/stdin >/dev/null 2>&1",
	    unit_argv[2]);
	int status = system(command);

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
}
