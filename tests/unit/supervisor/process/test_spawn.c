/*
 * Tests of supervisor/process/spawn: what a worker finds when it starts, and
 * how it is found. This program copies itself into a folder under the names of
 * the workers and runs the copy; started by spawn, it is a stand-in that tells
 * what it sees over its channel.
 */
#include <fcntl.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/supervisor.h"
#include "common/base/buffer.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

extern char **environ;

#define STAND_IN_STATUS 42
#define REPORT_SIZE 8192
/* The supervisor is killed just before a worker asks to end with it. */
static int killed_early;

/* In the place of that of the C library. */
int
prctl(int option, ...)
{
	pid_t parent = getppid();
	unsigned long values[4];
	va_list more;
	size_t i;

	va_start(more, option);
	for (i = 0; i < UNIT_COUNT(values); i++)
		values[i] = va_arg(more, unsigned long);
	va_end(more);
	if (killed_early && option == PR_SET_PDEATHSIG) {
		kill(parent, SIGKILL);
		while (getppid() == parent)
			sched_yield();
	}
	return (int)syscall(SYS_prctl, option, values[0], values[1],
	    values[2], values[3]);
}

/* The stand-in: what it sees, one line each */

static void
report_fds(struct buffer *seen)
{
	struct stat st;
	int fd;

	buffer_add_text(seen, "fds");
	for (fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			buffer_printf(seen, " %d", fd);
	for (fd = 0; fd < 3; fd++) {
		fstat(fd, &st);
		buffer_printf(seen, "\nfd%d %llu:%llu", fd,
		    (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino);
	}
	buffer_add_text(seen, "\n");
}

static void
report_signals(struct buffer *seen)
{
	struct sigaction action;
	sigset_t blocked;
	int number;

	buffer_add_text(seen, "signals");
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (number = 1; number < NSIG; number++) {
		if (sigismember(&blocked, number) == 1)
			buffer_printf(seen, " %d blocked", number);
		if (sigaction(number, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN)
			buffer_printf(seen, " %d ignored", number);
	}
	buffer_add_text(seen, "\n");
}

static void
report_identity(struct buffer *seen)
{
	uid_t uid, euid, suid;
	gid_t gid, egid, sgid;
	int number = 0;

	getresuid(&uid, &euid, &suid);
	getresgid(&gid, &egid, &sgid);
	buffer_printf(seen, "uid %u %u %u\ngid %u %u %u\ngroups %d\n", uid,
	    euid, suid, gid, egid, sgid, getgroups(0, NULL));
	buffer_printf(seen, "leader %d\n", getsid(0) == getpid());
	buffer_printf(seen, "no_new_privs %d\n",
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	prctl(PR_GET_PDEATHSIG, &number);
	buffer_printf(seen, "dies with us %d\n", number == SIGKILL);
}

static int
stand_in(const char *title)
{
	auto_buffer struct buffer seen = { 0 };

	buffer_printf(&seen, "title %s\nenvironment %s\n", title,
	    environ[0] == NULL ? "empty" : environ[0]);
	report_fds(&seen);
	report_signals(&seen);
	report_identity(&seen);
	send(WORKER_CHANNEL_FD, seen.data, seen.len, 0);
	return STAND_IN_STATUS;
}

/* The tests: they run in the copy, with workers beside it */

static char folder[256]; /* of the copy */
static char report[REPORT_SIZE];

static void
init(void)
{
	struct err err;

	ck_assert_msg(spawn_init(&err) == 0, "%s", err.text);
}

/* Spawns a worker and waits for its report and its end. */
static int
spawn(enum role role, unsigned int uid, int number)
{
	int pair[2], pidfd;
	struct err err;
	siginfo_t si;
	ssize_t n;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	if (number != -1) {
		ck_assert_int_eq(dup2(pair[1], number), number);
		ck_assert_int_eq(fcntl(number, F_SETFD, FD_CLOEXEC), 0);
		close(pair[1]);
		pair[1] = number;
	}
	ck_assert_msg(
	    spawn_worker(role, 7, uid, -1, pair[1], &pidfd, &err) == 0,
	    "%s", err.text);
	ck_assert_int_eq(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
	close(pair[1]);
	n = recv(pair[0], report, sizeof(report) - 1, 0);
	report[n > 0 ? n : 0] = '\0';
	close(pair[0]);
	ck_assert_int_eq(
	    waitid((idtype_t)3 /* P_PIDFD */, (id_t)pidfd, &si, WEXITED), 0);
	ck_assert_int_eq(si.si_code, CLD_EXITED);
	close(pidfd);
	return si.si_status;
}

static void
says(const char *line)
{
	ck_assert_msg(strstr(report, line) != NULL, "no '%s' in\n%s", line,
	    report);
}

/* Whether its descriptor number is the same file as this one here. */
static void
says_fd(int number, int fd)
{
	auto_free char *line = NULL;
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	line = mem_printf("fd%d %llu:%llu\n", number,
	    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	says(line);
}

/* A supervisor in the worst of moods, and what must not reach the worker. */
static void
be_untidy(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	setenv("CAISSON_TEST", "secret", 1);
	dup2(open("/etc/passwd", O_RDONLY), 100);
	dup2(100, STDIN_FILENO);
	dup2(100, STDOUT_FILENO);
	fcntl(STDERR_FILENO, F_SETFD, FD_CLOEXEC);
}

UNIT_TESTS(a_worker_starts_clean, 2)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	init();
	be_untidy();
	ck_assert_int_eq(spawn(_i == 0 ? ROLE_RELAY : ROLE_BOX, 0, -1),
	    STAND_IN_STATUS);
	says(_i == 0 ? "title caisson: relay[7]\n" : "title caisson: box[7]\n");
	says("environment empty\n");
	says("fds 0 1 2 3\n");
	says_fd(0, null);
	says_fd(1, STDERR_FILENO);
	says_fd(2, STDERR_FILENO);
	says("signals\n");
	says("leader 1\n");
	says("no_new_privs 1\n");
	says("dies with us 1\n");
	close(null);
}

/* The kernel does not report an end from before it was asked to. */
UNIT_TEST(a_worker_of_the_dead_does_not_run)
{
	int pair[2], pidfd;
	struct err err;
	pid_t pid;

	init();
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		killed_early = 1;
		spawn_worker(ROLE_RELAY, 7, 0, -1, pair[1], &pidfd, &err);
		_exit(0);
	}
	close(pair[1]);
	ck_assert_int_eq(recv(pair[0], report, sizeof(report), 0), 0);
	close(pair[0]);
	waitpid(pid, NULL, 0);
}

/* The channel may have any number, that of the worker's end included. */
UNIT_TESTS(the_channel_may_be_anywhere, 2)
{
	init();
	ck_assert_int_eq(spawn(ROLE_RELAY, 0, 200 + _i), STAND_IN_STATUS);
	says("fds 0 1 2 3\n");
}

/* Where the workers are looked for */

static char *
in_folder(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static void
move(const char *from, const char *to)
{
	auto_free char *from_path = in_folder(from);
	auto_free char *to_path = in_folder(to);

	ck_assert_int_eq(rename(from_path, to_path), 0);
}

UNIT_TEST(a_missing_worker_is_named)
{
	auto_free char *expected = mem_printf("caisson-box is neither in %s "
	    "nor in %s/" CAISSON_LIBEXEC_RELATIVE ": install Caisson again, "
	    "or build it again", folder, folder);
	struct err err = { 0, "" };

	move("caisson-box", "away");
	ck_assert_int_eq(spawn_init(&err), -1);
	ck_assert_str_eq(err.text, expected);
	move("away", "caisson-box");
	init();
}

static void
write_garbage(const char *name)
{
	auto_free char *path = in_folder(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd_write_all(fd, "no program\n", 11), 0);
	close(fd);
}

/* Says why, and leaves neither a process nor a descriptor. */
static void
refuses(unsigned int uid, const char *why)
{
	struct err err = { 0, "" };
	int pidfd = -1, pair[2], fds;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	fds = unit_open_fds();
	ck_assert_int_eq(
	    spawn_worker(ROLE_RELAY, 7, uid, -1, pair[1], &pidfd, &err), -1);
	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(unit_open_fds(), fds);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}

UNIT_TEST(a_worker_that_cannot_start_is_reported)
{
	move("caisson-relay", "old");
	write_garbage("caisson-relay");
	init();
	move("old", "caisson-relay");
	refuses(0, "start caisson-relay: execute it: Exec format error");
}

/* The copies */

/* Makes a folder as an installation has it. Returns its path, for free(). */
static char *
make_copies(void)
{
	char *root = mem_strdup("/tmp/test_spawn.XXXXXX");
	auto_buffer struct buffer command = { 0 };
	enum role role;

	if (mkdtemp(root) == NULL)
		return NULL;
	buffer_printf(&command, "mkdir '%s/bin' && cd '%s/bin' && "
	    "mkdir -p '" CAISSON_LIBEXEC_RELATIVE "' && "
	    "cp /proc/%d/exe test_spawn", root, root, (int)getpid());
	for (role = 0; role < ROLES; role++)
		if (role_info(role)->kind != ROLE_KIND_PROGRAM)
			buffer_printf(&command, " && cp test_spawn %s",
			    role_info(role)->binary);
	return system(command.data) == 0 ? root : NULL;
}

static int
run_copy(void)
{
	auto_free char *root = make_copies();
	auto_free char *copy = NULL;
	auto_free char *command = NULL;
	int status;

	if (root == NULL)
		return EXIT_FAILURE;
	copy = mem_printf("'%s/bin/test_spawn' copy", root);
	command = mem_printf("rm -rf '%s'", root);
	status = system(copy);
	return system(command) == 0 && status == 0 ? EXIT_SUCCESS :
	    EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	if (strncmp(argv[0], "caisson: ", 9) == 0)
		return stand_in(argv[0]);
	if (argc == 1)
		return run_copy();
	if (readlink("/proc/self/exe", folder, sizeof(folder) - 1) == -1)
		return EXIT_FAILURE;
	dirname(folder);
	return unit_run();
}
