/*
 * Becomes the interpreter: its descriptors, its signals, its working directory.
 * Run by the code, as the last step.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpreter.h"

/* Temporary numbers of the pipes, above all final ones. */
#define INTERPRETER_ASIDE 16

static int
interpreter_put_aside(int *fd, struct err *err)
{
	int aside = fcntl(*fd, F_DUPFD_CLOEXEC, INTERPRETER_ASIDE);

	if (aside == -1)
		return err_sys(err, "copy descriptor %d", *fd);
	*fd = aside;
	return 0;
}

int
interpreter_descriptors(struct box *box, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int *const aside[] = { &null, &box->setup.out, &box->setup.errors,
		&box->setup.control_in, &box->setup.control_out,
		&box->channel, &box->sync.launcher };
	size_t i;

	if (null == -1)
		return err_sys(err, "open /dev/null");
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
		if (interpreter_put_aside(aside[i], err) == -1)
			return -1;
	/* The first five, in the order of their final numbers. */
	for (i = 0; i <= BOX_CONTROL_OUT_FD; i++)
		if (dup2(*aside[i], (int)i) == -1)
			return err_sys(err, "copy a descriptor to %zu", i);
	if (close_range(BOX_CONTROL_OUT_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) == -1)
		return err_sys(err, "close the other descriptors on exec");
	return 0;
}

/*
 * Standard output and error are a pipe, as in its boxes: the interpreter
 * creates its streams once, and they must match a pipe. Output during the
 * import of modules stays in the pipe.
 */
int
interpreter_template_descriptors(struct box *box, struct err *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int printed[2] = { -1, -1 };
	int *const aside[] = { &null, &printed[1], &printed[1], &box->channel,
		&printed[0], &box->sync.init, &box->sync.launcher };
	size_t i;

	if (null == -1 || pipe2(printed, O_CLOEXEC) == -1)
		return err_sys(err, "open the descriptors of a template");
	for (i = 0; i < sizeof(aside) / sizeof(aside[0]); i++)
		if (interpreter_put_aside(aside[i], err) == -1)
			return -1;
	for (i = 0; i <= BOX_LIFE_FD; i++)
		if (dup2(*aside[i], (int)i) == -1)
			return err_sys(err, "copy a descriptor to %zu", i);
	if (close_range(BOX_LIFE_FD + 1, ~0U, CLOSE_RANGE_CLOEXEC) == -1)
		return err_sys(err, "close the other descriptors on exec");
	return 0;
}

/* Settings that the launcher inherited must not affect the code. */
static void
interpreter_reset_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Returns why it could not be executed. Often an installation is readable for
 * its owner only, and a supervisor that is root gives every box its own user.
 */
static int
interpreter_explain(const struct box *box, int errnum, struct err *err)
{
	const struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (errnum == EACCES && tree->executable && tree->fd != -1 &&
		    (tree->mount.closed ||
		        access(tree->path, R_OK | X_OK) == -1))
			return err_set(err, "the user of the box cannot read "
			    "%s: run caisson as its owner, or make it readable "
			    "with: chmod -R go+rX %s", tree->path, tree->path);
	errno = errnum;
	return err_sys(err, "run %s", box->setup.interpreter);
}

int
interpreter_enter(struct box *box, struct err *err)
{
	if ((box->kind == BOX_WEAK && chdir(box->weak.folder) == -1) ||
	    chdir(box->kind == BOX_WEAK ? "workspace" : "/workspace") == -1)
		return err_sys(err, "enter the directory of the code");
	return 0;
}

int
interpreter_become(struct box *box, const char *program,
    const char *const *argv, struct err *err)
{
	if (interpreter_enter(box, err) == -1)
		return -1;
	interpreter_reset_signals();
	/* Another program would say so by an exit code only. */
	if (access(box->setup.interpreter, X_OK) == 0)
		execve(program, (char *const *)argv, environment_make(box));
	return interpreter_explain(box, errno, err);
}
