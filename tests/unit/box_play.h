/*
 * What the tests of the real box share: the test as its supervisor, a directory
 * with the binary and with strange interpreters, and their main().
 */
#ifndef TESTS_UNIT_BOX_PLAY_H
#define TESTS_UNIT_BOX_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <mntent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/box_step.h"
#include "common/box_usage.h"
#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc.h"
#include "common/ipc_socket.h"
#include "common/landlock.h"
#include "common/mem.h"
#include "unit.h"

/* Nothing here takes a twentieth of it: what takes longer hangs. */
#define BOX_TEST_SECONDS 60
#define BOX_TEST_MEMORY (256 * MIB)
#define BOX_TEST_PROCESSES 32
#define BOX_TEST_FILES (4 * MIB)
#define BOX_TEST_UID BOX_UID_FIRST
#define BOX_TEST_NOBODY 65534
/* What meson takes as "skipped". */
#define BOX_TEST_SKIPPED 77

/* Reads the code (its length first) where the relay's frames would come. */
static const char bootstrap[] =
    "import os, struct, sys\n"
    "n = struct.unpack('=I', os.read(3, 4))[0]\n"
    "code = b''\n"
    "while len(code) < n:\n"
    "    code += os.read(3, n - len(code))\n"
    "def name(call, *args):\n"
    "    import errno\n"
    "    try:\n"
    "        call(*args)\n"
    "    except OSError as e:\n"
    "        return errno.errorcode.get(e.errno, type(e).__name__)\n"
    "    except Exception as e:\n"
    "        return type(e).__name__\n"
    "    return 'ok'\n"
    "exec(compile(code, '<code>', 'exec'))\n";

static char scratch[] = "/tmp/caisson-test-box-XXXXXX";

/* Playing the supervisor */

struct run {
	int channel;
	int in;      /* to the code: control_in */
	int control; /* from the code: control_out */
	int out;
	int errors;
	int usage;
	pid_t launcher;
	int init;
	int code;
	int left; /* the directory of STARTED; -1: not yet */
	uint64_t landlock; /* as STARTED has them */
	char bound[FAILED_REASON_MAX + 1];
	uint64_t proc;
	uint64_t watchdog;
	int disowned;  /* STARTED is not answered */
	siginfo_t end; /* of the code */
	siginfo_t init_end;
	struct buffer text;
	struct buffer error_text;
};

/*
 * As the supervisor's spawn: the descriptors by number. What it would not leave
 * behind (a variable, a descriptor, signals ignored and blocked) must not get
 * into a box either.
 */
static inline pid_t
launch(const char *binary, int channel)
{
	char *const argv[] = { (char *)"caisson-box", NULL };
	char *const env[] = { (char *)"SECRET=1", NULL };
	pid_t pid = fork();
	sigset_t blocked;
	int null;

	if (pid != 0)
		return pid;
	null = open("/dev/null", O_RDWR);
	if (dup2(null, 0) == -1 || dup2(channel, 3) == -1 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		_exit(99);
	close_range(4, ~0U, 0);
	dup2(0, 7);
	signal(SIGTERM, SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	execve(binary, argv, env);
	_exit(99);
}

static inline struct ipc_setup
usual_setup(void)
{
	struct ipc_setup setup = {
		.uid = geteuid() == 0 ? BOX_TEST_UID : 0,
		.memory_bytes = BOX_TEST_MEMORY,
		.processes = BOX_TEST_PROCESSES,
		.number = 1,
		.cpu_seconds = BOX_TEST_SECONDS,
		.files_bytes = BOX_TEST_FILES,
		.language = "python",
		.interpreter = "/usr/bin/python3",
	};

	return setup;
}

static inline void
run_open(struct run *run, struct ipc_setup *setup, const char *binary)
{
	static struct ipc_packet packet;
	int in[2], control[2], out[2], errors[2], channel[2];
	struct err err;

	memset(run, 0, sizeof(*run));
	run->init = run->code = run->usage = -1;
	if (pipe2(in, O_CLOEXEC) + pipe2(control, O_CLOEXEC) +
	        pipe2(out, O_CLOEXEC) + pipe2(errors, O_CLOEXEC) +
	        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	            channel) != 0)
		ck_abort_msg("no descriptors");
	run->launcher = launch(binary, channel[1]);
	close(channel[1]);
	run->channel = channel[0];
	run->in = in[1];
	run->control = control[0];
	run->out = out[0];
	run->errors = errors[0];
	setup->control_in = in[0];
	setup->control_out = control[1];
	setup->out = out[1];
	setup->errors = errors[1];
	run->usage = ipc_make_counts(sizeof(struct box_usage), &err);
	setup->usage = dup(run->usage);
	if (ipc_encode(IPC_SETUP, setup, &packet, &err) == -1 ||
	    ipc_socket_send(run->channel, &packet, &err) == -1)
		ck_abort_msg("%s", err.text);
	ipc_packet_close(&packet);
}

/* Waits until fd can be read; fails the test when it hangs. */
static inline void
await(int fd, const char *what)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (poll(&pfd, 1, BOX_TEST_SECONDS * 1000) != 1)
		ck_abort_msg("no %s within %d seconds", what,
		    BOX_TEST_SECONDS);
}

/* Says that both processes are watched. */
static inline void
run_adopt(struct run *run)
{
	static struct ipc_packet packet;
	struct ipc_adopted adopted = { 0 };
	struct err err;

	if (ipc_encode(IPC_ADOPTED, &adopted, &packet, &err) == -1 ||
	    ipc_socket_send(run->channel, &packet, &err) == -1)
		ck_abort_msg("%s", err.text);
}

/* Returns the type of the next message, IPC_TYPES at the end. */
static inline enum ipc_type
run_message(struct run *run, union ipc_any *msg)
{
	static struct ipc_packet packet;
	enum ipc_type type;
	struct err err;
	int n;

	await(run->channel, "message of the box");
	n = ipc_socket_receive(run->channel, &packet, &err);
	if (n == 0)
		return IPC_TYPES;
	if (n == -1 || ipc_decode(&packet, &type, msg, &err) == -1)
		ck_abort_msg("%s", err.text);
	if (type == IPC_STARTED && !run->disowned)
		run_adopt(run);
	return type;
}

/* Receives STARTED, and answers it unless the box is disowned. */
static inline void
run_known(struct run *run)
{
	union ipc_any msg;
	enum ipc_type type = run_message(run, &msg);

	if (type == IPC_FAILED)
		ck_abort_msg("step %s: %s",
		    box_step_info(msg.failed.step)->what, msg.failed.reason);
	ck_assert_int_eq(type, IPC_STARTED);
	run->init = msg.started.init;
	run->code = msg.started.code;
	run->left = msg.started.left;
	run->landlock = msg.started.landlock;
	snprintf(run->bound, sizeof(run->bound), "%s", msg.started.bound);
	run->proc = msg.started.proc;
	run->watchdog = msg.started.watchdog;
}

/* The same, and the interpreter runs: the channel is closed there. */
static inline void
run_started(struct run *run)
{
	union ipc_any msg;
	enum ipc_type type;

	run_known(run);
	type = run_message(run, &msg);
	if (type == IPC_FAILED)
		ck_abort_msg("step %s: %s",
		    box_step_info(msg.failed.step)->what, msg.failed.reason);
	ck_assert_int_eq(type, IPC_TYPES);
}

static inline void
run_send_code(struct run *run, const char *code)
{
	uint32_t len = (uint32_t)strlen(code);

	if (fd_write_all(run->in, &len, sizeof(len)) == -1 ||
	    fd_write_all(run->in, code, len) == -1)
		ck_abort_msg("the bootstrap does not read");
}

/* Adds what fd has to text; returns 0 at its end. */
static inline int
drain(int fd, struct buffer *text)
{
	ssize_t n = read(fd, buffer_reserve(text, 4096), 4096);

	if (n > 0)
		text->len += (size_t)n;
	return n > 0;
}

/* Reads both streams until the code ends, or until both end. */
static inline void
run_read(struct run *run, int until_code_ends)
{
	struct pollfd pfds[3] = { { run->out, POLLIN, 0 },
		{ run->errors, POLLIN, 0 }, { run->code, POLLIN, 0 } };
	int open = 2;

	if (!until_code_ends)
		pfds[2].fd = -1;
	while (open > 0 || until_code_ends) {
		if (poll(pfds, 3, BOX_TEST_SECONDS * 1000) < 1)
			ck_abort_msg("the box hangs");
		if (pfds[0].revents && !drain(run->out, &run->text)) {
			pfds[0].fd = -1;
			open--;
		}
		if (pfds[1].revents && !drain(run->errors, &run->error_text)) {
			pfds[1].fd = -1;
			open--;
		}
		if (pfds[2].revents)
			return;
	}
}

static inline siginfo_t
reap(int pidfd)
{
	siginfo_t end = { 0 };

	await(pidfd, "end of a process");
	if (waitid(P_PIDFD, (id_t)pidfd, &end, WEXITED) == -1)
		ck_abort_msg("waitid: %s", strerror(errno));
	return end;
}

/* Waits for the end of everything and checks that nothing is left. */
static inline void
run_over(struct run *run)
{
	int status;

	run->end = reap(run->code);
	run->init_end = reap(run->init);
	run_read(run, 0);
	ck_assert_int_eq(waitpid(run->launcher, &status, 0), run->launcher);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	close(run->channel);
	close(run->in);
	close(run->control);
	close(run->out);
	close(run->usage);
	close(run->errors);
	close(run->init);
	close(run->code);
	close(run->left);
}

/* Ends everything. */
static inline void
run_end(struct run *run)
{
	pidfd_send_signal(run->init, SIGKILL, NULL, 0);
	run_over(run);
	ck_assert_int_eq(run->init_end.si_status, SIGKILL);
}

static inline const char *
run_path(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", scratch, name);
	return path[turn];
}

static inline void
run_free(struct run *run)
{
	buffer_reset(&run->text);
	buffer_reset(&run->error_text);
}

#define auto_run __attribute__((cleanup(run_free)))

/* Runs code in a box with this setup, up to the code's end. */
static inline void
run_code(struct run *run, struct ipc_setup *setup, const char *code)
{
	run_open(run, setup, run_path("caisson-box"));
	run_started(run);
	run_send_code(run, code);
	run_read(run, 1);
	run_end(run);
}

/* Root plays every test twice: as itself, and as an ordinary user. */
static int turns = 1;

static inline void
become(int turn)
{
	if (turn % turns == 0)
		return;
	if (setgroups(0, NULL) == -1 ||
	    setresgid(BOX_TEST_NOBODY, BOX_TEST_NOBODY, BOX_TEST_NOBODY) ==
	        -1 ||
	    setresuid(BOX_TEST_NOBODY, BOX_TEST_NOBODY, BOX_TEST_NOBODY) == -1)
		ck_abort_msg("cannot become an ordinary user");
}

static inline void
write_file(const char *path, const char *text, mode_t mode)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	if (fd == -1 || fd_write_all(fd, text, strlen(text)) == -1 ||
	    fchmod(fd, mode) == -1)
		ck_abort_msg("%s: %s", path, strerror(errno));
}

/* For the rest of this process. Returns whether it could. */
static inline int
crowd_environment(void)
{
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	    mount("tmpfs", run_path("venv/more"), "tmpfs", 0, NULL) == 0)
		return 1;
	unit_skip("only root can mount something below a directory");
	return 0;
}

/* The scratch directory: the binary, the bootstrap, strange interpreters */

static inline void
copy_binary(const char *from, const char *to)
{
	auto_fd int in = open(from, O_RDONLY | O_CLOEXEC);
	auto_fd int out =
	    open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	char chunk[65536];
	ssize_t n;

	if (in == -1 || out == -1)
		ck_abort_msg("copy %s to %s: %s", from, to, strerror(errno));
	while ((n = read(in, chunk, sizeof(chunk))) > 0)
		if (fd_write_all(out, chunk, (size_t)n) == -1)
			ck_abort_msg("copy %s to %s", from, to);
}

static inline void
scratch_make(const char *binary)
{
	static const char *const directories[] = { "box", "box/python",
		"home", "home/bin", "venv", "venv/bin", "venv/more", "links",
		"loop", "garbage", "garbage/bin", "home/.local",
		"home/.local/bin", "private", "private/bin" };
	size_t i;

	if (mkdtemp(scratch) == NULL || chmod(scratch, 0755) == -1)
		ck_abort_msg("%s: %s", scratch, strerror(errno));
	for (i = 0; i < UNIT_COUNT(directories); i++)
		if (mkdir(run_path(directories[i]), 0755) == -1)
			ck_abort_msg("%s: %s", directories[i], strerror(errno));
	copy_binary(binary, run_path("caisson-box"));
	copy_binary(binary, run_path("home/caisson-box"));
	copy_binary("/bin/true", run_path("home/bin/python"));
	copy_binary("/bin/true", run_path("home/.local/bin/python3"));
	copy_binary("/bin/true", run_path("private/bin/python3"));
	write_file(run_path("home/.profile"), "", 0644);
	copy_binary("/usr/bin/python3", run_path("venv/bin/hidden"));
	if (chmod(run_path("venv/bin/hidden"), 0111) == -1)
		ck_abort_msg("chmod: %s", strerror(errno));
	write_file(run_path("box/python/bootstrap.py"), bootstrap, 0644);
	write_file(run_path("venv/pyvenv.cfg"), "home = /usr/bin\n", 0644);
	write_file(run_path("links/secret"), "secret", 0644);
	write_file(run_path("garbage/bin/python"), "garbage", 0755);
	if (symlink("../../links/python", run_path("venv/bin/python")) == -1 ||
	    symlink("/usr/bin/python3", run_path("links/python")) == -1 ||
	    symlink("python", run_path("loop/python")) == -1)
		ck_abort_msg("symlink: %s", strerror(errno));
	if (chmod(run_path("private"), 0700) == -1)
		ck_abort_msg("chmod: %s", strerror(errno));
}

static inline int
scratch_remove_entry(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Where user namespaces are forbidden there is no box to test. */
static inline int
can_run(void)
{
	struct ipc_setup setup = usual_setup();
	struct run run;
	union ipc_any msg;
	enum ipc_type type;

	run_open(&run, &setup, run_path("caisson-box"));
	type = run_message(&run, &msg);
	if (type == IPC_STARTED)
		pidfd_send_signal(msg.started.init, SIGKILL, NULL, 0);
	while (wait(NULL) > 0)
		;
	if (type != IPC_FAILED ||
	    (msg.failed.step != BOX_STEP_USER_NAMESPACE &&
	        msg.failed.step != BOX_STEP_USER_MAP))
		return 1;
	unit_skip(box_step_info(msg.failed.step)->fix);
	return 0;
}

/* The main() of a file of tests: runs those that add puts into a case. */
static inline int
box_play(int argc, char **argv, const char *name, void (*add)(TCase *tc))
{
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: test_%s PATH/caisson-box\n", name);
		return 2;
	}
	if (geteuid() == 0)
		turns = 2;
	scratch_make(argv[1]);
	status = can_run() ?
	    unit_run(name, add) : BOX_TEST_SKIPPED;
	nftw(scratch, scratch_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}

#endif
