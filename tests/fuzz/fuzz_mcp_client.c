/*
 * Fuzz target of the broker's decoder of what servers say: whatever the bytes
 * are, in lines or not, every request is answered at most once, and only with
 * what it may be answered with; whatever list of tools they make is one line
 * of JSON, and every sentence about an error is text that fits.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/lines.h"
#include "common/base/utf8.h"
#include "fuzz.h"
#include "worker/broker/arguments/arguments.h"
#include "worker/broker/link/link.h"
#include "worker/broker/state/state.h"
#include "worker/broker/tools/tools.h"

#define REQUESTS 4

struct play {
	struct mcp_client *client;
	size_t written;
	unsigned int ready;
	unsigned int unfit;
	unsigned int answered[REQUESTS];
};

static struct play play;
static const struct buffer no_masks;

/* One line of JSON, and not without a bound. */
static int
check_write(void *ctx, const char *data, size_t len)
{
	struct json_span value;

	FUZZ_ASSERT(ctx == &play);
	FUZZ_ASSERT(len > 0 && data[len - 1] == '\n');
	FUZZ_ASSERT(memchr(data, '\n', len) == data + len - 1);
	FUZZ_ASSERT(json_span_parse(data, len, &value, NULL) == 0);
	if (play.written + len > 4 * KIB)
		return -1;
	play.written += len;
	return 0;
}

static int
check_offer(void *ctx, const char *data, size_t len)
{
	return check_write(ctx, data, len) == 0;
}

/* A list of tools is made of every result that has one. */
static void
check_tools(struct json_span result)
{
	auto_buffer struct buffer payload = { 0 }, names = { 0 };
	static const struct rules all;
	struct tools *tools = tools_new(&all);
	struct json_span value;

	if (tools_add_page(tools, result, NULL) != -1 &&
	    tools_finish(tools, &payload, NULL) == 0) {
		FUZZ_ASSERT(json_span_parse(payload.data, payload.len, &value,
				NULL) == 0);
		FUZZ_ASSERT(memchr(payload.data, '\n', payload.len) == NULL);
		tools_names(&payload, &names);
		FUZZ_ASSERT(utf8_valid(names.data, names.len));
	}
	tools_free(&tools);
}

/* So is a list of resources, with the note that there may be more. */
static void
check_pages(struct json_span result)
{
	static const struct definition definition;
	struct ask ask = { .method = method_find("resources"),
		.definition = &definition };
	struct json_span value;

	if (method_add_page(&ask, result, NULL) == 0) {
		FUZZ_ASSERT(json_span_parse(ask.entries.data, ask.entries.len,
				&value, NULL) == 0);
		FUZZ_ASSERT(memchr(ask.entries.data, '\n', ask.entries.len) ==
		    NULL);
	}
	buffer_reset(&ask.entries);
	pages_reset(&ask.pages);
}

static void
check_sentence(struct json_span error)
{
	auto_buffer struct buffer reason = { 0 };
	size_t n;

	reason_add_error(&reason, error, NULL);
	reason_fit(&reason);
	FUZZ_ASSERT(reason.len > 0 && reason.len <= REFUSED_REASON_MAX);
	FUZZ_ASSERT(utf8_valid(reason.data, reason.len));
	for (n = 0; n < reason.len; n++)
		FUZZ_ASSERT((unsigned char)reason.data[n] >= 0x20 ||
		    reason.data[n] == '\n' || reason.data[n] == '\t');
}

static void
check_answer(void *ctx, const struct mcp_answer *answer)
{
	unsigned int *answered = ctx;

	FUZZ_ASSERT(*answered == 0);
	*answered = 1;
	if (answer->outcome == MCP_BROKEN) {
		FUZZ_ASSERT(strlen(answer->why) > 0);
		return;
	}
	FUZZ_ASSERT(json_span_kind(answer->value) == JSON_SPAN_OBJECT);
	if (answer->outcome == MCP_RESULT) {
		check_tools(answer->value);
		check_pages(answer->value);
	} else {
		check_sentence(answer->value);
	}
}

static void
check_ready(void *ctx)
{
	static const struct json_span params = { "{\"a\":1}", 7 };
	unsigned int n;

	FUZZ_ASSERT(ctx == &play && play.ready == 0 && play.unfit == 0);
	play.ready = 1;
	for (n = 0; n < REQUESTS; n++)
		mcp_client_call(play.client, "tools/call", params, 0,
		    check_answer, &play.answered[n]);
	mcp_client_cancel(play.client, 3, "no");
	play.answered[1]++; /* no caller is left */
	for (n = 0; n < SERVER_SILENCES_MAX; n++)
		mcp_client_time_out(play.client, 0);
	FUZZ_ASSERT(mcp_client_is_silent(play.client));
}

static void
check_changed(void *ctx)
{
	FUZZ_ASSERT(ctx == &play && play.unfit == 0);
}

static void
check_progress(void *ctx, void *call, struct json_span)
{
	unsigned int *answered = call;

	FUZZ_ASSERT(ctx == &play);
	FUZZ_ASSERT(answered >= play.answered &&
	    answered < play.answered + REQUESTS && *answered == 0);
}

/* What a client is asked, and a server answered, is one value on one line. */
static void
check_line(const struct buffer *json)
{
	struct json_span value;

	FUZZ_ASSERT(json_span_parse(json->data, json->len, &value, NULL) == 0);
	FUZZ_ASSERT(json_span_kind(value) == JSON_SPAN_OBJECT);
	FUZZ_ASSERT(memchr(json->data, '\n', json->len) == NULL &&
	    memchr(json->data, '\r', json->len) == NULL);
}

static int
check_asked(void *ctx, const struct jsonrpc *message, void *)
{
	unsigned int kind = question_kind(message->method, message->params);
	auto_buffer struct buffer asked = { 0 }, answer = { 0 };
	struct json_span schema = { NULL, 0 }, result = message->params;
	struct err err;

	FUZZ_ASSERT(ctx == &play && play.ready == 1);
	if (kind == 0)
		return 0;
	if (question_settle(kind, message->params, "fuzz", &no_masks, &asked,
	        &err) == 0) {
		check_line(&asked);
		if (kind == ASK_CLIENT_FORM)
			json_span_get(result, "requestedSchema", &schema);
		/* A server could be its own client. */
		if (result.len > 0 && json_span_kind(result) ==
		    JSON_SPAN_OBJECT && question_check(kind, schema, result,
		        &answer, &err) == 0)
			check_line(&answer);
	} else {
		FUZZ_ASSERT(strlen(err.text) > 0);
	}
	mcp_client_reply(play.client, "1", NULL, "no");
	return 1;
}

static void
check_silent(void *ctx)
{
	FUZZ_ASSERT(ctx == &play);
	FUZZ_ASSERT(mcp_client_is_silent(play.client));
}

static void
check_unfit(void *ctx, const char *why)
{
	FUZZ_ASSERT(ctx == &play && play.unfit == 0);
	FUZZ_ASSERT(strlen(why) > 0);
	play.unfit = 1;
}

/* Reads all there is, in pieces as a pipe gives them. */
static void
feed(struct lines *lines, const uint8_t *data, size_t size)
{
	struct line line;
	size_t room, n;

	while (size > 0) {
		char *to = lines_room(lines, &room);

		n = size < room ? size : room;
		memcpy(to, data, n);
		lines_added(lines, n);
		while (lines_next(lines, &line))
			mcp_client_line(play.client, &line);
		data += n;
		size -= n;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char greeting[] = "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"result\":{\"protocolVersion\":\"2025-11-25\"}}\n";
	struct mcp_client_ends ends = { check_write, check_offer,
		check_ready, check_changed, check_progress, check_asked,
		check_silent, check_unfit, &play };
	struct lines *lines = lines_new(KIB);

	memset(&play, 0, sizeof(play));
	play.client = mcp_client_new("fuzz", &no_masks, &ends);
	mcp_client_greet(play.client, 1);
	/* Half of the inputs are about the greeting itself. */
	if (size > 0 && data[0] != '\n')
		feed(lines, (const uint8_t *)greeting, sizeof(greeting) - 1);
	feed(lines, data, size);
	FUZZ_ASSERT(size == 0 || data[0] == '\n' || play.ready == 1);
	mcp_client_free(&play.client);
	lines_free(&lines);
	return 0;
}
