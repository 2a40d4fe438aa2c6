/*
 * Tests of supervisor/process/reaper: every end is reported once and exactly,
 * and a forgotten or unknown child leaves nothing behind.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

#define HOUR_MS (3600 * 1000)

static struct event_base *base;

/* The end of a child, as it was reported. */
struct told {
	unsigned int times;
	struct child_end end;
	struct child *child; /* NULL when its end was reported */
	struct told *forget; /* whose child to forget then */
};

static void
on_ended(void *ctx, const struct child_end *end)
{
	struct told *told = ctx;

	told->times++;
	told->end = *end;
	told->child = NULL;
	if (told->forget != NULL)
		reaper_forget(&told->forget->child);
}

static void
start(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	base = loop_new(0);
	reaper_init(base);
}

/* Lets the reaper do what can be done now. */
static void
settle(void)
{
	int n;

	for (n = 0; n < 4; n++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

/* Gives it the time after which it would have looked for the unknown. */
static void
let_sweep(void)
{
	const struct timeval tv = { 0, 3 * REAPER_SWEEP_MS * 1000 };

	event_base_loopexit(base, &tv);
	event_base_dispatch(base);
}

static void
wait_until_told(const struct told *told)
{
	while (told->times == 0)
		event_base_loop(base, EVLOOP_ONCE);
	settle();
}

/* Gone: not even a zombie is left. */
static int
is_gone(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

static void
wait_until_gone(pid_t pid)
{
	while (!is_gone(pid))
		event_base_loop(base, EVLOOP_ONCE);
}

/* Waits until it has ended, and leaves it to be reaped. */
static void
wait_until_dead(pid_t pid)
{
	siginfo_t si;

	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
}

/* Waits until it is a child of ours. */
static void
wait_until_parent(pid_t pid)
{
	siginfo_t si;

	while (waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == -1)
		sched_yield();
}

/* What a child does. */
static void
do_exit(int code)
{
	_exit(code);
}

static void
do_die(int number)
{
	signal(number, SIG_DFL);
	raise(number);
	_exit(1);
}

static void
do_wait(int unused)
{
	/* A process that outlives a failed test is not awaited for ever. */
	alarm(2 * UNIT_TIMEOUT_SECONDS);
	for (;;)
		pause();
}

static pid_t
make_child(void (*run)(int), int number)
{
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		run(number);
	return pid;
}

static int
open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void
watch(pid_t pid, struct told *told)
{
	int pidfd = open_pidfd(pid);

	memset(told, 0, sizeof(*told));
	told->child = reaper_watch(base, &pidfd, on_ended, told);
	ck_assert_int_eq(pidfd, -1);
}

static void
watch_idly(pid_t pid, struct told *told)
{
	int pidfd = open_pidfd(pid);

	memset(told, 0, sizeof(*told));
	told->child = reaper_watch_idly(base, &pidfd, on_ended, told);
	ck_assert_int_eq(pidfd, -1);
}

/* Tests */

static const struct {
	void (*run)(int);
	int number, code;
} ways[] = {
	{ do_exit, 0, CLD_EXITED },
	{ do_exit, 1, CLD_EXITED },
	{ do_exit, 137, CLD_EXITED }, /* not SIGKILL */
	{ do_exit, 255, CLD_EXITED },
	{ do_die, SIGKILL, CLD_KILLED },
	{ do_die, SIGTERM, CLD_KILLED },
	{ do_die, SIGABRT, CLD_KILLED },
	{ do_die, 40, CLD_KILLED },
};

UNIT_TESTS(reports_how_a_child_ended, UNIT_COUNT(ways))
{
	struct told told;
	int fds;
	pid_t pid;

	start();
	fds = unit_open_fds();
	pid = make_child(ways[_i].run, ways[_i].number);
	watch(pid, &told);
	wait_until_told(&told);
	ck_assert_uint_eq(told.times, 1);
	ck_assert_int_eq(told.end.code, ways[_i].code);
	ck_assert_int_eq(told.end.status, ways[_i].number);
	ck_assert_int_eq(is_gone(pid), 1);
	ck_assert_int_eq(unit_open_fds(), fds);
}

UNIT_TEST(kills)
{
	struct told told;

	start();
	reaper_kill(NULL);
	watch(make_child(do_wait, 0), &told);
	settle();
	ck_assert_uint_eq(told.times, 0);
	reaper_kill(told.child);
	reaper_kill(told.child);
	wait_until_told(&told);
	ck_assert_int_eq(told.end.code, CLD_KILLED);
	ck_assert_int_eq(told.end.status, SIGKILL);
}

UNIT_TEST(forgets)
{
	struct told told = { 0 };
	int fds;
	pid_t pid;

	start();
	fds = unit_open_fds();
	reaper_forget(&told.child); /* NULL is accepted */
	pid = make_child(do_wait, 0);
	watch(pid, &told);
	reaper_forget(&told.child);
	ck_assert_ptr_null(told.child);
	wait_until_gone(pid);
	settle();
	ck_assert_uint_eq(told.times, 0);
	ck_assert_int_eq(unit_open_fds(), fds);
}

/* An end that must not come is waited for. */
static void
does_not_end(pid_t pid)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd end = { .fd = pidfd, .events = POLLIN };

	ck_assert_int_ge(pidfd, 0);
	ck_assert_int_eq(poll(&end, 1, 0), 0);
}

/* They are ended together: the first is not, before there is a moment. */
UNIT_TEST(leaves_and_ends_all_at_once)
{
	struct told told[2] = { 0 };
	pid_t pids[2];
	int fds, i;

	start();
	fds = unit_open_fds();
	reaper_leave(&told[0].child); /* NULL is accepted */
	for (i = 0; i < 2; i++) {
		pids[i] = make_child(do_wait, 0);
		watch(pids[i], &told[i]);
		reaper_leave(&told[i].child);
		ck_assert_ptr_null(told[i].child);
	}
	/* The loop has not run yet: so no time is over. */
	for (i = 0; i < 2; i++)
		does_not_end(pids[i]);
	for (i = 0; i < 2; i++) {
		wait_until_gone(pids[i]);
		ck_assert_uint_eq(told[i].times, 0);
	}
	settle();
	ck_assert_int_eq(unit_open_fds(), fds);
}

/*
 * It gets its signal only if it does not end by itself, and its end is reported
 * to another.
 */
UNIT_TEST(lets_end)
{
	struct told told[2], other[2] = { 0 };
	pid_t pids[2];
	int fds, i;

	start();
	fds = unit_open_fds();
	for (i = 0; i < 2; i++) {
		pids[i] = make_child(i == 0 ? do_wait : do_exit, 3);
		watch(pids[i], &told[i]);
		reaper_let_end(told[i].child, i == 0 ? 1 : HOUR_MS, on_ended,
		    &other[i]);
		wait_until_told(&other[i]);
		ck_assert_int_eq(is_gone(pids[i]), 1);
	}
	ck_assert_int_eq(other[0].end.code, CLD_KILLED);
	ck_assert_int_eq(other[1].end.code, CLD_EXITED);
	ck_assert_int_eq(other[1].end.status, 3);
	ck_assert_uint_eq(other[0].times + other[1].times, 2);
	ck_assert_uint_eq(told[0].times + told[1].times, 0);
	ck_assert_int_eq(unit_open_fds(), fds);
	pids[0] = make_child(do_wait, 0);
	watch(pids[0], &told[0]);
	reaper_let_end(told[0].child, HOUR_MS, on_ended, &other[0]);
	does_not_end(pids[0]);
	/* It ends with the program, if that comes first. */
	reaper_finish(10000);
	ck_assert_int_eq(is_gone(pids[0]), 1);
}

/* As one end makes the rest of a call uninteresting. */
UNIT_TEST(forgets_others_in_the_callback)
{
	struct told first, second;
	pid_t pid, other_pid;

	start();
	pid = make_child(do_exit, 0);
	other_pid = make_child(do_exit, 0);
	wait_until_dead(pid);
	wait_until_dead(other_pid);
	/* Both ends lie ready: the event of the other may be active. */
	watch(pid, &first);
	watch(other_pid, &second);
	first.forget = &second;
	second.forget = &first;
	while (!is_gone(pid) || !is_gone(other_pid))
		event_base_loop(base, EVLOOP_ONCE);
	settle();
	ck_assert_uint_eq(first.times + second.times, 1);
}

/* It is reaped with the next sweep; one that is hurried, at once. */
UNIT_TEST(reaps_idle_children_with_a_sweep)
{
	struct told told[3];
	int fds, i;

	start();
	fds = unit_open_fds();
	for (i = 0; i < 3; i++)
		watch_idly(make_child(i < 2 ? do_exit : do_wait, i), &told[i]);
	for (i = 0; i < 2; i++) {
		wait_until_told(&told[i]);
		ck_assert_int_eq(told[i].end.code, CLD_EXITED);
		ck_assert_int_eq(told[i].end.status, i);
	}
	reaper_hurry(told[2].child);
	reaper_hurry(told[2].child);
	reaper_hurry(NULL);
	reaper_kill(told[2].child);
	wait_until_told(&told[2]);
	ck_assert_int_eq(told[2].end.status, SIGKILL);
	for (i = 0; i < 3; i++)
		ck_assert_uint_eq(told[i].times, 1);
	ck_assert_int_eq(unit_open_fds(), fds);
}

/* What is told of one end may forget others that have ended as well. */
UNIT_TEST(forgets_idle_children_while_it_reaps_them)
{
	struct told told[2];
	pid_t pids[2];
	int i;

	start();
	for (i = 0; i < 2; i++) {
		pids[i] = make_child(do_exit, 0);
		watch_idly(pids[i], &told[i]);
		wait_until_dead(pids[i]);
	}
	for (i = 0; i < 2; i++)
		told[i].forget = &told[!i];
	for (i = 0; i < 2; i++)
		wait_until_gone(pids[i]);
	settle();
	ck_assert_uint_eq(told[0].times + told[1].times, 1);
}

/* One process under two names, as a broken box might give it to us. */
UNIT_TEST(survives_a_process_watched_twice)
{
	struct told told[2];
	pid_t pid;

	start();
	pid = make_child(do_exit, 3);
	watch(pid, &told[0]);
	watch(pid, &told[1]);
	wait_until_told(&told[0]);
	wait_until_told(&told[1]);
	/* One of them got the status, the other one that it is unknown. */
	ck_assert_int_eq(told[0].end.status + told[1].end.status, 3);
	ck_assert_int_eq(told[told[0].end.status == 0 ? 0 : 1].end.code,
	    CLD_KILLED);
}

/* Sweeping: unknown children. */

UNIT_TEST(sweeps_unwatched_children)
{
	struct told told;
	pid_t first, second;

	start();
	watch(make_child(do_wait, 0), &told);
	first = make_child(do_exit, 0);
	wait_until_gone(first);
	second = make_child(do_die, SIGKILL);
	wait_until_gone(second);
	ck_assert_uint_eq(told.times, 0);
	reaper_kill(told.child);
	wait_until_told(&told);
}

/* Orphans: what comes to us because its parent has ended. */

/* Has a child that has a child, and so on; tells their pids; ends. */
static void
do_leave(int pipe_end)
{
	pid_t pid;
	int n;

	for (n = 0; n < 3; n++) {
		pid = fork();
		if (pid > 0) {
			if (n == 0)
				_exit(0);
			do_wait(0);
		}
		setsid();
		/* Each by itself: so the parents come first. */
		dprintf(pipe_end, "%d ", (int)getpid());
	}
	close(pipe_end);
	do_wait(0);
}

/* Makes three orphans, each the child of the one before. */
static void
make_orphans(pid_t pids[3])
{
	int pair[2], n;
	FILE *told;

	ck_assert_int_eq(pipe(pair), 0);
	make_child(do_leave, pair[1]);
	close(pair[1]);
	told = fdopen(pair[0], "r");
	for (n = 0; n < 3; n++)
		ck_assert_int_eq(fscanf(told, "%d", &pids[n]), 1);
	fclose(told);
	wait_until_parent(pids[0]);
}

UNIT_TEST(kills_orphans)
{
	struct told told;
	pid_t pids[3], watched;
	int n, fds;

	start();
	fds = unit_open_fds();
	watched = make_child(do_wait, 0);
	watch(watched, &told);
	make_orphans(pids);
	settle();
	for (n = 0; n < 3; n++)
		ck_assert_int_eq(is_gone(pids[n]), 0);
	reaper_kill_orphans();
	for (n = 0; n < 3; n++)
		wait_until_gone(pids[n]);
	ck_assert_uint_eq(told.times, 0);
	/* That is over in a while: who comes then is not touched. */
	for (n = 0; n < REAPER_HUNTS; n++)
		let_sweep();
	make_orphans(pids);
	settle();
	ck_assert_int_eq(is_gone(pids[0]), 0);
	reaper_kill_orphans();
	reaper_kill(told.child);
	wait_until_told(&told);
	for (n = 0; n < 3; n++)
		wait_until_gone(pids[n]);
	ck_assert_int_eq(unit_open_fds(), fds);
}

/* They look like the processes of a box that is being built. */
UNIT_TEST(kills_no_orphans_while_held)
{
	pid_t pids[3], pid;
	int n;

	start();
	reaper_hold();
	make_orphans(pids);
	reaper_kill_orphans();
	pid = make_child(do_exit, 0);
	wait_until_dead(pid);
	settle();
	for (n = 0; n < 3; n++)
		ck_assert_int_eq(is_gone(pids[n]), 0);
	reaper_release();
	for (n = 0; n < 3; n++)
		wait_until_gone(pids[n]);
}

/* The program that executed us may have had children, now ours. */
UNIT_TEST(kills_no_older_child)
{
	pid_t pids[3], older = make_child(do_wait, 0);
	int n;

	start();
	make_orphans(pids);
	reaper_kill_orphans();
	for (n = 0; n < 3; n++)
		wait_until_gone(pids[n]);
	ck_assert_int_eq(is_gone(older), 0);
	kill(older, SIGKILL);
	wait_until_gone(older);
}

/* A process left in another's group does not end that group. */
UNIT_TEST(kills_no_group_of_a_watched_child)
{
	struct told told;
	pid_t watched, orphan;

	start();
	watched = make_child(do_wait, 0);
	orphan = make_child(do_wait, 0);
	ck_assert_int_eq(setpgid(watched, watched), 0);
	ck_assert_int_eq(setpgid(orphan, watched), 0);
	watch(watched, &told);
	reaper_kill_orphans();
	wait_until_gone(orphan);
	settle();
	ck_assert_uint_eq(told.times, 0);
	ck_assert_int_eq(is_gone(watched), 0);
	reaper_kill(told.child);
	wait_until_told(&told);
}

/* The end of the program */

UNIT_TEST(finishes_with_all)
{
	struct told told[2];
	pid_t pids[3];

	start();
	pids[0] = make_child(do_wait, 0);
	pids[1] = make_child(do_exit, 1);
	pids[2] = make_child(do_exit, 2); /* not watched */
	watch(pids[0], &told[0]);
	watch(pids[1], &told[1]);
	reaper_finish(SHUTDOWN_REAP_MS);
	ck_assert_int_eq(is_gone(pids[0]), 1);
	ck_assert_int_eq(is_gone(pids[1]), 1);
	ck_assert_int_eq(is_gone(pids[2]), 1);
}
