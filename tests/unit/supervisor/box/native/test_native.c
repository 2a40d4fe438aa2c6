/*
 * Tests of supervisor/box/native/native: a launcher that a template has forked,
 * and that hangs before it is known, costs the template; one that is only slow
 * does not; how one has ended is told. The test is the template.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/box/native/native.h"
#include "supervisor/process/process.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"

#define TEMPLATE 7

static struct options options = { .javascript_packages = "",
	.memory = 512 * MIB, .pids = 128,
	.python = (char *)"/usr/bin/python3", .max_timeout = 120 };
static struct native_boxes shared;
static char *failure; /* of the box */
static bool told_all; /* of its processes */

/* The life of its box. */
static void
hear(struct box *heard, enum box_event event, const struct box_told *told)
{
	static int held;

	if (event == BOX_ON_LAUNCHED)
		reaper_hold();
	else if (event == BOX_ON_WATCHED && held)
		reaper_release();
	else if (event == BOX_ON_FAILED)
		failure = told->failure;
	told_all |= event == BOX_ON_TOLD;
	held = event == BOX_ON_LAUNCHED;
}

static struct boxes boxes = { .options = &options, .shared = &shared,
	.report = hear, .times = { .hang = 100 } };
static struct box box = { .boxes = &boxes, .limits = &options, .number = 1 };
static int line = -1; /* the launcher's end of its channel */
static unsigned int killed;
static void (*launch)(void); /* a launcher of its own; NULL: none */

struct channel *__wrap_launcher_start(struct boxes *from,
    const struct channel_ends *ends, unsigned long number,
    const struct python_stamp *stamp, const struct group *group, int *pidfd,
    struct err *err);
unsigned long __wrap_templates_asked(const struct templates *templates);
void __wrap_templates_kill(struct templates *templates, unsigned long number);

/* Who it is, is not known yet, unless the box has its own. */
struct channel *
__wrap_launcher_start(struct boxes *from, const struct channel_ends *ends,
    unsigned long number, const struct python_stamp *stamp,
    const struct group *group, int *pidfd, struct err *err)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	line = pair[1];
	*pidfd = -1;
	if (launch != NULL) {
		pid_t pid = fork();

		if (pid == 0)
			launch();
		*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		fd_close(&line);
		waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	}
	return channel_new(from->base, &pair[0], ends);
}

unsigned long
__wrap_templates_asked(const struct templates *templates)
{
	return TEMPLATE;
}

void
__wrap_templates_kill(struct templates *templates, unsigned long number)
{
	ck_assert_uint_eq(number, TEMPLATE);
	killed++;
}

static int
pipe_end(int which)
{
	int pair[2];

	ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
	close(pair[!which]);
	return pair[which];
}

static void
start(void)
{
	struct box_pipes pipes = { pipe_end(0), pipe_end(1), pipe_end(1),
		pipe_end(1) };
	struct err err = { 0, "" };

	ck_assert_msg(identity_init("/dev/null", &err) == 0, "%s", err.text);
	worker_init(supervisor_routes());
	boxes.base = loop_new(0);
	reaper_init(boxes.base);
	box.language = language_default();
	ck_assert_msg(native_runtime.start(&box, &pipes, &err) == 0, "%s",
	    err.text);
}

/* Starts a box, and ends it before its launcher is known. */
static void
start_and_end(void)
{
	start();
	ck_assert(box.launch.forking);
	native_runtime.kill(&box);
}

static void
stop(void)
{
	native_runtime.free(&box, 0);
	hear(&box, BOX_ON_WATCHED, NULL);
	fd_close(&line);
	reaper_finish(1);
	event_base_free(boxes.base);
}

UNIT_TEST(one_that_hangs_costs_its_template)
{
	start_and_end();
	while (killed == 0)
		event_base_loop(boxes.base, EVLOOP_ONCE);
	stop();
}

/* The template is slow, but reports boxes. */
UNIT_TEST(one_that_is_late_does_not)
{
	int i;

	start_and_end();
	for (i = 0; i < 3; i++) {
		shared.forked++;
		event_base_loop(boxes.base, EVLOOP_ONCE);
		ck_assert_uint_eq(killed, 0);
	}
	stop();
}

UNIT_TEST(one_that_is_known_does_not)
{
	start_and_end();
	box.launch.forking = false;
	event_base_loop(boxes.base, EVLOOP_ONCE);
	ck_assert_uint_eq(killed, 0);
	stop();
}

static void
be_killed(void)
{
	raise(SIGKILL);
}

static void
be_unusable(void)
{
	_exit(127);
}

/* One that has ended before it was sent anything. */
UNIT_TESTS(its_end_is_told, 2)
{
	static void (*const launches[])(void) = { be_killed, be_unusable };
	static const char *const failures[] = {
		"the box cannot be built, and no code ran: its launcher was "
		"killed by SIGKILL; end what kills it, or free memory if the "
		"kernel did ('dmesg' says so)",
		"the box cannot be built, and no code ran: its launcher exited "
		"with code 127; the log has its message, and 'caisson "
		"selftest' tries it again",
	};

	launch = launches[_i];
	start();
	while (!told_all)
		event_base_loop(boxes.base, EVLOOP_ONCE);
	ck_assert_str_eq(failure, failures[_i]);
	free(failure);
	stop();
}
