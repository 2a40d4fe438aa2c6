/*
 * Tests of supervisor/run/call and supervisor/box/box: boxes and relays that
 * cannot be started or built, that die, and that violate their protocol;
 * reduced isolation, and the store. Each failure is reported once.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/box_step.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/loop.h"
#include "supervisor/box/cgroup.h"
#include "supervisor/peers/store.h"
#include "supervisor/process/process.h"
#include "supervisor/run/call_parts.h"
#include "at_once.h"
#include "call_play.h"

/* Failures of the start: each is reported once, after call_new. */

START_TEST(a_box_that_cannot_be_started)
{
	struct play *play;

	open_stage();
	unspawnable = ROLE_BOX;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no box today");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

START_TEST(a_relay_that_cannot_be_started)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	unspawnable = ROLE_RELAY;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no relay today");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

/* No request reaches the box: it is ended, and its relay is not awaited. */
START_TEST(a_box_that_cannot_be_asked)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	sv.options.python = (char *)"/usr/bin/python\xff";
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be started: message "
	    "setup: interpreter is not UTF-8");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

START_TEST(a_relay_that_cannot_be_asked)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	sv.options.max_output = 10;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be started: message "
	    "prepare: output_max is 10, not 1024 to 16777216");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

/* Every descriptor on the way may be the one too many. */
START_TEST(descriptors_that_run_out)
{
	struct rlimit limit, all;
	struct play *play;
	int extra;

	open_stage();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	for (extra = 0; extra < 10; extra++) {
		limit = all;
		limit.rlim_cur = (rlim_t)(dup(0) + extra);
		close((int)limit.rlim_cur - extra);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		play = new_call();
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		wait_until_concluded(play);
		ck_assert_int_eq(play->result.status, CALL_ERROR);
		ck_assert_ptr_nonnull(strstr(play->result.error,
		    "the box cannot be started: make a "));
	}
	close_stage();
}
END_TEST

/* Reduced isolation */

START_TEST(a_guard_that_ends_as_the_code)
{
	struct play *play;

	if (_i == 1)
		open_stage_with_cgroup();
	else
		open_stage();
	play = start_call();
	guard_stands(play);
	code_exits(play);
	settle();
	box_lets_go(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->facts.landlock, 6);
	ck_assert_int_eq(play->facts.proc, 0);
	ck_assert_int_eq(play->weak, 1);
	ck_assert_int_eq(play->facts.grouped, _i);
	close_stage();
}
END_TEST

/* It has others to kill: it gets the signal that says so, and not SIGKILL. */
START_TEST(a_guard_that_must_end)
{
	struct play *play;
	siginfo_t si;

	open_stage();
	play = start_call();
	guard_stands(play);
	box_lets_go(play);
	call_cancel(play->call, "enough");
	ck_assert_int_eq(waitid(P_PID, (id_t)play->code, &si,
	    WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(si.si_status, BOX_GUARD_END);
	settle();
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

START_TEST(a_box_that_names_a_foreign_guard)
{
	struct ipc_guarded guarded = { .landlock = 6, .reason = "no" };
	struct play *play;

	open_stage();
	play = start_call();
	guarded.guard = open_pidfd(getppid());
	send_as(play, ROLE_BOX, IPC_GUARDED, &guarded);
	settle();
	relay_is_done(play);
	box_lets_go(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the box: "
	    "message guarded: guard is a descriptor of another kind");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

/* Failures of the box */

START_TEST(a_box_that_cannot_be_built)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be built: could not "
	    "apply the system call filter (prctl: Invalid argument); the "
	    "kernel needs CONFIG_SECCOMP_FILTER");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

START_TEST(an_interpreter_that_cannot_be_started)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	settle();
	box_fails(play, "execve: No such file or directory");
	code_exits(play);
	settle();
	box_was_killed(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_ptr_nonnull(strstr(play->result.error,
	    "the box cannot be built: could not apply the system call filter "
	    "(execve: No such file or directory)"));
	ck_assert_int_eq(play->result.signal, 0); /* that was us */
	close_stage();
}
END_TEST

/* The channel is read again when init ends: that code cannot run any more. */
START_TEST(a_reason_is_heard_when_init_ends)
{
	const char end[2] = { 'x', 0 };
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	box_fails(play, "execve: No such file or directory");
	settle();
	ck_assert_ptr_null(play->call->box->failure);
	ck_assert_int_eq(write(play->init_line, end, 2), 2);
	wait_until_gone(play->init);
	settle();
	ck_assert_ptr_nonnull(play->call->box->failure);
	box_was_killed(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

START_TEST(a_box_that_ends_without_a_word)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_lets_go(play);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box exited while it was built");
	printed(play, "hi\n", "oops\n");
	close_stage();
}
END_TEST

/* It reported its processes and exited: they could not be ended. */
START_TEST(a_box_that_cannot_be_adopted)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_starts(play);
	fd_close(&play->channels[ROLE_BOX]);
	settle();
	wait_until_gone(play->code);
	wait_until_gone(play->init);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be adopted: send a "
	    "packet: Broken pipe");
	close_stage();
}
END_TEST

START_TEST(a_box_that_sends_garbage)
{
	struct play *play;

	open_stage();
	play = start_call();
	if (_i == 1)
		box_stands(play);
	settle();
	send_garbage(play, ROLE_BOX);
	/* It is not heard while the box that stands is well. */
	if (_i == 1)
		code_exits(play);
	settle();
	if (_i == 1) {
		box_was_killed(play);
	} else {
		wait_until_gone(play->pids[ROLE_BOX]);
		relay_is_done(play);
		wait_until_concluded(play);
	}
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the box: a packet of 3 bytes");
	close_stage();
}
END_TEST

/* It was started as one process; or a template has forked its launcher. */
START_TEST(a_box_that_names_a_wrong_number_of_launchers)
{
	struct ipc_started started = { .bound = "", .data = -1,
		.launcher = -1 };
	struct play *play;
	pid_t child;

	open_stage();
	forking_template = _i;
	play = start_call();
	child = make_process(-1);
	started.init = open_pidfd(child);
	play->code = make_process(-1);
	started.code = open_pidfd(play->code);
	started.left = open("/tmp", O_RDONLY | O_DIRECTORY);
	if (_i == 0)
		started.launcher = open_pidfd(play->pids[ROLE_BOX]);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
	/* The processes that it has named are killed. */
	wait_until_gone(play->code);
	wait_until_gone(child);
	box_lets_go(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the box: a "
	    "wrong number of launchers");
	close_stage();
}
END_TEST

/* What its launcher reports is the end of it: there is no other attempt. */
START_TEST(a_forked_box_that_cannot_be_built)
{
	struct play *play;

	open_stage();
	forking_template = 1;
	play = start_call();
	box_fails(play, "mount: Permission denied");
	box_lets_go(play);
	settle();
	relay_is_done(play);
	wait_until_concluded(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

/*
 * Its launcher hangs before it has told who it is. The template waits for it,
 * and another box for the template.
 */
START_TEST(a_forked_launcher_that_hangs)
{
	struct play *play, *behind;
	unsigned long started;
	pid_t launcher;

	sv.boxes.times.hang = 100;
	open_stage();
	native_boxes(&sv.boxes)->forked = 7; /* before */
	forking_template = 1;
	play = start_call();
	launcher = play->pids[ROLE_BOX];
	waiting_template = 1;
	behind = start_call();
	forking_template = waiting_template = 0;
	call_cancel(play->call, "enough");
	while (killed_templates == 0)
		event_base_loop(sv.base, EVLOOP_ONCE);
	settle();
	/* It could be a process of the other box. */
	ck_assert_int_eq(is_gone(launcher), 0);
	fd_close(&behind->channels[ROLE_BOX]);
	wait_until_gone(launcher);
	box_lets_go(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	started = sv.boxes.started;
	relay_is_done(behind);
	while (sv.boxes.started == started)
		event_base_loop(sv.base, EVLOOP_ONCE);
	take_requests(behind);
	run_box(behind);
	end_well(behind);
	printed(behind, "hi\n", "oops\n");
	ck_assert_uint_eq(killed_templates, 1);
	close_stage();
}
END_TEST

/* Lets the timers of boxes that are awaited end several times. */
static void
let_timers_end(void)
{
	const struct timeval tv = { 0, sv.boxes.times.hang * 3000L };

	event_base_loopexit(sv.base, &tv);
	event_base_dispatch(sv.base);
}

/* A template that is slow, but reports boxes, is left alone. */
START_TEST(a_forked_launcher_that_is_late)
{
	struct play *play;
	int i;

	sv.boxes.times.hang = 100;
	open_stage();
	forking_template = 1;
	play = start_call();
	call_cancel(play->call, "enough");
	for (i = 0; i < 3; i++) {
		/* As if it had reported another one. */
		native_boxes(&sv.boxes)->forked++;
		event_base_loop(sv.base, EVLOOP_ONCE);
	}
	ck_assert_uint_eq(killed_templates, 0);
	box_stands(play);
	box_lets_go(play);
	/* It has ended, and only its relay is awaited. */
	let_timers_end();
	ck_assert_uint_eq(play->concluded, 0);
	box_was_killed(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(killed_templates, 0);
	close_stage();
}
END_TEST

/*
 * All processes were stopped meanwhile, as a container is that is paused: the
 * launcher had no time, and gets some.
 */
START_TEST(a_forked_launcher_that_was_stopped)
{
	const struct timespec stop = { 0, 300000000 };
	struct play *play;

	sv.boxes.times.hang = 100;
	open_stage();
	forking_template = 1;
	play = start_call();
	call_cancel(play->call, "enough");
	nanosleep(&stop, NULL);
	event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(killed_templates, 0);
	while (killed_templates == 0)
		event_base_loop(sv.base, EVLOOP_ONCE);
	box_lets_go(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* It ended before its report, so it does not hang: its relay is slow. */
START_TEST(a_forked_launcher_that_has_ended)
{
	struct play *play;

	sv.boxes.times.hang = 100;
	open_stage();
	forking_template = 1;
	play = start_call();
	if (_i == 0)
		call_cancel(play->call, "enough");
	box_lets_go(play);
	settle();
	if (_i == 1)
		call_cancel(play->call, "enough");
	let_timers_end();
	ck_assert_uint_eq(play->concluded, 0);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(killed_templates, 0);
	close_stage();
}
END_TEST

/* The template reports it with its box, and it is ended with that. */
START_TEST(a_forked_launcher_is_known)
{
	struct play *play;

	open_stage();
	forking_template = 1;
	play = start_call();
	box_starts(play);
	settle();
	ck_assert_uint_eq(native_boxes(&sv.boxes)->forked, 1);
	call_cancel(play->call, "enough");
	wait_until_gone(play->pids[ROLE_BOX]);
	box_was_killed(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* Processes that are not ours are not accepted, let alone killed. */
START_TEST(a_box_that_names_strangers)
{
	struct ipc_started started = { .bound = "", .data = -1,
		.launcher = -1 };
	struct play *play;
	pid_t child;

	open_stage();
	play = start_call();
	child = make_process(-1);
	started.init = open_pidfd(_i == 0 ? getppid() : child);
	started.code = open_pidfd(_i == 0 ? child : getppid());
	started.left = open("/tmp", O_RDONLY | O_DIRECTORY);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
	settle();
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, _i == 0 ? "protocol violation by the "
	    "box: message started: init is a descriptor of another kind" :
	    "protocol violation by the box: message started: code is a "
	    "descriptor of another kind");
	ck_assert_int_eq(kill(getppid(), 0), 0);
	kill(child, SIGKILL);
	close_stage();
}
END_TEST

/* One process under two names: how the code ended cannot be known. */
START_TEST(a_box_that_names_one_process_twice)
{
	struct ipc_started started = { .bound = "", .data = -1,
		.launcher = -1 };
	struct play *play;
	pid_t child;

	open_stage();
	play = start_call();
	child = make_process(-1);
	started.init = open_pidfd(child);
	started.code = open_pidfd(child);
	started.left = open("/tmp", O_RDONLY | O_DIRECTORY);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
	settle();
	relay_runs(play);
	settle();
	kill(child, SIGKILL);
	wait_until_gone(child);
	relay_is_done(play);
	wait_until_concluded(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

START_TEST(a_box_that_is_not_ready_in_time)
{
	struct play *play;

	sv.boxes.times.start = 2000;
	open_stage();
	play = start_call();
	if (_i == 1) {
		box_stands(play);
		wait_until_gone(play->init);
		box_was_killed(play);
	} else {
		wait_until_gone(play->pids[ROLE_BOX]);
		relay_is_done(play);
		wait_until_concluded(play);
	}
	was_concluded(
	    play, CALL_ERROR, "the box was not ready within 2 s");
	close_stage();
}
END_TEST

/* Failures of the relay */

#define LOST "the relay of this execution exited"
#define UNSURE                                                                 \
	LOST ", and it is unknown whether the code ran: check what it has "    \
	"done before you run it again"

static void
check_relay_death(struct play *play, const char *error)
{
	relay_dies(play);
	settle();
	wait_until_gone(play->pids[ROLE_RELAY]);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, error);
	close_stage();
}

START_TEST(a_relay_that_exits_at_once)
{
	open_stage();
	check_relay_death(start_call(), UNSURE);
}
END_TEST

START_TEST(a_relay_that_exits_with_a_box)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	settle();
	check_relay_death(play, UNSURE);
}
END_TEST

START_TEST(a_relay_that_exits_while_the_code_runs)
{
	open_stage();
	check_relay_death(run_call(), LOST);
}
END_TEST

/* Its process is reaped before its end is noticed on the channel. */
START_TEST(a_relay_that_is_reaped_first)
{
	struct play *play;

	open_stage();
	play = run_call();
	play->stuck = 0;
	kill(play->pids[ROLE_RELAY], SIGKILL);
	while (!is_gone(play->pids[ROLE_RELAY]))
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(play->concluded, 0);
	check_relay_death(play, LOST);
}
END_TEST

START_TEST(a_relay_that_exits_with_the_output)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	ck_assert_uint_eq(play->concluded, 0);
	check_relay_death(play, LOST);
}
END_TEST

START_TEST(a_relay_that_sends_garbage)
{
	struct play *play;

	open_stage();
	play = run_call();
	if (_i == 0)
		send_garbage(play, ROLE_RELAY);
	else
		relay_runs(play); /* again */
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, _i == 0 ?
	    "protocol violation by the relay: a packet of 3 bytes" :
	    "protocol violation by the relay: message running comes at the "
	    "wrong time");
	close_stage();
}
END_TEST

/* A cut that cannot be: nothing of it is believed. */
START_TEST(a_relay_that_lies_about_the_output)
{
	struct ipc_done done = { .out = { (const uint8_t *)"hi\n", 3, -1 },
		.out_head = 4,
		.out_dropped = 1 };
	struct play *play;

	open_stage();
	play = run_call();
	send_as(play, ROLE_RELAY, IPC_DONE, &done);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the relay: a cut outside of the output");
	ck_assert_uint_eq(play->result.out.len, 0);
	close_stage();
}
END_TEST

/* A fault ends the box, and its output so far is in the answer. */
START_TEST(a_box_that_breaks_the_protocol)
{
	struct play *play;

	open_stage();
	play = _i == 0 ? run_call() : start_call();
	if (_i == 1) {
		box_stands(play);
		settle();
	}
	relay_faults(play);
	settle();
	box_was_killed(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the code: a "
	    "frame without a type");
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.signal, 0);
	close_stage();
}
END_TEST

/* The store */

static void
relay_wants_store(struct play *play)
{
	struct ipc_want_store want = { 0 };

	send_as(play, ROLE_RELAY, IPC_WANT_STORE, &want);
	settle();
}

/* Code may keep something: never looked into, store_connect() is ours. */
static void
offer_store(void)
{
	sv.runs.store = (struct store *)(void *)&sv;
	sv.options.memory_api = 1;
}

/* It gets channels, some, and the supervisor keeps none of their ends. */
START_TEST(the_store_is_handed_over)
{
	struct play *play;
	union ipc_any msg;
	char byte;
	int fds, n;

	open_stage();
	offer_store();
	play = run_call();
	wait_until_gone(play->pids[ROLE_BOX]);
	fds = unit_open_fds();
	for (n = 0; n < STORE_FETCHES_MAX; n++) {
		relay_wants_store(play);
		receive(play, ROLE_RELAY, IPC_STORE, &msg);
		ck_assert_int_eq(send(msg.store.store, "x", 1, 0), 1);
		ck_assert_int_eq(
		    recv(play->channels[ROLE_STORE], &byte, 1, 0), 1);
		fd_close(&msg.store.store);
		fd_close(&play->channels[ROLE_STORE]);
	}
	ck_assert_int_eq(unit_open_fds(), fds);
	relay_wants_store(play);
	box_was_killed(play);
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the relay: it may not ask for the store");
	close_stage();
}
END_TEST

START_TEST(a_store_that_cannot_be_had)
{
	struct play *play;
	union ipc_any msg;

	open_stage();
	offer_store();
	store_refused = "the state directory is not ours";
	play = run_call();
	relay_wants_store(play);
	receive(play, ROLE_RELAY, IPC_STORE, &msg);
	ck_assert_int_eq(msg.store.store, -1);
	ck_assert_str_eq(msg.store.reason, store_refused);
	code_exits(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Whether a relay may ask is said at its start. */
START_TEST(a_store_that_is_switched_off)
{
	struct play *play;
	union ipc_any msg;

	open_stage();
	if (_i > 0)
		offer_store();
	sv.options.memory_api = _i == 1;
	play = new_call();
	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ipc_message_close(IPC_SETUP, &msg);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ck_assert_uint_eq(msg.start.stored, _i == 1);
	ipc_message_close(IPC_START, &msg);
	run_box(play);
	if (_i == 1) {
		code_exits(play);
		relay_is_done(play);
		wait_until_concluded(play);
	} else {
		relay_wants_store(play);
		box_was_killed(play);
		was_concluded(play, CALL_ERROR, "protocol violation by the "
		    "relay: it may not ask for the store");
	}
	close_stage();
}
END_TEST

/* The end is not reported: what is missing is given up. */
START_TEST(a_relay_that_never_drains)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = run_call();
	code_exits(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the code has ended, but its relay "
	    "did not pass on the output in time");
	ck_assert_int_eq(play->result.exited, 1);
	close_stage();
}
END_TEST

/* Nor does the launcher, which is an orphan if a template has forked it. */
START_TEST(a_box_that_never_lets_go)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	forking_template = _i;
	play = start_call();
	play->stuck = 1;
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	wait_until_gone(play->pids[ROLE_BOX]);
	close_stage();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, a_box_that_cannot_be_started);
	tcase_add_test(tc, a_relay_that_cannot_be_started);
	tcase_add_test(tc, a_box_that_cannot_be_asked);
	tcase_add_test(tc, a_relay_that_cannot_be_asked);
	tcase_add_test(tc, descriptors_that_run_out);
	tcase_add_loop_test(tc, a_guard_that_ends_as_the_code, 0, 2);
	tcase_add_test(tc, a_guard_that_must_end);
	tcase_add_test(tc, a_box_that_names_a_foreign_guard);
	tcase_add_test(tc, a_box_that_cannot_be_built);
	tcase_add_test(tc, an_interpreter_that_cannot_be_started);
	tcase_add_test(tc, a_reason_is_heard_when_init_ends);
	tcase_add_test(tc, a_box_that_ends_without_a_word);
	tcase_add_test(tc, a_box_that_cannot_be_adopted);
	tcase_add_loop_test(tc, a_box_that_sends_garbage, 0, 2);
	tcase_add_loop_test(
	    tc, a_box_that_names_a_wrong_number_of_launchers, 0, 2);
	tcase_add_test(tc, a_forked_box_that_cannot_be_built);
	tcase_add_test(tc, a_forked_launcher_that_hangs);
	tcase_add_test(tc, a_forked_launcher_that_is_late);
	tcase_add_test(tc, a_forked_launcher_that_was_stopped);
	tcase_add_loop_test(tc, a_forked_launcher_that_has_ended, 0, 2);
	tcase_add_test(tc, a_forked_launcher_is_known);
	tcase_add_loop_test(tc, a_box_that_names_strangers, 0, 2);
	tcase_add_test(tc, a_box_that_names_one_process_twice);
	tcase_add_loop_test(tc, a_box_that_is_not_ready_in_time, 0, 2);
	tcase_add_test(tc, a_relay_that_exits_at_once);
	tcase_add_test(tc, a_relay_that_exits_with_a_box);
	tcase_add_test(tc, a_relay_that_exits_while_the_code_runs);
	tcase_add_test(tc, a_relay_that_is_reaped_first);
	tcase_add_test(tc, a_relay_that_exits_with_the_output);
	tcase_add_loop_test(tc, a_relay_that_sends_garbage, 0, 2);
	tcase_add_test(tc, a_relay_that_lies_about_the_output);
	tcase_add_loop_test(tc, a_box_that_breaks_the_protocol, 0, 2);
	tcase_add_test(tc, the_store_is_handed_over);
	tcase_add_test(tc, a_store_that_cannot_be_had);
	tcase_add_loop_test(tc, a_store_that_is_switched_off, 0, 3);
	tcase_add_test(tc, a_relay_that_never_drains);
	tcase_add_loop_test(tc, a_box_that_never_lets_go, 0, 2);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run_at_once("call_failures", add_tests, 4);
}
