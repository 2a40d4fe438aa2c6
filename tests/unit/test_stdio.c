/*
 * Tests of supervisor/front/stdio: lines come in whole however they were cut,
 * answers go out in order however slowly they are read, neither waits for the
 * other, and a client that is gone is told once. The session is a stand-in.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/mem.h"
#include "common/loop.h"
#include "unit.h"
#include "supervisor/front/front.h"

/* Bytes of a line, at most: see CLIENT_LINE_FACTOR. */
#define MAX_CODE 1000
#define LINE_MAX_BYTES (MAX_CODE * CLIENT_LINE_FACTOR + CLIENT_LINE_EXTRA)

static struct buffer told;
static struct stdio *client;
static int echo; /* whether each line is answered with itself */

/* The session: records the lines that it gets. */

static int a_session;
#define SESSION ((struct mcp *)(void *)&a_session)
static struct mcp_door door;
static const struct mcp_about about = { .answers = 1 };
static struct owner user;

struct mcp *
mcp_new(struct runs *its_runs, struct owner *owner,
    const struct mcp_door *its_door)
{
	(void)its_runs;
	ck_assert_ptr_eq(owner, &user);
	door = *its_door;
	return SESSION;
}

static void
on_line(const struct line *line)
{
	struct buffer answer = { 0 };

	if (line->oversized)
		buffer_printf(&told, "oversized %zu\n", line->total);
	else if (line->len > 100)
		buffer_printf(&told, "long %zu\n", line->len);
	else
		buffer_printf(
		    &told, "line %.*s\n", (int)line->len, line->data);
	if (!echo)
		return;
	buffer_add(&answer, line->data, line->len);
	buffer_add_text(&answer, "\n");
	door.send(door.ctx, &answer, &about);
}

void
mcp_on_lines(struct mcp *mcp, struct lines *lines)
{
	struct line line;

	ck_assert_ptr_eq(mcp, SESSION);
	while (lines_next(lines, &line))
		on_line(&line);
}

void
mcp_on_end(struct mcp *mcp, const char *why)
{
	(void)mcp;
	buffer_add_text(&told, "end\n");
}

void
mcp_on_drain(struct mcp *mcp)
{
	ck_assert_ptr_eq(mcp, SESSION);
	buffer_add_text(&told, "drain\n");
}

void
mcp_free(struct mcp **mcp)
{
	ck_assert_ptr_eq(*mcp, SESSION);
	*mcp = NULL;
	buffer_add_text(&told, "free\n");
}

static void
on_ended(void *ctx)
{
	(void)ctx;
	buffer_add_text(&told, "gone\n");
}

/* The client */

static struct options options;
static struct runs runs = { .options = &options };
static int fds_before;
static int to_us = -1, from_us = -1; /* the client's ends */

static void
open_client_with(int in, int out)
{
	client = stdio_new(&runs, &user, &in, &out, on_ended, NULL);
	ck_assert_int_eq(in, -1);
	ck_assert_int_eq(out, -1);
}

static void
prepare(int any_file)
{
	signal(SIGPIPE, SIG_IGN); /* as main does */
	fds_before = unit_open_fds();
	runs.base = loop_new(any_file);
	options.max_code = MAX_CODE;
	buffer_add_text(&told, "");
}

static void
open_client(void)
{
	int in[2], out[2];

	prepare(0);
	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	to_us = in[1];
	from_us = out[0];
	ck_assert_int_eq(fd_set_nonblock(from_us, 1, NULL), 0);
	open_client_with(in[0], out[1]);
}

static void
close_client(void)
{
	stdio_free(&client);
	stdio_free(&client); /* NULL is accepted */
	fd_close(&to_us);
	fd_close(&from_us);
	event_base_free(runs.base);
	buffer_reset(&told);
	ck_assert_int_eq(unit_open_fds(), fds_before);
}

/* Lets us do all we can. */
static void
settle(void)
{
	int n;

	for (n = 0; n < 4; n++)
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
}

static void
was_told(const char *wanted)
{
	buffer_add(&told, "", 0);
	ck_assert_str_eq(told.data, wanted);
	told.len = 0;
}

/* Writes into a pipe that we empty meanwhile, at most chunk at once. */
static void
write_chunks(const char *data, size_t len, size_t chunk)
{
	size_t part;

	while (len > 0) {
		part = len < chunk ? len : chunk;
		if (write(to_us, data, part) != (ssize_t)part)
			ck_abort_msg("the pipe is full");
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
		data += part;
		len -= part;
	}
	settle();
}

static void
say(const char *text)
{
	write_chunks(text, strlen(text), PIPE_CHUNK);
}

/* Sends one answer as a session does. */
static void
answer(const char *data, size_t len)
{
	struct buffer lines = { 0 };

	buffer_add(&lines, data, len);
	door.send(door.ctx, &lines, &about);
	if (lines.len != 0 || lines.data != NULL)
		ck_abort_msg("the buffer was not emptied");
}

/* Reads up to most bytes that the client was sent. Returns how many came. */
static size_t
read_some(struct buffer *got, size_t most)
{
	ssize_t n = read(from_us, buffer_reserve(got, most), most);

	if (n <= 0)
		return 0;
	got->len += (size_t)n;
	return (size_t)n;
}

/* Reads all, step by step, until so many bytes have come. */
static void
read_all(struct buffer *got, size_t len, size_t step)
{
	while (got->len < len) {
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
		read_some(got, step);
	}
	settle();
	ck_assert_uint_eq(read_some(got, 1), 0);
	ck_assert_uint_eq(got->len, len);
}

/* Lines in */

START_TEST(takes_lines_however_they_are_cut)
{
	static const char lines[] = "one\n\ntwo and\r\n \xff\n{\"three\":3}\n";
	size_t chunk;

	for (chunk = 1; chunk < sizeof(lines); chunk++) {
		open_client();
		write_chunks(lines, strlen(lines), chunk);
		was_told("line one\nline \nline two and\r\nline  \xff\n"
		    "line {\"three\":3}\n");
		close_client();
	}
}
END_TEST

static const struct {
	const char *said, *told;
} endings[] = {
	{ "", "end\ngone\n" },
	{ "one\n", "line one\nend\ngone\n" },
	/* A last line without a newline is a line too. */
	{ "one\ntwo", "line one\nline two\nend\ngone\n" },
	{ "two", "line two\nend\ngone\n" },
};

START_TEST(takes_the_end)
{
	open_client();
	ck_assert_int_eq(write(to_us, endings[_i].said,
	    strlen(endings[_i].said)), (ssize_t)strlen(endings[_i].said));
	fd_close(&to_us);
	settle();
	was_told(endings[_i].told);
	settle();
	was_told(""); /* reported once */
	stdio_free(&client);
	was_told("free\n");
	close_client();
}
END_TEST

static void
check_length(size_t len, const char *wanted)
{
	auto_free char *data = mem_alloc(len + 1);
	auto_free char *line = mem_printf("%s %zu\n", wanted, len);

	memset(data, 'x', len);
	data[len] = '\n';
	open_client();
	write_chunks(data, len + 1, 50000);
	say("next\n");
	buffer_add_text(&told, "");
	ck_assert_int_eq(strncmp(told.data, line, strlen(line)), 0);
	ck_assert_str_eq(told.data + strlen(line), "line next\n");
	close_client();
}

/* A client that has disconnected gets no notice that the program ends. */
START_TEST(announces_the_end_of_the_program)
{
	open_client();
	stdio_drain(client);
	was_told("drain\n");
	fd_close(&to_us);
	settle();
	was_told("end\ngone\n");
	stdio_drain(client);
	was_told("");
	close_client();
}
END_TEST

START_TEST(bounds_a_line)
{
	check_length(LINE_MAX_BYTES, "long");
	check_length(LINE_MAX_BYTES + 1, "oversized");
	check_length(100 * LINE_MAX_BYTES, "oversized");
}
END_TEST

START_TEST(an_oversized_line_may_be_the_last)
{
	auto_free char *data = mem_alloc(PIPE_CHUNK);
	int n;

	memset(data, 'x', PIPE_CHUNK);
	open_client();
	for (n = 0; n < 10; n++)
		write_chunks(data, PIPE_CHUNK, PIPE_CHUNK);
	fd_close(&to_us);
	settle();
	was_told("oversized 655360\nend\ngone\n");
	close_client();
}
END_TEST

/* Answers out */

START_TEST(sends_what_is_read)
{
	auto_buffer struct buffer got = { 0 };

	open_client();
	ck_assert_int_eq(stdio_flushed(client), 1);
	answer("one\n", 4);
	answer("", 0);
	/* It was sent already: it need not wait for the loop. */
	ck_assert_int_eq(stdio_flushed(client), 1);
	read_some(&got, 100);
	ck_assert_uint_eq(got.len, 4);
	answer("two\n", 4);
	read_all(&got, 8, 100);
	ck_assert_mem_eq(got.data, "one\ntwo\n", 8);
	ck_assert_int_eq(stdio_flushed(client), 1);
	was_told("");
	close_client();
}
END_TEST

/*
 * Much more than a pipe holds, read while more is sent: for a while slower,
 * for a while faster.
 */
START_TEST(keeps_order_however_slowly_it_is_read)
{
	auto_buffer struct buffer sent = { 0 };
	auto_buffer struct buffer got = { 0 };
	char line[3000];
	unsigned int n;

	open_client();
	for (n = 0; n < 3300; n++) {
		memset(line, 'a' + (int)(n % 26), sizeof(line));
		line[n * 7 % sizeof(line)] = '\n';
		answer(line, n * 7 % sizeof(line) + 1);
		buffer_add(&sent, line, n * 7 % sizeof(line) + 1);
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
		read_some(&got, n / 300 % 2 == 0 ? n % 500 + 1 : 10000);
	}
	ck_assert_int_eq(stdio_flushed(client), 0);
	read_all(&got, sent.len, 10000);
	ck_assert_mem_eq(got.data, sent.data, sent.len);
	ck_assert_int_eq(stdio_flushed(client), 1);
	close_client();
}
END_TEST

/* Law 11: reading never waits for writing. */
START_TEST(reads_while_nothing_is_read)
{
	auto_free char *data = mem_alloc(MIB);
	int n;

	memset(data, 'x', MIB);
	open_client();
	answer(data, MIB);
	settle();
	for (n = 0; n < 1000; n++)
		say("still here\n");
	ck_assert_uint_eq(told.len, 1000 * strlen("line still here\n"));
	ck_assert_int_eq(stdio_flushed(client), 0);
	close_client();
}
END_TEST

/* Both directions at once, as a client that asks without waiting does. */
START_TEST(echoes_both_ways)
{
	auto_buffer struct buffer sent = { 0 };
	auto_buffer struct buffer got = { 0 };
	size_t written = 0;
	ssize_t n;
	int i;

	open_client();
	echo = 1;
	for (i = 0; i < 20000; i++)
		buffer_printf(&sent, "line number %d\n", i);
	ck_assert_int_eq(fd_set_nonblock(to_us, 1, NULL), 0);
	while (got.len < sent.len) {
		n = write(to_us, sent.data + written, sent.len - written);
		if (n > 0)
			written += (size_t)n;
		event_base_loop(runs.base, EVLOOP_NONBLOCK);
		read_some(&got, 1000);
	}
	ck_assert_uint_eq(got.len, sent.len);
	ck_assert_mem_eq(got.data, sent.data, sent.len);
	close_client();
}
END_TEST

START_TEST(sees_when_it_is_busy)
{
	const size_t len = CLIENT_UNSENT_BUSY + PIPE_CHUNK;
	auto_free char *data = mem_alloc(len);
	auto_buffer struct buffer got = { 0 };

	memset(data, 'x', len);
	open_client();
	answer(data, len); /* the pipe takes the first of it */
	ck_assert_int_eq(door.busy(door.ctx), 0);
	answer("x", 1);
	ck_assert_int_eq(door.busy(door.ctx), 1);
	settle();
	read_some(&got, PIPE_CHUNK);
	settle();
	ck_assert_int_eq(door.busy(door.ctx), 0);
	close_client();
}
END_TEST

/* Clients that are gone */

START_TEST(answers_are_still_sent_after_the_end)
{
	auto_free char *data = mem_alloc(MIB);
	auto_buffer struct buffer got = { 0 };

	memset(data, 'x', MIB);
	open_client();
	answer(data, MIB);
	fd_close(&to_us);
	settle();
	was_told("end\ngone\n");
	ck_assert_int_eq(stdio_flushed(client), 0);
	read_all(&got, MIB, 30000);
	ck_assert_int_eq(stdio_flushed(client), 1);
	close_client();
}
END_TEST

START_TEST(notices_that_no_one_reads)
{
	open_client();
	fd_close(&from_us);
	answer("x\n", 2);
	was_told(""); /* not under the sender's feet */
	settle();
	was_told("end\ngone\n");
	ck_assert_int_eq(stdio_flushed(client), 1);
	/* Its further input is not read, and output to it is dropped. */
	ck_assert_int_eq(write(to_us, "late\n", 5), 5);
	answer("x\n", 2);
	ck_assert_int_eq(stdio_flushed(client), 1);
	fd_close(&to_us);
	settle();
	was_told("");
	close_client();
}
END_TEST

/* The end of input first, the end of output while the rest is sent. */
START_TEST(notices_it_after_the_end_too)
{
	auto_free char *data = mem_alloc(MIB);

	memset(data, 'x', MIB);
	open_client();
	answer(data, MIB);
	fd_close(&to_us);
	settle();
	was_told("end\ngone\n");
	fd_close(&from_us);
	settle();
	ck_assert_int_eq(stdio_flushed(client), 1);
	was_told("");
	close_client();
}
END_TEST

START_TEST(gives_up_on_a_client_that_never_reads)
{
	size_t part = 32 * MIB, sent;
	auto_free char *data = NULL;

	if (UNIT_ASAN) {
		unit_skip("256 MiB are too much with ASan");
		return;
	}
	data = mem_alloc(part);
	open_client();
	for (sent = 0; sent < CLIENT_UNSENT_MAX; sent += part)
		answer(data, part);
	/* One answer of any size may still go; the next finds it unread. */
	answer(data, part);
	settle();
	was_told("");
	answer("x", 1);
	was_told("");
	settle();
	was_told("end\ngone\n");
	ck_assert_int_eq(door.busy(door.ctx), 0);
	close_client();
}
END_TEST

START_TEST(can_be_freed_at_any_time)
{
	open_client();
	say("one\ntw");
	answer("unsent\n", 7);
	stdio_free(&client);
	ck_assert_ptr_null(client);
	was_told("line one\nfree\n");
	close_client();
}
END_TEST

/* Other things than pipes */

START_TEST(works_on_regular_files)
{
	FILE *in = tmpfile(), *out = tmpfile();
	char got[64] = "";

	prepare(1);
	fds_before -= 2; /* the files themselves */
	echo = 1;
	fputs("one\ntwo", in);
	rewind(in);
	open_client_with(dup(fileno(in)), dup(fileno(out)));
	while (strstr(told.data, "gone") == NULL ||
	    !stdio_flushed(client))
		event_base_loop(runs.base, EVLOOP_ONCE);
	was_told("line one\nline two\nend\ngone\n");
	ck_assert_int_eq(pread(fileno(out), got, sizeof(got), 0), 8);
	ck_assert_str_eq(got, "one\ntwo\n");
	fclose(in);
	fclose(out);
	close_client();
}
END_TEST

START_TEST(works_on_one_socket)
{
	auto_buffer struct buffer got = { 0 };
	int pair[2];

	prepare(0);
	echo = 1;
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	to_us = pair[0];
	from_us = dup(pair[0]);
	ck_assert_int_eq(fd_set_nonblock(to_us, 1, NULL), 0);
	open_client_with(pair[1], dup(pair[1]));
	say("one\n");
	read_all(&got, 4, 100);
	ck_assert_mem_eq(got.data, "one\n", 4);
	shutdown(to_us, SHUT_WR);
	settle();
	was_told("line one\nend\ngone\n");
	close_client();
}
END_TEST

/*
 * A shell, or a program that goes on when we have ended, may have the same open
 * files: a flag that was not set is not left behind, one that was set is.
 */
START_TEST(flags_are_left_as_they_were)
{
	int in[2], out[2], kept_in, kept_out, was = _i == 1;

	prepare(0);
	ck_assert_int_eq(pipe(in), 0);
	ck_assert_int_eq(pipe(out), 0);
	to_us = in[1];
	from_us = out[0];
	ck_assert_int_eq(fd_set_nonblock(in[0], was, NULL), 0);
	ck_assert_int_eq(fd_set_nonblock(out[1], was, NULL), 0);
	kept_in = dup(in[0]);
	kept_out = dup(out[1]);
	open_client_with(in[0], out[1]);
	ck_assert_int_ne(fcntl(kept_in, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_ne(fcntl(kept_out, F_GETFL) & O_NONBLOCK, 0);
	stdio_free(&client);
	ck_assert_int_eq((fcntl(kept_in, F_GETFL) & O_NONBLOCK) != 0, was);
	ck_assert_int_eq((fcntl(kept_out, F_GETFL) & O_NONBLOCK) != 0, was);
	fd_close(&kept_in);
	fd_close(&kept_out);
	close_client();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, takes_lines_however_they_are_cut);
	tcase_add_loop_test(tc, takes_the_end, 0, UNIT_COUNT(endings));
	tcase_add_test(tc, announces_the_end_of_the_program);
	tcase_add_test(tc, bounds_a_line);
	tcase_add_test(tc, an_oversized_line_may_be_the_last);
	tcase_add_test(tc, sends_what_is_read);
	tcase_add_test(tc, keeps_order_however_slowly_it_is_read);
	tcase_add_test(tc, reads_while_nothing_is_read);
	tcase_add_test(tc, echoes_both_ways);
	tcase_add_test(tc, sees_when_it_is_busy);
	tcase_add_test(tc, answers_are_still_sent_after_the_end);
	tcase_add_test(tc, notices_that_no_one_reads);
	tcase_add_test(tc, notices_it_after_the_end_too);
	tcase_add_test(tc, gives_up_on_a_client_that_never_reads);
	tcase_add_test(tc, can_be_freed_at_any_time);
	tcase_add_test(tc, works_on_regular_files);
	tcase_add_test(tc, works_on_one_socket);
	tcase_add_loop_test(tc, flags_are_left_as_they_were, 0, 2);
}

int
main(void)
{
	return unit_run("client", add_tests);
}
