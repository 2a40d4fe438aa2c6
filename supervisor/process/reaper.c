/*
 * Children and their ends, by pidfd, which cannot denote a later process as a
 * number could. SIGCHLD only starts the search for unwatched children. Runs in
 * the supervisor, the parent of every worker, of the first process of every
 * box, of the code itself, of keepers, and of the processes that a killed
 * keeper has left.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/loop.h"
#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "process.h"

#ifndef P_PIDFD
#define P_PIDFD 3 /* linux/wait.h, Linux 5.4 */
#endif

struct child {
	LIST_ENTRY(child) entry;
	struct event_base *base;
	int pidfd;
	pid_t pid; /* 0: not read yet */
	int last;  /* the signal that ends it */
	int timers; /* of reaper_leave until it is ended; 0: none ends it */
	bool works;  /* it may not be stopped: see reaper_keep_running */
	uint64_t stopped_ms; /* when it was found to be; 0: it is not */
	struct event *ended_event; /* NULL: it is reaped with others */
	struct event *late_event; /* of reaper_let_end; or NULL */
	child_ended *ended; /* NULL: no notification */
	void *ctx;
};

static LIST_HEAD(, child) reaper_children =
    LIST_HEAD_INITIALIZER(reaper_children);
static size_t reaper_nchildren;

static int reaper_signals = -1; /* readable while a SIGCHLD is pending */
static struct event *reaper_event;
static struct event *reaper_sweep_event; /* an unwatched child may have ended */
static struct event *reaper_leave_event; /* ends children of reaper_leave */
static struct event *reaper_stopped_event; /* looks again after stopped ones */

/*
 * The number of boxes under construction. Their processes are already our
 * children, but not watched yet; they must not be treated as orphans.
 */
static unsigned int reaper_held;

/*
 * The number of further searches for orphans: a killed keeper may have left
 * some. Finding an orphan resets it.
 */
static unsigned int reaper_hunting;

/* Children from before we were executed: they are not orphans. */
static pid_t *reaper_older;
static size_t reaper_nolder;

/* The raw call: glibc's waitid does not give the resource usage. */
static long
reaper_wait(int pidfd, siginfo_t *si, int options, struct rusage *usage)
{
	si->si_pid = 0;
	return syscall(SYS_waitid, P_PIDFD, pidfd, si, options, usage);
}

/* Returns whether a process that has ended is watched. */
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

/* Orphans */

pid_t
reaper_pid(struct child *child)
{
	char path[64];
	FILE *info;

	if (child->pid > 0)
		return child->pid;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", child->pidfd);
	info = fopen(path, "re");
	if (info == NULL)
		return 0;
	while (child->pid == 0 && !feof(info))
		if (fscanf(info, "Pid: %d", &child->pid) != 1 &&
		    fscanf(info, "%*[^\n]%*c") == EOF)
			break;
	fclose(info);
	return child->pid;
}

static int
reaper_note_older(void *, pid_t pid)
{
	reaper_older = mem_resize(
	    reaper_older, (reaper_nolder + 1) * sizeof(*reaper_older));
	reaper_older[reaper_nolder++] = pid;
	return 1;
}

/* The kernel may give the number to an orphan from now on. */
static void
reaper_forget_older(pid_t pid)
{
	size_t i;

	for (i = 0; i < reaper_nolder; i++)
		if (reaper_older[i] == pid)
			reaper_older[i] = 0;
}

static int
reaper_is_older(pid_t pid)
{
	size_t i;

	for (i = 0; i < reaper_nolder; i++)
		if (reaper_older[i] == pid)
			return 1;
	return 0;
}

static int
reaper_is_new(void *, pid_t pid)
{
	return !reaper_is_older(pid);
}

/* Returns whether the process group of pid contains a watched child. */
static int
reaper_watches_group(pid_t pid)
{
	const struct child *child;
	pid_t group = getpgid(pid);

	LIST_FOREACH (child, &reaper_children, entry)
		if (child->pid > 0 && getpgid(child->pid) == group)
			return 1;
	return 0;
}

/* Returns whether pid is an orphan that could be killed. */
static int
reaper_kill_unknown(void *, pid_t pid)
{
	const struct child *child;

	LIST_FOREACH (child, &reaper_children, entry)
		if (child->pid == pid)
			return 0;
	if (reaper_is_older(pid))
		return 0;
	if (reaper_watches_group(pid))
		return kill(pid, SIGKILL) == 0;
	return children_kill(pid);
}

/*
 * Kills the unwatched children. Returns whether there may be more: children of
 * a killed process become ours.
 */
static int
reaper_hunt(void)
{
	struct child *child;

	LIST_FOREACH (child, &reaper_children, entry)
		if (reaper_pid(child) == 0)
			return 1; /* pid unknown: it would be killed too */
	return children_each(reaper_kill_unknown, NULL) > 0;
}

/*
 * Reaps unwatched children: a box that was killed during its construction
 * leaves one or two. If a watched child comes first, the search continues after
 * that child has been reaped.
 */
static void
reaper_reap_unknown(void)
{
	siginfo_t si;

	for (;;) {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) == -1 ||
		    si.si_pid == 0 || reaper_knows(si.si_pid) ||
		    waitid(P_PID, (id_t)si.si_pid, &si, WEXITED) == -1)
			return;
		reaper_forget_older(si.si_pid);
		log_debug("swept process %d", (int)si.si_pid);
	}
}

static void
reaper_add_timer(struct event *event, long ms)
{
	/* A running timer is not postponed. */
	if (event != NULL && !event_pending(event, EV_TIMEOUT, NULL))
		loop_set_timer(event, (uint64_t)ms);
}

/*
 * A single search that finds no orphan does not suffice: a process may lose its
 * parent at that moment. A later search finds it.
 */
static void
reaper_sweep(void)
{
	if (reaper_held > 0)
		return;
	reaper_reap_unknown();
	if (reaper_hunting == 0)
		return;
	if (reaper_hunt())
		reaper_hunting = REAPER_HUNTS;
	else
		reaper_hunting--;
	if (reaper_hunting > 0)
		reaper_add_timer(reaper_sweep_event, REAPER_SWEEP_MS);
}

/*
 * Takes the pending SIGCHLD, so that the next one is noticed. The kernel keeps
 * one for the process, and one for its only thread.
 */
static void
reaper_listen(void)
{
	struct signalfd_siginfo si[2];

	if (reaper_event == NULL)
		return;
	while (read(reaper_signals, si, sizeof(si)) == sizeof(si))
		;
	event_add(reaper_event, NULL);
}

/*
 * For callers within handlers, where no callback of a watched child may run: a
 * later sweep reaps the children that the pending SIGCHLD was for.
 */
static void
reaper_sweep_now(void)
{
	reaper_listen();
	reaper_sweep();
	reaper_add_timer(reaper_sweep_event, REAPER_SWEEP_MS);
}

/*
 * A sweep scans all children, so exits are coalesced, unless orphans are being
 * killed: those may fork meanwhile. Until the sweep, SIGCHLD adds no
 * information and only causes wake-ups: one that is pending hides all others.
 */
static void
reaper_sweep_soon(void)
{
	if (reaper_hunting) {
		reaper_sweep_now();
		return;
	}
	reaper_add_timer(reaper_sweep_event, REAPER_SWEEP_MS);
}

/* Reaps a child, if it has ended, and tells of that. Returns whether it has. */
static int
reaper_reap(struct child *child)
{
	struct child_end end = { 0 };
	child_ended *ended = child->ended;
	void *ctx = child->ctx;
	siginfo_t si;

	if (reaper_wait(child->pidfd, &si, WEXITED | WNOHANG, &end.usage) ==
	    -1) {
		/* For example, a box sent one process under two names. */
		log_error("a child was reaped elsewhere");
		si.si_pid = -1;
		si.si_code = CLD_KILLED;
		si.si_status = 0;
	}
	if (si.si_pid == 0)
		return 0;
	end.code = si.si_code;
	end.status = si.si_status;
	LIST_REMOVE(child, entry);
	reaper_nchildren--;
	loop_event_free(&child->ended_event);
	loop_event_free(&child->late_event);
	fd_close(&child->pidfd);
	free(child);
	if (ended != NULL)
		ended(ctx, &end);
	reaper_sweep_soon();
	return 1;
}

/*
 * Reaps the children that have no event of their own. Each that has ended is in
 * the list until it is reaped here, whatever the others cause.
 */
static void
reaper_reap_idle(void)
{
	struct child **idle = mem_alloc((reaper_nchildren + 1) * sizeof(*idle));
	struct pollfd *pidfds =
	    mem_alloc((reaper_nchildren + 1) * sizeof(*pidfds));
	struct child *child;
	nfds_t n = 0, i;

	LIST_FOREACH (child, &reaper_children, entry) {
		if (child->ended_event != NULL)
			continue;
		idle[n] = child;
		pidfds[n++] = (struct pollfd){ child->pidfd, POLLIN, 0 };
	}
	if (n > 0 && poll(pidfds, n, 0) > 0)
		for (i = 0; i < n; i++)
			if (pidfds[i].revents != 0)
				reaper_reap(idle[i]);
	free(idle);
	free(pidfds);
}

/* Kills a stopped child after WORKER_STOPPED_MS. Returns whether it waits. */
static int
reaper_waits_stopped(struct child *child)
{
	siginfo_t si;

	if (reaper_wait(child->pidfd, &si, WSTOPPED | WNOHANG | WNOWAIT,
	        NULL) == -1 || si.si_pid == 0) {
		child->stopped_ms = 0;
		return 0;
	}
	if (child->stopped_ms == 0)
		child->stopped_ms = clock_ms();
	if (clock_ms() - child->stopped_ms < WORKER_STOPPED_MS)
		return 1;
	child->works = false;
	log_warn("a worker was stopped by a signal, and is killed");
	reaper_signal(child, SIGKILL);
	return 0;
}

/* A child that stops sends SIGCHLD, too. */
static void
reaper_find_stopped(void)
{
	struct child *child;
	int more = 0;

	LIST_FOREACH (child, &reaper_children, entry)
		if (child->works && reaper_waits_stopped(child))
			more = 1;
	if (more)
		reaper_add_timer(reaper_stopped_event, WORKER_STOPPED_MS);
}

static void
reaper_on_stopped_timer(evutil_socket_t, short, void *)
{
	reaper_find_stopped();
}

/* The signal is taken first: a child that ends later sends another one. */
static void
reaper_on_sweep(evutil_socket_t, short, void *)
{
	reaper_listen();
	reaper_reap_idle();
	reaper_find_stopped();
	reaper_sweep();
}

static void
reaper_on_leave_timer(evutil_socket_t, short, void *)
{
	struct child *child;
	int more = 0;

	LIST_FOREACH (child, &reaper_children, entry) {
		if (child->timers == 0)
			continue;
		if (--child->timers == 0)
			reaper_signal(child, child->last);
		else
			more = 1;
	}
	if (more)
		reaper_add_timer(reaper_leave_event, REAPER_LEAVE_MS);
}

/* On SIGCHLD: an unwatched child may have ended. */
static void
reaper_on_signal(evutil_socket_t, short, void *)
{
	reaper_sweep_soon();
}

void
reaper_init(struct event_base *base)
{
	int edge = event_base_get_features(base) & EV_FEATURE_ET;
	sigset_t set;

	children_each(reaper_note_older, NULL);
	/* Orphans among our descendants become our children. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	/* An ignored SIGCHLD would let the kernel reap children itself. */
	signal(SIGCHLD, SIG_DFL);
	/*
	 * SIGCHLD stays blocked: a handler would interrupt system calls, and
	 * have to wake the loop. The event fires once for a pending signal,
	 * whatever the loop can do. Children are started without blocked
	 * signals.
	 */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	reaper_signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (reaper_signals == -1)
		fatal("cannot receive signals: errno %d", errno);
	reaper_event = event_new(base, reaper_signals,
	    (short)(edge ? EV_READ | EV_ET | EV_PERSIST : EV_READ),
	    reaper_on_signal, NULL);
	event_add(reaper_event, NULL);
	reaper_sweep_event = evtimer_new(base, reaper_on_sweep, NULL);
	reaper_leave_event = evtimer_new(base, reaper_on_leave_timer, NULL);
	reaper_stopped_event = evtimer_new(base, reaper_on_stopped_timer, NULL);
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
	reaper_sweep_soon();
}

static void
reaper_on_ended(evutil_socket_t, short, void *arg)
{
	reaper_reap(arg);
}

struct child *
reaper_watch_idly(
    struct event_base *base, int *pidfd, child_ended *ended, void *ctx)
{
	struct child *child = mem_alloc(sizeof(*child));

	child->base = base;
	child->pidfd = fd_take(pidfd);
	child->last = SIGKILL;
	child->ended = ended;
	child->ctx = ctx;
	LIST_INSERT_HEAD(&reaper_children, child, entry);
	reaper_nchildren++;
	return child;
}

void
reaper_keep_running(struct child *child)
{
	child->works = true;
}

void
reaper_hurry(struct child *child)
{
	if (child == NULL || child->ended_event != NULL)
		return;
	child->ended_event = event_new(child->base, child->pidfd,
	    EV_READ | EV_PERSIST, reaper_on_ended, child);
	event_add(child->ended_event, NULL);
}

int
reaper_look(struct child *child)
{
	if (child == NULL || child->ended_event != NULL)
		return 0;
	if (reaper_reap(child))
		return 1;
	reaper_hurry(child);
	return 0;
}

struct child *
reaper_watch(struct event_base *base, int *pidfd, child_ended *ended, void *ctx)
{
	struct child *child = reaper_watch_idly(base, pidfd, ended, ctx);

	reaper_hurry(child);
	return child;
}

int
reaper_all_alive(const struct child *const *children, size_t n)
{
	struct pollfd pidfds[REAPER_ALIVE_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		if (children[i] == NULL)
			return 0;
		pidfds[i].fd = children[i]->pidfd;
		pidfds[i].events = POLLIN;
	}
	return poll(pidfds, n, 0) == 0;
}

int
reaper_alive(const struct child *child)
{
	return reaper_all_alive(&child, 1);
}

void
reaper_signal(struct child *child, int sig)
{
	/* ESRCH: it has ended already, and will be reaped. */
	if (child != NULL &&
	    syscall(SYS_pidfd_send_signal, child->pidfd, sig, NULL, 0) == -1 &&
	    errno != ESRCH)
		log_error("cannot send a signal to a child: errno %d", errno);
}

/*
 * include/linux/posix-timers.h of the kernel: the CPU time of a process, all
 * threads.
 */
#define REAPER_CPU_CLOCK(pid) ((clockid_t)(~(unsigned int)(pid) << 3 | 2))

uint64_t
reaper_cpu_us(struct child *child)
{
	struct timespec used;

	/* It is not reaped yet, so its number is that of no other process. */
	if (child == NULL || reaper_pid(child) == 0 ||
	    clock_gettime(REAPER_CPU_CLOCK(child->pid), &used) == -1)
		return 0;
	return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

void
reaper_kill(struct child *child)
{
	reaper_signal(child, SIGKILL);
}

void
reaper_finish_with(struct child *child, int sig)
{
	child->last = sig;
}

void
reaper_end(struct child *child)
{
	if (child != NULL)
		reaper_signal(child, child->last);
}

void
reaper_forget(struct child **childp)
{
	struct child *child = mem_take(childp);

	if (child == NULL)
		return;
	reaper_signal(child, child->last);
	child->ended = NULL;
}

static void
reaper_leave_for(struct child **childp, int timers)
{
	struct child *child = mem_take(childp);

	if (child == NULL)
		return;
	child->timers = timers;
	child->ended = NULL;
	reaper_add_timer(reaper_leave_event, REAPER_LEAVE_MS);
}

void
reaper_leave(struct child **childp)
{
	reaper_leave_for(childp, 1);
}

/* A sweep comes before the second timer. */
void
reaper_leave_ending(struct child **childp)
{
	reaper_leave_for(childp, 2);
}

/* It has not ended by itself. */
static void
reaper_on_late(evutil_socket_t, short, void *arg)
{
	reaper_end(arg);
}

void
reaper_let_end(
    struct child *child, unsigned int ms, child_ended *ended, void *ctx)
{
	child->ended = ended;
	child->ctx = ctx;
	child->late_event = evtimer_new(child->base, reaper_on_late, child);
	loop_set_timer(child->late_event, ms);
}

void
reaper_kill_orphans(void)
{
	reaper_hunting = REAPER_HUNTS;
	reaper_sweep_now();
}

/* Reaps children that have ended. Returns whether there are more. */
static int
reaper_reap_all(void)
{
	siginfo_t si;

	do {
		si.si_pid = 0;
		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG) == -1)
			return 0; /* ECHILD */
	} while (si.si_pid != 0);
	return 1;
}

void
reaper_finish(unsigned int ms)
{
	const struct timespec pause = { 0, 1000000 };
	unsigned int half = ms / 2;
	struct child *child;

	loop_event_free(&reaper_event);
	fd_close(&reaper_signals);
	loop_event_free(&reaper_sweep_event);
	loop_event_free(&reaper_leave_event);
	loop_event_free(&reaper_stopped_event);
	LIST_FOREACH (child, &reaper_children, entry)
		reaper_signal(child, child->last);
	/* The event loop has ended: poll each millisecond. */
	for (; reaper_reap_all() && children_each(reaper_is_new, NULL) > 0;
	     ms--) {
		if (ms == 0) {
			log_warn("some children did not end in time");
			return;
		}
		if (ms == half)
			LIST_FOREACH (child, &reaper_children, entry)
				reaper_kill(child);
		reaper_hunt();
		nanosleep(&pause, NULL);
	}
}
