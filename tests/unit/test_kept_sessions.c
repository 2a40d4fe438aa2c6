/*
 * Tests of supervisor/run/session*.c: which call gets which box, when sessions
 * end, and what the next call is told. Boxes and the clock are stand-ins, and
 * the test says when the timer has run out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/limits.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/text_list.h"
#include "unit.h"
#include "supervisor/box/box.h"
#include "supervisor/box/language.h"
#include "supervisor/run/run.h"
#include "supervisor/run/session.h"
#include "supervisor/run/session_table.h"

#define BOXES_MAX 16

static uint64_t now_ms;

uint64_t __wrap_clock_ms(void);

uint64_t
__wrap_clock_ms(void)
{
	return now_ms;
}

/* Boxes */

static struct play {
	struct box box;
	uint64_t bytes;
	int dead;
	int unsettled; /* processes are ending, so often is that looked for */
	int stuck;     /* and they do not end */
	int dropped;
	int cleared;
} plays[BOXES_MAX];

static struct play *
play_of(const struct box *box)
{
	return &plays[box->number];
}

void
box_drop(struct box **box)
{
	if (*box != NULL)
		play_of(*box)->dropped++;
	*box = NULL;
}

void
box_give(struct box *box, box_changed *changed, void *ctx)
{
	box->changed = changed;
	box->ctx = ctx;
}

int
box_alive(const struct box *box)
{
	return !play_of(box)->dead;
}

uint64_t
box_bytes(const struct box *box)
{
	return play_of(box)->bytes;
}

int
box_is_settled(struct box *box, int *late)
{
	*late = play_of(box)->stuck;
	if (play_of(box)->unsettled == 0)
		return !*late;
	play_of(box)->unsettled--;
	return 0;
}

void
box_end_others(struct box *box)
{
	int late;

	ck_assert_int_eq(box_is_settled(box, &late), 1);
	play_of(box)->cleared++;
	play_of(box)->unsettled = 1;
}

/* The stage */

static struct options options;
static struct runs runs;
static struct sessions *all;
static struct owner user = { .name = "", .scope = "" };
static struct owner guest = { .name = "guest", .scope = "guest" };
static struct err err;
static const struct language python = { .name = "python" };

static void
open_stage(void)
{
	options = (struct options){ .sessions = 3, .session_idle = 60,
		.session_age = 600, .session_calls = 4,
		.session_memory = 1000 };
	memset(plays, 0, sizeof(plays));
	for (unsigned int n = 0; n < BOXES_MAX; n++) {
		plays[n].box.number = n;
		plays[n].box.state = BOX_READY;
		plays[n].box.kept = plays[n].box.round = 1;
		plays[n].box.ran = 1;
	}
	now_ms = 1000000;
	runs.base = loop_new(0);
	runs.options = &options;
	all = runs.sessions = sessions_new(&runs);
}

static void
close_stage(void)
{
	sessions_free(&all);
	ck_assert_ptr_null(all);
	event_base_free(runs.base);
}

static struct session *
take(struct owner *owner, const char *name)
{
	struct request request = { .owner = owner, .language = &python };
	struct session *session;

	request.session = mem_strdup(name);
	err = (struct err){ 0 };
	session = session_take(all, &request, &err);
	free(request.session);
	return session;
}

/*
 * One call, which uses box n if there is none yet; box n must be used. Returns
 * what its answer says of the session; its texts may be static only.
 */
static struct call_session
call(struct owner *owner, const char *name, unsigned int n)
{
	struct session *session = take(owner, name);
	struct call_session shown = { 0 };
	struct box *box;

	ck_assert_msg(session != NULL, "%s", err.text);
	box = session_take_box(session);
	if (box == NULL)
		box = &plays[n].box;
	ck_assert_uint_eq(box->number, n);
	session_show(session, box, &shown);
	ck_assert_str_eq(shown.name, name);
	session_put(&session, &box);
	ck_assert_ptr_null(session);
	box_drop(&box);
	return shown;
}

/* Some time passes, and processes that are ended then are gone afterwards. */
static void
pass(uint64_t ms)
{
	now_ms += ms;
	sessions_on_timer(-1, 0, all);
	for (unsigned int n = 0; n < BOXES_MAX; n++)
		plays[n].unsettled = 0;
}

/* Tests */

START_TEST(calls_share_a_box)
{
	struct call_session shown = call(&user, "a", 0);

	ck_assert_uint_eq(shown.calls, 1);
	ck_assert_uint_eq(shown.age_ms, 0);
	ck_assert_ptr_null(shown.earlier);
	ck_assert_ptr_null(shown.ended);
	now_ms += 7;
	shown = call(&user, "a", 0);
	ck_assert_uint_eq(shown.calls, 2);
	ck_assert_uint_eq(shown.age_ms, 7);
	ck_assert_uint_eq(call(&user, "b", 1).calls, 1);
	ck_assert_uint_eq(call(&guest, "a", 2).calls, 1);
	ck_assert_uint_eq(call(&user, "a", 0).calls, 3);
	ck_assert_uint_eq(call(&guest, "a", 2).calls, 2);
	ck_assert_int_eq(plays[0].dropped, 0);
}
END_TEST

START_TEST(its_limits)
{
	struct call_session shown;
	unsigned int n;

	for (n = 1; n < 4; n++)
		ck_assert_ptr_null(call(&user, "calls", 0).ended);
	shown = call(&user, "calls", 0);
	ck_assert_ptr_nonnull(strstr(shown.ended, "CAISSON_SESSION_CALLS"));
	ck_assert_int_eq(plays[0].dropped, 1);
	shown = call(&user, "calls", 1);
	ck_assert_uint_eq(shown.calls, 1);
	ck_assert_ptr_nonnull(strstr(shown.earlier, "CAISSON_SESSION_CALLS"));

	call(&user, "age", 2);
	now_ms += 600 * 1000;
	shown = call(&user, "age", 2);
	ck_assert_ptr_nonnull(strstr(shown.ended, "CAISSON_SESSION_AGE"));
	ck_assert_int_eq(plays[2].dropped, 1);
}
END_TEST

START_TEST(idle_ones_end)
{
	struct call_session shown;

	call(&user, "a", 0);
	pass(30 * 1000);
	call(&user, "b", 1);
	pass(29 * 1000);
	ck_assert_int_eq(plays[0].dropped, 0);
	pass(1000);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_int_eq(plays[1].dropped, 0);
	shown = call(&user, "a", 2);
	ck_assert_uint_eq(shown.calls, 1);
	ck_assert_ptr_nonnull(strstr(shown.earlier, "CAISSON_SESSION_IDLE"));
	/* The cause is reported once, however late a call comes back. */
	ck_assert_ptr_null(call(&user, "a", 2).earlier);
	pass(60 * 1000);
	ck_assert_int_eq(plays[2].dropped, 1);
	pass(60 * 1000);
	ck_assert_ptr_nonnull(strstr(
	    call(&user, "a", 3).earlier, "CAISSON_SESSION_IDLE"));
}
END_TEST

START_TEST(old_ones_end)
{
	unsigned int n;

	options.session_calls = 1000;
	for (n = 0; n < 20; n++) {
		call(&user, "a", 0);
		pass(30 * 1000);
	}
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_ptr_nonnull(strstr(
	    call(&user, "a", 1).earlier, "CAISSON_SESSION_AGE"));
}
END_TEST

START_TEST(large_ones_end)
{
	plays[0].bytes = plays[1].bytes = 400;
	plays[2].bytes = 201;
	call(&user, "a", 0);
	call(&user, "b", 1);
	pass(1);
	call(&user, "a", 0);
	call(&user, "c", 2);
	pass(1);
	ck_assert_int_eq(plays[0].dropped, 0);
	ck_assert_int_eq(plays[1].dropped, 1);
	ck_assert_int_eq(plays[2].dropped, 0);
	ck_assert_ptr_nonnull(strstr(
	    call(&user, "b", 3).earlier, "CAISSON_SESSION_MEMORY"));
	/* Those that are left may be needed, too. */
	ck_assert_int_eq(sessions_yield(all), 1);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_int_eq(sessions_yield(all), 1);
	ck_assert_int_eq(sessions_yield(all), 1);
	ck_assert_int_eq(sessions_yield(all), 0);
	ck_assert_int_eq(sessions_yield(NULL), 0);
}
END_TEST

START_TEST(a_further_one)
{
	struct session *busy[3], *session;
	struct box *none = NULL;
	unsigned int n;

	/* That of the owner who has most, and was idle longest. */
	call(&guest, "g", 0);
	call(&user, "a", 1);
	call(&user, "b", 2);
	call(&user, "c", 3);
	ck_assert_int_eq(plays[1].dropped, 1);
	call(&guest, "h", 4);
	ck_assert_int_eq(plays[0].dropped + plays[2].dropped, 1);
	ck_assert_int_eq(plays[3].dropped, 0);
	ck_assert_ptr_nonnull(strstr(
	    call(&user, "a", 5).earlier, "CAISSON_SESSIONS"));
	sessions_free(&all);

	all = runs.sessions = sessions_new(&runs);
	for (n = 0; n < 3; n++)
		busy[n] = take(&user, (char[]){ (char)('a' + n), '\0' });
	session = take(&user, "d");
	ck_assert_ptr_null(session);
	ck_assert_str_eq(err.text, "all 3 sessions are running code: end one, "
	    "or raise CAISSON_SESSIONS");
	ck_assert_int_ne(err.code, EAGAIN);
	for (n = 0; n < 3; n++)
		session_put(&busy[n], &none);
	session = take(&user, "d");
	ck_assert_ptr_nonnull(session);
	session_put(&session, &none);
}
END_TEST

START_TEST(one_that_ended_by_itself)
{
	struct call_session shown;

	call(&user, "a", 0);
	plays[0].box.cause = BOX_CAUSE_MEMORY;
	plays[0].dead = 1;
	plays[0].box.state = BOX_ENDING;
	plays[0].box.changed(plays[0].box.ctx);
	/* Its cause is reported when its last process has ended. */
	ck_assert_int_eq(plays[0].dropped, 0);
	ck_assert_ptr_null(take(&user, "a"));
	ck_assert_int_eq(err.code, EAGAIN);
	plays[0].box.over = 1;
	plays[0].box.changed(plays[0].box.ctx);
	ck_assert_int_eq(plays[0].dropped, 1);
	shown = call(&user, "a", 1);
	ck_assert_uint_eq(shown.calls, 1);
	ck_assert_str_eq(
	    shown.earlier, "it ran out of memory between two calls");

	plays[1].box.over = 1;
	plays[1].box.changed(plays[1].box.ctx);
	ck_assert_str_eq(call(&user, "a", 2).earlier,
	    "its process ended between two calls");
}
END_TEST

START_TEST(one_whose_call_ended_it)
{
	struct call_session shown;
	struct session *session;
	struct box *none = NULL;

	plays[0].box.state = BOX_ENDING;
	shown = call(&user, "a", 0);
	ck_assert_str_eq(shown.ended, "a signal killed its process");
	ck_assert_int_eq(plays[0].dropped, 1);
	shown = call(&user, "a", 1);
	ck_assert_uint_eq(shown.calls, 1);
	ck_assert_str_eq(shown.earlier, "a signal killed its process");
	/* A call that never began changes nothing. */
	session = take(&user, "a");
	session_put(&session, &none);
	ck_assert_uint_eq(call(&user, "a", 1).calls, 2);
}
END_TEST

/* How the box of a call has ended, and what is said of that. */
static const struct {
	int exited;
	enum box_cause cause;
	const char *failure, *over, *why;
} box_ends[] = {
	{ 1, BOX_CAUSE_CODE, NULL, NULL,
	    "its code called runtime.end_session() or ended its process" },
	{ 0, BOX_CAUSE_CODE, NULL, NULL, "a signal killed its process" },
	{ 0, BOX_CAUSE_MEMORY, NULL, NULL,
	    "it ran out of memory (CAISSON_MEMORY)" },
	{ 0, BOX_CAUSE_UNWATCHED, NULL, NULL,
	    "its memory could not be measured" },
	{ 0, BOX_CAUSE_CODE, "x", NULL, "its sandbox failed" },
	{ 0, BOX_CAUSE_CODE, NULL, "doomed", "doomed" },
};

START_TEST(the_next_call_is_notified)
{
	struct session *session;
	struct call_session shown;
	struct box *box;

	call(&user, "a", 0);
	session = take(&user, "a");
	box = session_take_box(session);
	box->state = BOX_ENDING;
	box->round = 0;
	box->exited = box_ends[_i].exited;
	box->cause = box_ends[_i].cause;
	box->failure = (char *)box_ends[_i].failure;
	if (box_ends[_i].over != NULL) {
		session_doom(session, box_ends[_i].over);
		session_doom(session, "of no matter");
	}
	session_show(session, box, &shown);
	ck_assert_str_eq(shown.ended, box_ends[_i].why);
	session_put(&session, &box);
	box_drop(&box);
	ck_assert_str_eq(call(&user, "a", 1).earlier, box_ends[_i].why);
}
END_TEST

/* Nothing is lost with a session in which no code has run. */
START_TEST(one_that_never_began)
{
	struct session *session;
	struct box *box = NULL;

	session = take(&user, "a");
	session_put(&session, &box);
	call(&user, "b", 0);
	ck_assert_int_eq(sessions_end_named(all, "", "b", "why"),
	    SESSION_ENDED);
	session = take(&user, "b");
	box = &plays[1].box;
	box->ran = 0;
	box->state = BOX_ENDING;
	session_doom(session, "its call was ended");
	session_put(&session, &box);
	box_drop(&box);
	ck_assert_ptr_null(call(&user, "a", 2).earlier);
	ck_assert_str_eq(call(&user, "b", 3).earlier, "why");
}
END_TEST

/* The oldest reasons of the owner with most of them are dropped first. */
START_TEST(so_many_ends_are_remembered)
{
	char name[16];
	unsigned int n;

	call(&guest, "g", 0);
	ck_assert_int_eq(sessions_end_named(all, "guest", "g", "why"),
	    SESSION_ENDED);
	for (n = 0; n < SESSION_LOSSES_MAX; n++) {
		snprintf(name, sizeof(name), "%u", n);
		call(&user, name, 1);
		ck_assert_int_eq(sessions_end_named(all, "", name, "why"),
		    SESSION_ENDED);
	}
	ck_assert_str_eq(call(&guest, "g", 2).earlier, "why");
	ck_assert_ptr_null(call(&user, "0", 3).earlier);
	ck_assert_str_eq(call(&user, "1", 4).earlier, "why");
}
END_TEST

START_TEST(one_that_has_ended_gives_way)
{
	call(&user, "a", 0);
	call(&user, "b", 1);
	call(&user, "c", 2);
	plays[1].box.over = 1;
	plays[1].box.changed(plays[1].box.ctx);
	/* It only says why, and others are older, but have state. */
	call(&user, "d", 3);
	ck_assert_int_eq(plays[0].dropped, 0);
	ck_assert_int_eq(plays[2].dropped, 0);
	ck_assert_uint_eq(call(&user, "a", 0).calls, 2);
	ck_assert_str_eq(call(&user, "b", 4).earlier,
	    "its process ended between two calls");
}
END_TEST

/* A file like /proc/meminfo, with that much memory left. */
static void
set_left(const char *path, const char *line)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "MemTotal: 9999999 kB\nMemFree: 1 kB\n%s\n", line);
	fclose(file);
}

START_TEST(the_machine_is_short_of_memory)
{
	char path[] = "/tmp/caisson-meminfo-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ne(fd, -1);
	close(fd);
	options.memory = 8 * 1024;
	all->meminfo = path;
	call(&user, "a", 0);
	call(&user, "b", 1);
	set_left(path, "MemAvailable: 8 kB");
	sessions_on_timer(-1, 0, all);
	ck_assert_int_eq(plays[0].dropped, 0);
	/* One at a time, the one that was idle longest first. */
	set_left(path, "MemAvailable: 7 kB");
	sessions_on_timer(-1, 0, all);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_int_eq(plays[1].dropped, 0);
	ck_assert_ptr_nonnull(strstr(
	    call(&user, "a", 2).earlier, "less memory left"));
	/* What is unknown ends none. */
	set_left(path, "MemAvailable: none");
	sessions_on_timer(-1, 0, all);
	ck_assert_int_eq(unlink(path), 0);
	sessions_on_timer(-1, 0, all);
	ck_assert_int_eq(plays[1].dropped, 0);
	ck_assert_int_eq(plays[2].dropped, 0);
}
END_TEST

/* The rows of sessions_tell, a line for each. */
static void
note(void *ctx, const struct session_facts *facts)
{
	buffer_printf(ctx, "%s/%s %s%s %lu %llu %llu %llu\n", facts->scope,
	    facts->name, facts->language, facts->busy ? " busy" : "",
	    facts->calls, (unsigned long long)facts->age_ms,
	    (unsigned long long)facts->idle_ms,
	    (unsigned long long)facts->bytes);
}

static void
check_told(const char *wanted)
{
	auto_buffer struct buffer told = { 0 };

	buffer_add_text(&told, "");
	sessions_tell(all, note, &told);
	ck_assert_str_eq(told.data, wanted);
}

START_TEST(they_are_listed)
{
	struct session *session;
	struct box *box;

	check_told("");
	sessions_tell(NULL, note, NULL);
	plays[0].bytes = 7;
	call(&user, "a", 0);
	now_ms += 10;
	call(&guest, "a", 1);
	call(&guest, "a", 1);
	now_ms += 5;
	check_told("/a python 1 15 15 7\nguest/a python 2 5 5 0\n");
	session = take(&user, "a");
	box = session_take_box(session);
	check_told("/a python busy 2 15 0 0\nguest/a python 2 5 5 0\n");
	session_put(&session, &box);
	/* One that has ended has nothing any more. */
	plays[1].box.over = 1;
	plays[1].box.changed(plays[1].box.ctx);
	check_told("/a python 2 15 0 7\n");
}
END_TEST

START_TEST(one_of_a_name_ends)
{
	struct session *session;
	struct call_session shown;
	struct box *box, *none = NULL;

	call(&user, "a", 0);
	call(&guest, "a", 1);
	ck_assert_int_eq(sessions_end_named(all, "", "b", "why"),
	    SESSION_UNKNOWN);
	ck_assert_int_eq(sessions_end_named(NULL, "", "a", "why"),
	    SESSION_UNKNOWN);
	ck_assert_int_eq(sessions_end_named(all, "", "a", "why"),
	    SESSION_ENDED);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_int_eq(plays[1].dropped, 0);
	ck_assert_int_eq(sessions_end_named(all, "", "a", "why"),
	    SESSION_UNKNOWN);
	ck_assert_str_eq(call(&user, "a", 2).earlier, "why");

	session = take(&user, "a");
	box = session_take_box(session);
	ck_assert_int_eq(sessions_end_named(all, "", "a", "why"),
	    SESSION_ENDING);
	ck_assert_int_eq(plays[2].dropped, 0);
	session_show(session, box, &shown);
	ck_assert_str_eq(shown.ended, "why");
	session_put(&session, &box);
	box_drop(&box);
	ck_assert_int_eq(plays[2].dropped, 1);
	ck_assert_str_eq(call(&user, "a", 4).earlier, "why");

	/* A call that had it, and did not begin. */
	session = take(&guest, "a");
	ck_assert_int_eq(sessions_end_named(all, "guest", "a", "why"),
	    SESSION_ENDING);
	session_put(&session, &none);
	ck_assert_int_eq(plays[1].dropped, 1);
	ck_assert_uint_eq(call(&guest, "a", 3).calls, 1);
}
END_TEST

START_TEST(processes_that_are_left)
{
	unsigned int n;

	call(&user, "a", 0);
	plays[0].unsettled = 2;
	for (n = 0; n < 2; n++) {
		ck_assert_ptr_null(take(&user, "a"));
		ck_assert_int_eq(err.code, EAGAIN);
	}
	/* Threads that are stopped have started none. */
	plays[0].box.threads = 1;
	call(&user, "a", 0);
	ck_assert_int_eq(plays[0].cleared, 0);
	/* Where threads run on, those are ended before each call. */
	options.session_threads = 1;
	ck_assert_ptr_null(take(&user, "a"));
	ck_assert_int_eq(err.code, EAGAIN);
	ck_assert_int_eq(plays[0].cleared, 1);
	ck_assert_ptr_null(take(&user, "a"));
	call(&user, "a", 0);
	ck_assert_int_eq(plays[0].cleared, 1);
	/* And sometimes while it is idle, whatever the code says. */
	plays[0].box.threads = 0;
	pass(1000);
	ck_assert_int_eq(plays[0].cleared, 2);
	plays[0].stuck = 1;
	ck_assert_str_eq(call(&user, "a", 1).earlier,
	    "processes that an earlier call had left did not end");
	ck_assert_int_eq(plays[0].dropped, 1);
	/* One that cannot be cleared does not wait for its next call. */
	plays[1].stuck = 1;
	pass(1000);
	ck_assert_int_eq(plays[1].dropped, 1);
}
END_TEST

START_TEST(servers_add_up)
{
	struct request request = { .owner = &user };
	struct buffer names = { 0 };
	struct session *session;
	struct box *box = &plays[0].box;
	size_t len;

	request.session = "a";
	text_list_add(&names, "x");
	request.servers = names.data;
	request.servers_len = names.len;
	session = session_take(all, &request, &err);
	ck_assert_mem_eq(session_servers(session, &request, &len), "x\0", 2);
	ck_assert_uint_eq(len, 2);
	session_put(&session, &box);
	text_list_add(&names, "y");
	request.servers = names.data;
	request.servers_len = names.len;
	session = session_take(all, &request, &err);
	session_servers(session, &request, &len);
	ck_assert_mem_eq(
	    session_servers(session, &request, &len), "x\0y\0", 4);
	ck_assert_uint_eq(len, 4);
	box = session_take_box(session);
	session_put(&session, &box);
	buffer_reset(&names);
}
END_TEST

START_TEST(those_of_an_owner_end)
{
	struct session *session;
	struct call_session shown;
	struct box *box;

	call(&guest, "before", 6);
	ck_assert_int_eq(sessions_end_named(all, "guest", "before", "why"),
	    SESSION_ENDED);
	call(&guest, "idle", 0);
	call(&guest, "busy", 1);
	call(&user, "busy", 2);
	session = take(&guest, "busy");
	box = session_take_box(session);
	sessions_end_owner(all, "guest", "its token was revoked");
	sessions_end_owner(NULL, "guest", "its token was revoked");
	ck_assert_int_eq(plays[0].dropped, 1);
	session_show(session, box, &shown);
	ck_assert_str_eq(shown.ended, "its token was revoked");
	session_put(&session, &box);
	box_drop(&box);
	ck_assert_int_eq(plays[1].dropped, 1);
	ck_assert_int_eq(plays[2].dropped, 0);
	/* The answer of a later one of this name does not mention it. */
	ck_assert_ptr_null(call(&guest, "busy", 3).earlier);
	ck_assert_ptr_null(call(&guest, "idle", 4).earlier);
	ck_assert_ptr_null(call(&guest, "before", 5).earlier);
}
END_TEST

START_TEST(all_end)
{
	struct session *session;
	struct box *box;

	call(&user, "a", 0);
	call(&user, "b", 1);
	session = take(&user, "b");
	box = session_take_box(session);
	sessions_stop(all);
	sessions_stop(NULL);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_ptr_null(take(&user, "c"));
	ck_assert_str_eq(err.text, "there are no sessions here");
	session_put(&session, &box);
	ck_assert_ptr_eq(box, &plays[1].box);
	box_drop(&box);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, open_stage, close_stage);
	tcase_add_test(tc, calls_share_a_box);
	tcase_add_test(tc, its_limits);
	tcase_add_test(tc, idle_ones_end);
	tcase_add_test(tc, old_ones_end);
	tcase_add_test(tc, large_ones_end);
	tcase_add_test(tc, a_further_one);
	tcase_add_test(tc, one_that_ended_by_itself);
	tcase_add_test(tc, one_whose_call_ended_it);
	tcase_add_loop_test(
	    tc, the_next_call_is_notified, 0, UNIT_COUNT(box_ends));
	tcase_add_test(tc, one_that_never_began);
	tcase_add_test(tc, so_many_ends_are_remembered);
	tcase_add_test(tc, one_that_has_ended_gives_way);
	tcase_add_test(tc, the_machine_is_short_of_memory);
	tcase_add_test(tc, they_are_listed);
	tcase_add_test(tc, one_of_a_name_ends);
	tcase_add_test(tc, processes_that_are_left);
	tcase_add_test(tc, servers_add_up);
	tcase_add_test(tc, those_of_an_owner_end);
	tcase_add_test(tc, all_end);
}

int
main(void)
{
	return unit_run("kept_sessions", add_tests);
}
