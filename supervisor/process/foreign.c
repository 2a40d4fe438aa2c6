/*
 * The end of a process that is not our child, such as process 1 of a container,
 * whose parent is a program of its engine. Runs in the supervisor; sends no
 * signal.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "process.h"

struct foreign {
	int pidfd;
	struct event *readable;
	void (*ended)(void *ctx);
	void *ctx;
};

static void
foreign_on_ended(evutil_socket_t, short, void *arg)
{
	struct foreign *foreign = arg;

	foreign->ended(foreign->ctx);
}

struct foreign *
foreign_watch(struct event_base *base, pid_t pid,
    void (*ended)(void *ctx), void *ctx, struct err *err)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct foreign *foreign;

	if (pidfd == -1) {
		err_sys(err, "open a pidfd of process %d", (int)pid);
		return NULL;
	}
	foreign = mem_alloc(sizeof(*foreign));
	foreign->pidfd = pidfd;
	foreign->ended = ended;
	foreign->ctx = ctx;
	foreign->readable =
	    event_new(base, pidfd, EV_READ, foreign_on_ended, foreign);
	event_add(foreign->readable, NULL);
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
	loop_event_free(&foreign->readable);
	fd_close(&foreign->pidfd);
	free(foreign);
}
