/*
 * Chooses full isolation, in namespaces of the box, or reduced isolation if
 * this system forbids namespaces and the operator allows it. A child tests
 * this: it makes the namespaces and exits. Run by the launcher.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"

/* The report of the child to the launcher. Both are the same program. */
struct level_report {
	int failed;
	enum box_step step;
	struct err err;
};

/* Some systems allow namespaces to be created, but not to be used. */
static int
level_mount(struct box *, struct err *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return err_sys(err, "make the mounts private");
	if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	        "size=4k") == -1)
		return err_sys(err, "mount a tmpfs");
	return 0;
}

static const struct box_action level_actions[] = {
	{ BOX_STEP_USER_NAMESPACE, namespaces_user },
	{ BOX_STEP_USER_MAP, namespaces_map },
	{ BOX_STEP_USER_MAP, namespaces_hide },
	{ BOX_STEP_NAMESPACES, namespaces_rest },
	{ BOX_STEP_NAMESPACES, level_mount },
	{ BOX_STEPS, NULL },
};

static void __attribute__((noreturn))
level_try(struct box *box, int line)
{
	struct level_report report = { 0 };

	report.failed = action_run(box, level_actions, &report.err);
	report.step = box->step;
	_exit(fd_write_all(line, &report, sizeof(report)) == -1);
}

/*
 * Whether a system forbids something with this error. A temporary error (no
 * memory, too many processes) never reduces isolation.
 */
static int
level_is_forbidden(const struct err *err)
{
	switch (err->code) {
	case EPERM:
	case EACCES:
	case ENOSPC: /* a limit of namespaces, usually 0 */
	case EUSERS:
	case EINVAL: /* the kernel was built without them */
	case ENOSYS:
		return 1;
	default:
		return 0;
	}
}

int
level_choose(struct box *box, struct err *err)
{
	struct level_report report;
	int line[2], failed;
	ssize_t n;
	pid_t pid;

	if (!box->setup.weak)
		return 0;
	if (pipe2(line, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	pid = fork();
	failed = errno;
	if (pid == 0)
		level_try(box, line[1]);
	close(line[1]);
	do
		n = read(line[0], &report, sizeof(report));
	while (n == -1 && errno == EINTR);
	close(line[0]);
	if (pid == -1) {
		errno = failed;
		return err_sys(err, "start a process");
	}
	waitpid(pid, NULL, 0);
	if (n != sizeof(report))
		return err_set(err, "the test of namespaces failed");
	if (report.failed == 0 || !level_is_forbidden(&report.err))
		return 0;
	box->kind = BOX_WEAK;
	box->weak.step = report.step;
	box->weak.why = report.err;
	return 0;
}
