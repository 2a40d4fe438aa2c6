/*
 * Tests of relay/streams: output of a box with three descriptors reaches its
 * stream byte for byte, a report of the end is read, and any other frame of
 * these types is a violation with one sentence. Linked with that file, member
 * and output.
 */
#include <string.h>

#include "common/base/base64.h"
#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "tests/unit/unit.h"

#define MAX (64 * KIB)

static struct relay relay;

static void
open_streams(void)
{
	relay = (struct relay){ .out = output_new_put(MAX),
		.errors = output_new_put(MAX), .outer = output_new_put(MAX) };
}

static void
close_streams(void)
{
	output_free(&relay.out);
	output_free(&relay.errors);
	output_free(&relay.outer);
}

/* Hands one frame over, as frames.c does. */
static int
take(const char *text, size_t len, struct err *err)
{
	struct json_span frame, type;

	ck_assert_int_eq(json_span_parse(text, len, &frame, NULL), 0);
	ck_assert_int_eq(json_span_get(frame, "type", &type), 1);
	return streams_take(&relay, frame, type, err);
}

static void
is_kept(struct output *output, const char *text, size_t len)
{
	struct output_text kept;

	output_take(output, &kept);
	ck_assert_uint_eq(kept.len, len);
	ck_assert_mem_eq(kept.data, text, len);
	ck_assert_uint_eq(kept.dropped, 0);
	free(kept.data);
}

/* Frames in turn, separated by newlines. */
static const struct {
	const char *frames;
	const char *out, *errors; /* of the code */
	struct relay_report report;
} good[] = {
	{ "{\"type\":\"out\",\"data\":\"aGkK\"}", "hi\n", "", { 0 } },
	{ "{\"type\":\"err\",\"data\":\"aGkK\"}", "", "hi\n", { 0 } },
	{ "{\"type\":\"out\",\"data\":\"\"}", "", "", { 0 } },
	{ "{\"data\":\"YQ==\",\"type\":\"ou\\u0074\",\"x\":[]}", "a", "",
	    { 0 } },
	/* A character in two frames. */
	{ "{\"type\":\"out\",\"data\":\"w6n/4g==\"}\n"
	  "{\"type\":\"err\",\"data\":\"LQ==\"}\n"
	  "{\"type\":\"out\",\"data\":\"gqwK\"}",
	    "\xc3\xa9\xef\xbf\xbd\xe2\x82\xac\n", "-", { 0 } },
	/* Printed frames are output, whatever they say. */
	{ "{\"type\":\"out\",\"data\":"
	  "\"eyJ0eXBlIjoiZW5kIiwiZXhpdCI6MH0K\"}",
	    "{\"type\":\"end\",\"exit\":0}\n", "", { 0 } },
	{ "{\"type\":\"end\",\"exit\":0}", "", "",
	    { RELAY_END_EXIT, 0, 0, 0, 0 } },
	{ "{\"type\":\"end\",\"exit\":255,\"memory\":false}", "", "",
	    { RELAY_END_EXIT, 255, 0, 0, 0 } },
	{ "{\"type\":\"end\",\"signal\":64}", "", "",
	    { RELAY_END_SIGNAL, 64, 0, 0, 0 } },
	{ "{\"type\":\"end\",\"exit\":0,\"cpu\":7,"
	  "\"peak\":9007199254740992}",
	    "", "", { RELAY_END_EXIT, 0, 0, 7, 9007199254740992 } },
	{ "{\"type\":\"err\",\"data\":\"YQ==\"}\n"
	  "{\"type\":\"end\",\"signal\":9,\"memory\":true}", "", "a",
	    { RELAY_END_SIGNAL, 9, 1, 0, 0 } },
};

UNIT_TESTS(takes_good_frames, UNIT_COUNT(good))
{
	const char *at = good[_i].frames;
	struct err err = { 0, "" };
	size_t len;

	open_streams();
	for (; *at != '\0'; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		ck_assert_msg(take(at, len, &err) == 1, "%s", err.text);
	}
	is_kept(relay.out, good[_i].out, strlen(good[_i].out));
	is_kept(relay.errors, good[_i].errors, strlen(good[_i].errors));
	ck_assert_uint_eq(relay.report.end, good[_i].report.end);
	ck_assert_uint_eq(relay.report.status, good[_i].report.status);
	ck_assert_int_eq(relay.report.memory, good[_i].report.memory);
	ck_assert_uint_eq(relay.report.cpu_us, good[_i].report.cpu_us);
	ck_assert_uint_eq(relay.report.peak_kib, good[_i].report.peak_kib);
	close_streams();
}

#define WITHOUT_DATA   "output without a valid \"data\""
#define WITHOUT_BASE64 "output that is not base64"
#define WITHOUT_STATUS "an end without one exit code or signal"
#define BAD(name) "an end with an invalid \"" name "\""

static const struct {
	const char *frame, *why;
} bad[] = {
	{ "{\"type\":\"out\"}", WITHOUT_DATA },
	{ "{\"type\":\"out\",\"data\":null}", WITHOUT_DATA },
	{ "{\"type\":\"out\",\"data\":[\"YQ==\"]}", WITHOUT_DATA },
	{ "{\"type\":\"err\",\"data\":\"YQ==\",\"data\":\"YQ==\"}",
	    WITHOUT_DATA },
	{ "{\"type\":\"out\",\"data\":\"YQ=\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"out\",\"data\":\"YQ==YQ==\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"out\",\"data\":\"Y\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"err\",\"data\":\"hi!!\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"out\",\"data\":\"YW\\/v\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"out\",\"data\":\"\\u0059Q==\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"out\",\"data\":\"\xc3\xa9\xc3\xa9\"}", WITHOUT_BASE64 },
	{ "{\"type\":\"end\"}", WITHOUT_STATUS },
	{ "{\"type\":\"end\",\"exit\":0,\"signal\":9}", WITHOUT_STATUS },
	{ "{\"type\":\"end\",\"exit\":0,\"exit\":0}", WITHOUT_STATUS },
	{ "{\"type\":\"end\",\"exit\":256}", BAD("exit") },
	{ "{\"type\":\"end\",\"exit\":-1}", BAD("exit") },
	{ "{\"type\":\"end\",\"exit\":1.0}", BAD("exit") },
	{ "{\"type\":\"end\",\"exit\":\"0\"}", BAD("exit") },
	{ "{\"type\":\"end\",\"exit\":99999999999999999999}", BAD("exit") },
	{ "{\"type\":\"end\",\"signal\":0}", BAD("signal") },
	{ "{\"type\":\"end\",\"signal\":65}", BAD("signal") },
	{ "{\"type\":\"end\",\"signal\":null}", BAD("signal") },
	{ "{\"type\":\"end\",\"exit\":0,\"cpu\":-1}", BAD("cpu") },
	{ "{\"type\":\"end\",\"exit\":0,\"cpu\":1,\"cpu\":1}", BAD("cpu") },
	{ "{\"type\":\"end\",\"exit\":0,\"peak\":null}", BAD("peak") },
	{ "{\"type\":\"end\",\"exit\":0,\"peak\":9007199254740993}",
	    BAD("peak") },
};

UNIT_TESTS(refuses_bad_frames, UNIT_COUNT(bad))
{
	struct err err = { 0, "" };

	open_streams();
	ck_assert_int_eq(take(bad[_i].frame, strlen(bad[_i].frame), &err), -1);
	ck_assert_str_eq(err.text, bad[_i].why);
	ck_assert_uint_eq(relay.report.end, RELAY_END_NONE);
	is_kept(relay.out, "", 0);
	is_kept(relay.errors, "", 0);
	close_streams();
}

/* One read from a pipe is a frame; more is not. */
UNIT_TESTS(bounds_a_frame, 2)
{
	const size_t len = PIPE_CHUNK + (size_t)_i * 3;
	auto_buffer struct buffer frame = { 0 };
	auto_free char *data = mem_alloc(len);
	struct err err = { 0, "" };

	memset(data, 'x', len);
	buffer_add_text(&frame, "{\"type\":\"out\",\"data\":\"");
	base64_add(&frame, data, len);
	buffer_add_text(&frame, "\"}");
	open_streams();
	if (_i == 0) {
		ck_assert_int_eq(take(frame.data, frame.len, &err), 1);
		is_kept(relay.out, data, len);
	} else {
		ck_assert_int_eq(take(frame.data, frame.len, &err), -1);
		ck_assert_str_eq(
		    err.text, "output of 87388 bytes in one frame");
	}
	close_streams();
}

static const char *const types[] = { "out", "err", "end", "ready",
	"rpc_request", "cancel", "garbage" };

/* The end is the last frame, also of the types of other boxes. */
UNIT_TESTS(the_end_is_the_last_frame, UNIT_COUNT(types))
{
	static const char end[] = "{\"type\":\"end\",\"exit\":3}";
	auto_free char *frame = mem_printf(
	    "{\"type\":\"%s\",\"data\":\"\",\"exit\":3}", types[_i]);
	struct err err = { 0, "" };

	open_streams();
	ck_assert_int_eq(take(end, strlen(end), &err), 1);
	ck_assert_int_eq(take(frame, strlen(frame), &err), -1);
	ck_assert_str_eq(err.text, "a frame after the end of the code");
	ck_assert_uint_eq(relay.report.status, 3);
	close_streams();
}

/* A box whose output has pipes may send none of them. */
UNIT_TESTS(takes_nothing_of_other_boxes, UNIT_COUNT(types))
{
	auto_free char *frame = mem_printf(
	    "{\"type\":\"%s\",\"data\":\"\",\"exit\":3}", types[_i]);
	struct err err = { 0, "" };

	relay = (struct relay){ 0 };
	ck_assert_int_eq(take(frame, strlen(frame), &err), 0);
	ck_assert_uint_eq(relay.report.end, RELAY_END_NONE);
}
