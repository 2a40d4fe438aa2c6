/*
 * Tests of supervisor/run/call and supervisor/box/box: deadlines, cancels in
 * every state, and the queue of calls that wait for their turn.
 */
#include <signal.h>
#include <sys/wait.h>

#include "common/loop.h"
#include "supervisor/process/process.h"
#include "at_once.h"
#include "call_play.h"

/* Deadlines */

START_TEST(the_deadline_ends_the_code)
{
	uint64_t began;
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(1, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	settle();
	began = now_ms();
	relay_runs(play); /* from here on, not from the call */
	box_was_killed(play);
	ck_assert_uint_ge(now_ms() - began, 990);
	was_concluded(play, CALL_TIMEOUT, "Execution timed out after 1s; "
	    "pass timeout, up to 3, for longer work");
	printed(play, "hi\n", "oops\n");
	ck_assert_uint_eq(play->result.timeout, 1);
	ck_assert_int_eq(play->result.exited, 0);
	ck_assert_int_eq(play->result.signal, 0); /* that was us: no news */
	close_stage();
}
END_TEST

/* Which is unknown otherwise. */
START_TEST(a_deadline_names_what_was_waited_for)
{
	struct ipc_done done = { .out_head = 0,
		.waiting = { (const uint8_t *)"fs.read (1 s)", 13 } };
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(1, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	send_as(play, ROLE_RELAY, IPC_DONE, &done);
	settle();
	wait_until_concluded(play);
	was_concluded(play, CALL_TIMEOUT,
	    "Execution timed out after 1s; it waited for fs.read (1 s); "
	    "pass timeout, up to 3, for longer work");
	close_stage();
}
END_TEST

/* It closed its streams and went on: the deadline still holds. */
START_TEST(the_deadline_ends_a_silent_code)
{
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(3, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	relay_is_done(play);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	wait_until_concluded(play);
	was_concluded(play, CALL_TIMEOUT, "Execution timed out after 3s; "
	    "that is the most: split the work into several calls");
	close_stage();
}
END_TEST

/* Cancels, in every state */

static struct play *
cancel_starting(void)
{
	return start_call();
}

static struct play *
cancel_standing(void)
{
	struct play *play = start_call();

	box_stands(play);
	settle();
	return play;
}

static struct play *
cancel_silent(void)
{
	struct play *play = run_call();

	relay_is_done(play);
	settle();
	return play;
}

static struct play *
cancel_ended(void)
{
	struct play *play = run_call();

	code_exits(play);
	return play;
}

static struct play *(*const cancel_states[])(void) = {
	new_call,
	cancel_starting,
	cancel_standing,
	run_call,
	cancel_silent,
	cancel_ended,
};

START_TEST(can_be_cancelled_in_every_state)
{
	struct play *play;

	open_stage();
	play = cancel_states[_i]();
	call_cancel(play->call, "enough");
	call_cancel(play->call, "again"); /* the first cause stands */
	ck_assert_uint_eq(play->concluded, 0); /* never under a caller */
	if (play->code > 0)
		wait_until_gone(play->code);
	if (play->concluded == 0 && cancel_states[_i] != cancel_silent)
		relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_int_eq(play->result.signal, 0);
	close_stage();
}
END_TEST

/* The box was built while its end was requested; or it has ended already. */
START_TEST(a_box_may_stand_too_late)
{
	struct play *play;

	open_stage();
	play = start_call();
	play->stuck = 1;
	call_cancel(play->call, "enough");
	settle();
	if (_i == 0)
		box_stands(play);
	else
		box_starts(play);
	box_lets_go(play);
	settle();
	box_was_killed(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* So was its code: that does not give it more time. */
START_TEST(the_code_may_run_too_late)
{
	uint64_t began = now_ms();
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = start_call();
	call_cancel(play->call, "enough");
	relay_runs(play);
	wait_until_concluded(play); /* the relay never drains */
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_lt(now_ms() - began, CALL_SECONDS * 1000 / 2);
	close_stage();
}
END_TEST

START_TEST(a_failure_is_not_a_cancel)
{
	struct play *play;

	open_stage();
	play = run_call();
	relay_faults(play);
	settle();
	call_cancel(play->call, "enough");
	box_was_killed(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

/* The queue */

START_TEST(calls_wait_for_their_turn)
{
	struct play *play[4];
	struct err err = { 0, "" };
	int n;

	open_stage();
	sv.options.max_concurrent = 2;
	sv.options.queue = 2;
	for (n = 0; n < 4; n++)
		play[n] = new_call();
	ck_assert_uint_eq(sv.runs.nrunning, 2);
	ck_assert_uint_eq(sv.runs.nwaiting, 2);
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_eq(err.text, "busy: 2 executions are running; "
	    "waiting: 2; try again later, or raise CAISSON_MAX_CONCURRENT or "
	    "CAISSON_QUEUE");
	/* No waiting call has a process. */
	ck_assert_int_eq(play[2]->pids[ROLE_BOX] + play[3]->pids[ROLE_BOX], 0);
	for (n = 0; n < 4; n++) {
		take_requests(play[n]);
		box_stands(play[n]);
		box_lets_go(play[n]);
		relay_runs(play[n]);
		settle();
		code_exits(play[n]);
		relay_is_done(play[n]);
		settle();
		was_concluded(play[n], CALL_SUCCESS, NULL);
		ck_assert_uint_eq(idles, n == 3);
		/* The one that has waited longest is next, at once. */
		ck_assert_int_eq(n < 2 && play[n + 2]->pids[ROLE_BOX] == 0, 0);
	}
	close_stage();
}
END_TEST

/* The box of this call has its code, which ends well. */
static void
end_running(struct play *play)
{
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	settle();
	code_exits(play);
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_SUCCESS, NULL);
}

/* One that floods the queue delays another by no more than its share. */
START_TEST(owners_take_turns)
{
	struct owner other = { .name = "other", .scope = "o",
		.most_waiting = 2, .most_running = 1 };
	struct play *flood[6], *play[3];
	struct err err = { 0, "" };
	int n;

	open_stage();
	sv.options.max_concurrent = 2;
	for (n = 0; n < 6; n++)
		flood[n] = new_call();
	ck_assert_ptr_null(try_call(30, &err));
	owner_open(&other, &sv.runs);
	asking = &other;
	for (n = 0; n < 2; n++)
		play[n] = new_call();
	/* It may have one place, and two calls that wait. */
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_eq(err.text, "busy: 2 executions are running, 0 of this "
	    "client; waiting: 6, 2 of this client; try again later, or raise "
	    "CAISSON_MAX_CONCURRENT or CAISSON_QUEUE");
	/* The first place that is free is its own. */
	asking = &an_owner;
	end_running(flood[0]);
	ck_assert_int_ne(play[0]->pids[ROLE_BOX], 0);
	ck_assert_int_eq(flood[2]->pids[ROLE_BOX], 0);
	/* But not the second, of which it may have none. */
	end_running(flood[1]);
	ck_assert_int_eq(play[1]->pids[ROLE_BOX], 0);
	ck_assert_int_ne(flood[2]->pids[ROLE_BOX], 0);
	ck_assert_uint_eq(other.nrunning, 1);
	ck_assert_uint_eq(other.nwaiting, 1);
	asking = &other;
	end_running(play[0]);
	ck_assert_int_ne(play[1]->pids[ROLE_BOX], 0);
	end_running(play[1]);
	ck_assert_uint_eq(other.nrunning + other.nwaiting, 0);
	/* No place is kept for one that asks for none. */
	asking = &an_owner;
	ck_assert_int_ne(flood[3]->pids[ROLE_BOX], 0);
	owner_close(&other, &sv.runs);
	for (n = 2; n < 6; n++)
		end_running(flood[n]);
	ck_assert_uint_eq(an_owner.nrunning + an_owner.nwaiting, 0);
	close_stage();
}
END_TEST

/* A named note is shown once to each owner, and what is kept is bounded. */
START_TEST(an_owner_is_told_once)
{
	struct owner one = { .name = "a" }, other = { .name = "b" };
	char name[CONFIG_NAME_MAX + 1];
	int n;

	ck_assert_int_eq(owner_hears(&one, "") + owner_hears(&one, ""), 2);
	ck_assert_int_eq(owner_hears(&one, "gh"), 1);
	ck_assert_int_eq(owner_hears(&one, "g"), 1);
	ck_assert_int_eq(owner_hears(&one, "gh"), 0);
	ck_assert_int_eq(owner_hears(&other, "gh"), 1);
	for (n = 0; n < 1000; n++) {
		snprintf(name, sizeof(name), "%0*d", CONFIG_NAME_MAX, n);
		ck_assert_int_eq(owner_hears(&one, name), 1);
		ck_assert_uint_le(one.told.len,
		    OWNER_TOLD_MAX + 2 * (CONFIG_NAME_MAX + 1));
	}
	buffer_reset(&one.told);
	buffer_reset(&other.told);
}
END_TEST

START_TEST(calls_wait_only_so_long)
{
	struct play *first, *second;

	open_stage();
	sv.options.max_concurrent = 1;
	sv.options.queue_timeout = 1;
	first = run_call();
	second = new_call();
	wait_until_concluded(second);
	was_concluded(second, CALL_ERROR, "no place became free within 1s: 1 "
	    "execution is running (CAISSON_MAX_CONCURRENT, "
	    "CAISSON_QUEUE_TIMEOUT)");
	ck_assert_uint_eq(first->concluded, 0);
	ck_assert_uint_eq(idles, 0);
	code_exits(first);
	relay_is_done(first);
	settle();
	was_concluded(first, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Whoever asks gets the next place of one that has several. */
START_TEST(three_owners_share_four_places)
{
	struct owner others[2] = {
		{ .name = "b", .scope = "b", .most_waiting = 4,
		    .most_running = 4 },
		{ .name = "c", .scope = "c", .most_waiting = 4,
		    .most_running = 4 },
	};
	struct play *flood[6], *play[2];
	int n;

	open_stage();
	sv.options.max_concurrent = 4;
	for (n = 0; n < 2; n++)
		owner_open(&others[n], &sv.runs);
	for (n = 0; n < 6; n++)
		flood[n] = new_call();
	ck_assert_int_ne(flood[3]->pids[ROLE_BOX], 0);
	for (n = 0; n < 2; n++) {
		asking = &others[n];
		play[n] = new_call();
	}
	for (n = 0; n < 2; n++) {
		asking = &an_owner;
		end_running(flood[n]);
		ck_assert_int_ne(play[n]->pids[ROLE_BOX], 0);
		ck_assert_int_eq(flood[4]->pids[ROLE_BOX], 0);
	}
	for (n = 0; n < 2; n++) {
		asking = &others[n];
		end_running(play[n]);
		ck_assert_int_ne(flood[4 + n]->pids[ROLE_BOX], 0);
		owner_close(&others[n], &sv.runs);
	}
	asking = &an_owner;
	for (n = 2; n < 6; n++)
		end_running(flood[n]);
	close_stage();
}
END_TEST

/*
 * The sentence counts all that runs, and what is the client's. One that has no
 * place outlasts the queue time while another has two.
 */
START_TEST(a_late_call_says_what_runs)
{
	struct owner other = { .name = "other", .scope = "o",
		.most_waiting = 2, .most_running = 1 };
	struct play *first, *second, *third, *fourth;

	open_stage();
	sv.options.max_concurrent = 2;
	sv.options.queue_timeout = 1;
	owner_open(&other, &sv.runs);
	first = run_call();
	second = run_call();
	third = new_call();
	asking = &other;
	fourth = new_call();
	wait_until_concluded(third);
	was_concluded(third, CALL_ERROR, "no place became free within 1s: 2 "
	    "executions are running (CAISSON_MAX_CONCURRENT, "
	    "CAISSON_QUEUE_TIMEOUT)");
	settle();
	ck_assert_uint_eq(fourth->concluded, 0);
	asking = &an_owner;
	code_exits(first);
	relay_is_done(first);
	settle();
	asking = &other;
	ck_assert_int_ne(fourth->pids[ROLE_BOX], 0);
	third = new_call();
	wait_until_concluded(third);
	was_concluded(third, CALL_ERROR, "no place became free within 1s: 2 "
	    "executions are running, 1 of this client; this client may have "
	    "1 at once (CAISSON_MAX_CONCURRENT, CAISSON_QUEUE_TIMEOUT)");
	end_running(fourth);
	asking = &an_owner;
	code_exits(second);
	relay_is_done(second);
	settle();
	owner_close(&other, &sv.runs);
	close_stage();
}
END_TEST

/* A call that gives up neither takes a place nor keeps one. */
START_TEST(a_call_may_be_cancelled_while_it_waits)
{
	struct play *first, *second, *third;

	open_stage();
	sv.options.max_concurrent = 1;
	first = run_call();
	second = new_call();
	third = new_call();
	/* The place becomes free before its end was noticed. */
	code_exits(first);
	relay_is_done(first);
	call_cancel(second->call, "enough");
	ck_assert_uint_eq(second->concluded, 0);
	settle();
	was_concluded(first, CALL_SUCCESS, NULL);
	was_concluded(second, CALL_CANCELLED, "enough");
	ck_assert_int_eq(second->pids[ROLE_BOX], 0);
	ck_assert_int_ne(third->pids[ROLE_BOX], 0);
	relay_dies(third);
	wait_until_concluded(third);
	close_stage();
}
END_TEST

START_TEST(without_a_queue_no_call_waits)
{
	struct play *play;
	struct err err = { 0, "" };

	open_stage();
	sv.options.max_concurrent = 1;
	sv.options.queue = 0;
	play = start_call();
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_ne(err.text, "");
	relay_dies(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

START_TEST(all_can_be_cancelled)
{
	struct play *play[5];
	int n;

	open_stage();
	sv.options.max_concurrent = 2;
	play[0] = run_call();
	for (n = 1; n < 5; n++)
		play[n] = new_call();
	call_cancel_all(&sv.runs, "Caisson is shutting down");
	relay_is_done(play[0]);
	relay_is_done(play[1]);
	for (n = 0; n < 5; n++) {
		wait_until_concluded(play[n]);
		was_concluded(
		    play[n], CALL_CANCELLED, "Caisson is shutting down");
	}
	/* None of those who waited was started on the way. */
	ck_assert_int_eq(play[2]->pids[ROLE_BOX], 0);
	ck_assert_uint_eq(idles, 1);
	close_stage();
}
END_TEST

/* There are places, but not for calls of a conversation that has one. */
START_TEST(a_conversation_cannot_fill_the_queue)
{
	struct play *play[3];
	struct err err = { 0, "" };
	int n;

	open_stage();
	sv.options.max_concurrent = 4;
	sv.options.queue = 1;
	talk = "t";
	play[0] = new_call();
	play[1] = new_call();
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_eq(err.text, "busy: a call of this conversation is "
	    "running and 1 are waiting; calls of a conversation take "
	    "turns: try again later, or raise CAISSON_QUEUE");
	talk = NULL;
	play[2] = new_call();
	ck_assert_uint_eq(sv.runs.nrunning, 2);
	ck_assert_uint_eq(sv.runs.nwaiting, 1);
	call_cancel_all(&sv.runs, "Caisson is shutting down");
	relay_is_done(play[0]);
	relay_is_done(play[2]);
	for (n = 0; n < 3; n++)
		wait_until_concluded(play[n]);
	close_stage();
}
END_TEST

/* A start that fails at once gives its place to the next. */
START_TEST(failed_starts_do_not_stop_the_queue)
{
	struct play *play[3];
	int n;

	open_stage();
	sv.options.max_concurrent = 1;
	unspawnable = ROLE_BOX;
	for (n = 0; n < 3; n++)
		play[n] = new_call();
	for (n = 0; n < 3; n++) {
		wait_until_concluded(play[n]);
		was_concluded(play[n], CALL_ERROR,
		    "the box cannot be started: no box today");
	}
	close_stage();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, the_deadline_ends_the_code);
	tcase_add_test(tc, the_deadline_ends_a_silent_code);
	tcase_add_test(tc, a_deadline_names_what_was_waited_for);
	tcase_add_loop_test(tc, can_be_cancelled_in_every_state, 0,
	    UNIT_COUNT(cancel_states));
	tcase_add_loop_test(tc, a_box_may_stand_too_late, 0, 2);
	tcase_add_test(tc, the_code_may_run_too_late);
	tcase_add_test(tc, a_failure_is_not_a_cancel);
	tcase_add_test(tc, calls_wait_for_their_turn);
	tcase_add_test(tc, owners_take_turns);
	tcase_add_test(tc, an_owner_is_told_once);
	tcase_add_test(tc, calls_wait_only_so_long);
	tcase_add_test(tc, three_owners_share_four_places);
	tcase_add_test(tc, a_late_call_says_what_runs);
	tcase_add_test(tc, a_call_may_be_cancelled_while_it_waits);
	tcase_add_test(tc, without_a_queue_no_call_waits);
	tcase_add_test(tc, all_can_be_cancelled);
	tcase_add_test(tc, a_conversation_cannot_fill_the_queue);
	tcase_add_test(tc, failed_starts_do_not_stop_the_queue);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run_at_once("call_ends", add_tests, 5);
}
