/*
 * Tests of supervisor/run/call and supervisor/box/box: calls that take a box
 * that waited in the pool, and boxes that are replaced before code was sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/loop.h"
#include "supervisor/box/language.h"
#include "supervisor/process/process.h"
#include "call_play.h"

/* Boxes that waited in the pool */

static unsigned int changes;

static void
on_waiting_changed(void *ctx)
{
	ck_assert_ptr_eq(ctx, &changes);
	changes++;
}

/*
 * Starts the box of the next call ahead of it; how: bits as BOX_KEPT. Its relay
 * was sent nothing that was received.
 */
static struct play *
begin_ahead(int how)
{
	struct play *play = &plays[sv.runs.calls + 1];
	union ipc_any msg;
	struct err err;

	boxes[sv.boxes.started + 1] = play;
	waiting_box = box_new(&sv.boxes, language_default(), how,
	    on_waiting_changed, &changes, &err);
	ck_assert_ptr_nonnull(waiting_box);
	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ipc_message_close(IPC_SETUP, &msg);
	return play;
}

/* The same, and its relay has its pipes. */
static struct play *
start_ahead_as(int how)
{
	struct play *play = begin_ahead(how);
	union ipc_any msg;

	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	return play;
}

static struct play *
start_ahead(void)
{
	return start_ahead_as(0);
}

static void
relay_is_ready(struct play *play)
{
	struct ipc_ready ready = { 0 };

	send_as(play, ROLE_RELAY, IPC_READY, &ready);
}

/* The same, until it waits for code. */
static struct play *
wait_ahead(void)
{
	struct play *play = start_ahead();

	box_stands(play);
	box_lets_go(play);
	relay_is_ready(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_READY);
	return play;
}

START_TEST(a_box_that_waits_is_taken)
{
	union ipc_any start;
	struct play *play;
	unsigned long started;

	open_stage();
	play = wait_ahead();
	started = sv.boxes.started;
	ck_assert_ptr_eq(new_call(), play);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ck_assert_uint_eq(start.start.execution, 1);
	ipc_message_close(IPC_START, &start);
	relay_runs(play);
	settle();
	end_well(play);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->facts.landlock, 6);
	ck_assert_int_eq(play->facts.watchdog, 1);
	ck_assert_uint_eq(sv.boxes.started, started);
	ck_assert_uint_eq(wakes, 1); /* it is out of the way */
	close_stage();
}
END_TEST

/* Nor does a template fork one. */
START_TEST(another_language_takes_no_box_that_waits)
{
	static struct box waits;
	union ipc_any msg;
	struct play *play;

	open_stage();
	waiting_box = &waits;
	dying_template = 1;
	spoken = language_find("shell");
	sv.options.shell = (char *)"/bin/dash";
	play = new_call();
	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ck_assert_str_eq(msg.setup.language, "shell");
	ck_assert_str_eq(msg.setup.interpreter, "/bin/dash");
	ipc_message_close(IPC_SETUP, &msg);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	run_box(play);
	end_well(play);
	printed(play, "hi\n", "oops\n");
	ck_assert_ptr_eq(waiting_box, &waits);
	waiting_box = NULL;
	close_stage();
}
END_TEST

/* Which of the two channels is heard first is chance. */
START_TEST(a_box_waits_when_all_is_known)
{
	struct play *play;

	open_stage();
	play = start_ahead();
	play->stuck = 1;
	relay_is_ready(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_STARTING);
	box_stands(play);
	box_lets_go(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_READY);
	ck_assert_int_eq(box_alive(waiting_box), 1);
	box_drop(&waiting_box);
	ck_assert(LIST_EMPTY(&sv.boxes.dropped));
	idles = 1;
	close_stage();
}
END_TEST

/* The rest of a call whose box was started when it came. */
static void
succeed(struct play *play)
{
	take_requests(play);
	run_box(play);
	end_well(play);
	printed(play, "hi\n", "oops\n");
}

/* A call asks a template that exits: its first box never begins. */
static struct play *
ask_dying_template(void)
{
	union ipc_any msg;
	struct play *play;
	unsigned long first;

	dying_template = 1;
	play = new_call();
	first = sv.boxes.started;
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	settle();
	/* What was printed may yet come. */
	ck_assert_uint_eq(sv.boxes.started, first);
	relay_is_done(play);
	return play;
}

/*
 * Nothing has begun: another box is started, unnoticed. It has an interpreter
 * of its own, even if there are templates.
 */
START_TEST(a_template_may_die_before_it_forks)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = ask_dying_template();
	first = sv.boxes.started;
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	succeed(play);
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

/* While it waits for another box it can be ended as in any other state. */
START_TEST(a_call_without_a_box_can_be_cancelled)
{
	struct play *play;
	unsigned long first;

	open_stage();
	sv.runs.times.replace = 1000 * 1000;
	play = ask_dying_template();
	first = sv.boxes.started;
	while (call_has_box(play->call))
		event_base_loop(sv.base, EVLOOP_ONCE);
	settle();
	ck_assert_uint_eq(sv.boxes.started, first);
	ck_assert_uint_eq(play->concluded, 0);
	ck_assert_uint_eq(sv.runs.nstarting, 1);
	if (_i == 0)
		call_cancel(play->call, "enough");
	else
		call_cancel_all(&sv.runs, "enough");
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(sv.boxes.started, first);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

/* Both are sent with the code: nothing comes to the relay before it. */
START_TEST(a_relay_gets_its_pipes_with_the_code)
{
	union ipc_any msg;
	struct play *play;
	char byte;

	open_stage();
	play = begin_ahead(BOX_PROMPT);
	settle();
	ck_assert_int_eq(recv(play->channels[ROLE_RELAY], &byte, 1,
	    MSG_DONTWAIT | MSG_PEEK), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_ptr_eq(new_call(), play);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	run_box(play);
	end_well(play);
	close_stage();
}
END_TEST

START_TEST(a_box_may_be_taken_while_it_is_built)
{
	union ipc_any start;
	struct play *play;

	open_stage();
	play = start_ahead();
	ck_assert_ptr_eq(new_call(), play);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	run_box(play);
	end_well(play);
	close_stage();
}
END_TEST

/* Ends of a box that are unnoticed when a call takes it. */

static void
die_by_code(struct play *play)
{
	end_unheard(play->code, play->code_line, 's', SIGKILL);
	relay_is_done(play);
}

static void
die_by_init(struct play *play)
{
	kill(play->init, SIGKILL);
	kill(play->code, SIGKILL);
	relay_is_done(play);
}

static void
die_by_relay(struct play *play)
{
	relay_dies(play);
}

/* Its last word crosses the code. */
static void
die_by_fault(struct play *play)
{
	relay_faults(play);
	relay_is_done(play);
}

static void
die_drained(struct play *play)
{
	relay_is_done(play);
	kill(play->code, SIGKILL);
}

static void (*const deaths[])(struct play *play) = {
	die_by_code,
	die_by_init,
	die_by_relay,
	die_by_fault,
	die_drained,
};

/* Nothing has run: the call has another one started, without a note. */
START_TEST(a_box_that_had_died_is_replaced)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	deaths[_i](play);
	ck_assert_ptr_eq(new_call(), play);
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	succeed(play);
	close_stage();
}
END_TEST

/* It may have sent the code: no other box runs it. */
START_TEST(a_relay_that_is_lost_with_the_code)
{
	static const char *const lost[] = {
		"the relay of this execution exited, and it is unknown whether "
		"the code ran: check what it has done before you run it again",
		"the relay of this execution hangs, and it is unknown whether "
		"the code ran: check what it has done before you run it again",
	};
	union ipc_any msg;
	struct play *play;
	struct box *box;
	unsigned long first;

	sv.boxes.times.drain = 500;
	open_stage();
	play = wait_ahead();
	box = waiting_box;
	first = sv.boxes.started;
	ck_assert_ptr_eq(new_call(), play);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	while (_i == 1 && box->state == BOX_TAKEN)
		event_base_loop(sv.base, EVLOOP_ONCE);
	relay_dies(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, lost[_i]);
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* One of the pool, one that is forked, one of its own; then an error. */
START_TEST(a_call_has_three_boxes_at_most)
{
	union ipc_any msg;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	die_by_code(play);
	dying_template = 1;
	new_call();
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	relay_is_done(play);
	while (sv.boxes.started == first + 1)
		event_base_loop(sv.base, EVLOOP_ONCE);
	take_requests(play);
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be built: "
	    "could not apply the system call filter (prctl: Invalid "
	    "argument); the kernel needs CONFIG_SECCOMP_FILTER");
	ck_assert_uint_eq(sv.boxes.started, first + 2);
	close_stage();
}
END_TEST

#define NO_ROOM                                                                \
	"the box cannot be built: could not start the processes of the box "   \
	"(fork: no room); raise the limit on processes ('ulimit -u'), or "     \
	"wait until the system is less busy"

/* As often as it takes, with the same code. */
START_TEST(a_call_waits_for_room_for_its_box)
{
	struct play *play;
	unsigned long first;
	int n;

	open_stage();
	play = start_call();
	for (n = 0; n < 3; n++) {
		first = sv.boxes.started;
		box_fails_for_now(play);
		while (sv.boxes.started == first)
			event_base_loop(sv.base, EVLOOP_ONCE);
		if (n < 2)
			take_requests(play);
	}
	succeed(play);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

/* As long as for a place in the queue. */
START_TEST(a_call_does_not_wait_for_room_for_ever)
{
	struct play *play;

	open_stage();
	sv.options.queue_timeout = 0;
	play = start_call();
	box_fails_for_now(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, NO_ROOM);
	close_stage();
}
END_TEST

START_TEST(a_call_that_waits_for_room_can_be_cancelled)
{
	struct play *play;

	open_stage();
	sv.runs.times.retry = 1000 * 1000;
	play = start_call();
	box_fails_for_now(play);
	while (call_has_box(play->call))
		event_base_loop(sv.base, EVLOOP_ONCE);
	settle();
	call_cancel(play->call, "enough");
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* The same when it fails while it is being built: then it has its reason. */
START_TEST(a_box_that_cannot_be_built_is_tried_again)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = start_ahead();
	first = sv.boxes.started;
	new_call();
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	/* The first one may be forgotten when its launcher is gone. */
	if (_i == 0) {
		succeed(play);
	} else {
		take_requests(play);
		box_fails(play, "prctl: Invalid argument");
		relay_is_done(play);
		wait_until_concluded(play);
		was_concluded(play, CALL_ERROR, "the box cannot be built: "
		    "could not apply the system call filter (prctl: Invalid "
		    "argument); the kernel needs CONFIG_SECCOMP_FILTER");
	}
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	close_stage();
}
END_TEST

/* Once the code was sent, its end is its own. */
START_TEST(code_is_never_run_twice)
{
	union ipc_any start;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	relay_runs(play);
	settle();
	deaths[_i](play);
	wait_until_concluded(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* Its end may be heard of before it is heard that it was sent the code. */
START_TEST(code_that_ends_early_has_run)
{
	union ipc_any start;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	code_ends(play, 'x', 3);
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0);
	relay_runs(play);
	settle();
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_ERROR, "Sandbox exited with code 3");
	printed(play, "hi\n", "oops\n");
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* A call that is ended meanwhile needs no other box. */
START_TEST(a_cancelled_call_replaces_nothing)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	call_cancel(play->call, "enough");
	wait_until_gone(play->code);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* The waiting call learns the state of the box; a false report is detected. */
START_TEST(a_box_that_waits_may_fail)
{
	struct play *play;

	open_stage();
	play = wait_ahead();
	changes = 0;
	if (_i == 0)
		relay_runs(play);
	else
		relay_dies(play);
	while (waiting_box->failure == NULL)
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_str_eq(waiting_box->failure, _i == 0 ?
	    "protocol violation by the relay: it reports code that it was "
	    "not sent" :
	    "the relay of this execution exited");
	ck_assert_uint_ge(changes, 1);
	wait_until_gone(play->code); /* it was killed */
	ck_assert_int_eq(box_alive(waiting_box), 0);
	box_drop(&waiting_box);
	idles = 1;
	close_stage();
}
END_TEST

/* It may still tell of processes, which must be known to be killed. */
START_TEST(a_box_that_is_dropped_while_it_is_built)
{
	struct play *play;

	open_stage();
	play = start_ahead();
	play->stuck = 1;
	sv.runs.draining = 1;
	box_drop(&waiting_box);
	ck_assert_ptr_null(waiting_box);
	ck_assert(!LIST_EMPTY(&sv.boxes.dropped));
	settle();
	ck_assert_uint_eq(idles, 0);
	if (_i == 0) {
		box_starts(play);
		wait_until_gone(play->code);
		wait_until_gone(play->init);
	} else {
		box_lets_go(play);
	}
	while (!LIST_EMPTY(&sv.boxes.dropped))
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(idles, 1); /* the program may end now */
	close_stage();
}
END_TEST

/* A launcher that never closes its channel is not awaited for ever. */
START_TEST(a_dropped_box_is_given_up)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = start_ahead();
	play->stuck = 1;
	box_drop(&waiting_box);
	while (!LIST_EMPTY(&sv.boxes.dropped))
		event_base_loop(sv.base, EVLOOP_ONCE);
	idles = 1;
	close_stage();
}
END_TEST

/* Nothing is heard of it afterwards: its channel is closed. */
START_TEST(a_box_that_is_given_up_is_not_heard)
{
	struct play *play;
	pid_t init;
	char byte;

	open_stage();
	play = start_ahead();
	box_stands(play);
	sv.boxes.runtime->give_up(waiting_box);
	ck_assert_int_eq(
	    recv(play->channels[ROLE_BOX], &byte, 1, MSG_DONTWAIT), 0);
	init = play->init;
	kill(init, SIGKILL);
	wait_until_gone(init);
	box_drop(&waiting_box);
	idles = 1;
	close_stage();
}
END_TEST

/* What contains a file system, and what contains none. */
static const struct {
	const char *left;
	int how;
	int opened;
} folders[] = {
	{ "/proc", BOX_KEPT, 1 },
	{ "/proc", 0, 0 },
	{ "/", BOX_KEPT, 0 },
};

/*
 * A session may need its workspace when its code has made that unreadable: it
 * is opened before the processes are adopted, unless the box has ended.
 */
START_TEST(the_workspace_of_a_session_is_opened_before_code_runs)
{
	struct stat root, opened;
	struct play *play;

	open_stage();
	left = folders[_i].left;
	play = start_ahead_as(folders[_i].how);
	box_stands(play);
	ck_assert_int_eq(waiting_box->workspace != -1, folders[_i].opened);
	if (folders[_i].opened) {
		ck_assert_int_eq(stat("/", &root), 0);
		ck_assert_int_eq(fstat(waiting_box->workspace, &opened), 0);
		ck_assert_uint_eq(opened.st_ino, root.st_ino);
		ck_assert_uint_eq(opened.st_dev, root.st_dev);
	}
	box_lets_go(play);
	relay_is_ready(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_READY);
	box_drop(&waiting_box);
	idles = 1;
	close_stage();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, a_box_that_waits_is_taken);
	tcase_add_loop_test(tc,
	    the_workspace_of_a_session_is_opened_before_code_runs, 0,
	    UNIT_COUNT(folders));
	tcase_add_test(tc, another_language_takes_no_box_that_waits);
	tcase_add_test(tc, a_box_waits_when_all_is_known);
	tcase_add_test(tc, a_template_may_die_before_it_forks);
	tcase_add_loop_test(tc, a_call_without_a_box_can_be_cancelled, 0, 2);
	tcase_add_test(tc, a_relay_gets_its_pipes_with_the_code);
	tcase_add_test(tc, a_box_may_be_taken_while_it_is_built);
	tcase_add_loop_test(
	    tc, a_box_that_had_died_is_replaced, 0, UNIT_COUNT(deaths));
	tcase_add_test(tc, a_call_has_three_boxes_at_most);
	tcase_add_test(tc, a_call_waits_for_room_for_its_box);
	tcase_add_test(tc, a_call_does_not_wait_for_room_for_ever);
	tcase_add_test(tc, a_call_that_waits_for_room_can_be_cancelled);
	tcase_add_loop_test(
	    tc, a_box_that_cannot_be_built_is_tried_again, 0, 2);
	tcase_add_loop_test(
	    tc, code_is_never_run_twice, 0, UNIT_COUNT(deaths));
	tcase_add_test(tc, code_that_ends_early_has_run);
	tcase_add_loop_test(tc, a_relay_that_is_lost_with_the_code, 0, 2);
	tcase_add_test(tc, a_cancelled_call_replaces_nothing);
	tcase_add_loop_test(tc, a_box_that_waits_may_fail, 0, 2);
	tcase_add_loop_test(
	    tc, a_box_that_is_dropped_while_it_is_built, 0, 2);
	tcase_add_test(tc, a_dropped_box_is_given_up);
	tcase_add_test(tc, a_box_that_is_given_up_is_not_heard);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("call_pool", add_tests);
}
