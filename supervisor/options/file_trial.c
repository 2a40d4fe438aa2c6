/*
 * Files to append to: see file_trial.h. Runs in the supervisor; writes nothing
 * into them.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "file_trial.h"

/* The maximum length of a chain of links, as in the kernel. */
#define FILE_TRIAL_LINKS_MAX 40

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

/*
 * Returns the target of a link; NULL if the path is not a link. The caller
 * frees it.
 */
static char *
file_trial_follow(const char *path)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof(target));
	const char *slash = strrchr(path, '/');

	if (len < 0 || len == sizeof(target))
		return NULL;
	if (target[0] == '/' || slash == NULL)
		return mem_printf("%.*s", (int)len, target);
	return mem_printf("%.*s/%.*s", (int)(slash - path), path, (int)len,
	    target);
}

/* The target of a link may be missing: then that is created. */
static int
file_trial_make_target(const char *path, struct err *err)
{
	auto_free char *at = mem_strdup(path);
	char *next;
	int links;

	for (links = 0; links < FILE_TRIAL_LINKS_MAX; links++) {
		next = file_trial_follow(at);
		if (next == NULL)
			break;
		free(at);
		at = next;
	}
	return file_trial_make(at, err);
}

int
file_trial_append(const char *path, struct err *err)
{
	auto_fd int file = file_trial_try(path, 0, err);

	if (file == -1 && err->code == ENOENT)
		return file_trial_make_target(path, err);
	return file == -1 ? -1 : 0;
}
