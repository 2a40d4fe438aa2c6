/*
 * Tests of relay/output/output: however a stream is cut into reads, what is
 * kept is its head and its tail to the byte, as whole characters, and what is
 * missing is counted. Linked with that file and relay/output/printed, which
 * looks for names in it.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "relay/relay.h"
#include "tests/unit/unit.h"

/* The rest of the relay: counts the calls of its functions. */
static unsigned int ends;

static void
pipe_ended(struct relay *relay)
{
	ends++;
}

static struct relay relay;
static struct output *output;
static int pipe_in; /* the end of the code */

static void
open_output(size_t max)
{
	int fds[2];

	if (relay.base == NULL)
		relay.base = loop_new(0);
	if (pipe(fds) == -1)
		ck_abort_msg("no pipe");
	ends = 0;
	pipe_in = fds[1];
	output = output_new(&relay, &fds[0], max, pipe_ended);
	if (fds[0] != -1)
		ck_abort_msg("the descriptor was not taken");
}

/* Writes bytes that the stream gets in reads of at most chunk. */
static void
write_chunks(const char *data, size_t len, size_t chunk)
{
	size_t part;

	while (len > 0) {
		part = len < chunk ? len : chunk;
		if (part > PIPE_CHUNK)
			part = PIPE_CHUNK;
		if (write(pipe_in, data, part) != (ssize_t)part)
			ck_abort_msg("a pipe is full");
		output_look(output);
		data += part;
		len -= part;
	}
}

/* Ends the stream and takes what was kept of it. */
static void
close_output(struct output_text *kept)
{
	if (ends != 0)
		ck_abort_msg("an end before the end");
	close(pipe_in);
	output_look(output);
	if (ends != 1)
		ck_abort_msg("%u ends", ends);
	output_take(output, kept);
	output_free(&output);
	output_free(&output); /* NULL is accepted */
}

/* What must be kept, by plain arithmetic over the whole stream. */
static void
model(const char *data, size_t len, size_t max, struct buffer *text,
    struct output_text *kept)
{
	size_t head = max / 2, tail = max - head, cut = 0;

	if (len <= max) {
		head = len;
		tail = 0;
	}
	if (len > max) {
		head -= utf8_incomplete_tail(data, head);
		while (cut < 3 && cut < tail &&
		    (data[len - tail + cut] & 0xc0) == 0x80)
			cut++;
		tail -= cut;
	}
	buffer_reserve(text, UTF8_REPAIR_FACTOR * len + 1);
	text->len = utf8_repair(data, head, text->data);
	kept->head = text->len;
	text->len += utf8_repair(
	    data + len - tail, tail, text->data + text->len);
	kept->data = text->data;
	kept->len = text->len;
	kept->dropped = len - head - tail;
}

static void
compare(const struct output_text *kept, const struct output_text *expected)
{
	if (kept->head != expected->head ||
	    kept->dropped != expected->dropped ||
	    kept->len != expected->len ||
	    memcmp(kept->data, expected->data, kept->len) != 0)
		ck_abort_msg("%zu bytes (%zu ahead, %llu dropped) '%.*s', not "
		    "%zu (%zu, %llu) '%.*s'", kept->len, kept->head,
		    kept->dropped, (int)kept->len, kept->data, expected->len,
		    expected->head, expected->dropped, (int)expected->len,
		    expected->data);
}

static void
check(const char *data, size_t len, size_t max, size_t chunk)
{
	auto_buffer struct buffer text = { 0 };
	struct output_text kept, expected;

	open_output(max);
	write_chunks(data, len, chunk);
	close_output(&kept);
	model(data, len, max, &text, &expected);
	compare(&kept, &expected);
	free(kept.data);
}

static unsigned int
pick(unsigned int below)
{
	static unsigned int state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* Tests */

/* Every size around every small cap, odd ones and one, in every chunking. */
UNIT_TESTS(keeps_head_and_tail, 17)
{
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t max = (size_t)_i + 1, len, chunk;

	for (len = 0; len <= 3 * max + 2; len++)
		for (chunk = 1; chunk <= len; chunk++)
			check(alphabet, len, max, chunk);
}

static unsigned int moves;

static void
moved(struct relay *)
{
	moves++;
}

/* What a full pipe does not take waits, and nothing more is read until then. */
UNIT_TEST(is_passed_on)
{
	static char bytes[5 + 2 * PIPE_CHUNK];
	char passed[sizeof(bytes)];
	struct output_text kept;
	int fds[2];
	size_t n, last = sizeof(bytes) - PIPE_CHUNK;

	for (n = 0; n < sizeof(bytes); n++)
		bytes[n] = (char)(n * 7 + n / 251);
	ck_assert_int_eq(pipe2(fds, O_NONBLOCK), 0);
	open_output(16);
	output_put(output, bytes, 5);
	output_pass_on(output, &relay, &fds[1], moved);
	write_chunks(bytes + 5, PIPE_CHUNK, PIPE_CHUNK);
	ck_assert(output_waits(output));
	write_chunks(bytes + last, PIPE_CHUNK, PIPE_CHUNK);
	ck_assert_uint_eq(output_total(output), last);
	for (n = 0; n < sizeof(bytes);) {
		n += (size_t)read(fds[0], passed + n, sizeof(bytes) - n);
		event_base_loop(relay.base, EVLOOP_NONBLOCK);
	}
	ck_assert_mem_eq(passed, bytes, sizeof(bytes));
	ck_assert_uint_gt(moves, 0);
	/* Without a reader, the stream goes on; as in the relay. */
	signal(SIGPIPE, SIG_IGN);
	close(fds[0]);
	write_chunks("end", 3, 3);
	ck_assert(!output_waits(output));
	close_output(&kept);
	ck_assert_mem_eq(kept.data + kept.len - 3, "end", 3);
	free(kept.data);
}

/* * is a mark in what comes, and in what was kept. */
UNIT_TESTS(keeps_marks, 10)
{
	static const struct {
		const char *data, *kept;
		size_t max;
	} cases[] = {
		{ "*", "*", 4 },
		{ "**ab*", "**ab*", 4 },
		{ "a*bcd*e", "a*bd*e", 4 },
		{ "ab*cde*", "ab*de*", 4 },
		{ "abc*d*ef", "ab**ef", 4 },
		{ "abcd*e*f", "ab*e*f", 4 },
		{ "abcde*f", "abe*f", 4 },
		/* Within a character, and beside invalid bytes. */
		{ "\xc3*\xa9", "*\xc3\xa9", 4 },
		{ "a\xff*b", "a\xef\xbf\xbd*b", 4 },
		{ "a\xc3*\xa9zzz\xc3\xa9", "a*\xc3\xa9", 4 },
	};
	auto_buffer struct buffer marked = { 0 };
	struct output_text kept;
	const char *p;
	size_t n, count = 0, next = 0;

	open_output(cases[_i].max);
	for (p = cases[_i].data; *p != '\0'; p++)
		if (*p == '*') {
			output_mark(output);
			count++;
		} else {
			write_chunks(p, 1, 1);
		}
	close_output(&kept);
	for (n = 0; n <= kept.len; n++) {
		for (; next < count && kept.marks[next] == n; next++)
			buffer_add_text(&marked, "*");
		if (n < kept.len)
			buffer_add(&marked, kept.data + n, 1);
	}
	ck_assert_uint_eq(next, count);
	ck_assert_str_eq(marked.data, cases[_i].kept);
	free(kept.data);
}

/* Names of files are found as a whole, wherever a sentence has them. */
UNIT_TESTS(finds_names, 27)
{
	static const struct {
		const char *data, *name;
		int found;
	} cases[] = {
		{ "Saved a.txt.", "a.txt", 1 },
		{ "a.txt...", "a.txt", 1 },
		{ "a.txt", "a.txt", 1 },
		{ "'a.txt'", "a.txt", 1 },
		{ "a.txt: 3", "a.txt", 1 },
		{ "a.txt - done", "a.txt", 1 },
		{ "file=a.txt,b", "a.txt", 1 },
		{ "data.txt a.txt", "a.txt", 1 },
		{ "\033[1;32ma.txt\033[0m", "a.txt", 1 },
		{ "\xe2\x86\x92" "a.txt\xe2\x80\x9d", "a.txt", 1 },
		{ "Read .env", ".env", 1 },
		{ "data.txt", "a.txt", 0 },
		{ "a.txt.gz", "a.txt", 0 },
		{ "a.txt-2", "a.txt", 0 },
		{ "a.txt2", "a.txt", 0 },
		{ "[ma.txt", "a.txt", 0 },
		{ "_a.txt", "a.txt", 0 },
		{ "-a.txt", "a.txt", 0 },
		{ "prod.env", ".env", 0 },
		{ "a.tx", "a.txt", 0 },
		{ "", "a.txt", 0 },
		/* A slash belongs to a path, which can be asked for. */
		{ "b/a.txt", "a.txt", 0 },
		{ "b/a.txt", "/a.txt", 1 },
		{ "b/a.txt", "b/a.txt", 1 },
		{ "c/b/a.txt", "b/a.txt", 0 },
		{ "../a.txt", "./a.txt", 0 },
		{ "in ./a.txt", "./a.txt", 1 },
		{ "in /a/b", "/a/b", 1 },
		{ "in /a/b/", "/a/b", 1 },
		{ "in a/.", "a/", 1 },
		{ "in /a/b/c", "/a/b", 0 },
		{ "in a/c", "a/", 0 },
		{ "in b/a/", "a/", 0 },
	};
	struct output_text kept;

	open_output(2 * KIB);
	write_chunks(cases[_i].data, strlen(cases[_i].data), PIPE_CHUNK);
	if (printed_has(output, cases[_i].name, strlen(cases[_i].name)) !=
	    cases[_i].found)
		ck_abort_msg("%s in %s", cases[_i].name, cases[_i].data);
	close_output(&kept);
	free(kept.data);
}

/* As one sees it: no byte of the ends is missing, and the count is right. */
UNIT_TEST(keeps_these_bytes)
{
	static const struct {
		const char *data, *kept;
		size_t max, head;
		unsigned long long dropped;
	} cases[] = {
		{ "", "", 4, 0, 0 },
		{ "abcd", "abcd", 4, 4, 0 },
		{ "abcde", "abde", 4, 2, 1 },
		{ "abcdef", "abdef", 5, 2, 1 },
		{ "abcdef", "f", 1, 0, 5 },
		{ "0123456789", "0189", 4, 2, 6 },
		/* Characters of two and more bytes, cut at both sides. */
		{ "\xc3\xa9\xc3\xa9", "\xc3\xa9\xc3\xa9", 4, 4, 0 },
		{ "a\xc3\xa9zzz\xc3\xa9", "a\xc3\xa9", 4, 1, 5 },
		{ "a\xc3\xa9zz\xc3\xa9" "b", "ab", 4, 1, 6 },
		{ "\xf0\x9f\x98\x80zz\xf0\x9f\x98\x80", "", 6, 0, 10 },
		/* What is no character is shown, also beside the cut. */
		{ "a\xff" "b", "a\xef\xbf\xbd" "b", 4, 5, 0 },
		{ "a\xff" "bbb\xff" "c", "a\xef\xbf\xbd\xef\xbf\xbd" "c", 4, 4,
		    3 },
	};
	struct output_text kept;
	size_t i;

	for (i = 0; i < UNIT_COUNT(cases); i++) {
		open_output(cases[i].max);
		write_chunks(cases[i].data, strlen(cases[i].data), 3);
		close_output(&kept);
		ck_assert_str_eq(kept.data, cases[i].kept);
		ck_assert_uint_eq(kept.len, strlen(cases[i].kept));
		ck_assert_uint_eq(kept.head, cases[i].head);
		ck_assert_uint_eq(kept.dropped, cases[i].dropped);
		free(kept.data);
	}
}

/* Random streams of whole characters, of broken ones, and of any bytes. */
static void
add_random(struct buffer *data, unsigned int kind)
{
	static const char *const parts[] = { "a", "\n", "\xc3\xa9",
		"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\x80", "\xe2\x82",
		"\xf0\x9f\x98", "\xc3", "\xed\xa0\x80", "\xc0\xaf" };
	char any = (char)pick(256);

	if (kind == 2)
		buffer_add(data, &any, 1);
	else
		buffer_add_text(data, parts[pick(kind == 0 ? 5 : 12)]);
}

UNIT_TEST(keeps_whole_characters)
{
	auto_buffer struct buffer data = { 0 };
	unsigned int kind, n;

	for (n = 0; n < 6000; n++) {
		kind = n % 3;
		data.len = 0;
		while (pick(24) != 0)
			add_random(&data, kind);
		if (data.len == 0)
			continue;
		check(data.data, data.len, 1 + pick(40),
		    1 + pick((unsigned int)data.len));
	}
}

/* The ring goes round many times, and stands at every place at the end. */
UNIT_TEST(the_ring_wraps)
{
	auto_free char *data = mem_alloc(100000);
	size_t i;

	for (i = 0; i < 100000; i++)
		data[i] = (char)(' ' + i % 89);
	for (i = 0; i < 200; i++)
		check(data, 20000 + i, 1024 + i % 3, 1 + pick(3000));
	check(data, 100000, 64 * KIB, 100000);
	check(data, 64 * KIB, 64 * KIB, 100000);
	check(data, 64 * KIB + 1, 64 * KIB, 100000);
}

/* A pipe that is full, and a cap far above it. */
UNIT_TEST(keeps_much)
{
	size_t len = 3 * MIB;
	auto_free char *data = mem_alloc(len);

	memset(data, 0xff, len); /* each becomes three bytes */
	check(data, len, len, PIPE_CHUNK);
	check(data, len, MIB, PIPE_CHUNK);
}

/* How many bytes lie in the pipe. */
static int
lying(void)
{
	int n;

	ck_assert_int_eq(ioctl(pipe_in, FIONREAD, &n), 0);
	return n;
}

static void
put(const char *data, size_t len)
{
	ck_assert_int_eq(write(pipe_in, data, len), (ssize_t)len);
	event_base_loop(relay.base, EVLOOP_NONBLOCK);
}

/* The end of code in a session: all that a pipe holds is there, and is taken.
 */
UNIT_TESTS(takes_all_that_lies_in_a_pipe, 2)
{
	auto_free char *data = mem_alloc(PIPE_CHUNK);
	struct output_text kept;
	struct err err;
	size_t len = 0;
	ssize_t n;

	open_output(8 * MIB);
	ck_assert_int_eq(fd_set_nonblock(pipe_in, 1, &err), 0);
	if (_i == 1) /* As code may do to get more bytes there. */
		ck_assert_int_ge(fcntl(pipe_in, F_SETPIPE_SZ, MIB), (int)MIB);
	memset(data, 'x', PIPE_CHUNK);
	while ((n = write(pipe_in, data, 3000)) > 0)
		len += (size_t)n;
	output_settle(output);
	ck_assert_int_eq(lying(), 0);
	output_take(output, &kept);
	ck_assert_uint_eq(kept.len, len);
	free(kept.data);
	close(pipe_in);
	output_settle(output);
	ck_assert_uint_eq(ends, 1);
	output_settle(output);
	output_free(&output);
}

/* Nothing of it is kept, and it is counted once. */
UNIT_TEST(counts_what_it_drops)
{
	struct output_text kept;
	int n;

	open_output(8);
	ck_assert_uint_eq(output_resume(output), 0);
	for (n = 0; n < 3; n++) {
		put("0123456789abcdef", 16);
		output_mark(output);
		output_take(output, &kept);
		ck_assert_str_eq(kept.data, "0123cdef");
		ck_assert_uint_eq(kept.dropped, 8);
		ck_assert_uint_eq(kept.marks[0], 8);
		free(kept.data);
		output_drop(output);
		ck_assert(output_is_empty(output));
		put("late", 4);
		put("late", 4);
		ck_assert(output_is_empty(output));
		ck_assert(!printed_has(output, "late", 4));
		output_rest(output);
		ck_assert_int_eq(write(pipe_in, "x", 1), 1);
		ck_assert_uint_eq(output_resume(output), 9);
		ck_assert_uint_eq(output_resume(output), 0);
		ck_assert_uint_eq(output_total(output), 0);
	}
	close(pipe_in);
	output_free(&output);
}
