/*
 * Tests of relay/calls/outbox: frames reach the box whole, byte for byte,
 * however they are made and however slowly it reads; what waits is counted; and
 * a box that does not read, or has closed its end, leaves nothing behind.
 * Linked with that file alone.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "tests/unit/unit.h"

static struct event_base *base;
static struct outbox *outbox;
static int box_in; /* the box's end */
static int fds_before;
static struct buffer expected; /* all that the box must read */

static void
open_outbox(void)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	fds_before = unit_open_fds();
	base = loop_new(0);
	ck_assert_int_eq(pipe(fds), 0);
	box_in = fds[0];
	ck_assert_int_eq(fd_set_nonblock(box_in, 1, NULL), 0);
	outbox = outbox_new(base, &fds[1]);
	ck_assert_int_eq(fds[1], -1);
}

static void
close_outbox(void)
{
	outbox_free(&outbox);
	outbox_free(&outbox); /* NULL is accepted */
	fd_close(&box_in);
	event_base_free(base);
	buffer_reset(&expected);
	ck_assert_int_eq(unit_open_fds(), fds_before);
}

static void
add_text(enum outbox_kind kind, const char *text)
{
	struct outbox_frame frame = { .memfd = -1, .tail = "" };

	buffer_add_text(&frame.text, text);
	buffer_add_text(&expected, text);
	outbox_add(outbox, kind, &frame);
	ck_assert_ptr_null(frame.text.data);
}

/* Adds an answer of len bytes that differ, in a memfd or not. */
static void
add_answer(size_t len, int in_memfd)
{
	struct outbox_frame frame = { .memfd = -1, .tail = "" };
	auto_free uint8_t *data = mem_alloc(len);
	struct ipc_blob blob = { data, len, -1 };
	size_t n;

	for (n = 0; n < len; n++)
		data[n] = (uint8_t)('a' + n * n % 23 + n / 4096 % 3);
	if (in_memfd) {
		blob.data = NULL;
		blob.fd = memfd_create("answer", MFD_CLOEXEC);
		ck_assert_int_eq(fd_write_all(blob.fd, data, len), 0);
	}
	buffer_add_text(&frame.text, "<head>");
	outbox_frame_finish(&frame, &blob, "<tail>\n");
	ck_assert_int_eq(blob.fd, -1);
	ck_assert_uint_eq(outbox_frame_len(&frame), len + 13);
	outbox_add(outbox, OUTBOX_ANSWER, &frame);
	buffer_add_text(&expected, "<head>");
	buffer_add(&expected, data, len);
	buffer_add_text(&expected, "<tail>\n");
}

/* Reads all, by pieces of step bytes at most, and compares. */
static void
expect_all(size_t step)
{
	auto_buffer struct buffer got = { 0 };
	ssize_t n;

	while (got.len < expected.len) {
		n = read(box_in, buffer_reserve(&got, step), step);
		if (n > 0)
			got.len += (size_t)n;
		else if (n == 0 || errno != EAGAIN)
			ck_abort_msg("the box is cut off");
		event_base_loop(base, EVLOOP_NONBLOCK);
	}
	ck_assert_mem_eq(got.data, expected.data, expected.len);
	ck_assert_int_eq(read(box_in, &n, 1), -1);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_uint_eq(outbox_answers(outbox), 0);
	ck_assert_uint_eq(outbox_unread(outbox), 0);
	/* Returns only when nothing is waited for any more. */
	event_base_dispatch(base);
	buffer_reset(&expected);
}

static const size_t steps[] = { 61, 4095, 4096, 65536, 1000003 };

/* Each kind behind each other kind, around the sizes of pipe and chunk. */
UNIT_TESTS(frames_arrive_whole, UNIT_COUNT(steps))
{
	static const size_t sizes[] = { 0, 1, PIPE_CHUNK - 7, PIPE_CHUNK - 6,
		PIPE_CHUNK - 5, PIPE_CHUNK, 3 * PIPE_CHUNK - 13, 300000 };
	size_t n;

	open_outbox();
	add_text(OUTBOX_RUN, "run\n");
	for (n = 0; n < UNIT_COUNT(sizes); n++) {
		add_answer(sizes[n], 1);
		add_text(OUTBOX_REFUSAL, "no\n");
		add_answer(sizes[n], 0);
		add_answer(sizes[n], 1);
	}
	expect_all(steps[_i]);
	add_answer(100000, 1);
	expect_all(steps[_i]);
	close_outbox();
}

/* The largest answer, through a box that reads in small pieces. */
UNIT_TEST(a_large_answer_stays_in_its_memfd)
{
	int fds;

	open_outbox();
	fds = unit_open_fds();
	add_answer(RESULT_MAX, 1);
	ck_assert_int_eq(unit_open_fds(), fds + 1);
	expect_all(5000);
	ck_assert_int_eq(unit_open_fds(), fds);
	close_outbox();
}

/* The run frame does not count, whatever its size. */
UNIT_TEST(what_waits_is_counted)
{
	auto_free char *code = mem_alloc(MIB + 1);
	char c[10];

	memset(code, 'x', MIB);
	open_outbox();
	add_text(OUTBOX_RUN, code);
	ck_assert_uint_eq(outbox_unread(outbox), 0);
	add_answer(100, 0);
	ck_assert_uint_eq(outbox_answers(outbox), 1);
	ck_assert_uint_eq(outbox_unread(outbox), 113);
	add_answer(MIB, 1);
	add_text(OUTBOX_REFUSAL, "no\n");
	add_text(OUTBOX_REFUSAL, "never\n");
	ck_assert_uint_eq(outbox_answers(outbox), 2);
	ck_assert_uint_eq(outbox_unread(outbox), 113 + MIB + 13 + 9);
	expect_all(10000);
	/* What is half written has half of its bytes to go. */
	add_answer(MIB, 1);
	ck_assert_uint_eq(outbox_answers(outbox), 1);
	ck_assert_uint_eq(outbox_unread(outbox), MIB + 13 - PIPE_CHUNK);
	ck_assert_int_eq(read(box_in, c, sizeof(c)), sizeof(c));
	close_outbox();
}

/* Each is a few bytes; so is what it costs, and none is lost. */
UNIT_TEST(many_refusals_wait)
{
	int n;

	open_outbox();
	add_answer(MIB, 1);
	for (n = 0; n < 10000; n++)
		add_text(OUTBOX_REFUSAL, n % 2 ? "no, not now\n" : "no\n");
	ck_assert_uint_eq(
	    outbox_unread(outbox), MIB + 13 - PIPE_CHUNK + 5000 * 15);
	add_answer(10, 0);
	add_text(OUTBOX_REFUSAL, "no\n");
	expect_all(PIPE_CHUNK);
	close_outbox();
}

UNIT_TEST(a_box_that_is_gone_gets_nothing)
{
	int fds;

	open_outbox();
	fds = unit_open_fds();
	add_answer(MIB, 1);
	add_answer(MIB, 1);
	add_text(OUTBOX_REFUSAL, "no\n");
	fd_close(&box_in);
	event_base_dispatch(base);
	/* Its end, the other end, and no answer. */
	ck_assert_int_eq(unit_open_fds(), fds - 2);
	ck_assert_uint_eq(outbox_answers(outbox), 0);
	ck_assert_uint_eq(outbox_unread(outbox), 0);
	add_answer(MIB, 1);
	add_answer(10, 0);
	add_text(OUTBOX_REFUSAL, "no\n");
	ck_assert_int_eq(unit_open_fds(), fds - 2);
	ck_assert_uint_eq(outbox_answers(outbox), 0);
	ck_assert_uint_eq(outbox_unread(outbox), 0);
	event_base_dispatch(base);
	close_outbox();
}

/* No frame is cut in two, and what waited holds no descriptor. */
UNIT_TESTS(what_waits_is_forgotten, 2)
{
	size_t whole;
	int fds;

	open_outbox();
	outbox_forget(outbox);
	fds = unit_open_fds();
	if (_i == 1)
		add_answer(MIB, 1);
	whole = expected.len;
	if (_i == 0) {
		/* The pipe is full, and no frame is begun. */
		add_answer(PIPE_CHUNK - 13, 0);
		whole = expected.len;
	}
	add_answer(MIB, 1);
	add_answer(10, 0);
	add_text(OUTBOX_REFUSAL, "no\n");
	outbox_forget(outbox);
	ck_assert_int_eq(unit_open_fds(), fds + _i);
	ck_assert_uint_eq(outbox_answers(outbox), (size_t)_i);
	ck_assert_uint_eq(outbox_unread(outbox),
	    _i == 0 ? 0 : MIB + 13 - PIPE_CHUNK);
	expected.len = whole;
	add_text(OUTBOX_RUN, "run\n");
	expect_all(5000);
	close_outbox();
}
