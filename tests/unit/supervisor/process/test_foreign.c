/*
 * Tests of supervisor/process/foreign: the end of a process whose parent is
 * another one is reported once, whether that parent has waited for it or not.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "supervisor/process/process.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"

static struct event_base *base;
static struct foreign *foreign;
static unsigned int ends;

static void
on_ended(void *ctx)
{
	ck_assert_ptr_eq(ctx, &base);
	ends++;
	foreign_free(&foreign);
}

/* The parent, and the pipes by which it is asked to go on. */
static pid_t parent;
static int to_parent[2], to_child[2];

/* The parent: waits for its child when it is asked to. */
static void __attribute__((noreturn))
be_parent(int answer, int how)
{
	char c;
	pid_t pid = fork();

	if (pid == 0) {
		close(to_child[1]);
		while (read(to_child[0], &c, 1) == -1 && errno == EINTR)
			;
		if (how >= 0)
			_exit(how);
		raise(-how);
		_exit(1);
	}
	close(to_child[0]);
	close(to_child[1]);
	if (write(answer, &pid, sizeof(pid)) != (ssize_t)sizeof(pid) ||
	    read(to_parent[0], &c, 1) != 1)
		_exit(1);
	_exit(waitpid(pid, NULL, 0) != pid);
}

/* how: an exit code, or the negative number of a signal. */
static pid_t
make_foreign(int how)
{
	int answer[2];
	pid_t pid;

	ck_assert_int_eq(pipe(answer) + pipe(to_parent) + pipe(to_child), 0);
	parent = fork();
	if (parent == 0)
		be_parent(answer[1], how);
	close(to_child[0]);
	ck_assert_int_eq(read(answer[0], &pid, sizeof(pid)), sizeof(pid));
	close(answer[0]);
	close(answer[1]);
	return pid;
}

static void
start(int how)
{
	struct err err;

	base = loop_new(0);
	foreign = foreign_watch(base, make_foreign(how), on_ended, &base, &err);
	ck_assert_msg(foreign != NULL, "%s", err.text);
}

static void
let_parent_wait(void)
{
	int how;

	ck_assert_int_eq(write(to_parent[1], "x", 1), 1);
	ck_assert_int_eq(waitpid(parent, &how, 0), parent);
	ck_assert_int_eq(how, 0);
}

static const int ways[] = { 0, 7, 255, -SIGKILL, -SIGUSR1 };

/* Its parent waits late (0) or at once, before it is looked at (1). */
UNIT_TESTS(reports_the_end, 2 * UNIT_COUNT(ways))
{
	int at_once = _i % 2;

	start(ways[_i / 2]);
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_uint_eq(ends, 0);
	ck_assert_int_eq(foreign_alive(foreign), 1);
	close(to_child[1]);
	if (at_once)
		let_parent_wait();
	while (ends == 0)
		event_base_loop(base, EVLOOP_ONCE);
	if (!at_once)
		let_parent_wait();
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_uint_eq(ends, 1);
}

/* Nothing is reported afterwards. */
UNIT_TEST(stops)
{
	int fds;

	start(0);
	foreign_free(&foreign);
	foreign_free(&foreign); /* NULL is accepted */
	fds = unit_open_fds();
	close(to_child[1]);
	let_parent_wait();
	event_base_loop(base, EVLOOP_NONBLOCK);
	ck_assert_uint_eq(ends, 0);
	ck_assert_int_eq(unit_open_fds(), fds - 1);
}

UNIT_TEST(refuses_a_process_that_is_gone)
{
	pid_t pid = fork();
	struct err err;

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	base = loop_new(0);
	ck_assert_ptr_null(foreign_watch(base, pid, on_ended, &base, &err));
	ck_assert_int_eq(err.code, ESRCH);
}
