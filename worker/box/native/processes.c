/*
 * The two processes of the box, created by the launcher. Both are created with
 * CLONE_PARENT: the supervisor is their parent, so it receives the exit status
 * of the code from the kernel, and the launcher can exit without leaving a
 * process between them.
 *
 * They are created by the bare system call, so the C library still has the
 * thread ID of the launcher: until exec they use no threads and no function
 * that needs it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"

/* What the code learns of init, which it was made beside. */
struct processes_word {
	bool proc;
	bool watchdog;
};

pid_t
processes_clone(int *pidfd, struct err *err)
{
	long pid = syscall(SYS_clone, CLONE_PARENT | CLONE_PIDFD | SIGCHLD,
	    NULL, pidfd, NULL, NULL);

	if (pid == -1)
		return err_sys(err, "clone");
	return (pid_t)pid;
}

int
processes_begin_init(struct box *box, struct err *err)
{
	int sync[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) == -1)
		return err_sys(err, "make a pair of sockets");
	pid = processes_clone(&box->init, err);
	if (pid == 0) {
		/*
		 * Otherwise it would hold its own line, and never see its end.
		 */
		close(sync[0]);
		init_main(box, sync[1]);
	}
	close(sync[1]);
	box->sync.init = sync[0];
	box->init_pid = pid == -1 ? 0 : pid;
	return pid == -1 ? -1 : 0;
}

/* Waits until init has done its steps. */
static int
processes_await_init(struct box *box, struct err *err)
{
	return init_wait(box, box->sync.init, err);
}

int
processes_start_init(struct box *box, struct err *err)
{
	if (processes_begin_init(box, err) == -1)
		return -1;
	return processes_await_init(box, err);
}

int
processes_start_code(struct box *box, struct err *err)
{
	int alive[2], parent;

	/* Its writing end is open as long as the launcher exists. */
	if (pipe2(alive, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	box->sync.launcher = alive[0];
	parent = processes_clone(&box->code, err);
	if (parent == 0) {
		close(alive[1]);
		/* A template keeps its init alive by holding it. */
		if (box->kind != BOX_TEMPLATE)
			fd_close(&box->sync.init);
		box->become(box);
	}
	box->sync.code = alive[1];
	return parent == -1 ? -1 : 0;
}

/*
 * While init begins, the code is made, too: the copy of a template takes as
 * long as the steps of init. If there is no code, the report of init tells why.
 */
int
processes_start_both(struct box *box, struct err *err)
{
	struct err ignored;
	int failed = processes_start_code(box, err);

	if (processes_await_init(box, failed ? &ignored : err) == 0)
		return failed;
	if (failed)
		*err = ignored;
	return -1;
}

int
processes_let_code(struct box *box, struct err *err)
{
	const struct processes_word word = { box->proc, box->watchdog };

	if (fd_write_all(box->sync.code, &word, sizeof(word)) == -1)
		return err_sys(err, "let the code of the box begin");
	return 0;
}

int
processes_await_word(struct box *box, struct err *)
{
	struct processes_word word;

	/* Without it the launcher has failed, and told why. */
	if (read(box->sync.launcher, &word, sizeof(word)) != sizeof(word))
		_exit(1);
	box->proc = word.proc;
	box->watchdog = word.watchdog;
	return 0;
}

/*
 * In its own pid namespace the code of a box is always the second process. If
 * its template were that, too, libraries that recognise a fork by the process
 * number would see none, and every box would get the same random numbers.
 */
int
processes_skip(struct box *, struct err *err)
{
	pid_t pid;
	int parent;

	parent = processes_fork(&pid, err);
	if (parent == 0)
		_exit(0);
	if (parent == 1)
		waitpid(pid, NULL, 0);
	return parent == 1 ? 0 : -1;
}

int
processes_wait_for_launcher(struct box *box, struct err *)
{
	char nothing;

	while (read(box->sync.launcher, &nothing, 1) > 0)
		;
	return 0;
}

int
processes_fork(pid_t *pid, struct err *err)
{
	*pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (*pid == -1)
		return err_sys(err, "clone");
	return *pid > 0;
}

int
processes_release_init(struct box *box, struct err *err)
{
	/* Its exit status tells why it has ended. */
	if (send(box->sync.init, "", 1, MSG_NOSIGNAL) == -1 && errno != EPIPE)
		return err_sys(err, "release the init of the box");
	return 0;
}

void
processes_kill(struct box *box)
{
	if (box->init == -1)
		folder_remove(box);
	else if (box->kind != BOX_WEAK)
		pidfd_send_signal(box->init, SIGKILL, NULL, 0);
	/* A guard notices the end of the line, and cleans up first. */
	fd_close(&box->sync.init);
}
