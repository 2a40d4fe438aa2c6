/*
 * Tests of common/base/lines: the same lines come out however the bytes were
 * cut, what is too long is reported with both of its ends, and memory is
 * bounded.
 */
#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/lines.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

#define auto_lines __attribute__((cleanup(lines_free)))

/*
 * Puts bytes in, as many at once as there is room for. (Here and below an if:
 * an assertion costs a write to Check, even when it holds.)
 */
static void
feed(struct lines *lines, const char *data, size_t len)
{
	size_t room, n;
	char *p;

	while (len > 0) {
		p = lines_room(lines, &room);
		if (room < PIPE_CHUNK)
			ck_abort_msg("a room of %zu bytes", room);
		n = len < room ? len : room;
		memcpy(p, data, n);
		lines_added(lines, n);
		data += n;
		len -= n;
	}
}

/* Describes a line so that it can be compared: its length and its bytes. */
static void
describe(struct buffer *log, const struct line *line)
{
	if (!line->oversized) {
		if (line->tail != NULL || line->total != line->len)
			ck_abort_msg("a line that is half oversized");
		buffer_printf(log, "%zu:", line->len);
		buffer_add(log, line->data, line->len);
		buffer_add_text(log, "\n");
		return;
	}
	buffer_printf(log, "oversized %zu:", line->total);
	buffer_add(log, line->data, line->len);
	buffer_add_text(log, "...");
	buffer_add(log, line->tail, line->tail_len);
	buffer_add_text(log, "\n");
}

/* Takes every line there is. */
static void
drain(struct lines *lines, struct buffer *log)
{
	struct line line;

	while (lines_next(lines, &line))
		describe(log, &line);
	if (lines_next(lines, &line))
		ck_abort_msg("a line after there was none");
}

/* What must come out, made by plain search in the whole text. */
static void
expect(struct buffer *log, const char *data, size_t len, size_t max)
{
	const char *newline;
	struct line line;
	size_t n;

	while ((newline = memchr(data, '\n', len)) != NULL) {
		n = (size_t)(newline - data);
		line =
		    (struct line){ .data = (char *)data, .len = n, .total = n };
		if (n > max) {
			line.oversized = true;
			if (line.len > LINES_GLIMPSE)
				line.len = LINES_GLIMPSE;
			line.tail_len = line.len;
			line.tail = newline - line.tail_len;
		}
		describe(log, &line);
		len -= n + 1;
		data = newline + 1;
		if (len == 0)
			break;
	}
}

/* Feeds text in pieces of so many bytes and compares with what must come. */
static void
check(const struct buffer *text, size_t max, size_t piece)
{
	auto_lines struct lines *lines = lines_new(max);
	auto_buffer struct buffer log = { 0 }, want = { 0 };
	size_t done = 0, n;

	for (; done < text->len; done += n) {
		n = text->len - done < piece ? text->len - done : piece;
		feed(lines, text->data + done, n);
		drain(lines, &log);
	}
	expect(&want, text->data, text->len, max);
	ck_assert_uint_eq(log.len, want.len);
	if (want.len > 0)
		ck_assert_mem_eq(log.data, want.data, want.len);
	ck_assert_int_eq(lines_pending(lines),
	    text->len > 0 && text->data[text->len - 1] != '\n');
}

UNIT_TESTS(small_texts, 13)
{
	static const char *const texts[] = { "", "\n", "\n\n\n", "a", "a\n",
		"a\nb", "a\nb\n", "\na\n\nbb\n", "one\r\ntwo\r\n", "abcde\n",
		"abcdef\nx\n", "abcdefghijk\nabcdefghijk\nabc\n",
		"abcdefghijklmnop" };
	struct buffer text = { 0 };
	size_t piece, max;

	buffer_add_text(&text, texts[_i]);
	for (max = 0; max < 14; max++)
		for (piece = 1; piece < 20; piece++)
			check(&text, max, piece);
	buffer_reset(&text);
}

/* Adds a line of len bytes that all tell where they are. */
static void
add_line(struct buffer *text, size_t len, const char *end)
{
	char *room = buffer_reserve(text, len);
	size_t n;

	for (n = 0; n < len; n++)
		room[n] = (char)('a' + (n + len) % 26);
	text->len += len;
	buffer_add_text(text, end);
}

/* Lengths around the limit, the glimpse and the chunk, in awkward pieces. */
UNIT_TESTS(lengths_and_pieces, 11)
{
	static const size_t pieces[] = { 7, 511, 512, 513, 4096, PIPE_CHUNK - 1,
		PIPE_CHUNK, PIPE_CHUNK + 1, 1000000 };
	static const size_t maxima[] = { 0, 10, 511, 512, 513, 1024, 1025,
		PIPE_CHUNK - 1, PIPE_CHUNK, PIPE_CHUNK + 1, 200000 };
	struct buffer text = { 0 };
	size_t max = maxima[_i], n;

	add_line(&text, max, "\n");
	add_line(&text, max + 1, "\n");
	add_line(&text, 3, "\n");
	add_line(&text, max + 2, "\n\n");
	add_line(&text, max + LINES_GLIMPSE, "\n");
	add_line(&text, max + LINES_GLIMPSE + 1, "\n");
	add_line(&text, max + 3 * LINES_GLIMPSE, "\n");
	add_line(&text, max > 0 ? max - 1 : 0, "\n");
	add_line(&text, max + 3 * PIPE_CHUNK, "\n");
	add_line(&text, 1, "\n");
	add_line(&text, max, ""); /* unfinished */
	for (n = 0; n < UNIT_COUNT(pieces); n++)
		check(&text, max, pieces[n]);
	buffer_reset(&text);
}

/* The request's id is found in a line that was thrown away. */
UNIT_TEST(oversized_keeps_both_ends)
{
	auto_lines struct lines *lines = lines_new(1000);
	auto_free char *middle = mem_alloc(100000);
	const char *head = "{\"jsonrpc\":\"2.0\",\"id\":7,\"x\":\"";
	const char *tail = "\",\"y\":8}";
	struct line line;

	memset(middle, 'm', 100000);
	feed(lines, head, strlen(head));
	ck_assert_int_eq(lines_next(lines, &line), 0);
	feed(lines, middle, 100000);
	ck_assert_int_eq(lines_next(lines, &line), 0);
	ck_assert_int_eq(lines_pending(lines), 1);
	feed(lines, tail, strlen(tail));
	/* Nothing is said before the line is over. */
	ck_assert_int_eq(lines_next(lines, &line), 0);
	feed(lines, "\nnext\n", 6);
	ck_assert_int_eq(lines_next(lines, &line), 1);
	ck_assert_int_eq(line.oversized, 1);
	ck_assert_uint_eq(line.total, strlen(head) + 100000 + strlen(tail));
	ck_assert_uint_eq(line.len, LINES_GLIMPSE);
	ck_assert_mem_eq(line.data, head, strlen(head));
	ck_assert_uint_eq(line.tail_len, LINES_GLIMPSE);
	ck_assert_mem_eq(
	    line.tail + line.tail_len - strlen(tail), tail, strlen(tail));
	ck_assert_int_eq(lines_next(lines, &line), 1);
	ck_assert_int_eq(line.oversized, 0);
	ck_assert_uint_eq(line.len, 4);
	ck_assert_int_eq(lines_pending(lines), 0);
}

UNIT_EXITS(more_than_the_room_is_fatal, FATAL_EXIT_STATUS, 1)
{
	struct lines *lines = lines_new(10);
	size_t room;

	lines_room(lines, &room);
	lines_added(lines, room + 1);
}
