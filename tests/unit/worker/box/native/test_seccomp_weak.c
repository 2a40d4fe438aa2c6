/*
 * Tests of worker/box/native/weak.rules and weaker.rules, compiled: system
 * calls that are refused with reduced isolation, where landlock does not
 * apply. What they allow is still judged by seccomp.rules.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/unit/unit.h"

#include "bpf.h"
#include "guard_filter.h"
#include "weak_filter.h"
#include "weaker_filter.h"

#define PASS SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define IGNORE SECCOMP_RET_ERRNO
#define HIGH 0x100000000ULL

struct weak_case {
	const char *name;
	int nr;
	uint64_t args[4];
	uint32_t verdict;
};

static const struct weak_case weak_cases[] = {
	{ "read", SYS_read, { 0 }, PASS },
	{ "openat", SYS_openat, { 0, 0, O_RDONLY | O_TRUNC }, PASS },
	{ "fchmodat", SYS_fchmodat, { 0 }, IGNORE },
	{ "fchmod", SYS_fchmod, { 5 }, IGNORE },
	{ "utimensat", SYS_utimensat, { 0 }, IGNORE },
	{ "fchownat", SYS_fchownat, { 0 }, REFUSE },
	{ "fchown", SYS_fchown, { 5 }, REFUSE },
	{ "getxattr", SYS_getxattr, { 0 }, REFUSE },
	{ "listxattr", SYS_listxattr, { 0 }, IGNORE },
	{ "a pair", SYS_socketpair, { AF_UNIX, SOCK_STREAM }, PASS },
	{ "a pair, flags", SYS_socketpair,
	    { AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC }, PASS },
	{ "a pair, datagrams", SYS_socketpair, { AF_UNIX, SOCK_DGRAM },
	    REFUSE },
	{ "own limits", SYS_prlimit64, { 0, RLIMIT_CPU }, PASS },
	{ "limits", SYS_prlimit64, { 1, RLIMIT_CPU }, REFUSE },
	{ "own priority", SYS_setpriority, { PRIO_PROCESS, 0, 9 }, PASS },
	{ "priority", SYS_setpriority, { PRIO_PROCESS, 1, 9 }, REFUSE },
	{ "the user's", SYS_setpriority, { PRIO_USER, 0, 9 }, REFUSE },
	{ "the group's", SYS_setpriority, { PRIO_PGRP, 0, 9 }, REFUSE },
	{ "own processors", SYS_sched_setaffinity, { 0 }, PASS },
	{ "processors", SYS_sched_setaffinity, { 1 }, REFUSE },
	{ "setsid", SYS_setsid, { 0 }, IGNORE },
	{ "setpgid", SYS_setpgid, { 0, 0 }, IGNORE },
	{ "kill", SYS_kill, { 7, SIGTERM }, PASS },
	{ "kill, own group", SYS_kill, { 0, SIGTERM }, REFUSE },
	{ "kill, own group, high", SYS_kill, { HIGH, SIGTERM }, REFUSE },
	{ "F_GETFL", SYS_fcntl, { 0, F_GETFL }, PASS },
	{ "F_SETOWN", SYS_fcntl, { 0, F_SETOWN, 1 }, REFUSE },
	{ "F_SETOWN, high", SYS_fcntl, { 0, HIGH | F_SETOWN, 1 }, REFUSE },
#ifdef SYS_chmod
	{ "chmod", SYS_chmod, { 0 }, IGNORE },
	{ "utime", SYS_utime, { 0 }, IGNORE },
	{ "lchown", SYS_lchown, { 0 }, REFUSE },
#endif
};

static const struct weak_case weaker_cases[] = {
	{ "read", SYS_read, { 0 }, PASS },
	{ "kill", SYS_kill, { 7, SIGTERM }, REFUSE },
	{ "kill, own group", SYS_kill, { 0, SIGTERM }, REFUSE },
	{ "tgkill", SYS_tgkill, { 7, 7, SIGTERM }, REFUSE },
	{ "tkill", SYS_tkill, { 7, SIGTERM }, REFUSE },
	{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { 7 }, REFUSE },
	{ "rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, { 7 }, REFUSE },
	{ "pidfd_send_signal", SYS_pidfd_send_signal, { 7 }, REFUSE },
	{ "truncate", SYS_truncate, { 0 }, REFUSE },
	{ "ftruncate", SYS_ftruncate, { 0 }, PASS },
	{ "to read", SYS_openat, { 0, 0, O_RDONLY }, PASS },
	{ "to write", SYS_openat, { 0, 0, O_WRONLY | O_TRUNC }, PASS },
	{ "to cut", SYS_openat, { 0, 0, O_RDONLY | O_TRUNC }, REFUSE },
	{ "to cut, high", SYS_openat,
	    { 0, 0, HIGH | O_RDONLY | O_TRUNC | O_CLOEXEC }, REFUSE },
	{ "openat2", SYS_openat2, { 0 }, REFUSE },
#ifdef SYS_open
	{ "to cut, old", SYS_open, { 0, O_RDONLY | O_TRUNC }, REFUSE },
	{ "to write, old", SYS_open, { 0, O_RDWR | O_TRUNC }, PASS },
#endif
};

/* The guard opens, removes and kills, and does nothing else. */
static const struct weak_case guard_cases[] = {
	{ "kill", SYS_kill, { 7, SIGKILL }, PASS },
	{ "waitid", SYS_waitid, { 0 }, PASS },
	{ "unlinkat", SYS_unlinkat, { 0 }, PASS },
	{ "execve", SYS_execve, { 0 }, REFUSE },
	{ "clone", SYS_clone, { SIGCHLD }, REFUSE },
	{ "socket", SYS_socket, { AF_UNIX }, REFUSE },
	{ "ptrace", SYS_ptrace, { 0 }, REFUSE },
	{ "mmap", SYS_mmap, { 0 }, REFUSE },
	{ "prctl", SYS_prctl, { PR_SET_DUMPABLE }, REFUSE },
};

static void
check(const struct sock_filter *filter, size_t len, const struct weak_case *c)
{
	struct seccomp_data data = { .nr = c->nr, .arch = ARCH };
	uint32_t verdict;

	memcpy(data.args, c->args, sizeof(c->args));
	verdict = bpf_judge(filter, len, &data);
	ck_assert_msg(verdict == c->verdict, "%s: 0x%x, not 0x%x", c->name,
	    verdict, c->verdict);
	data.arch = FOREIGN_ARCH;
	ck_assert_uint_eq(
	    bpf_judge(filter, len, &data), SECCOMP_RET_KILL_PROCESS);
}

UNIT_TESTS(weak_refuses, UNIT_COUNT(weak_cases))
{
	check(weak_filter, UNIT_COUNT(weak_filter), &weak_cases[_i]);
}

UNIT_TESTS(weaker_refuses, UNIT_COUNT(weaker_cases))
{
	check(weaker_filter, UNIT_COUNT(weaker_filter), &weaker_cases[_i]);
}

UNIT_TESTS(the_guard_can_do_little, UNIT_COUNT(guard_cases))
{
	check(guard_filter, UNIT_COUNT(guard_filter), &guard_cases[_i]);
}

/* The filter of the box is loaded behind it, and says no to the rest. */
UNIT_TEST(both_let_another_filter_be_loaded)
{
	static const struct weak_case load = { "seccomp", SYS_seccomp, { 1 },
		PASS };

	check(weak_filter, UNIT_COUNT(weak_filter), &load);
	check(weaker_filter, UNIT_COUNT(weaker_filter), &load);
}
