/*
 * Tests of worker/box/native/seccomp.rules, compiled: what code in a box may
 * ask of the kernel. The lists below repeat it by hand, so that no call is
 * allowed by mistake: a change of the rules needs a change here.
 *
 * Every number from 0 to 600 is judged by a small BPF interpreter, as the
 * allowed ones (exit, pause, kill …) cannot simply be made; those that the
 * filter fails are made for real as well, under the filter.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/seccomp/seccomp.h"
#include "tests/unit/unit.h"

#include "bpf.h"

#include "box_filter.h"

#define NUMBERS 600
#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define IGNORE SECCOMP_RET_ERRNO
#define LACK (SECCOMP_RET_ERRNO | EOPNOTSUPP)
#define DECLINE (SECCOMP_RET_ERRNO | EINVAL)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
#define KILL SECCOMP_RET_KILL_PROCESS

static const int allowed[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev,
	SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
	SYS_pwritev2, SYS_openat, SYS_openat2, SYS_close, SYS_close_range,
	SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat,
	SYS_faccessat2, SYS_truncate, SYS_ftruncate, SYS_fallocate,
	SYS_copy_file_range, SYS_flock,
	SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask,
	SYS_statfs, SYS_fstatfs, SYS_renameat, SYS_renameat2, SYS_linkat,
	SYS_symlinkat, SYS_unlinkat, SYS_readlinkat, SYS_mkdirat, SYS_fchmod,
	SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_getxattr,
	SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr,
	SYS_flistxattr, SYS_dup, SYS_dup3, SYS_pipe2,
	SYS_pselect6, SYS_ppoll, SYS_epoll_create1, SYS_epoll_ctl,
	SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_signalfd4,
	SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
	SYS_brk, SYS_munmap, SYS_mremap, SYS_mprotect,
	SYS_msync, SYS_mincore, SYS_membarrier, SYS_get_mempolicy,
	SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4,
	SYS_waitid, SYS_set_tid_address, SYS_set_robust_list,
	SYS_get_robust_list, SYS_futex, SYS_futex_waitv, SYS_rseq, SYS_gettid,
	SYS_getpid, SYS_getppid, SYS_getpgid, SYS_setpgid, SYS_getsid,
	SYS_setsid, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_send_signal,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
	SYS_sigaltstack, SYS_restart_syscall, SYS_sched_yield,
	SYS_sched_getaffinity, SYS_sched_getparam,
	SYS_sched_getscheduler, SYS_sched_getattr, SYS_sched_get_priority_max,
	SYS_sched_get_priority_min, SYS_sched_rr_get_interval, SYS_getcpu,
	SYS_getpriority, SYS_ioprio_get,
	SYS_getrusage, SYS_times, SYS_getuid, SYS_geteuid, SYS_getgid,
	SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_capget,
	SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_nanosleep, SYS_gettimeofday, SYS_getitimer, SYS_setitimer,
	SYS_timer_create, SYS_timer_settime, SYS_timer_gettime,
	SYS_timer_getoverrun, SYS_timer_delete, SYS_uname, SYS_sysinfo,
	SYS_getrandom, SYS_sendto, SYS_recvfrom, SYS_recvmsg,
	SYS_recvmmsg, SYS_shutdown, SYS_getsockname,
	SYS_getpeername, SYS_getsockopt,
#ifdef SYS_getrlimit
	SYS_getrlimit, SYS_setrlimit,
#endif
#ifdef SYS_open /* calls that newer architectures do without */
	SYS_open, SYS_creat, SYS_stat, SYS_lstat, SYS_access, SYS_getdents,
	SYS_rename, SYS_link, SYS_symlink, SYS_unlink, SYS_readlink, SYS_mkdir,
	SYS_rmdir, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes,
	SYS_futimesat, SYS_dup2, SYS_pipe, SYS_select, SYS_poll,
	SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_signalfd, SYS_fork,
	SYS_vfork, SYS_getpgrp, SYS_pause, SYS_time, SYS_alarm,
#endif
#ifdef SYS_arch_prctl
	SYS_arch_prctl,
#endif
};

/* Not made, whatever the arguments, and yet successful. */
static const int ignored[] = {
	SYS_fsync, SYS_fdatasync, SYS_sync_file_range, SYS_fadvise64,
	SYS_readahead,
};

/* Refused as by a file system without what they are for. */
static const int lacking[] = {
	SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr,
};

/* Refused whatever the arguments. */
static const int refused[] = {
	SYS_inotify_init1,
	SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_fanotify_init,
	SYS_fanotify_mark, SYS_memfd_create, SYS_remap_file_pages, SYS_mlock,
	SYS_mlock2, SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_mbind,
	SYS_set_mempolicy, SYS_set_mempolicy_home_node, SYS_migrate_pages,
	SYS_move_pages, SYS_sched_setscheduler, SYS_sched_setparam,
	SYS_sched_setattr, SYS_ioprio_set, SYS_ptrace, SYS_process_vm_readv,
	SYS_sched_setaffinity, SYS_process_vm_writev,
	SYS_process_madvise, SYS_process_mrelease,
	SYS_pidfd_getfd, SYS_kcmp, SYS_setuid, SYS_setgid, SYS_setreuid,
	SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
	SYS_setfsuid, SYS_setfsgid, SYS_capset, SYS_clock_settime,
	SYS_clock_adjtime, SYS_settimeofday, SYS_adjtimex, SYS_sethostname,
	SYS_setdomainname, SYS_socket, SYS_bind, SYS_connect, SYS_listen,
	SYS_accept, SYS_accept4, SYS_sendmsg, SYS_sendmmsg,
	SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt,
	SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop, SYS_msgget,
	SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink,
	SYS_mq_timedsend, SYS_mq_timedreceive, SYS_mq_notify,
	SYS_mq_getsetattr, SYS_unshare, SYS_setns, SYS_mount, SYS_umount2,
	SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
	SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
	SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_bpf,
	SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup,
	SYS_io_uring_enter, SYS_io_uring_register, SYS_io_setup,
	SYS_io_destroy, SYS_io_submit, SYS_io_cancel, SYS_io_getevents,
	SYS_io_pgetevents, SYS_add_key, SYS_request_key, SYS_keyctl,
	SYS_splice, SYS_tee, SYS_vmsplice, SYS_personality, SYS_seccomp,
	SYS_landlock_create_ruleset, SYS_landlock_add_rule,
	SYS_landlock_restrict_self, SYS_reboot, SYS_kexec_load,
	SYS_kexec_file_load, SYS_init_module, SYS_finit_module,
	SYS_delete_module, SYS_acct, SYS_quotactl, SYS_quotactl_fd,
	SYS_swapon, SYS_swapoff, SYS_syslog, SYS_vhangup, SYS_nfsservctl,
	SYS_sync, SYS_syncfs, SYS_lookup_dcookie,
#ifdef SYS_inotify_init
	SYS_inotify_init, SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl,
#endif
#ifdef SYS_iopl
	SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

/* Decided by their arguments: the cases below try them. */
static const int filtered[] = {
	SYS_clone, SYS_fcntl, SYS_ioctl, SYS_madvise, SYS_prctl,
	SYS_prlimit64, SYS_setpriority,
	SYS_socketpair, SYS_setsockopt, SYS_mknodat, SYS_mmap,
#ifdef SYS_mknod
	SYS_mknod,
#endif
};

/*
 * Calls that are newer than Debian 12 (numbers are the same everywhere). Where
 * the libseccomp of the build does not know their names they are unknown.
 */
static const struct {
	int nr;
	uint32_t verdict;
} newer[] = {
	{ 447, REFUSE }, /* memfd_secret */
	{ 452, ALLOW },  /* fchmodat2 */
	{ 457, REFUSE }, /* statmount */
	{ 458, REFUSE }, /* listmount */
	{ 459, REFUSE }, /* lsm_get_self_attr */
	{ 460, REFUSE }, /* lsm_set_self_attr */
	{ 461, REFUSE }, /* lsm_list_modules */
	{ 462, ALLOW },  /* mseal */
	{ 467, REFUSE }, /* open_tree_attr */
};

struct filter_case {
	const char *name;
	int nr;
	uint64_t args[4];
	uint32_t verdict;
};

/* Bits that the kernel ignores in an int must not matter: CVE-2019-10063. */
#define HIGH 0x100000000ULL

static const struct filter_case cases[] = {
	{ "fork", SYS_clone, { SIGCHLD }, ALLOW },
	{ "a thread", SYS_clone, { 0x3d0f00 }, ALLOW },
	{ "vfork", SYS_clone, { CLONE_VM | CLONE_VFORK | SIGCHLD }, ALLOW },
	{ "PARENT", SYS_clone, { CLONE_PARENT | SIGCHLD }, REFUSE },
	{ "NEWUSER", SYS_clone, { CLONE_NEWUSER | SIGCHLD }, REFUSE },
	{ "NEWNS", SYS_clone, { CLONE_NEWNS }, REFUSE },
	{ "NEWPID", SYS_clone, { CLONE_NEWPID }, REFUSE },
	{ "NEWNET", SYS_clone, { CLONE_NEWNET }, REFUSE },
	{ "NEWIPC", SYS_clone, { CLONE_NEWIPC }, REFUSE },
	{ "NEWUTS", SYS_clone, { CLONE_NEWUTS }, REFUSE },
	{ "NEWCGROUP", SYS_clone, { CLONE_NEWCGROUP }, REFUSE },
	{ "all of them", SYS_clone, { 0x7e020000 }, REFUSE },
	{ "NEWUSER, high", SYS_clone, { HIGH | CLONE_NEWUSER }, REFUSE },
	{ "clone3", SYS_clone3, { 0 }, UNKNOWN },

	{ "TCGETS", SYS_ioctl, { 1, TCGETS }, ALLOW },
	{ "TIOCGWINSZ", SYS_ioctl, { 1, TIOCGWINSZ }, ALLOW },
	{ "FIONREAD", SYS_ioctl, { 0, FIONREAD }, ALLOW },
	{ "FIONBIO", SYS_ioctl, { 0, FIONBIO }, ALLOW },
	{ "FIOCLEX", SYS_ioctl, { 0, FIOCLEX }, ALLOW },
	{ "FIONCLEX", SYS_ioctl, { 0, FIONCLEX }, ALLOW },
	{ "TCSETS", SYS_ioctl, { 0, TCSETS }, REFUSE },
	{ "TIOCSTI", SYS_ioctl, { 0, TIOCSTI }, REFUSE },
	{ "TIOCSTI, high", SYS_ioctl, { 0, HIGH | TIOCSTI }, REFUSE },
	{ "TIOCLINUX", SYS_ioctl, { 0, TIOCLINUX }, REFUSE },
	{ "TIOCSCTTY", SYS_ioctl, { 0, TIOCSCTTY }, REFUSE },
	{ "SIOCGIFCONF", SYS_ioctl, { 0, 0x8912 }, REFUSE },
	{ "TUNSETIFF", SYS_ioctl, { 0, 0x400454ca }, REFUSE },

	{ "F_DUPFD", SYS_fcntl, { 1, F_DUPFD }, ALLOW },
	{ "F_SETFL", SYS_fcntl, { 1, F_SETFL }, ALLOW },
	{ "F_SETLK", SYS_fcntl, { 1, F_SETLK }, ALLOW },
	{ "F_OFD_SETLKW", SYS_fcntl, { 1, F_OFD_SETLKW }, ALLOW },
	{ "F_GETPIPE_SZ", SYS_fcntl, { 1, F_GETPIPE_SZ }, ALLOW },
	{ "F_SETPIPE_SZ", SYS_fcntl, { 1, F_SETPIPE_SZ }, REFUSE },
	{ "F_SETPIPE_SZ, high", SYS_fcntl, { 1, HIGH | F_SETPIPE_SZ }, REFUSE },
	{ "F_SETLEASE", SYS_fcntl, { 1, F_SETLEASE }, REFUSE },
	{ "F_NOTIFY", SYS_fcntl, { 1, F_NOTIFY }, REFUSE },
	{ "F_SETSIG", SYS_fcntl, { 1, F_SETSIG }, REFUSE },

	{ "MADV_DONTNEED", SYS_madvise, { 0, 0, MADV_DONTNEED }, ALLOW },
	{ "MADV_MERGEABLE", SYS_madvise, { 0, 0, MADV_MERGEABLE }, REFUSE },
	{ "MADV_MERGEABLE, high", SYS_madvise, { 0, 0, HIGH | MADV_MERGEABLE },
	    REFUSE },

	{ "MADV_POPULATE_READ", SYS_madvise, { 0, 0, 22 }, REFUSE },
	{ "MADV_POPULATE_WRITE", SYS_madvise, { 0, 0, 23 }, REFUSE },
	{ "MAP_PRIVATE", SYS_mmap, { 0, 0, 0, MAP_PRIVATE }, ALLOW },
	{ "MAP_POPULATE", SYS_mmap, { 0, 0, 0, MAP_PRIVATE | MAP_POPULATE },
	    REFUSE },

	{ "own processors", SYS_sched_setaffinity, { 0 }, REFUSE },
	{ "a child's processors", SYS_sched_setaffinity, { 3 }, REFUSE },
	{ "those of process 1", SYS_sched_setaffinity, { 1 }, REFUSE },
	{ "the same, high", SYS_sched_setaffinity, { HIGH | 1 }, REFUSE },
	{ "own limits", SYS_prlimit64, { 0, RLIMIT_CORE }, ALLOW },
	{ "a child's limits", SYS_prlimit64, { 3, RLIMIT_CORE }, ALLOW },
	{ "those of process 1", SYS_prlimit64, { 1, RLIMIT_NOFILE }, REFUSE },
	{ "the same, high", SYS_prlimit64, { HIGH | 1 }, REFUSE },
	{ "own priority", SYS_setpriority, { PRIO_PROCESS, 0, 9 }, ALLOW },
	{ "a child's priority", SYS_setpriority, { PRIO_PROCESS, 3, 9 },
	    ALLOW },
	{ "a group's priority", SYS_setpriority, { PRIO_PGRP, 0, 9 }, ALLOW },
	{ "that of process 1", SYS_setpriority, { PRIO_PROCESS, 1, 9 },
	    REFUSE },
	{ "the same, high", SYS_setpriority, { HIGH, HIGH | 1, 9 }, REFUSE },
	{ "that of a user", SYS_setpriority, { PRIO_USER, 0, 9 }, REFUSE },

	{ "PR_SET_NAME", SYS_prctl, { PR_SET_NAME }, ALLOW },
	{ "PR_SET_PDEATHSIG", SYS_prctl, { PR_SET_PDEATHSIG }, ALLOW },
	{ "PR_SET_NO_NEW_PRIVS", SYS_prctl, { PR_SET_NO_NEW_PRIVS, 1 }, ALLOW },
	{ "PR_SET_VMA", SYS_prctl, { PR_SET_VMA }, ALLOW },
	{ "PR_SET_DUMPABLE", SYS_prctl, { PR_SET_DUMPABLE, 0 }, REFUSE },
	{ "PR_SET_DUMPABLE, high", SYS_prctl, { HIGH | PR_SET_DUMPABLE, 0 },
	    REFUSE },
	{ "PR_SET_SECUREBITS", SYS_prctl, { PR_SET_SECUREBITS }, REFUSE },
	{ "PR_SET_SECCOMP", SYS_prctl, { PR_SET_SECCOMP, 2 }, REFUSE },
	{ "PR_SET_PTRACER", SYS_prctl, { PR_SET_PTRACER }, REFUSE },
	{ "PR_SET_MM", SYS_prctl, { PR_SET_MM }, REFUSE },
	{ "PR_CAP_AMBIENT", SYS_prctl, { PR_CAP_AMBIENT }, REFUSE },
	{ "PR_CAPBSET_DROP", SYS_prctl, { PR_CAPBSET_DROP }, REFUSE },

	{ "private", SYS_mmap, { 0, 1, 3, MAP_PRIVATE | MAP_ANONYMOUS },
	    ALLOW },
	{ "private, executable", SYS_mmap,
	    { 0, 1, 7, MAP_PRIVATE | MAP_ANONYMOUS }, ALLOW },
	{ "a stack", SYS_mmap,
	    { 0, 1, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK }, ALLOW },
	{ "a file", SYS_mmap, { 0, 1, 3, MAP_PRIVATE }, ALLOW },
	{ "a shared file", SYS_mmap, { 0, 1, 3, MAP_SHARED }, ALLOW },
	{ "shared", SYS_mmap, { 0, 1, 3, MAP_SHARED | MAP_ANONYMOUS }, REFUSE },
	{ "shared, to read", SYS_mmap, { 0, 1, 1, MAP_SHARED | MAP_ANONYMOUS },
	    REFUSE },
	{ "shared, the new way", SYS_mmap,
	    { 0, 1, 3, MAP_SHARED_VALIDATE | MAP_ANONYMOUS }, REFUSE },
	{ "shared, somewhere", SYS_mmap,
	    { 0, 1, 3, HIGH | MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED },
	    REFUSE },

	{ "a pair", SYS_socketpair, { AF_UNIX, SOCK_STREAM }, ALLOW },
	{ "a pair, flags", SYS_socketpair,
	    { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK }, ALLOW },
	{ "a pair, packets", SYS_socketpair, { AF_UNIX, SOCK_SEQPACKET },
	    ALLOW },
	{ "a pair, datagrams", SYS_socketpair, { AF_UNIX, SOCK_DGRAM },
	    REFUSE },
	{ "a pair, raw", SYS_socketpair, { AF_UNIX, SOCK_RAW }, REFUSE },
	{ "a pair, high", SYS_socketpair, { AF_UNIX, HIGH | SOCK_DGRAM },
	    REFUSE },
	{ "a pair, TIPC", SYS_socketpair, { 30, SOCK_STREAM }, REFUSE },
	{ "a pair, INET", SYS_socketpair, { AF_INET, SOCK_STREAM }, REFUSE },
	{ "SO_RCVBUF", SYS_setsockopt, { 3, SOL_SOCKET, SO_RCVBUF }, ALLOW },
	{ "SO_SNDBUF", SYS_setsockopt, { 3, SOL_SOCKET, SO_SNDBUF }, REFUSE },
	{ "SO_SNDBUFFORCE", SYS_setsockopt, { 3, SOL_SOCKET, 32 }, REFUSE },
	{ "SO_ATTACH_FILTER", SYS_setsockopt, { 3, SOL_SOCKET, 26 }, REFUSE },
	{ "SO_ATTACH_BPF", SYS_setsockopt, { 3, SOL_SOCKET, 50 }, REFUSE },
	{ "IPPROTO_IP", SYS_setsockopt, { 3, 0, SO_SNDBUF }, REFUSE },

	{ "a pipe's name", SYS_mknodat, { 0, 0, S_IFIFO | 0600 }, ALLOW },
	{ "a device", SYS_mknodat, { 0, 0, S_IFCHR | 0600 }, REFUSE },
	{ "a disk", SYS_mknodat, { 0, 0, S_IFBLK | 0600 }, REFUSE },
	{ "a socket", SYS_mknodat, { 0, 0, S_IFSOCK | 0600 }, REFUSE },
#ifdef SYS_mknod
	{ "a pipe's name, old", SYS_mknod, { 0, S_IFIFO | 0600 }, ALLOW },
	{ "a device, old", SYS_mknod, { 0, S_IFCHR | 0600 }, REFUSE },
#endif
};

static uint32_t
judge(const struct seccomp_data *data)
{
	return bpf_judge(box_filter, UNIT_COUNT(box_filter), data);
}

static uint32_t
judge_number(int nr, uint64_t arg)
{
	struct seccomp_data data = { .nr = nr,
		.arch = ARCH,
		.args = { arg, arg, arg, arg, arg, arg } };

	return judge(&data);
}

static int
has(const int *list, size_t n, int nr)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i] == nr)
			return 1;
	return 0;
}

#define HAS(list, nr) has(list, UNIT_COUNT(list), nr)

static uint32_t
expected(int nr)
{
	size_t i;

	for (i = 0; i < UNIT_COUNT(newer); i++)
		if (newer[i].nr == nr && judge_number(nr, 0) != UNKNOWN)
			return newer[i].verdict;
	if (HAS(allowed, nr))
		return ALLOW;
	if (HAS(ignored, nr))
		return IGNORE;
	if (HAS(lacking, nr))
		return LACK;
	if (nr == SYS_sendfile)
		return DECLINE;
	return HAS(refused, nr) ? REFUSE : UNKNOWN;
}

UNIT_TEST(test_numbers)
{
	static const uint64_t garbage[] = { 0, UINT64_MAX, 0x5a5a5a5a5a5a5a5a };
	uint32_t wanted, verdict;
	size_t i;
	int nr;

	for (nr = 0; nr <= NUMBERS; nr++) {
		if (HAS(filtered, nr))
			continue;
		wanted = expected(nr);
		for (i = 0; i < UNIT_COUNT(garbage); i++) {
			verdict = judge_number(nr, garbage[i]);
			if (verdict != wanted)
				ck_abort_msg("call %d: 0x%x, not 0x%x", nr,
				    verdict, wanted);
		}
	}
}

UNIT_TESTS(test_case, UNIT_COUNT(cases))
{
	const struct filter_case *c = &cases[_i];
	struct seccomp_data data = { .nr = c->nr, .arch = ARCH };
	uint32_t verdict;

	memcpy(data.args, c->args, sizeof(c->args));
	verdict = judge(&data);
	ck_assert_msg(verdict == c->verdict, "%s: 0x%x, not 0x%x", c->name,
	    verdict, c->verdict);
}

UNIT_TEST(test_foreign)
{
	struct seccomp_data data = { .nr = SYS_read, .arch = FOREIGN_ARCH };

	ck_assert_uint_eq(judge(&data), KILL);
	ck_assert_uint_eq(judge_number(100000, 0), UNKNOWN);
	ck_assert_uint_eq(judge_number(-1, 0), UNKNOWN);
#ifdef __x86_64__
	ck_assert_uint_eq(judge_number(0x40000000 | SYS_read, 0), KILL);
	ck_assert_uint_eq(judge_number(0x40000000 | 512, 0), KILL);
	ck_assert_uint_eq(judge_number(-2, 0), KILL);
#endif
}

/* uretprobe and uprobe: the kernel makes these past every filter. */
static int
is_probe(int nr)
{
#ifdef __x86_64__
	return nr == 335 || nr == 336;
#else
	return 0;
#endif
}

/* Ends with 0 when every failing call really fails so. */
static void __attribute__((noreturn))
make_calls(int report)
{
	struct err err;
	uint32_t verdict;
	int nr;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (seccomp_load(box_filter, UNIT_COUNT(box_filter), &err) == -1)
		_exit(1);
	for (nr = 0; nr <= NUMBERS; nr++) {
		verdict = judge_number(nr, 0);
		if (verdict == ALLOW || is_probe(nr))
			continue;
		errno = 0;
		/* Of what is ignored too: descriptor 0 cannot be synced. */
		syscall(nr, 0, 0, 0, 0, 0, 0);
		if ((uint32_t)errno == (verdict & SECCOMP_RET_DATA))
			continue;
		_exit(write(report, &nr, sizeof(nr)) == sizeof(nr) ? 2 : 3);
	}
	_exit(0);
}

UNIT_TEST(test_kernel)
{
	int report[2];
	int status;
	int nr = -1;
	pid_t pid;

	if (pipe(report) == -1)
		ck_abort_msg("no descriptors");
	pid = fork();
	if (pid == 0)
		make_calls(report[1]);
	close(report[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	if (read(report[0], &nr, sizeof(nr)) == sizeof(nr))
		ck_abort_msg("call %d is not judged alike by the kernel", nr);
	ck_assert_int_eq(status, 0);
}
