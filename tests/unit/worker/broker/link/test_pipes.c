/*
 * Tests of worker/broker/link/pipes, over real pipes with the test as the
 * server: lines arrive, bytes leave in order and within a bound, and an end is
 * told once, after what was said before it.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/link/link.h"

static struct event_base *base;
static struct pipes *pipes;
static struct buffer events;
static int in, out, errors; /* the server's ends */
static size_t unwritten;
static int before;          /* open descriptors */

static void
on_line(void *ctx, const struct line *line)
{
	ck_assert_ptr_eq(ctx, &events);
	buffer_printf(&events, "line %.*s\n", (int)line->len, line->data);
}

/* As an owner does it: in its callback. */
static void
on_closed(void *ctx, const char *how)
{
	buffer_printf(&events, "it %s\n", how);
	pipes_free(&pipes);
}

static void
on_room(void *ctx)
{
	ck_assert_ptr_eq(ctx, &events);
	buffer_add_text(&events, "room\n");
}

/* One pipe, of which the end that the broker has does not block. */
static int
make_pipe(int *server_end, int broker_writes)
{
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	*server_end = fds[!broker_writes];
	ck_assert_int_eq(fcntl(fds[broker_writes], F_SETFL, O_NONBLOCK), 0);
	return fds[broker_writes];
}

static void
make(void)
{
	struct pipes_ends ends = { on_line, on_closed, on_room,
		&events, &unwritten };
	int theirs[3];

	signal(SIGPIPE, SIG_IGN);
	before = unit_open_fds();
	base = loop_new(0);
	theirs[0] = make_pipe(&in, 1);
	theirs[1] = make_pipe(&out, 0);
	theirs[2] = make_pipe(&errors, 0);
	pipes = pipes_new(base, &theirs[0], &theirs[1], &theirs[2], &ends);
	ck_assert_int_eq(theirs[0] + theirs[1] + theirs[2], -3);
}

static void
finish(void)
{
	pipes_free(&pipes);
	pipes_free(&pipes); /* NULL is accepted */
	fd_close(&in);
	fd_close(&out);
	fd_close(&errors);
	event_base_free(base);
	buffer_reset(&events);
	ck_assert_uint_eq(unwritten, 0);
	ck_assert_int_eq(unit_open_fds(), before);
}

static void
put(int fd, const char *text)
{
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static void
turn(void)
{
	int n;

	for (n = 0; n < 5; n++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
expect_events(const char *wanted)
{
	buffer_add_text(&events, "");
	ck_assert_str_eq(events.data, wanted);
	buffer_reset(&events);
}

UNIT_TEST(lines_arrive)
{
	make();
	put(out, "one\ntw");
	turn();
	expect_events("line one\n");
	put(out, "o\n\n");
	turn();
	expect_events("line two\nline \n");
	finish();
}

UNIT_TEST(bytes_leave_in_order)
{
	const size_t len = 3 * MIB + 17;
	auto_free char *data = mem_alloc(len), *copy = mem_alloc(len);
	size_t n, got = 0, given = 0;
	ssize_t part;

	make();
	for (n = 0; n < len; n++)
		data[n] = (char)(n * 7 + n / 251);
	ck_assert_int_eq(fcntl(in, F_SETFL, O_NONBLOCK), 0);
	while (got < len) {
		n = len - given < 100003 ? len - given : 100003;
		ck_assert_int_eq(pipes_write(pipes, data + given, n), 0);
		given += n;
		event_base_loop(base, EVLOOP_NONBLOCK);
		part = read(in, copy + got, len - got);
		got += part > 0 ? (size_t)part : 0;
	}
	ck_assert_uint_eq(pipes_unwritten(pipes), 0);
	ck_assert_mem_eq(copy, data, len);
	finish();
}

UNIT_TEST(what_is_not_read_is_bounded)
{
	const size_t len = SERVER_UNREAD_MAX / 2;
	auto_free char *data = mem_alloc(len);

	make();
	ck_assert_int_eq(pipes_write(pipes, data, len), 0);
	ck_assert_int_eq(pipes_write(pipes, data, len), 0);
	ck_assert_uint_gt(pipes_unwritten(pipes), len);
	ck_assert_int_eq(pipes_write(pipes, data, len), -1);
	/* Less has room still. */
	ck_assert_int_eq(pipes_write(pipes, data, 1), 0);
	put(out, "goes on\n");
	turn();
	expect_events("line goes on\n");
	finish();
}

/* Reads so many bytes as the server. */
static void
take(size_t len)
{
	auto_free char *data = mem_alloc(len);
	ssize_t n = 1;

	for (; len > 0 && n > 0; len -= (size_t)n) {
		turn();
		n = read(in, data, len);
	}
	ck_assert_uint_eq(len, 0);
}

/* What is offered is sent as a whole, or not at all. */
UNIT_TEST(an_offer_is_taken_or_left)
{
	const size_t len = 100 * KIB;
	auto_free char *data = mem_alloc(len);

	make();
	ck_assert_int_eq(pipes_try_write(pipes, "x", 1), 1);
	ck_assert_int_eq(pipes_try_write(pipes, data, len), 1);
	ck_assert_uint_gt(pipes_unwritten(pipes), 0);
	ck_assert_int_eq(pipes_try_write(pipes, "y", 1), 0);
	ck_assert_int_eq(pipes_write(pipes, "z", 1), 0);
	turn();
	expect_events("");
	ck_assert_uint_eq(unwritten, pipes_unwritten(pipes));
	take(1 + len / 2);
	turn();
	expect_events("room\n");
	ck_assert_uint_eq(pipes_unwritten(pipes), 0);
	ck_assert_int_eq(pipes_try_write(pipes, "x", 1), 1);
	take(len - len / 2 + 2);
	finish();
}

/* A pipe that is full to the last byte, of which nothing waits here. */
UNIT_TEST(a_full_pipe_takes_no_offer)
{
	auto_free char *data = mem_alloc(PIPE_CHUNK);

	make();
	ck_assert_int_eq(fcntl(in, F_GETPIPE_SZ), PIPE_CHUNK);
	ck_assert_int_eq(pipes_try_write(pipes, data, PIPE_CHUNK), 1);
	ck_assert_uint_eq(pipes_unwritten(pipes), 0);
	ck_assert_int_eq(pipes_try_write(pipes, data, PIPE_CHUNK), 0);
	turn();
	expect_events("");
	take(PIPE_CHUNK);
	turn();
	expect_events("room\n");
	ck_assert_int_eq(pipes_try_write(pipes, data, PIPE_CHUNK), 1);
	turn();
	expect_events("");
	fd_close(&in);
	ck_assert_int_eq(pipes_try_write(pipes, "x", 1), 0);
	turn();
	expect_events("it closed its standard input\n");
	finish();
}

UNIT_TEST(the_end_of_the_output_is_reported)
{
	make();
	put(out, "last\nhalf");
	fd_close(&out);
	turn();
	expect_events("line last\nit closed its standard output\n");
	ck_assert_ptr_null(pipes);
	finish();
}

/* From the loop, and after what came before. */
UNIT_TEST(the_end_of_the_input_is_reported)
{
	make();
	put(out, "last\n");
	fd_close(&in);
	ck_assert_int_eq(pipes_write(pipes, "x\n", 2), 0);
	ck_assert_int_eq(pipes_write(pipes, "y\n", 2), 0);
	ck_assert_ptr_nonnull(pipes);
	turn();
	expect_events("line last\nit closed its standard input\n");
	finish();
}

static void
expect_errors(const char *wanted, int wanted_cut)
{
	int cut;
	const struct buffer *kept = pipes_errors(pipes, &cut);

	ck_assert_uint_eq(kept->len, strlen(wanted));
	ck_assert_mem_eq(kept->data, wanted, kept->len);
	ck_assert_int_eq(cut, wanted_cut);
}

UNIT_TEST(the_last_errors_are_kept)
{
	auto_free char *much = mem_alloc(2 * SERVER_ERRORS_KEPT + 1);
	auto_free char *wanted = mem_alloc(SERVER_ERRORS_KEPT + 1);

	make();
	put(errors, "one\n");
	turn();
	put(errors, "two\n");
	turn();
	expect_errors("one\ntwo\n", 0);
	memset(much, 'x', SERVER_ERRORS_KEPT - 3);
	put(errors, much);
	turn();
	memset(wanted, 'x', SERVER_ERRORS_KEPT);
	memcpy(wanted, "wo\n", 3);
	expect_errors(wanted, 1);
	memset(much, 'y', 2 * SERVER_ERRORS_KEPT);
	put(errors, much);
	fd_close(&errors);
	turn();
	memset(wanted, 'y', SERVER_ERRORS_KEPT);
	expect_errors(wanted, 1);
	finish();
}

/* Also without the loop, and errors after the rest is closed. */
UNIT_TEST(drains)
{
	make();
	put(out, "one\n");
	put(errors, "first\n");
	pipes_drain(pipes);
	expect_events("line one\n");
	pipes_close(pipes);
	ck_assert_int_eq(pipes_write(pipes, "x", 1), 0);
	ck_assert_int_eq(write(out, "x", 1), -1);
	put(errors, "last\n");
	pipes_drain(pipes);
	expect_errors("first\nlast\n", 0);
	put(errors, "!");
	turn();
	expect_errors("first\nlast\n!", 0);
	expect_events("");
	finish();
}
