/*
 * The only fork and exec of the supervisor. A worker starts with an empty
 * environment, four descriptors and no_new_privs, in a session of its own, as
 * the user that the caller names. The launcher of a box changes its user itself
 * (worker/box/native/identity.c). A server is an ordinary program of the user,
 * below a keeper. Runs in the supervisor; spawn_program runs in keepers.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "process.h"

/* The workers, opened once, so an upgrade on disk cannot mix two versions. */
static int spawn_binaries[ROLES];

/* Their possible places, relative to the directory of our own binary. */
static const char *const spawn_places[] = { ".", CAISSON_LIBEXEC_RELATIVE };

/* Opens the binary of a role for execution. Returns the fd, or -1. */
static int
spawn_find(const char *own_folder, enum role role)
{
	char path[PATH_MAX];
	auto_fd int fd = -1;
	size_t i;
	int n;

	for (i = 0; i < sizeof(spawn_places) / sizeof(spawn_places[0]); i++) {
		n = snprintf(path, sizeof(path), "%s/%s/%s", own_folder,
		    spawn_places[i], role_info(role)->binary);
		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		fd = open(path, O_PATH | O_CLOEXEC);
		/*
		 * Keep the descriptor away from the number of the worker's
		 * channel.
		 */
		if (fd != -1)
			return fcntl(
			    fd, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	}
	return -1;
}

/*
 * The failed step of a child, and errno. Shared memory, because the child may
 * be a copy of the process; the parent continues only when it has exec'd or
 * exited.
 */
struct spawn_failure {
	const char *what;
	int number;
};

static volatile struct spawn_failure *spawn_failure;

/* Ours: the C library asks the kernel for it each time. */
static pid_t spawn_self;

/* The descriptor 0 of every worker. */
static int spawn_null = -1;

/* All signals that the supervisor handles or ignores. */
static const int spawn_signals[] = { SIGCHLD, SIGHUP, SIGINT, SIGPIPE,
	SIGTERM, SIGXFSZ };

/* Those, and the signals whose action was changed before we were started. */
static sigset_t spawn_unusual;

/*
 * Setting every signal for each worker would take longer than all other work
 * before its exec.
 */
static void
spawn_note_signals(void)
{
	struct sigaction action;
	size_t i;
	int sig;

	sigemptyset(&spawn_unusual);
	for (i = 0; i < sizeof(spawn_signals) / sizeof(spawn_signals[0]); i++)
		sigaddset(&spawn_unusual, spawn_signals[i]);
	for (sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &action) == 0 &&
		    action.sa_handler != SIG_DFL)
			sigaddset(&spawn_unusual, sig);
}

/*
 * Checks whether the users of relays and boxes may execute a binary. A build by
 * root with a strict umask gets this error here, since later calls could not
 * name the cause.
 */
static int
spawn_check_mode(int binary, const char *folder, enum role role,
    struct err *err)
{
	auto_free char *link = mem_printf("/proc/self/fd/%d", binary);
	char path[PATH_MAX] = "";
	struct stat st;

	if (geteuid() != 0 || fstat(binary, &st) == -1 ||
	    (st.st_mode & S_IXOTH) != 0)
		return 0;
	if (readlink(link, path, sizeof(path) - 1) == -1)
		snprintf(path, sizeof(path), "%s/%s", folder,
		    role_info(role)->binary);
	return err_set(err, "%s cannot be executed by the users that root has "
	    "for boxes (mode %04o, as a umask of 077 makes it): 'chmod o+x "
	    "%.*s/caisson-*'", path, st.st_mode & 07777U,
	    (int)(strrchr(path, '/') - path), path);
}

int
spawn_init(struct err *err)
{
	char self[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *folder;
	enum role role;

	if (n == -1)
		return err_set(err, "our own program cannot be found "
		    "(/proc/self/exe: %s); Caisson needs /proc: 'mount -t "
		    "proc proc /proc'", strerror(errno));
	spawn_failure = mmap(NULL, sizeof(*spawn_failure),
	    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spawn_failure == MAP_FAILED)
		return err_sys(err, "share memory with children");
	if (spawn_null == -1)
		spawn_null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (spawn_null == -1)
		return err_sys(err, "open /dev/null");
	spawn_note_signals();
	spawn_self = getpid();
	self[n] = '\0';
	folder = dirname(self);
	for (role = 0; role < ROLES; role++) {
		if (role_info(role)->kind == ROLE_KIND_PROGRAM)
			continue; /* this binary */
		spawn_binaries[role] = spawn_find(folder, role);
		if (spawn_binaries[role] == -1)
			return err_set(err, "%s is neither in %s nor in %s/%s: "
			    "install Caisson again, or build it again",
			    role_info(role)->binary, folder, folder,
			    CAISSON_LIBEXEC_RELATIVE);
		if (spawn_check_mode(
		        spawn_binaries[role], folder, role, err) == -1)
			return -1;
	}
	return 0;
}

/* Removes our handlers, and ignores no signal. */
static void
spawn_reset_handlers(void)
{
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
}

static void
spawn_unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Becomes uid, with no group but its own. Uses raw system calls: glibc's
 * wrappers would notify other threads, and this is a child of vfork.
 */
static int
spawn_become(unsigned int uid)
{
	if (syscall(SYS_setgroups, 0, NULL) == -1 ||
	    syscall(SYS_setresgid, uid, uid, uid) == -1 ||
	    syscall(SYS_setresuid, uid, uid, uid) == -1)
		return -1;
	return 0;
}

/*
 * Sets the child's descriptors 0, 1, 2 and the channel; exec closes the rest.
 */
static int
spawn_place_fds(int channel)
{
	if (dup2(spawn_null, STDIN_FILENO) == -1 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) == -1 ||
	    /* If we have no standard error, it is /dev/null. */
	    fcntl(STDERR_FILENO, F_SETFD, 0) == -1)
		return -1;
	if (channel == WORKER_CHANNEL_FD) {
		if (fcntl(channel, F_SETFD, 0) == -1)
			return -1;
	} else if (dup2(channel, WORKER_CHANNEL_FD) == -1) {
		return -1;
	}
	return (int)syscall(SYS_close_range, WORKER_CHANNEL_FD + 1, ~0U,
	    1U << 2 /* CLOSE_RANGE_CLOEXEC */);
}

static void __attribute__((noreturn))
spawn_fail(const char *what)
{
	spawn_failure->number = errno;
	spawn_failure->what = what;
	_exit(FATAL_EXIT_STATUS);
}

/*
 * As fork, but the child starts in this cgroup, and we wait until it has exec'd
 * or ended. Processes are never moved into a cgroup, which would take the
 * kernel milliseconds. As with vfork, the child must not use the C library's
 * state. pidfd is set to the new child's, or NULL.
 */
static pid_t
spawn_clone_into(int group, int *pidfd)
{
	struct clone_args args = { .flags = CLONE_VFORK | CLONE_INTO_CGROUP |
		    (pidfd == NULL ? 0 : CLONE_PIDFD),
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)group };

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

/* What the child becomes. */
struct spawn_worker {
	int binary;
	char *title;
	unsigned int uid;
	int channel;
};

/*
 * In the child, which shares our memory until exec, or has a copy. No handler
 * of ours can run in it: the signals that we receive are blocked
 * (stop_signals.c, reaper.c), and their actions are reset before that ends.
 */
static int
spawn_exec(void *arg)
{
	const struct spawn_worker *worker = arg;
	char *argv[] = { worker->title, NULL };
	char *envp[] = { NULL };
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sigismember(&spawn_unusual, sig) == 1)
			signal(sig, SIG_DFL);
	spawn_unblock_signals();
	setsid();
	if (spawn_place_fds(worker->channel) == -1)
		spawn_fail("arrange its descriptors");
	if (worker->uid != 0 && spawn_become(worker->uid) == -1)
		spawn_fail("make it an unprivileged user");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		spawn_fail("deny it new privileges");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		spawn_fail("bind its life to ours");
	/* The supervisor may have exited before prctl. */
	if (getppid() != spawn_self) {
		errno = ESRCH;
		spawn_fail("bind its life to ours");
	}
	syscall(SYS_execveat, worker->binary, "", argv, envp, AT_EMPTY_PATH);
	spawn_fail("execute it");
}

/*
 * Starts a child that shares our memory, on a stack of its own, until it has
 * exec'd or ended: as vfork, but the kernel gives its pidfd at once.
 */
static pid_t
spawn_clone(struct spawn_worker *worker, int *pidfd)
{
	static char stack[SPAWN_STACK] __attribute__((aligned(64)));

	return clone(spawn_exec, stack + sizeof(stack),
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, worker, pidfd);
}

static pid_t
spawn_clone_copy(struct spawn_worker *worker, int group, int *pidfd)
{
	pid_t pid = spawn_clone_into(group, pidfd);

	if (pid == 0)
		_exit(spawn_exec(worker));
	return pid;
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid, int group,
    int channel, int *pidfd, struct err *err)
{
	char title[LOG_PREFIX_SIZE * 2];
	struct spawn_worker worker = { spawn_binaries[role], title, uid,
		channel };
	pid_t pid;

	*pidfd = -1;
	snprintf(title, sizeof(title), "caisson: %s[%lu]",
	    role_info(role)->name, number);
	spawn_failure->what = NULL;
	pid = group == -1 ? spawn_clone(&worker, pidfd) :
	                    spawn_clone_copy(&worker, group, pidfd);
	if (pid == -1) {
		/* The kernel may have written a number that it took back. */
		*pidfd = -1;
		return err_sys(err, "start a process");
	}
	if (spawn_failure->what != NULL) {
		waitpid(pid, NULL, 0);
		fd_close(pidfd);
		errno = spawn_failure->number;
		return err_sys(err, "start %s: %s", role_info(role)->binary,
		    spawn_failure->what);
	}
	log_debug("started %s as process %d", title, (int)pid);
	return 0;
}

int
spawn_try_group(int group, struct err *err)
{
	pid_t pid = spawn_clone_into(group, NULL);

	if (pid == 0)
		_exit(0);
	if (pid == -1)
		return err_sys(err, "start a process in it");
	waitpid(pid, NULL, 0);
	return 0;
}

/* Servers */

void
spawn_complain(
    const struct spawn_program *program, const char *what, const char *path)
{
	const char *why = strerror(errno);

	if (errno == ENOENT && access(path, F_OK) == 0)
		why = "the interpreter that it names is missing";
	dprintf(program->errors, "caisson: cannot %s %s: %s\n", what, path,
	    why);
	_exit(SPAWN_COMPLAINED);
}

/* Our soft limits before they were raised; RLIM_INFINITY: not raised. */
static struct spawn_limit {
	int resource;
	rlim_t soft;
} spawn_limits[] = {
	{ RLIMIT_NOFILE, RLIM_INFINITY },
	{ RLIMIT_FSIZE, RLIM_INFINITY },
};

#define SPAWN_LIMITS (sizeof(spawn_limits) / sizeof(spawn_limits[0]))

void
spawn_remember_limit(int resource, rlim_t soft)
{
	size_t i;

	for (i = 0; i < SPAWN_LIMITS; i++)
		if (spawn_limits[i].resource == resource)
			spawn_limits[i].soft = soft;
}

/*
 * Programs that use select() do not expect as many descriptors as we use, and a
 * limit on the size of files is intended for their files.
 */
static void
spawn_restore_limits(void)
{
	struct rlimit limit;
	size_t i;

	for (i = 0; i < SPAWN_LIMITS; i++) {
		if (spawn_limits[i].soft == RLIM_INFINITY ||
		    getrlimit(spawn_limits[i].resource, &limit) == -1)
			continue;
		limit.rlim_cur = spawn_limits[i].soft;
		setrlimit(spawn_limits[i].resource, &limit);
	}
}

/*
 * In the child of a keeper, where every signal is blocked. The server may need
 * setuid helpers: it keeps our user, and no_new_privs is not set.
 */
static void __attribute__((noreturn))
spawn_become_program(const struct spawn_program *program, pid_t keeper)
{
	struct spawn_program own = *program;

	own.errors = STDERR_FILENO;
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1 ||
	    getppid() != keeper ||
	    dup2(program->in, STDIN_FILENO) == -1 ||
	    dup2(program->out, STDOUT_FILENO) == -1 ||
	    dup2(program->errors, STDERR_FILENO) == -1 ||
	    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == -1)
		_exit(SPAWN_COMPLAINED);
	if (own.cwd != NULL && chdir(own.cwd) == -1)
		spawn_complain(&own, "enter the folder", own.cwd);
	spawn_reset_handlers();
	spawn_unblock_signals();
	spawn_restore_limits();
	/*
	 * With a slash, PATH is not searched; text without "#!" is run by
	 * /bin/sh.
	 */
	execvpe(own.path, own.argv, own.envp);
	spawn_complain(&own, "execute", own.path);
}

int
spawn_instead(char *const *argv, char **envp, struct err *err)
{
	spawn_restore_limits();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execve(argv[0], argv, envp);
	return err_sys(err, "execute %s", argv[0]);
}

/* Reads a line of what a program prints to its end; -1: it has not ended. */
static int
spawn_listen(int from, unsigned int ms, char said[ERR_TEXT_SIZE])
{
	struct pollfd output = { .fd = from, .events = POLLIN };
	ssize_t len = 0, n = 1;

	while (n > 0) {
		if (poll(&output, 1, (int)ms) != 1)
			return -1;
		n = read(from, said + len, ERR_TEXT_SIZE - 1 - (size_t)len);
		len += n > 0 ? n : 0;
	}
	said[len] = '\0';
	said[strcspn(said, "\n")] = '\0';
	return 0;
}

int
spawn_try(char *const *argv, char **envp, unsigned int ms, struct err *err)
{
	char said[ERR_TEXT_SIZE] = "no answer";
	int ends[2], status = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) == -1 || (pid = fork()) == -1)
		return err_sys(err, "start %s", argv[0]);
	if (pid == 0) {
		/* It cannot read what is for us. */
		dup2(ends[1], STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		spawn_instead(argv, envp, NULL);
		_exit(SPAWN_COMPLAINED);
	}
	close(ends[1]);
	if (spawn_listen(ends[0], ms, said) == -1)
		kill(pid, SIGKILL);
	close(ends[0]);
	waitpid(pid, &status, 0);
	return status == 0 ? 0 : err_set(err, "%s: %s", argv[0], said);
}

/* Our own program, for keepers; -1: they do not execute it. */
static int spawn_self_program = -1;

void
spawn_self_open(void)
{
	auto_fd int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	if (fd != -1)
		spawn_self_program =
		    fcntl(fd, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
}

int
spawn_self_fd(void)
{
	return spawn_self_program;
}

void
spawn_self_again(char **argv, char **envp)
{
	if (spawn_self_program == -1)
		return;
	spawn_restore_limits();
	syscall(SYS_execveat, spawn_self_program, "", argv, envp,
	    AT_EMPTY_PATH);
	log_warn("a keeper keeps a copy of our memory: its program cannot be "
	    "executed again: %s", strerror(errno));
}

pid_t
spawn_program(const struct spawn_program *program)
{
	pid_t keeper = getpid();
	/*
	 * fork, not vfork: a directory on a dead network drive must not block
	 * us.
	 */
	pid_t pid = fork();

	if (pid == 0)
		spawn_become_program(program, keeper);
	return pid;
}

/*
 * Returns the pidfd of a new keeper. Only we could reap it, so the pid is still
 * valid. If there is no pidfd, it is killed.
 */
static int
spawn_open_pidfd(pid_t pid, int *pidfd, struct err *err)
{
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd != -1)
		return 0;
	err_sys(err, "open a pidfd");
	kill(pid, KEEPER_KILL);
	return -1;
}

int
spawn_keeper(unsigned long number, const struct spawn_program *program,
    spawn_keeper_run *run, int *pidfd, struct err *err)
{
	pid_t supervisor = getpid();
	sigset_t all, before;
	pid_t pid;

	/* At no moment can a signal end the keeper. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		spawn_reset_handlers();
		run(number, supervisor, program);
		_exit(FATAL_EXIT_STATUS);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid == -1)
		return err_sys(err, "start a process");
	if (spawn_open_pidfd(pid, pidfd, err) == -1)
		return -1;
	log_debug("started %s[%lu] as process %d",
	    role_info(ROLE_KEEPER)->name, number, (int)pid);
	return 0;
}
