/*
 * The end of a process that is not our child, such as process 1 of a container,
 * whose parent is a program of its engine. The kernel tells both that it has
 * ended and, from Linux 6.15 on, how. Runs in the supervisor; sends no signal.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/mem.h"
#include "pidfd_exit.h"
#include "process.h"

struct foreign {
	int pidfd;
	struct event *changed;
	const struct foreign_ends *ends;
	void *ctx;
	int died; /* the callback was called */
};

/*
 * Returns 1 and the status, 0 if its parent has not waited for it yet, or -1 if
 * the kernel does not tell.
 */
static int
foreign_status(const struct foreign *foreign, int *status)
{
	struct pidfd_exit info = { .mask = PIDFD_EXIT_INFO };

	if (ioctl(foreign->pidfd, PIDFD_EXIT_GET, &info) == -1)
		return -1;
	if ((info.mask & PIDFD_EXIT_INFO) == 0)
		return 0;
	*status = info.exit_code;
	return 1;
}

/* It has ended, or its parent has waited for it: both wake once. */
static void
foreign_on_changed(evutil_socket_t fd, short what, void *arg)
{
	struct foreign *foreign = arg;
	int known, status = -1;

	(void)fd;
	(void)what;
	if (foreign_alive(foreign))
		return;
	if (!foreign->died) {
		foreign->died = 1;
		foreign->ends->died(foreign->ctx);
	}
	known = foreign_status(foreign, &status);
	if (known == 0)
		return;
	event_del(foreign->changed);
	foreign->ends->ended(foreign->ctx, status);
}

struct foreign *
foreign_watch(struct event_base *base, pid_t pid,
    const struct foreign_ends *ends, void *ctx, struct err *err)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct foreign *foreign;

	if (pidfd == -1) {
		err_sys(err, "open a pidfd of process %d", (int)pid);
		return NULL;
	}
	foreign = mem_alloc(sizeof(*foreign));
	foreign->pidfd = pidfd;
	foreign->ends = ends;
	foreign->ctx = ctx;
	/* It stays readable from its end on, so only changes wake. */
	foreign->changed = event_new(base, pidfd,
	    EV_READ | EV_PERSIST | EV_ET, foreign_on_changed, foreign);
	event_add(foreign->changed, NULL);
	return foreign;
}

int
foreign_alive(const struct foreign *foreign)
{
	struct pollfd pfd = { .fd = foreign->pidfd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 0;
}

void
foreign_free(struct foreign **foreignp)
{
	struct foreign *foreign = mem_take(foreignp);

	if (foreign == NULL)
		return;
	loop_event_free(&foreign->changed);
	fd_close(&foreign->pidfd);
	free(foreign);
}
