/*
 * Fuzz target of the client's side for requests that carry their version: each
 * line of the input is the _meta of a request. Each request gets one answer,
 * either an error of the specification or a result with what its version
 * requires, and none of them begins a session. The first byte chooses how it
 * ends.
 */
#include "common/json/jsonrpc.h"
#include "front_play.h"

#define META "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","    \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

/* What is behind _meta in params, by turns. */
static const struct {
	const char *method, *more;
} requests[] = {
	{ "tools/list", "" },
	{ "server/discover", "" },
	{ "resources/list", "" },
	{ "tools/call", ",\"name\":\"run_python\"" },
	{ "resources/read", ",\"uri\":\"resource://caisson/capabilities\"" },
	{ "resources/templates/list", "" },
	{ "completion/complete", ",\"ref\":{\"uri\":"
	    "\"resource://caisson/files/{name}\"},"
	    "\"argument\":{\"name\":\"name\",\"value\":\"a\"}" },
};

#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

static int
is_error_code(struct json_span code)
{
	static const char *const codes[] = { "-32600", "-32601", "-32602",
		"-32022" };
	size_t n;

	for (n = 0; n < sizeof(codes) / sizeof(codes[0]); n++)
		if (code.len == strlen(codes[n]) &&
		    memcmp(code.p, codes[n], code.len) == 0)
			return 1;
	return 0;
}

/* One answer was sent, and it has what it must have. */
static void
check_answer(void)
{
	struct json_span value, part, meta;

	FUZZ_ASSERT(play_sent.len > 0);
	FUZZ_ASSERT(memchr(play_sent.data, '\n', play_sent.len) ==
	    play_sent.data + play_sent.len - 1);
	FUZZ_ASSERT(json_span_parse(play_sent.data, play_sent.len, &value,
			NULL) == 0);
	if (json_span_get(value, "error", &part) == 1) {
		FUZZ_ASSERT(json_span_get(part, "code", &meta) == 1);
		FUZZ_ASSERT(is_error_code(meta));
		return;
	}
	FUZZ_ASSERT(json_span_get(value, "result", &part) == 1);
	FUZZ_ASSERT(json_span_get(part, "resultType", &meta) == 1);
	FUZZ_ASSERT(json_span_is(meta, "complete"));
	FUZZ_ASSERT(json_span_get(part, "_meta", &meta) == 1);
	FUZZ_ASSERT(json_span_get(meta,
			"io.modelcontextprotocol/serverInfo", &part) == 1);
}

/* Sends a request, and whatever it starts ends at once. */
static void
ask(struct mcp *mcp, struct lines *lines, size_t n, const char *meta,
    size_t meta_len)
{
	auto_buffer struct buffer line = { 0 };

	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":\"x\","
	    "\"method\":\"%s\",\"params\":{\"_meta\":", requests[n].method);
	buffer_add(&line, meta, meta_len);
	buffer_printf(&line, "%s}}\n", requests[n].more);
	play_say(mcp, lines, line.data, line.len);
}

/* A plain request is still one without a session. */
static void
check_no_session(struct mcp *mcp, struct lines *lines)
{
	static const char plain[] = "{\"jsonrpc\":\"2.0\",\"id\":1,"
	    "\"method\":\"tools/list\"}\n";

	play_sent.len = 0;
	play_say(mcp, lines, plain, sizeof(plain) - 1);
	FUZZ_ASSERT(strstr(play_sent.data, "not initialized") != NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines *lines = lines_new(PLAY_LINE);
	struct mcp *mcp = play_open();
	const char *p = (const char *)data + (size > 0);
	const char *end = (const char *)data + size;
	struct json_span value;
	size_t n, len;

	for (n = 0; p < end; n++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		len = (size_t)((newline != NULL ? newline : end) - p);
		if (len < PLAY_LINE / 2 &&
		    json_span_parse(p, len, &value, NULL) == 0) {
			play_sent.len = 0;
			ask(mcp, lines, n % REQUESTS, p, len);
			play_conclude();
			check_answer();
		}
		p += len + 1;
	}
	play_sent.len = 0;
	ask(mcp, lines, 0, META, sizeof(META) - 1);
	check_answer();
	check_no_session(mcp, lines);
	play_close(&mcp, size > 0 && (data[0] & 1) != 0);
	lines_free(&lines);
	return 0;
}
