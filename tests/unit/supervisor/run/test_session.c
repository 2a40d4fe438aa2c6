/*
 * Tests of supervisor/run/session: which call gets which box, when sessions
 * end, and what the next call is told. Boxes and the clock are stand-ins, and
 * the test says when the timer has run out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "tests/unit/unit.h"
#include "supervisor/box/box.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/run/run.h"
#include "supervisor/run/session.h"

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
		plays[n].box.phase = BOX_RESTING;
		plays[n].box.how = BOX_SESSION;
		plays[n].box.session.ended = true;
		plays[n].box.known = BOX_HAS_RUN;
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

/* Tests */

UNIT_TEST(a_further_one)
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

/* The oldest reasons of the owner with most of them are dropped first. */
UNIT_TEST(so_many_ends_are_remembered)
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

/* The call that has the session got no box yet, as the broker did not start. */
UNIT_TEST(a_box_ends_while_a_call_waits_for_it)
{
	struct session *session;
	struct box *none = NULL;

	call(&user, "a", 0);
	session = take(&user, "a");
	plays[0].box.phase = BOX_OVER;
	plays[0].box.changed(plays[0].box.ctx);
	ck_assert_int_eq(plays[0].dropped, 1);
	ck_assert_ptr_null(session_take_box(session));
	ck_assert_int_eq(
	    sessions_end_named(all, "", "a", "why"), SESSION_ENDING);
	session_put(&session, &none);
	ck_assert_str_eq(call(&user, "a", 1).earlier,
	    "its process ended between two calls");
}

/* A file like /proc/meminfo, with that much memory left. */
static void
set_left(const char *path, const char *line)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "MemTotal: 9999999 kB\nMemFree: 1 kB\n%s\n", line);
	fclose(file);
}

UNIT_TEST(the_machine_is_short_of_memory)
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

UNIT_TEST(those_of_an_owner_end)
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

UNIT_FIXTURE(open_stage, close_stage)
