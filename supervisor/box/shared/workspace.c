/*
 * The directory /workspace of a box, from outside: see runtime.h. Runs in the
 * supervisor.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "../../../common/base/fd.h"
#include "runtime.h"

int
box_open_workspace(int left, struct err *err)
{
	auto_fd int workspace =
	    openat(left, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat inner, outer;

	if (workspace == -1 || fstat(left, &inner) == -1 ||
	    fstat(workspace, &outer) == -1)
		return err_sys(err, "open /workspace");
	/* Nothing contains a file system whose box has ended. */
	if (inner.st_dev == outer.st_dev)
		return err_set(err, "the box has ended");
	return fd_take(&workspace);
}
