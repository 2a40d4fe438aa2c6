/*
 * Children and their ends, by pidfd: no number that could mean somebody else
 * by now, and SIGCHLD only tells when to look for those without one. Runs in
 * the supervisor, the parent of every worker, of every box's first process and
 * of the code itself.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "supervisor.h"

#ifndef P_PIDFD
#define P_PIDFD 3 /* linux/wait.h, Linux 5.4 */
#endif

struct child {
	LIST_ENTRY(child) entry;
	int pidfd;
	struct event *ended_event;
	child_ended *ended; /* NULL when nobody wants to know */
	void *ctx;
};

static LIST_HEAD(, child) reaper_children =
    LIST_HEAD_INITIALIZER(reaper_children);

static struct event *reaper_signal;

/*
 * Boxes that are being built: their processes are our children before we are
 * told of them, and must not be taken for somebody's leavings.
 */
static unsigned int reaper_held;

/* The raw call: glibc's waitid does not give the resource usage. */
static long
reaper_wait(int pidfd, siginfo_t *si, int options, struct rusage *usage)
{
	si->si_pid = 0;
	return syscall(SYS_waitid, P_PIDFD, pidfd, si, options, usage);
}

/* Whether a process that has ended is one that somebody watches. */
static int
reaper_knows(pid_t pid)
{
	struct child *child;
	siginfo_t si;

	LIST_FOREACH (child, &reaper_children, entry)
		if (reaper_wait(child->pidfd, &si,
		        WEXITED | WNOHANG | WNOWAIT, NULL) == 0 &&
		    si.si_pid == pid)
			return 1;
	return 0;
}

/*
 * Reaps children that nobody told us of: a box that was killed while it was
 * being built leaves one or two. Behind one that is watched we look again
 * when that one has been reaped.
 */
static void
reaper_sweep(void)
{
	siginfo_t si;

	while (reaper_held == 0) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    si.si_pid == 0 || reaper_knows(si.si_pid) ||
		    waitid(P_PID, (id_t)si.si_pid, &si, WEXITED) == -1)
			return;
		log_debug("swept process %d", (int)si.si_pid);
	}
}

/* SIGCHLD: perhaps of a child that is not watched. */
static void
reaper_on_signal(evutil_socket_t sig, short what, void *arg)
{
	(void)sig;
	(void)what;
	(void)arg;
	reaper_sweep();
}

void
reaper_init(struct event_base *base)
{
	reaper_signal = evsignal_new(base, SIGCHLD, reaper_on_signal, NULL);
	event_add(reaper_signal, NULL);
}

void
reaper_hold(void)
{
	reaper_held++;
}

void
reaper_release(void)
{
	reaper_held--;
	reaper_sweep();
}

static void
reaper_free(struct child *child)
{
	LIST_REMOVE(child, entry);
	loop_event_free(&child->ended_event);
	fd_close(&child->pidfd);
	free(child);
}

static void
reaper_on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct child *child = arg;
	struct child_end end = { 0 };
	child_ended *ended = child->ended;
	void *ctx = child->ctx;
	siginfo_t si;

	(void)what;
	if (reaper_wait((int)fd, &si, WEXITED | WNOHANG, &end.usage) == -1) {
		/* A box gave us one process under two names, say. */
		log_error("a child was reaped by somebody else");
		si.si_pid = -1;
		si.si_code = CLD_KILLED;
		si.si_status = 0;
	}
	if (si.si_pid == 0)
		return;
	end.code = si.si_code;
	end.status = si.si_status;
	reaper_free(child);
	if (ended != NULL)
		ended(ctx, &end);
	reaper_sweep();
}

struct child *
reaper_watch(struct event_base *base, int *pidfd, child_ended *ended,
    void *ctx, struct err *err)
{
	struct child *child;
	siginfo_t si;

	if (reaper_wait(*pidfd, &si, WEXITED | WNOHANG | WNOWAIT, NULL) ==
	    -1) {
		err_sys(err, "this process is no child of ours");
		fd_close(pidfd);
		return NULL;
	}
	child = mem_alloc(sizeof(*child));
	child->pidfd = fd_take(pidfd);
	child->ended = ended;
	child->ctx = ctx;
	child->ended_event = event_new(base, child->pidfd,
	    EV_READ | EV_PERSIST, reaper_on_ended, child);
	event_add(child->ended_event, NULL);
	LIST_INSERT_HEAD(&reaper_children, child, entry);
	return child;
}

void
reaper_kill(struct child *child)
{
	/* ESRCH: it has ended already, and will be reaped. */
	if (child != NULL &&
	    syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0) ==
	        -1 &&
	    errno != ESRCH)
		log_error("cannot kill a child: errno %d", errno);
}

void
reaper_forget(struct child **childp)
{
	struct child *child = mem_take(childp);

	if (child == NULL)
		return;
	reaper_kill(child);
	child->ended = NULL;
}

void
reaper_finish(unsigned int ms)
{
	const struct timespec pause = { 0, 1000000 };
	struct child *child;
	siginfo_t si;

	loop_event_free(&reaper_signal);
	LIST_FOREACH (child, &reaper_children, entry)
		reaper_kill(child);
	/* The loop is over: a bounded wait, a millisecond at a time. */
	for (; ms > 0; ms--) {
		do {
			si.si_pid = 0;
			if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) == -1)
				return; /* ECHILD: none is left */
		} while (si.si_pid != 0);
		nanosleep(&pause, NULL);
	}
	log_warn("some children did not end in time");
}
