/*
 * Files to append to: see file_trial.h. Runs in the supervisor; writes nothing
 * into them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "file_trial.h"

/* Non-blocking: a FIFO may have no reader. */
static int
file_trial_try(const char *path, int flags, struct err *err)
{
	int file = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC | flags, 0600);

	if (file != -1)
		return file;
	if (errno == ENXIO)
		err_set(err, "%s is a pipe without a reader", path);
	else
		err_sys(err, "open %s", path);
	return -1;
}

int
file_trial_open(const char *path, struct err *err)
{
	auto_fd int file = file_trial_try(path, O_CREAT, err);

	if (file == -1)
		return -1;
	/* From here on it blocks, as standard error usually does. */
	if (fcntl(file, F_SETFL, O_APPEND) == -1) {
		err_sys(err, "use %s", path);
		return -1;
	}
	return fd_take(&file);
}

int
file_trial_make(const char *path, struct err *err)
{
	auto_fd int file = file_trial_try(path, O_CREAT | O_EXCL, err);

	if (file == -1)
		return -1;
	if (unlink(path) == -1)
		return err_sys(err, "remove %s", path);
	return 0;
}

/* What a link leads to may be missing: then that is created, and removed. */
static int
file_trial_make_target(const char *path, struct err *err)
{
	auto_fd int file = file_trial_try(path, O_CREAT, err);
	auto_free char *made = file == -1 ? NULL : realpath(path, NULL);

	if (file == -1)
		return -1;
	return made != NULL && unlink(made) == 0 ? 0 :
	    err_sys(err, "remove what %s leads to", path);
}

int
file_trial_append(const char *path, struct err *err)
{
	auto_fd int file = file_trial_try(path, 0, err);

	if (file != -1)
		return 0;
	if (err->code != ENOENT)
		return -1;
	if (file_trial_make(path, err) == 0)
		return 0;
	return err->code == EEXIST ? file_trial_make_target(path, err) : -1;
}
