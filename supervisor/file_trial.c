/*
 * Whether a file could be made: see file_trial.h. Runs in the supervisor; makes
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/mem.h"
#include "file_trial.h"

int
file_trial_make(const char *path, struct err *err)
{
	auto_free char *folder = mem_strdup(path);
	char *slash = strrchr(folder, '/');

	slash[slash == folder ? 1 : 0] = '\0';
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == -1)
		return err_sys(err, "make a file in %s", folder);
	return 0;
}

/* Not blocking, as nobody may read from what is no file. */
int
file_trial_append(const char *path, struct err *err)
{
	auto_fd int file = open(
	    path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (file == -1 && errno == ENOENT)
		return file_trial_make(path, err);
	if (file == -1 && errno != ENXIO)
		return err_sys(err, "open %s", path);
	return 0;
}
