/*
 * Binds the life of a process of the box to that of the supervisor. Runs in
 * process 1 of a box, or in its guard, before the code runs.
 */
#include <poll.h>
#include <sys/prctl.h>

#include "native.h"

int
life_bind(const struct box *box, int signal, struct err *err)
{
	struct pollfd channel = { .fd = box->channel };

	if (prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) == -1)
		return err_sys(err, "request a signal at the end of the "
		    "supervisor");
	if (poll(&channel, 1, 0) == 1 && (channel.revents & POLLHUP))
		return err_set(err, "the supervisor has exited");
	return 0;
}
