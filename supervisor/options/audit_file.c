/*
 * The audit file: see audit_file.h. Runs in the supervisor; creates the file
 * and writes nothing into it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/ipc/file_kind.h"
#include "../../common/base/log.h"
#include "audit_file.h"
#include "file_trial.h"

static int
audit_file_refuse(const char *path, mode_t mode, struct err *err)
{
	return err_set(err, "the audit file %s is %s, and must be a regular "
	    "file", path, file_kind_name(mode));
}

/* Sets the error: errno alone does not say that it is no regular file. */
static int
audit_file_fail(const char *path, struct err *err)
{
	int code = errno;
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return audit_file_refuse(path, st.st_mode, err);
	return err_set(err, "the audit file %s cannot be opened: %s",
	    path, strerror(code));
}

/* Another user with write access could add and remove lines. */
static int
audit_file_check(const char *path, const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return audit_file_refuse(path, st->st_mode, err);
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return err_set(err, "the audit file %s belongs to user %u, and "
		    "Caisson runs as user %u", path,
		    (unsigned int)st->st_uid, (unsigned int)geteuid());
	if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(err, "the audit file %s can be written by other "
		    "users: run 'chmod 600' on it", path);
	if ((st->st_mode & (S_IRGRP | S_IROTH)) != 0)
		log_warn("the audit file %s can be read by other users; fix: "
		    "'chmod 600'", path);
	return 0;
}

/*
 * Opens it non-blocking, since a FIFO may have no reader. flag is O_CREAT or 0.
 */
static int
audit_file_use(const char *path, int flag, int *fd, struct err *err)
{
	auto_fd int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW |
	    O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flag, 0600);
	struct stat st;

	if (file == -1)
		return audit_file_fail(path, err);
	if (fstat(file, &st) == -1)
		return err_sys(err, "look at the audit file %s", path);
	if (audit_file_check(path, &st, err) == -1)
		return -1;
	*fd = fd_take(&file);
	return 0;
}

int
audit_file_open(const char *path, int *fd, struct err *err)
{
	*fd = -1;
	return path[0] == '\0' ? 0 : audit_file_use(path, O_CREAT, fd, err);
}

int
audit_file_try(const char *path, struct err *err)
{
	auto_fd int fd = -1;
	struct stat st;
	struct err why;

	if (path[0] == '\0')
		return 0;
	if (lstat(path, &st) == 0 || errno != ENOENT)
		return audit_file_use(path, 0, &fd, err);
	if (file_trial_make(path, &why) == -1)
		return err_set(err, "the audit file %s cannot be made: %s",
		    path, why.text);
	return 0;
}
