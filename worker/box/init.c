/*
 * Process 1 of the box. It does nothing: it mounts /proc, gives up everything,
 * and then its only purpose is to die. When it dies the kernel kills every
 * process of the box, and it dies when the supervisor dies. It never reads a
 * byte of the code. Being process 1 it also inherits the orphans of the box,
 * which the kernel reaps for it because it ignores SIGCHLD.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "box.h"
#include "../../common/fd.h"

/* What init tells the launcher, once. Both are the same program. */
struct init_report {
	int failed;
	int proc;
	enum box_step step;
	struct err err;
};

/*
 * A /proc of this pid namespace, which shows the processes of the box and
 * nothing of the machine. Where the outer /proc is partly covered (in
 * containers) the kernel refuses another one: the box goes without.
 */
static int
init_mount_proc(struct box *box, struct err *err)
{
	if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	        "subset=pid,hidepid=invisible") == 0)
		box->proc = 1;
	else if (errno != EPERM)
		return err_sys(err, "mount /proc");
	return 0;
}

/*
 * After the capabilities, whose change would clear it. A supervisor that died
 * before this is seen by its end of the channel.
 */
static int
init_bind_life(struct box *box, struct err *err)
{
	struct pollfd channel = { .fd = box->channel };

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_sys(err, "refuse debuggers");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == -1)
		return err_sys(err, "ask to die with the supervisor");
	if (poll(&channel, 1, 0) == 1 && (channel.revents & POLLHUP))
		return err_set(err, "the supervisor is gone");
	return 0;
}

static int
init_ignore_signals(struct box *box, struct err *err)
{
	sigset_t all;

	(void)box;
	/* Only SIGKILL reaches it, and nothing of the terminal's. */
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) == -1 ||
	    signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return err_sys(err, "set the signals of init");
	return 0;
}

/* The line to the launcher is descriptor 0. */
static int
init_close_descriptors(struct box *box, struct err *err)
{
	(void)box;
	if (close_range(1, ~0U, 0) == -1)
		return err_sys(err, "close the descriptors of init");
	return 0;
}

static const struct box_action init_actions[] = {
	{ BOX_STEP_VIEW, init_mount_proc },
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_PROCESSES, init_bind_life },
	{ BOX_STEP_PROCESSES, init_ignore_signals },
	{ BOX_STEP_PROCESSES, init_close_descriptors },
	{ BOX_STEP_LANDLOCK, confine_init_landlock },
	{ BOX_STEP_SECCOMP, confine_init_seccomp },
	{ BOX_STEPS, NULL },
};

void
init_main(struct box *box, int sync)
{
	struct init_report report = { 0 };
	char go;

	prctl(PR_SET_NAME, "box-init");
	dup2(sync, 0);
	report.failed = box_run(box, init_actions, &report.err);
	report.proc = box->proc;
	report.step = box->step;
	if (write(0, &report, sizeof(report)) != sizeof(report) ||
	    report.failed != 0)
		_exit(1);
	/* An end, not a byte: the launcher failed or was killed. */
	if (read(0, &go, 1) != 1)
		_exit(1);
	close(0);
	for (;;)
		pause();
}

int
init_wait(struct box *box, int sync, struct err *err)
{
	struct init_report report;
	ssize_t n;

	do
		n = read(sync, &report, sizeof(report));
	while (n == -1 && errno == EINTR);
	if (n != sizeof(report))
		return err_set(err, "the init of the box ended at once");
	box->proc = report.proc;
	if (report.failed == 0)
		return 0;
	box->step = report.step;
	*err = report.err;
	return -1;
}
