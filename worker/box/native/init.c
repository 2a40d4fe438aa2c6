/*
 * Process 1 of the box. It mounts /proc, and in a forked box the writable
 * places, drops its privileges, and then waits or runs the watchdog (memory.c).
 * When it exits the kernel kills every process of the box; it is killed when
 * the supervisor exits, and exits when the box takes more memory than its
 * limit. It never reads a byte of the code. Being process 1 it also inherits
 * the orphans of the box, which the kernel reaps for it because it ignores
 * SIGCHLD.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/asan.h"

/* Its descriptors, in addition to those of the watchdog. */
#define INIT_LINE_FD 0 /* to the launcher */
#define INIT_PROC_FD 1
#define INIT_USAGE_FD 2

/* The report of init to the launcher, sent once. Both are the same program. */
struct init_report {
	int failed;
	bool proc;
	bool watchdog;
	enum box_step step;
	struct err err;
};

static int
init_mount(const char *options)
{
	return mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	    options);
}

/* Whether init has a /proc that shows every process. */
static int
init_looks(const struct box *box)
{
	return box->watchdog || box->memory.session != MEMORY_ONE_CALL;
}

/*
 * Below the /proc of the code, reachable only through a descriptor of init, the
 * watchdog has another one that shows every process, including those of
 * programs that may be executed but not read. In a template, which has no
 * watchdog, there is one with the sysctl switches of namespaces.c instead.
 * Failures that concern these are not errors.
 */
static int
init_mount_below(struct box *box)
{
	if (box->kind == BOX_FORKED && init_mount(NULL) == 0)
		return namespaces_forbid_more(box, NULL);
	return box->watchdog || box->setup.session ? init_mount(NULL) : 0;
}

/*
 * A /proc of this pid namespace, which shows the code its own processes and no
 * data of the machine. If the outer /proc is partly covered (in containers),
 * the kernel refuses another one: the box then has no /proc, and no watchdog,
 * which it does not need in a cgroup.
 */
static int
init_mount_proc(struct box *box, struct err *err)
{
	box->watchdog = !box->setup.grouped && box->kind != BOX_TEMPLATE;
	if (init_mount_below(box) == -1) {
		box->watchdog = false;
		return errno == EPERM ? 0 : err_sys(err, "mount /proc");
	}
	if (box->setup.session)
		box->memory.session =
		    box->setup.stops ? MEMORY_STOPS : MEMORY_CLEARS;
	box->memory.cpu_seconds = box->setup.cpu_seconds;
	box->memory.usage.box = box->setup.number;
	if (init_looks(box))
		box->memory.proc =
		    open("proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (box->memory.proc == -1)
		return err_sys(err, "open /proc");
	/* It must not be missing where it has to cover another one. */
	if (init_mount("subset=pid,hidepid=invisible") == -1)
		return errno == EPERM && box->kind != BOX_FORKED &&
			!init_looks(box)
		    ? 0
		    : err_sys(err, "mount /proc");
	box->proc = true;
	return 0;
}

/* In a box that is not forked, view_build has mounted them. */
static int
init_mount_places(struct box *box, struct err *err)
{
	return box->kind == BOX_FORKED ? view_mount_places(box, err) : 0;
}

/* After dropping the capabilities, which would clear the signal. */
static int
init_bind_life(struct box *box, struct err *err)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_sys(err, "refuse debuggers");
	return life_bind(box, SIGKILL, err);
}

static int
init_ignore_signals(struct box *, struct err *err)
{
	sigset_t all;

	/* Only SIGKILL has an effect, and no signal of a terminal. */
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) == -1 ||
	    signal(SIGCHLD, SIG_IGN) == SIG_ERR)
		return err_sys(err, "set the signals of init");
	return 0;
}

static int
init_close_descriptors(struct box *box, struct err *err)
{
	int proc = box->memory.proc;

	/* The first may have the number that the second will get. */
	if (init_looks(box) && proc == INIT_USAGE_FD)
		proc = dup(proc);
	if (init_looks(box) &&
	    (dup2(box->setup.usage, INIT_USAGE_FD) == -1 ||
	        dup2(proc, INIT_PROC_FD) == -1))
		return err_sys(err, "copy a descriptor");
	if (close_range(init_looks(box) ? INIT_USAGE_FD + 1 : INIT_PROC_FD,
	        ~0U, 0) == -1)
		return err_sys(err, "close the descriptors of init");
	return 0;
}

static int
init_open_watchdog(struct box *box, struct err *err)
{
	box->memory.usage_fd = INIT_USAGE_FD;
	box->memory.proc = INIT_PROC_FD;
	if (!box->watchdog)
		return 0;
	return memory_open(&box->memory, INIT_PROC_FD, INIT_LINE_FD,
	    box->setup.memory_bytes, (int)box->setup.data, err);
}

static const struct box_action init_actions[] = {
	{ BOX_STEP_VIEW, init_mount_places },
	{ BOX_STEP_VIEW, init_mount_proc },
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_PROCESSES, init_bind_life },
	{ BOX_STEP_PROCESSES, init_ignore_signals },
	{ BOX_STEP_PROCESSES, init_close_descriptors },
	{ BOX_STEP_PROCESSES, init_open_watchdog },
	{ BOX_STEP_LANDLOCK, confine_init_landlock },
	{ BOX_STEP_SECCOMP, confine_init_seccomp },
	{ BOX_STEPS, NULL },
};

/*
 * As process 1 of a template: its exit kills all processes that the template
 * has forked, including all boxes. So it waits until the template has ended,
 * which closes the line, and then until no process is left.
 */
static void __attribute__((noreturn)) ASAN_LEAVES_ALONE
init_outlive(void)
{
	char nothing;

	/* Every signal is blocked, so only the end wakes it. */
	while (read(INIT_LINE_FD, &nothing, 1) > 0)
		;
	while (kill(-1, 0) == 0 || errno == EPERM)
		poll(NULL, 0, BOX_TEMPLATE_LOOK_MS);
	_exit(0);
}

void ASAN_LEAVES_ALONE
init_main(struct box *box, int sync)
{
	struct init_report report = { 0 };
	char go;

	prctl(PR_SET_NAME,
	    box->kind == BOX_TEMPLATE ? "template-init" : "box-init");
	dup2(sync, INIT_LINE_FD);
	report.failed = action_run(box, init_actions, &report.err);
	report.proc = box->proc;
	report.watchdog = box->watchdog;
	report.step = box->step;
	if (write(INIT_LINE_FD, &report, sizeof(report)) != sizeof(report) ||
	    report.failed != 0)
		_exit(1);
	/* The code may run before the launcher says that the box is known. */
	if (box->watchdog)
		memory_watch_until(&box->memory, INIT_LINE_FD);
	/* End of file instead of a byte: the launcher failed or was killed. */
	if (read(INIT_LINE_FD, &go, 1) != 1)
		_exit(1);
	if (box->kind == BOX_TEMPLATE)
		init_outlive();
	close(INIT_LINE_FD);
	if (box->watchdog)
		memory_watch(&box->memory);
	if (box->memory.session != MEMORY_ONE_CALL)
		clear_serve(&box->memory);
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
	box->watchdog = report.watchdog;
	/* Its boxes could neither map users nor mount /proc. */
	if (report.failed == 0 && box->kind == BOX_TEMPLATE && !box->proc)
		return err_set(err, "/proc cannot be mounted because the outer "
		    "one is partly covered");
	if (report.failed == 0)
		return 0;
	box->step = report.step;
	*err = report.err;
	return -1;
}
