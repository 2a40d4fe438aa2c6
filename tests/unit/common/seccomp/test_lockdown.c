/*
 * Tests of common/seccomp/lockdown: after lockdown() a process can do what its
 * list says and nothing else. Each row is tried by a process of its own that
 * is locked down first; what it may not do must fail with EPERM (and not kill
 * it), by the bare system call, so that no library stands in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/seccomp/landlock.h"
#include "common/seccomp/lockdown.h"
#include "tests/unit/unit.h"

/* What the child ends with when it could not be locked down. */
#define LOCKDOWN_FAILED 200

static int pipe_in[2];
static int pair[2];
static int door; /* a socket at which a client waits */
static int epoll;
static int file;
static char page[4096];

/* Each returns as its system call does: -1 and errno when it is refused. */
#define TRY(name, call)                                                        \
	static long try_##name(void)                                           \
	{                                                                      \
		return call;                                                   \
	}

/* Files */
TRY(open, syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY))
TRY(create, syscall(SYS_openat, AT_FDCWD, "/tmp/x", O_CREAT | O_WRONLY, 0600))
TRY(stat, syscall(SYS_newfstatat, AT_FDCWD, "/", page, 0))
TRY(statx, syscall(SYS_statx, AT_FDCWD, "/", 0, 0, page))
TRY(access, syscall(SYS_faccessat, AT_FDCWD, "/", R_OK))
TRY(readlink, syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", page, 10))
TRY(unlink, syscall(SYS_unlinkat, AT_FDCWD, "/nonexistent", 0))
TRY(chdir, syscall(SYS_chdir, "/"))
TRY(mount, syscall(SYS_mount, "x", ".none", "tmpfs", 0, NULL))
TRY(inotify, syscall(SYS_inotify_init1, 0))

/* Processes */
TRY(clone, syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL))
TRY(clone3, syscall(SYS_clone3, page, 88))
TRY(execve, syscall(SYS_execve, "/bin/true", NULL, NULL))
TRY(execveat, syscall(SYS_execveat, 0, "", NULL, NULL, AT_EMPTY_PATH))
TRY(kill, syscall(SYS_kill, getppid(), 0))
TRY(kill_self, syscall(SYS_kill, getpid(), 0))
TRY(tgkill, syscall(SYS_tgkill, getpid(), getpid(), 0))
TRY(pidfd, syscall(SYS_pidfd_open, 1, 0))
TRY(ptrace, syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL))
TRY(vm_read, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0))
TRY(wait, syscall(SYS_wait4, -1, NULL, WNOHANG, NULL))
TRY(unshare, syscall(SYS_unshare, 0))
TRY(setuid, syscall(SYS_setuid, 0))
TRY(prlimit, syscall(SYS_prlimit64, 0, 0, NULL, page))

/* Sockets */
TRY(socket, syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0))
TRY(socket_inet, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0))
TRY(socketpair, syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, page))
TRY(connect, syscall(SYS_connect, pair[0], page, 2))
TRY(bind, syscall(SYS_bind, pair[0], page, 2))
TRY(listen, syscall(SYS_listen, pair[0], 1))
TRY(accept, syscall(SYS_accept4, door, NULL, NULL, 0))
TRY(accept_client, syscall(SYS_accept4, door, NULL, NULL,
    SOCK_NONBLOCK | SOCK_CLOEXEC))
TRY(shut, shutdown(pair[0], SHUT_WR))
TRY(who, getsockopt(pair[0], SOL_SOCKET, SO_TYPE, page,
    &(socklen_t){ sizeof(int) }))
TRY(set, setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, page, sizeof(int)))

/* The kernel */
TRY(prctl, syscall(SYS_prctl, PR_SET_DUMPABLE, 1))
TRY(seccomp, syscall(SYS_seccomp, 1, 0, NULL))
TRY(landlock, syscall(SYS_landlock_create_ruleset, NULL, 0, 1))
TRY(bpf, syscall(SYS_bpf, 0, NULL, 0))
TRY(io_uring, syscall(SYS_io_uring_setup, 1, page))
TRY(keyctl, syscall(SYS_keyctl, 0, 0))
TRY(userfaultfd, syscall(SYS_userfaultfd, 0))
TRY(ioctl, syscall(SYS_ioctl, 0, 0x5412, page))
TRY(unknown, syscall(4000))

/* Memory that could be run */
TRY(mmap_exec, syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC,
    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
TRY(mprotect_exec, syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC))
TRY(mmap_exec_high, syscall(SYS_mmap, NULL, 4096,
    0x100000000UL | PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))

/* Descriptors: only harmless questions and flags */
TRY(fcntl_owner, syscall(SYS_fcntl, pipe_in[0], F_SETOWN, getppid()))
TRY(fcntl_pipe_size, syscall(SYS_fcntl, pipe_in[1], F_SETPIPE_SZ, 1 << 20))
TRY(fcntl_lease, syscall(SYS_fcntl, pipe_in[0], F_SETLEASE, F_RDLCK))

/* What is allowed */
TRY(write, write(pipe_in[1], "abc", 3))
TRY(read, read(pipe_in[0], page, 1))
TRY(readv, readv(pipe_in[0], &(struct iovec){ page, 1 }, 1))
TRY(poll, poll(&(struct pollfd){ .fd = pipe_in[0], .events = POLLIN }, 1, 0))
TRY(epoll, epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_in[0],
    &(struct epoll_event){ .events = EPOLLIN }))
TRY(epoll_wait, epoll_wait(epoll, (struct epoll_event *)(void *)page, 1, 0))
TRY(send, sendmsg(pair[0],
    &(struct msghdr){ .msg_iov = &(struct iovec){ page, 3 },
        .msg_iovlen = 1 }, MSG_NOSIGNAL))
TRY(send_plain, send(pair[0], page, 3, MSG_NOSIGNAL))
TRY(receive, recvmsg(pair[1],
    &(struct msghdr){ .msg_iov = &(struct iovec){ page, 3 },
        .msg_iovlen = 1 }, MSG_CMSG_CLOEXEC | MSG_DONTWAIT))
TRY(fstat_itself, syscall(SYS_fstat, pipe_in[0], page))
TRY(stat_handed, syscall(SYS_newfstatat, pipe_in[0], "", page, AT_EMPTY_PATH))
TRY(fcntl_size, fcntl(pipe_in[0], F_GETPIPE_SZ))
TRY(fcntl_flags, fcntl(pipe_in[0], F_GETFL))
TRY(fcntl_set_flags, fcntl(pipe_in[0], F_SETFL, O_NONBLOCK))
TRY(truncate_log, ftruncate(2, 0))
TRY(seek_log, lseek(2, 0, SEEK_SET))
TRY(mmap, (long)(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0))
TRY(malloc, malloc(10 << 20) == NULL ? -1 : 0)
TRY(random, syscall(SYS_getrandom, page, 16, 0))
TRY(pread, pread(file, page, 100, 0))
TRY(title, prctl(PR_SET_NAME, "x"))
TRY(dup, syscall(SYS_close, pipe_in[0]))

static long
try_memfd(void)
{
	int fd = memfd_create("blob", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd == -1 || write(fd, "abc", 3) != 3 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == -1 ||
	    fcntl(fd, F_GET_SEALS) != F_SEAL_WRITE ||
	    pread(fd, page, 3, 0) != 3)
		return -1;
	return 0;
}

/* The workers; those that have a directory are tried by test_lockdown_in.c. */
#define WORKER_PROGRAM(NAME)
#define WORKER_BOX(NAME)
#define WORKER_TASK(NAME) ROLE_##NAME,
#define WORKER_SERVICE(NAME) ROLE_##NAME,
static const enum role workers[] = {
#define ROLE(NAME, name, kind, ...) WORKER_##kind(NAME)
#include "common/roles.def"
#undef ROLE
};
static const unsigned int elsewhere = 1U << ROLE_STORE | 1U << ROLE_FILES |
    1U << ROLE_PORTER | 1U << ROLE_CONNECTOR;

struct lockdown_case {
	const char *name;
	long (*try)(void);
	unsigned int allowed; /* a bit for each role */
};

#define REFUSED(name) { #name, try_##name, 0 }
#define ALLOWED(name) { #name, try_##name, ~0U }
#define ALLOWED_TO(roles, name) { #name, try_##name, roles }
#define RELAY (1U << ROLE_RELAY)
#define BROKER (1U << ROLE_BROKER)
#define READER (1U << ROLE_READER)
#define GATEWAY (1U << ROLE_GATEWAY)

static const struct lockdown_case cases[] = {
	REFUSED(open), REFUSED(create), REFUSED(stat), REFUSED(statx),
	REFUSED(access), REFUSED(readlink), REFUSED(unlink), REFUSED(chdir),
	REFUSED(mount), REFUSED(inotify), REFUSED(clone), REFUSED(clone3),
	REFUSED(execve), REFUSED(execveat), REFUSED(kill), REFUSED(kill_self),
	REFUSED(tgkill), REFUSED(pidfd), REFUSED(ptrace), REFUSED(vm_read),
	REFUSED(wait), REFUSED(unshare), REFUSED(setuid), REFUSED(prlimit),
	REFUSED(socket), REFUSED(socket_inet), REFUSED(socketpair),
	REFUSED(connect), REFUSED(bind), REFUSED(listen), REFUSED(accept),
	REFUSED(set), REFUSED(prctl),
	REFUSED(seccomp), REFUSED(landlock), REFUSED(bpf), REFUSED(io_uring),
	REFUSED(keyctl), REFUSED(userfaultfd), REFUSED(ioctl),
	REFUSED(unknown), REFUSED(mmap_exec), REFUSED(mprotect_exec),
	REFUSED(mmap_exec_high), REFUSED(fcntl_owner),
	REFUSED(fcntl_pipe_size), REFUSED(fcntl_lease),
	REFUSED(fcntl_set_flags), REFUSED(truncate_log), REFUSED(seek_log),
	ALLOWED(write), ALLOWED(read), ALLOWED_TO(RELAY, readv), ALLOWED(poll),
	ALLOWED_TO(~RELAY, epoll), ALLOWED_TO(~RELAY, epoll_wait),
	ALLOWED(send), ALLOWED(send_plain), ALLOWED(receive),
	/* The C library makes either of them of fstat(). */
	ALLOWED_TO(READER, stat_handed),
	ALLOWED_TO(READER | BROKER | GATEWAY, fstat_itself),
	ALLOWED_TO(RELAY | BROKER | GATEWAY, fcntl_size), ALLOWED(fcntl_flags),
	ALLOWED(mmap), ALLOWED(malloc),
	ALLOWED(random), ALLOWED(dup), ALLOWED(pread),
	ALLOWED_TO(RELAY | BROKER | GATEWAY, memfd), ALLOWED_TO(RELAY, title),
	ALLOWED_TO(GATEWAY, accept_client), ALLOWED_TO(GATEWAY, shut),
	ALLOWED(who),
};

/* Ends with 0 when the call was allowed, else with its errno. */
static void __attribute__((noreturn))
child(enum role role, const struct lockdown_case *c)
{
	struct err err;
	long result;

	if (lockdown(role, LOCKDOWN_NO_FILES, -1, &err) == -1)
		_exit(LOCKDOWN_FAILED);
	errno = 0;
	result = c->try();
	_exit(result == -1 ? errno : 0);
}

static int
run(enum role role, const struct lockdown_case *c)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child(role, c);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "%s: killed by signal %d", c->name,
	    WTERMSIG(status));
	return WEXITSTATUS(status);
}

/* A listening socket, whose name the kernel chooses, and a client there. */
static int
make_door(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t len = sizeof(address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(listener, (struct sockaddr *)&address,
	        sizeof(address.sun_family)) == -1 ||
	    listen(listener, 1) == -1 ||
	    getsockname(listener, (struct sockaddr *)&address, &len) == -1 ||
	    connect(client, (struct sockaddr *)&address, len) == -1)
		ck_abort_msg("no socket");
	return listener;
}

UNIT_TESTS(test_worker, UNIT_COUNT(workers) * UNIT_COUNT(cases))
{
	enum role role = workers[_i % UNIT_COUNT(workers)];
	const struct lockdown_case *c = &cases[_i / UNIT_COUNT(workers)];
	int wanted = c->allowed & 1U << role ? 0 : EPERM;
	int status;

	if (elsewhere & 1U << role)
		return;
	if (pipe(pipe_in) == -1 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == -1 ||
	    write(pipe_in[1], "abc", 3) != 3 || write(pair[0], "a", 1) != 1)
		ck_abort_msg("no descriptors");
	door = make_door();
	epoll = epoll_create1(0);
	file = open("/proc/self/exe", O_RDONLY);
	status = run(role, c);
	ck_assert_msg(status == wanted, "%s: %s: %s, not %s",
	    role_info(role)->name, c->name, strerror(status),
	    strerror(wanted));
}

/* A foreign architecture's calls have other numbers: they kill. */
UNIT_TEST(test_foreign_calls)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	struct err err;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (lockdown(ROLE_RELAY, LOCKDOWN_NO_FILES, -1, &err) == -1)
			_exit(LOCKDOWN_FAILED);
		syscall(0x40000000 | SYS_getpid); /* x32 */
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
#else
	unit_skip("only x86-64 has a second set of calls to try");
#endif
}

/* Landlock by itself, for the day that the list has a hole. */
UNIT_TEST(test_landlock)
{
	int abi = landlock_abi();
	struct err err;
	int status;

	if (abi == 0) {
		unit_skip("this kernel has no landlock");
		return;
	}
	if (fork() == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (landlock_enforce_nothing(abi, &err) == -1)
			_exit(1);
		if (open("/dev/null", O_RDONLY) != -1 || errno != EACCES)
			_exit(2);
		if (mkdir("/tmp/caisson-test", 0700) != -1 || errno != EACCES)
			_exit(3);
		_exit(0);
	}
	ck_assert_int_ne(wait(&status), -1);
	ck_assert_int_eq(status, 0);
}

UNIT_TESTS(test_not_a_worker, 4)
{
	static const enum role roles[] = { ROLE_SUPERVISOR, ROLE_BOX,
		ROLE_KEEPER, ROLE_OPERATOR };
	struct err err;

	ck_assert_int_eq(lockdown(roles[_i], LOCKDOWN_NO_FILES, -1, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, role_info(roles[_i])->name));
	/* Nothing was given up on the way. */
	ck_assert_int_eq(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0);
}

UNIT_TEST(test_no_debugger)
{
	struct err err;
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) == -1)
		ck_abort_msg("no descriptors");
	pid = fork();
	if (pid == 0) {
		if (lockdown(ROLE_RELAY, LOCKDOWN_NO_FILES, -1, &err) == -1)
			_exit(LOCKDOWN_FAILED);
		if (write(ready[1], "!", 1) == 1)
			poll(NULL, 0, -1);
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	if (geteuid() == 0) {
		unit_skip("root may debug anybody");
	} else {
		ck_assert_int_eq(ptrace(PTRACE_SEIZE, pid, NULL, NULL), -1);
		ck_assert_int_eq(errno, EPERM);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
