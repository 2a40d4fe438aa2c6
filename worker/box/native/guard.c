/*
 * The guard of a box with reduced isolation, which replaces its init. Without a
 * pid namespace the processes of a box form one process group, which they
 * cannot leave (weak.rules): one call kills them all, however fast they fork.
 * The guard is the parent of the code and inherits every orphan below it. When
 * the code ends, or the supervisor requests it or exits, the guard kills the
 * group, waits for the last process, removes the private directory, and exits
 * with the status of the code. It never reads a byte of the code, and of its
 * files it reads only the names.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"

/*
 * The report of the guard to the launcher, sent once. Both are the same
 * program.
 */
struct guard_report {
	int failed;
	enum box_step step;
	struct err err;
};

/* The numbers of its two descriptors. */
enum guard_fd {
	GUARD_LINE, /* to the launcher */
	GUARD_FOLDER,
};

/* The code and its group, 0 if it never ran; and its exit status. */
static pid_t guard_code;
static int guard_status = W_EXITCODE(1, 0);

/* Before the code runs */

static int
guard_bind_life(struct box *box, struct err *err)
{
	sigset_t all;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) == -1)
		return err_sys(err, "block all signals");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1)
		return err_sys(err, "become the reaper of the code's orphans");
	return life_bind(box, BOX_GUARD_END, err);
}

static int
guard_start_code(struct box *box, struct err *err)
{
	pid_t pid;
	int parent = processes_fork(&pid, err);

	if (parent == -1)
		return -1;
	if (parent == 0)
		box->become(box);
	guard_code = pid;
	return 0;
}

static int
guard_keep_descriptors(struct box *box, struct err *err)
{
	/* Above its final number, which the log has occupied. */
	if (dup2(box->weak.fd, GUARD_FOLDER) == -1)
		return err_sys(err, "arrange the descriptors of the guard");
	box->weak.fd = GUARD_FOLDER;
	if (close_range(GUARD_FOLDER + 1, ~0U, 0) == -1)
		return err_sys(err, "close the descriptors of the guard");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_sys(err, "refuse debuggers");
	return 0;
}

static const struct box_action guard_actions[] = {
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_PROCESSES, guard_bind_life },
	{ BOX_STEP_PROCESSES, guard_start_code },
	{ BOX_STEP_PROCESSES, guard_keep_descriptors },
	{ BOX_STEP_SECCOMP, confine_guard_seccomp },
	{ BOX_STEPS, NULL },
};

/* While the code runs */

/*
 * Reaps all processes that have ended except the code: the number of its group
 * is not reused before the code is reaped. Returns whether the code has ended.
 */
static int
guard_reap_others(void)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    si.si_pid == 0)
			return 0;
		if (si.si_pid == guard_code)
			return 1;
		waitpid(si.si_pid, NULL, 0);
	}
}

/* Waits until the code has ended, or must end. All signals stay blocked. */
static void
guard_watch(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, BOX_GUARD_END);
	while (!guard_reap_others())
		if (sigwaitinfo(&signals, NULL) == BOX_GUARD_END)
			return;
}

/*
 * A process with a pending kill cannot complete a fork. The group exists before
 * any process of the code can run.
 */
static void
guard_kill_all(void)
{
	int status;
	pid_t pid;

	if (guard_code == 0)
		return;
	kill(-guard_code, SIGKILL);
	kill(guard_code, SIGKILL);
	/*
	 * All signals are blocked: it ends only when there are no children
	 * left.
	 */
	while ((pid = wait(&status)) > 0)
		if (pid == guard_code)
			guard_status = status;
}

/*
 * Ends like the code. It uses bare system calls, because the C library still
 * has the process number of the launcher.
 */
static void __attribute__((noreturn))
guard_end(void)
{
	int sig = WTERMSIG(guard_status);
	sigset_t own;

	if (WIFEXITED(guard_status))
		_exit(WEXITSTATUS(guard_status));
	signal(sig, SIG_DFL);
	sigemptyset(&own);
	sigaddset(&own, sig);
	kill(getpid(), sig);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	_exit(1);
}

/* Reports on sync, waits there, and never returns. */
static void __attribute__((noreturn))
guard_main(struct box *box, int sync)
{
	struct guard_report report = { 0 };
	char go;

	prctl(PR_SET_NAME, "box-guard");
	dup2(sync, GUARD_LINE);
	report.failed = action_run(box, guard_actions, &report.err);
	report.step = box->step;
	/* End of file instead of a byte: the launcher failed or was killed. */
	if (write(GUARD_LINE, &report, sizeof(report)) == sizeof(report) &&
	    report.failed == 0 && read(GUARD_LINE, &go, 1) == 1)
		guard_watch();
	close(GUARD_LINE);
	guard_kill_all();
	folder_remove(box);
	guard_end();
}

/* The launcher's side: waits for that report. */
static int
guard_wait(struct box *box, int sync, struct err *err)
{
	struct guard_report report;
	ssize_t n;

	do
		n = read(sync, &report, sizeof(report));
	while (n == -1 && errno == EINTR);
	if (n != sizeof(report))
		return err_set(err, "the guard of the box ended at once");
	if (report.failed == 0)
		return 0;
	box->step = report.step;
	*err = report.err;
	return -1;
}

int
guard_start(struct box *box, struct err *err)
{
	int sync[2], alive[2], parent;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) == -1)
		return err_sys(err, "make a pair of sockets");
	if (pipe2(alive, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	box->sync.init = sync[0];
	box->sync.launcher = alive[0];
	parent = processes_clone(&box->init, err);
	if (parent == 0) {
		close(alive[1]);
		fd_close(&box->sync.init);
		guard_main(box, sync[1]);
	}
	close(sync[1]);
	if (parent == -1)
		return -1;
	return guard_wait(box, box->sync.init, err);
}
