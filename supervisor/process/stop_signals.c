/* The signals that end us, received through a descriptor: see process.h. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "process.h"

struct stop_signals {
	int fd;
	struct event *event;
	stop_signals_received *received;
	void *ctx;
};

/* Calls it for each signal that is pending. */
static void
stop_signals_on_readable(evutil_socket_t fd, short, void *arg)
{
	struct stop_signals *signals = arg;
	struct signalfd_siginfo si;

	while (read((int)fd, &si, sizeof(si)) == sizeof(si))
		signals->received(signals->ctx, (int)si.ssi_signo);
}

struct stop_signals *
stop_signals_new(
    struct event_base *base, stop_signals_received *received, void *ctx)
{
	struct stop_signals *signals = mem_alloc(sizeof(*signals));
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (signals->fd == -1)
		fatal("cannot receive signals: errno %d", errno);
	signals->received = received;
	signals->ctx = ctx;
	signals->event = event_new(base, signals->fd, EV_READ | EV_PERSIST,
	    stop_signals_on_readable, signals);
	event_add(signals->event, NULL);
	return signals;
}

void
stop_signals_free(struct stop_signals **signalsp)
{
	struct stop_signals *signals = mem_take(signalsp);

	if (signals == NULL)
		return;
	loop_event_free(&signals->event);
	fd_close(&signals->fd);
	free(signals);
}
