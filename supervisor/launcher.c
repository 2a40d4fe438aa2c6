/*
 * Who builds a box: a launcher of its own, for each. Runs in the supervisor.
 */
#include "cgroup.h"
#include "supervisor.h"

struct channel *
launcher_start(struct supervisor *sv, const struct channel_ends *ends,
    unsigned long number, const struct group *group, int *pidfd,
    struct err *err)
{
	return worker_start(
	    sv->base, ends, number, 0, group_fd(group), pidfd, err);
}
