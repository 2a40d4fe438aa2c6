/*
 * Tests of supervisor/run/call and supervisor/box/box: how a call succeeds, in
 * whatever order its workers end, what it tells of servers, cgroups and the
 * end of the code, and that it leaves nothing behind.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/utf8.h"
#include "supervisor/box/cgroup.h"
#include "supervisor/process/process.h"
#include "supervisor/run/call_parts.h"
#include "call_play.h"

/* Success */

/* What ends a call: it is concluded when both have happened. */
static void (*const end_events[2])(struct play *play) = {
	code_exits,
	relay_is_done,
};
static const int end_orders[2][2] = { { 0, 1 }, { 1, 0 } };

START_TEST(succeeds_in_every_order)
{
	struct play *play;
	int n;

	open_stage();
	play = start_call();
	box_stands(play);
	relay_runs(play);
	box_lets_go(play);
	settle();
	for (n = 0; n < 2; n++) {
		ck_assert_uint_eq(play->concluded, 0);
		end_events[end_orders[_i][n]](play);
		settle();
	}
	was_concluded(play, CALL_SUCCESS, NULL);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.exited, 1);
	ck_assert_int_eq(play->result.exit_code, 0);
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->facts.landlock, 6);
	ck_assert_int_eq(play->facts.proc, 1);
	ck_assert_uint_eq(play->result.tool_calls, 3);
	ck_assert_int_eq(play->bound, 1);
	ck_assert_int_eq(play->facts.watchdog, 1);
	ck_assert_int_eq(play->facts.unnamed, 1);
	ck_assert_uint_eq(idles, 1);
	close_stage();
}
END_TEST

/* The two channels are two: what crosses which depends on nothing. */
START_TEST(the_code_may_run_before_the_box_is_known)
{
	struct play *play;

	open_stage();
	play = start_call();
	relay_runs(play);
	settle();
	box_stands(play);
	box_lets_go(play);
	end_well(play);
	close_stage();
}
END_TEST

/*
 * Code may end before its relay says that it has sent it. Only then may the
 * relay learn that nothing of a box with three descriptors is left.
 */
START_TEST(the_box_may_be_dead_before_its_code_is_told_to_run)
{
	struct play *play;
	union ipc_any msg;

	open_stage();
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	box_on_init_ended(play->call->box);
	relay_runs(play);
	settle();
	receive(play, ROLE_RELAY, IPC_FINISH, &msg);
	end_well(play);
	close_stage();
}
END_TEST

START_TEST(a_relay_may_leave_when_it_is_done)
{
	struct play *play;

	open_stage();
	play = run_call();
	relay_is_done(play);
	settle();
	relay_dies(play);
	wait_until_gone(play->pids[ROLE_RELAY]);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	code_exits(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* How far the code is, as its caller hears of it. */
static uint64_t heard;

static void
on_progress(void *ctx, const struct box_progress *progress)
{
	const struct play *play = ctx;

	ck_assert_uint_eq(play->concluded, 0);
	ck_assert_uint_eq(progress->total, 9);
	ck_assert_str_eq(progress->text, "rows");
	heard = progress->done;
}

static void
tell_progress(struct play *play, uint64_t done)
{
	struct ipc_progress progress = { .done = done, .total = 9,
		.text = "rows" };

	send_as(play, ROLE_RELAY, IPC_PROGRESS, &progress);
	settle();
}

/* Also when the code has ended, until all is drained. */
START_TEST(progress_is_heard_of)
{
	struct play *play;

	open_stage();
	watching = on_progress;
	play = run_call();
	tell_progress(play, 5);
	ck_assert_uint_eq(heard, 5);
	code_exits(play);
	tell_progress(play, 6);
	ck_assert_uint_eq(heard, 6);
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
	watching = NULL;
}
END_TEST

START_TEST(progress_of_a_cancelled_call_is_not)
{
	struct play *play;

	open_stage();
	watching = on_progress;
	heard = 0;
	play = run_call();
	call_cancel(play->call, "enough");
	tell_progress(play, 5);
	ck_assert_uint_eq(heard, 0);
	box_was_killed(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
	watching = NULL;
}
END_TEST

START_TEST(progress_without_a_listener_is_a_violation)
{
	struct play *play;

	open_stage();
	play = run_call();
	tell_progress(play, 5);
	box_was_killed(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the relay: "
	    "progress that was not asked for");
	close_stage();
}
END_TEST

/* A process still holds a pipe of the code: not for long. */
START_TEST(what_the_code_leaves_is_killed)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	box_was_killed(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* None does: the answer does not wait for the end of the box. */
START_TEST(a_box_that_is_left_is_ended_later)
{
	struct play *play;

	sv.boxes.times.leavings = 100000;
	open_stage();
	play = run_call();
	code_exits(play);
	ck_assert_uint_eq(play->concluded, 0);
	ck_assert_int_eq(is_gone(play->init), 0);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	wait_until_gone(play->init);
	close_stage();
}
END_TEST

/* Whose end of a pipe waits, and whose does not. */
static void
is_nonblocking(int relay_end, int box_end)
{
	ck_assert_int_ne(fcntl(relay_end, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(fcntl(box_end, F_GETFL) & O_NONBLOCK, 0);
}

/* Which process gets which end of the four pipes, and the other fields. */
static void
is_pipe(int read_end, int write_end)
{
	char c = 0;

	ck_assert_int_eq(write(write_end, "x", 1), 1);
	ck_assert_int_eq(read(read_end, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

START_TEST(workers_are_joined_by_pipes)
{
	union ipc_any setup, prepare, start;
	auto_free char *code = NULL;
	struct play *play;
	struct err err;

	open_stage();
	play = new_call();
	receive(play, ROLE_BOX, IPC_SETUP, &setup);
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	is_pipe(setup.setup.control_in, prepare.prepare.control_out);
	is_pipe(prepare.prepare.control_in, setup.setup.control_out);
	is_pipe(prepare.prepare.out, setup.setup.out);
	is_pipe(prepare.prepare.errors, setup.setup.errors);
	/* The relay may not change flags: its ends come as it needs them. */
	is_nonblocking(prepare.prepare.control_out, setup.setup.control_in);
	is_nonblocking(prepare.prepare.control_in, setup.setup.control_out);
	is_nonblocking(prepare.prepare.out, setup.setup.out);
	is_nonblocking(prepare.prepare.errors, setup.setup.errors);
	ck_assert_uint_eq(prepare.prepare.output_max, 65536);
	ipc_message_close(IPC_SETUP, &setup);
	ipc_message_close(IPC_PREPARE, &prepare);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ck_assert_uint_eq(start.start.execution, 1);
	ipc_message_close(IPC_START, &start);
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	/* Another one, for its code. */
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	receive(play, ROLE_RELAY, IPC_START, &start);
	code = ipc_blob_copy(&start.start.code, &err);
	ck_assert_str_eq(code, "print('hi')");
	ipc_message_close(IPC_START, &start);
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

/* Cgroups */

START_TEST(a_group_counts_the_whole_box)
{
	struct play *play;

	open_stage_with_cgroup();
	usage = (struct group_usage){ 7654321, 1234567, 0 };
	play = run_call();
	ck_assert_uint_eq(group_kills, 0);
	code_ends(play, 'e', 0);
	ck_assert_uint_ge(group_kills, 1); /* what it has left behind */
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	ck_assert_int_eq(play->facts.grouped, 1);
	ck_assert_uint_eq(play->result.cpu_us, 7654321);
	ck_assert_uint_eq(play->result.peak_kib, 1234567);
	ck_assert_uint_eq(group_frees, 1);
	close_stage();
}
END_TEST

/* If the cgroup has no figures, the end of the code decides. */
START_TEST(without_its_word_the_code_counts)
{
	struct play *play;

	open_stage_with_cgroup();
	usage = (struct group_usage){ 5, 0, _i };
	unreadable = _i;
	play = run_call();
	code_ends(play, 's', SIGKILL);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "Sandbox was killed by SIGKILL");
	ck_assert_uint_gt(play->result.peak_kib, 0);
	close_stage();
}
END_TEST

static const struct {
	char how;
	int number;
	uint64_t memory;
	const char *error;
} shortages[] = {
	{ 's', SIGKILL, 512 * MIB, "Sandbox ran out of memory (limit 512 "
	    "MiB): keep less at a time, or raise CAISSON_MEMORY" },
	{ 's', SIGKILL, 16 * MIB + 1, "Sandbox ran out of memory (limit "
	    "16777217 bytes): keep less at a time, or raise "
	    "CAISSON_MEMORY" },
	/* That was not the kernel. */
	{ 's', SIGTERM, 512 * MIB, "Sandbox was killed by SIGTERM" },
	{ 'e', 137, 512 * MIB, "Sandbox exited with code 137" },
};

START_TEST(a_box_out_of_memory_is_reported)
{
	struct play *play;

	open_stage_with_cgroup();
	sv.options.memory = shortages[_i].memory;
	usage = (struct group_usage){ 5, 6, 1 };
	play = run_call();
	code_ends(play, shortages[_i].how, shortages[_i].number);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, shortages[_i].error);
	ck_assert_int_eq(play->result.signal,
	    shortages[_i].number == SIGTERM ? SIGTERM : 0);
	close_stage();
}
END_TEST

START_TEST(no_group_no_box)
{
	struct play *play;

	open_stage_with_cgroup();
	ungroupable = 1;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR,
	    "the box cannot be started: no group today");
	ck_assert_int_eq(play->pids[ROLE_BOX], 0);
	close_stage();
}
END_TEST

/* Servers */

/* Compares the servers in START. Returns the channel to the broker, or -1. */
static int
is_told(struct play *play, const char *servers)
{
	auto_free char *told = NULL;
	union ipc_any start;
	struct err err;
	int grant;

	receive(play, ROLE_RELAY, IPC_START, &start);
	told = ipc_blob_copy(&start.start.servers, &err);
	ck_assert_str_eq(told, servers);
	grant = fd_take(&start.start.broker);
	ipc_message_close(IPC_START, &start);
	return grant;
}

static const struct {
	struct server_texts asked;
	const char *told;
} loads[] = {
	{ { (char *)"", 0 }, "[]" },
	{ { (char *)"fs", 3 },
	    "[{\"name\":\"fs\",\"alias\":\"fs\",\"description\":\"Files\"}]" },
	{ { (char *)"git-hub\0fs", 11 },
	    "[{\"name\":\"git-hub\",\"alias\":\"git_hub\",\"description\":"
	    "\"\"},{\"name\":\"fs\",\"alias\":\"fs\",\"description\":"
	    "\"Files\"}]" },
};

START_TEST(a_relay_has_a_grant)
{
	auto_fd int grant = -1;
	union ipc_any prepare;
	struct play *play;
	char byte = 0;

	open_stage();
	offer_servers();
	asked = loads[_i].asked;
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	grant = is_told(play, loads[_i].told);
	ck_assert_int_ne(fcntl(grant, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_uint_eq(loaded.len, asked.len);
	ck_assert_mem_eq(loaded.data, asked.data, asked.len);
	/* The other end is who opened it. */
	ck_assert_int_eq(
	    send(play->channels[ROLE_BROKER], "x", 1, MSG_NOSIGNAL), 1);
	ck_assert_int_eq(recv(grant, &byte, 1, 0), 1);
	fd_close(&grant);
	relay_dies(play);
	wait_until_concluded(play);
	ck_assert_mem_eq(play->servers, asked.data, asked.len);
	close_stage();
}
END_TEST

/* There is no grant; the broker is not even started. */
START_TEST(without_servers_there_is_no_process)
{
	union ipc_any prepare;
	struct play *play;

	open_stage();
	grants_refused = "nobody may ask";
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	ck_assert_int_eq(is_told(play, "[]"), -1);
	relay_dies(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

START_TEST(a_grant_that_is_unavailable)
{
	struct play *play;

	open_stage();
	offer_servers();
	grants_refused = "no broker today";
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no broker today");
	ck_assert_int_eq(play->pids[ROLE_RELAY], 0);
	close_stage();
}
END_TEST

/* What it was to load is no longer configured when its turn comes. */
START_TEST(a_call_may_lose_a_server_while_it_waits)
{
	struct play *first, *second;

	open_stage();
	offer_servers();
	sv.options.max_concurrent = 1;
	first = start_call();
	asked = loads[2].asked;
	second = new_call();
	noffered = 1;
	relay_dies(first);
	wait_until_concluded(first);
	wait_until_concluded(second);
	was_concluded(second, CALL_ERROR, "the box cannot be started: unknown "
	    "server \"git-hub\": configured: \"fs\"");
	ck_assert_int_eq(second->pids[ROLE_BOX], 0);
	close_stage();
}
END_TEST

/*
 * The supervisor keeps no descriptor through which a byte of the code could
 * reach it: two channels, two pidfds and the file of counts while a box is
 * built, then a channel, three pidfds and that file; and a directory, which it
 * opens nothing in.
 */
START_TEST(nothing_of_the_box_is_kept)
{
	struct play *play;
	int before;

	open_stage();
	before = unit_open_fds();
	play = start_call();
	/* Two ends of channels are the test's. */
	ck_assert_int_eq(unit_open_fds(), before + 5 + 2);
	box_stands(play);
	box_lets_go(play);
	wait_until_gone(play->pids[ROLE_BOX]);
	relay_runs(play);
	settle();
	/* Our ends of a channel, and of the lines to both processes. */
	ck_assert_int_eq(unit_open_fds(), before + 5 + 3 + 1);
	end_well(play);
	close_stage();
}
END_TEST

START_TEST(usage_of_the_code_is_reported)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	relay_is_done(play);
	settle();
	ck_assert_uint_gt(play->result.duration_us, 0);
	ck_assert_uint_lt(play->result.duration_us, 60000000);
	ck_assert_uint_gt(play->result.peak_kib, 0);
	close_stage();
}
END_TEST

/* Ends of the code */

static const struct {
	char how;
	int number, ran;
	const char *error;
	int exited, exit_code, signal;
} code_endings[] = {
	{ 'x', 0, 1, NULL, 1, 0, 0 },
	{ 'x', 1, 1, "Sandbox exited with code 1", 1, 1, 0 },
	{ 'x', 137, 1, "Sandbox exited with code 137", 1, 137, 0 },
	{ 's', SIGKILL, 1, "Sandbox was killed by SIGKILL", 0, 0, SIGKILL },
	{ 's', SIGABRT, 1, "Sandbox was killed by SIGABRT", 0, 0, SIGABRT },
	{ 's', 34, 1, "Sandbox was killed by SIGRTMIN", 0, 0, 34 },
	{ 's', 64, 1, "Sandbox was killed by SIGRTMIN+30", 0, 0, 64 },
	/* Before it took the code: not the code's fault. */
	{ 'x', 0, 0, "/usr/bin/python3 ended with code 0 before it received "
	    "the code: is it a Python 3 interpreter (CAISSON_PYTHON)?", 1, 0,
	    0 },
	{ 'x', 127, 0, "/usr/bin/python3 ended with code 127 before it "
	    "received the code: is it a Python 3 interpreter "
	    "(CAISSON_PYTHON)?", 1,
	    127, 0 },
	{ 's', SIGSEGV, 0, "/usr/bin/python3 was killed by SIGSEGV before it "
	    "received the code", 0, 0, SIGSEGV },
};

START_TEST(reports_how_the_code_ended)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	if (code_endings[_i].ran)
		relay_runs(play);
	settle();
	code_ends(play, code_endings[_i].how, code_endings[_i].number);
	/* What it left behind ends with it. */
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0);
	relay_is_done(play);
	settle();
	was_concluded(play, code_endings[_i].error == NULL ? CALL_SUCCESS :
	    CALL_ERROR, code_endings[_i].error);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.exited, code_endings[_i].exited);
	ck_assert_int_eq(play->result.exit_code, code_endings[_i].exit_code);
	ck_assert_int_eq(play->result.signal, code_endings[_i].signal);
	close_stage();
}
END_TEST

/*
 * Ends of the box by its init, which says why. The supervisor hears of the two
 * processes in the order in which they end.
 */

#define OUT_OF_MEMORY                                                          \
	"Sandbox ran out of memory (limit 512 MiB): keep less at a time, or "  \
	"raise CAISSON_MEMORY"

static const struct {
	char how; /* the end of the code */
	int number, init, ran;
	enum call_status status;
	const char *error;
	int signal;
} init_endings[] = {
	{ 's', SIGKILL, BOX_EXIT_MEMORY, 1, CALL_ERROR, OUT_OF_MEMORY, 0 },
	{ 's', SIGKILL, BOX_EXIT_MEMORY, 0, CALL_ERROR, OUT_OF_MEMORY, 0 },
	{ 's', SIGKILL, BOX_EXIT_BLIND, 1, CALL_ERROR,
	    "Sandbox was killed: its memory could not be measured", 0 },
	{ 's', SIGKILL, BOX_EXIT_LOOSE, 1, CALL_ERROR,
	    "Sandbox was killed: its memory could not be measured, because "
	    "its processes could not be stopped: do not keep sending SIGCONT",
	    0 },
	{ 's', SIGKILL, 1, 1, CALL_ERROR, "Sandbox was killed by SIGKILL",
	    SIGKILL },
	/* The code was faster. */
	{ 'x', 0, BOX_EXIT_MEMORY, 1, CALL_SUCCESS, NULL, 0 },
	{ 'x', 3, BOX_EXIT_MEMORY, 1, CALL_ERROR,
	    "Sandbox exited with code 3", 0 },
	{ 's', SIGSEGV, BOX_EXIT_MEMORY, 1, CALL_ERROR,
	    "Sandbox was killed by SIGSEGV", SIGSEGV },
};

static void
end_box(struct play *play, int n, int init_first)
{
	if (init_first)
		end_unheard(play->init, play->init_line, 'x',
		    init_endings[n].init);
	end_unheard(play->code, play->code_line, init_endings[n].how,
	    init_endings[n].number);
	if (!init_first)
		end_unheard(play->init, play->init_line, 'x',
		    init_endings[n].init);
	settle();
	ck_assert_uint_eq(play->concluded, 0); /* the output is missing */
}

START_TEST(reports_why_init_ended_the_box)
{
	int n = _i / 2;
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	if (init_endings[n].ran)
		relay_runs(play);
	settle();
	end_box(play, n, _i % 2);
	relay_is_done(play);
	settle();
	was_concluded(play, init_endings[n].status, init_endings[n].error);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.signal, init_endings[n].signal);
	close_stage();
}
END_TEST

/* What killed the code is known when init has ended, and not before. */
START_TEST(a_killed_code_waits_for_its_init)
{
	struct play *play;

	open_stage();
	play = run_call();
	kill(play->init, SIGSTOP);
	relay_is_done(play);
	end_unheard(play->code, play->code_line, 's', SIGKILL);
	event_base_loop(sv.base, EVLOOP_NONBLOCK);
	wait_until_concluded(play);
	ck_assert(is_gone(play->init));
	was_concluded(play, CALL_ERROR, "Sandbox was killed by SIGKILL");
	ck_assert_int_eq(play->result.signal, SIGKILL);
	close_stage();
}
END_TEST

/* Many after one another: nothing adds up. */
START_TEST(leaves_nothing_behind)
{
	struct play *play;
	enum role role;
	int n, fds = 0;

	open_stage();
	for (n = 0; n < 30; n++) {
		sv.runs.calls = 0;
		memset(&plays[1], 0, sizeof(plays[1]));
		plays[1].code_line = plays[1].init_line = -1;
		for (role = 0; role < ROLES; role++)
			plays[1].channels[role] = -1;
		play = run_call();
		if (n % 3 == 0)
			code_exits(play);
		else if (n % 3 == 1)
			call_cancel(play->call, "enough");
		else
			relay_faults(play);
		relay_is_done(play);
		wait_until_concluded(play);
		wait_until_gone(play->code);
		wait_until_gone(play->init);
		wait_until_gone(play->pids[ROLE_RELAY]);
		wait_until_gone(play->pids[ROLE_BOX]);
		forget_play(play);
		settle();
		if (n == 0)
			fds = unit_open_fds();
		ck_assert_int_eq(unit_open_fds(), fds);
	}
	memset(&plays[1].result, 0, sizeof(plays[1].result));
	close_stage();
}
END_TEST

/* A sentence about a long path is cut, if at all, between characters. */
START_TEST(sentences_stay_text)
{
	auto_free char *path = mem_alloc(OPTION_PATH_MAX + 1);
	struct play *play;
	size_t n;

	path[0] = '/';
	for (n = 1; n + 1 < OPTION_PATH_MAX; n += 2)
		memcpy(path + n, "\xc3\xa9", 2);
	open_stage();
	sv.options.python = path;
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	settle();
	code_ends(play, 'x', 1);
	relay_is_done(play);
	settle();
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_int_eq(utf8_valid(play->result.error,
	    strlen(play->result.error)), 1);
	close_stage();
}
END_TEST

/* Returns the number of the file of counts of a new call, whose code runs. */
static ino_t
run_counted(struct play **play)
{
	union ipc_any msg;
	struct stat st;

	*play = new_call();
	receive(*play, ROLE_BOX, IPC_SETUP, &msg);
	ck_assert_int_eq(fstat(msg.setup.usage, &st), 0);
	/* By which it knows whose counts the file has. */
	ck_assert_uint_eq(msg.setup.number, sv.boxes.started);
	ipc_message_close(IPC_SETUP, &msg);
	receive(*play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(*play, &msg);
	ipc_message_close(IPC_START, &msg);
	box_stands(*play);
	fd_close(&(*play)->channels[ROLE_BOX]);
	relay_runs(*play);
	settle();
	return st.st_ino;
}

/* Ends a process of a box whose launcher has let go. */
static void
end_one(pid_t pid)
{
	kill(pid, SIGKILL);
	wait_until_gone(pid);
	settle();
}

/*
 * The file of counts of a box is that of the next one, unless a process of the
 * first is left that has it: its init, or its launcher. Another box goes on,
 * because no file is spare when there is none.
 */
START_TEST(a_file_of_counts_is_used_again)
{
	struct play *other, *play, *next;
	ino_t first, second;
	pid_t stays;

	sv.boxes.times.leavings = 100000;
	open_stage();
	run_counted(&other);
	first = run_counted(&play);
	stays = _i == 1 ? play->init : play->pids[ROLE_BOX];
	if (_i != 1)
		end_one(play->init);
	if (_i != 2)
		end_one(play->pids[ROLE_BOX]);
	code_exits(play);
	relay_is_done(play);
	wait_until_concluded(play);
	second = run_counted(&next);
	if (_i == 0)
		ck_assert_uint_eq(second, first);
	else if (!is_gone(stays))
		ck_assert_uint_ne(second, first);
	end_well(next);
	end_well(other);
	close_stage();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, a_file_of_counts_is_used_again, 0, 3);
	tcase_add_loop_test(tc, succeeds_in_every_order, 0, 2);
	tcase_add_test(tc, the_code_may_run_before_the_box_is_known);
	tcase_add_test(
	    tc, the_box_may_be_dead_before_its_code_is_told_to_run);
	tcase_add_test(tc, a_relay_may_leave_when_it_is_done);
	tcase_add_test(tc, progress_is_heard_of);
	tcase_add_test(tc, progress_of_a_cancelled_call_is_not);
	tcase_add_test(tc, progress_without_a_listener_is_a_violation);
	tcase_add_test(tc, what_the_code_leaves_is_killed);
	tcase_add_test(tc, a_box_that_is_left_is_ended_later);
	tcase_add_test(tc, workers_are_joined_by_pipes);
	tcase_add_test(tc, a_group_counts_the_whole_box);
	tcase_add_loop_test(tc, without_its_word_the_code_counts, 0, 2);
	tcase_add_loop_test(
	    tc, a_box_out_of_memory_is_reported, 0, UNIT_COUNT(shortages));
	tcase_add_test(tc, no_group_no_box);
	tcase_add_loop_test(
	    tc, a_relay_has_a_grant, 0, UNIT_COUNT(loads));
	tcase_add_test(tc, without_servers_there_is_no_process);
	tcase_add_test(tc, nothing_of_the_box_is_kept);
	tcase_add_test(tc, usage_of_the_code_is_reported);
	tcase_add_loop_test(
	    tc, reports_how_the_code_ended, 0, UNIT_COUNT(code_endings));
	tcase_add_loop_test(tc, reports_why_init_ended_the_box, 0,
	    2 * UNIT_COUNT(init_endings));
	tcase_add_test(tc, a_killed_code_waits_for_its_init);
	tcase_add_test(tc, leaves_nothing_behind);
	tcase_add_test(tc, sentences_stay_text);
	tcase_add_test(tc, a_grant_that_is_unavailable);
	tcase_add_test(tc, a_call_may_lose_a_server_while_it_waits);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("call", add_tests);
}
