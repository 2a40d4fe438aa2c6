/*
 * Tests of relay/request: every malformed request is a fault, what honest code
 * can ask for without getting it is a refusal, and the rest comes out byte for
 * byte. Linked with that file alone.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "unit.h"

static struct request request;
static struct err err;

static int
read_frame(const char *frame, size_t len)
{
	struct json_span span;

	ck_assert_msg(json_span_parse(frame, len, &span, &err) == 0, "%s: %s",
	    frame, err.text);
	return request_read(span, &request, &err);
}

static void
is_span(struct json_span span, const char *text)
{
	ck_assert_msg(span.len == strlen(text) &&
	        memcmp(span.p, text, span.len) == 0,
	    "%.*s, not %s", (int)span.len, span.p, text);
}

/* Faults */

#define ID(id) "{\"id\":" id ",\"payload\":{\"type\":\"list_servers\"}}"
#define PAYLOAD(payload) "{\"id\":1,\"payload\":" payload "}"
#define CALL(members) PAYLOAD("{\"type\":\"call_tool\"," members "}")
#define LIST(members)                                                          \
	PAYLOAD("{\"type\":\"list_tools\",\"server\":\"s\"" members "}")
#define BAD_ID "a request with an invalid id"
#define NO(name) "a request without a valid \"" name "\""

static const struct {
	const char *frame, *err;
} faults[] = {
	{ "{}", NO("id") },
	{ "{\"payload\":{\"type\":\"list_servers\"}}", NO("id") },
	{ "{\"id\":1}", NO("payload") },
	{ "{\"id\":1,\"id\":1,\"payload\":{\"type\":\"list_servers\"}}",
	    NO("id") },
	{ ID("\"1\""), NO("id") },
	{ ID("null"), NO("id") },
	{ ID("true"), NO("id") },
	{ ID("[1]"), NO("id") },
	{ ID("{}"), NO("id") },
	{ ID("0"), BAD_ID },
	{ ID("-0"), BAD_ID },
	{ ID("-1"), BAD_ID },
	{ ID("1.0"), BAD_ID },
	{ ID("1e2"), BAD_ID },
	{ ID("1E0"), BAD_ID },
	{ ID("9007199254740993"), BAD_ID },
	{ ID("10000000000000000"), BAD_ID },
	{ ID("18446744073709551617"), BAD_ID },
	{ ID("999999999999999999999999999999999999999"), BAD_ID },
	{ PAYLOAD("[]"), NO("payload") },
	{ PAYLOAD("\"list_servers\""), NO("payload") },
	{ PAYLOAD("null"), NO("payload") },
	{ "{\"id\":1,\"payload\":{},\"payload\":{}}", NO("payload") },
	{ PAYLOAD("{}"), NO("type") },
	{ PAYLOAD("{\"type\":1}"), NO("type") },
	{ PAYLOAD("{\"type\":\"list_servers\",\"type\":\"list_servers\"}"),
	    NO("type") },
	{ PAYLOAD("{\"type\":\"\"}"),
	    "a request of an unknown type" },
	{ PAYLOAD("{\"type\":\"Call_tool\"}"),
	    "a request of an unknown type" },
	{ PAYLOAD("{\"type\":\"call_tool\\u0000\"}"),
	    "a request of an unknown type" },
	{ PAYLOAD("{\"type\":\"list_tools\"}"), NO("server") },
	{ PAYLOAD("{\"type\":\"load_server\"}"), NO("server") },
	{ PAYLOAD("{\"type\":\"list_tools\",\"server\":1}"), NO("server") },
	{ PAYLOAD("{\"type\":\"load_server\",\"server\":[\"a\"]}"),
	    NO("server") },
	{ PAYLOAD("{\"type\":\"load_server\",\"server\":\"a\","
	          "\"server\":\"a\"}"), NO("server") },
	{ CALL("\"tool\":\"t\",\"arguments\":{}"), NO("server") },
	{ CALL("\"server\":null,\"tool\":\"t\",\"arguments\":{}"),
	    NO("server") },
	{ CALL("\"server\":\"s\",\"arguments\":{}"), NO("tool") },
	{ CALL("\"server\":\"s\",\"tool\":7,\"arguments\":{}"), NO("tool") },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"tool\":\"t\","
	       "\"arguments\":{}"), NO("tool") },
	{ CALL("\"server\":\"s\",\"tool\":\"t\""), NO("arguments") },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":{},"
	       "\"arguments\":{}"), NO("arguments") },
	{ LIST(",\"remembered\":1"), NO("remembered") },
	{ LIST(",\"remembered\":null"), NO("remembered") },
	{ LIST(",\"remembered\":true,\"remembered\":true"),
	    NO("remembered") },
};

UNIT_TESTS(malformed_requests_are_faults, UNIT_COUNT(faults))
{
	const char *frame = faults[_i].frame;

	ck_assert_msg(read_frame(frame, strlen(frame)) == -1,
	    "%s is accepted", frame);
	ck_assert_str_eq(err.text, faults[_i].err);
}

/* Requests */

static const struct {
	const char *frame;
	uint64_t id;
	enum ipc_type type;
	const char *server;
} requests[] = {
	{ ID("1"), 1, IPC_LIST_SERVERS, "" },
	{ ID("9007199254740992"), REQUEST_ID_MAX, IPC_LIST_SERVERS, "" },
	{ PAYLOAD("{\"type\":\"list_tools\",\"server\":\"fs\"}"), 1,
	    IPC_LIST_TOOLS, "fs" },
	{ PAYLOAD("{\"server\":\"\\u0066s\\ud83d\\ude00\",\"type\":"
	          "\"load\\u005fserver\"}"),
	    1, IPC_LOAD_SERVER, "fs\xf0\x9f\x98\x80" },
	/* What is not asked for may be there, whatever it is. */
	{ "{\"x\":1,\"x\":[],\"type\":\"rpc_request\",\"payload\":{\"tool\":1,"
	  "\"server\":[],\"type\":\"list_servers\"},\"id\":3}",
	    3, IPC_LIST_SERVERS, "" },
	{ CALL("\"tool\":\"t\",\"arguments\":{},\"server\":\"s\""), 1,
	    IPC_CALL_TOOL, "s" },
};

UNIT_TESTS(requests_are_read, UNIT_COUNT(requests))
{
	const char *frame = requests[_i].frame;

	ck_assert_msg(read_frame(frame, strlen(frame)) == 0, "%s: %s", frame,
	    err.text);
	ck_assert_str_eq(request.refusal.text, "");
	ck_assert(request.id == requests[_i].id);
	ck_assert_int_eq(request.type, requests[_i].type);
	ck_assert_str_eq(request.server, requests[_i].server);
}

static const struct {
	const char *frame;
	int remembered;
} lists[] = {
	{ LIST(""), 0 },
	{ LIST(",\"remembered\":false"), 0 },
	{ LIST(",\"remembered\":true"), 1 },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":{},"
	       "\"remembered\":true"), 0 },
};

UNIT_TESTS(what_is_remembered_may_do, UNIT_COUNT(lists))
{
	const char *frame = lists[_i].frame;

	ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
	ck_assert_int_eq(request.remembered, lists[_i].remembered);
}

static const struct {
	const char *tool, *arguments;
} exact[] = {
	{ "\"\"", "{}" },
	{ "\"read_file\"", "{\"b\":18446744073709551616,\"a\":0.1}" },
	{ "\"\\ud800\"", "{ \"a\" : 1e400 , \"a\" : -0 }" },
	{ "\"\\u0000\\/\"", "{\"\\u0000\":\"\\u0000\",\"\\ud800\":[1.0,1e2]}" },
	{ "\"\xc3\xa9\"",
	    "{\"z\":{\"type\":\"x\",\"id\":2},\"a\":\"\xc3\xa9\"}" },
};

UNIT_TESTS(calls_are_exact, UNIT_COUNT(exact))
{
	auto_free char *frame = mem_printf("{\"id\":1,\"payload\":{\"type\":"
	    "\"call_tool\",\"server\":\"s\",\"tool\": %s ,\"arguments\": %s }}",
	    exact[_i].tool, exact[_i].arguments);

	ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
	ck_assert_str_eq(request.refusal.text, "");
	is_span(request.tool, exact[_i].tool);
	is_span(request.arguments, exact[_i].arguments);
}

/* Refusals */

#define NO_SUCH                                                                \
	"unknown server: the name of a server has 1 to 128 bytes of UTF-8 "   \
	"without NUL"
#define NO_OBJECT                                                              \
	"the arguments of a call must be an object: a name and a value for each"

static const struct {
	const char *frame, *refusal;
} refusals[] = {
	{ PAYLOAD("{\"type\":\"list_tools\",\"server\":\"\"}"), NO_SUCH },
	{ PAYLOAD("{\"type\":\"list_tools\",\"server\":\"a\\u0000\"}"),
	    NO_SUCH },
	{ PAYLOAD("{\"type\":\"load_server\",\"server\":\"\\udc00\"}"),
	    NO_SUCH },
	{ CALL("\"server\":\"\\ud800x\",\"tool\":\"t\",\"arguments\":{}"),
	    NO_SUCH },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":[]"),
	    NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":null"),
	    NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":\"{}\""),
	    NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":1"),
	    NO_OBJECT },
};

UNIT_TESTS(mistakes_of_code_are_refused, UNIT_COUNT(refusals))
{
	const char *frame = refusals[_i].frame;

	ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
	ck_assert(request.id == 1);
	ck_assert_str_eq(request.refusal.text, refusals[_i].refusal);
}

/* Reads a call with n times each of the three; each is exact at its bound. */
static void
read_sized(const char *piece, size_t server, size_t tool, size_t arguments)
{
	auto_buffer struct buffer frame = { 0 };
	size_t n;

	buffer_add_text(&frame, "{\"id\":9,\"payload\":{\"type\":\"call_tool\","
	                        "\"server\":\"");
	for (n = 0; n < server; n++)
		buffer_add_text(&frame, piece);
	buffer_add_text(&frame, "\",\"tool\":\"");
	for (n = 0; n < tool - 2; n++)
		buffer_add_text(&frame, "t");
	buffer_add_text(&frame, "\",\"arguments\":{");
	memset(buffer_reserve(&frame, arguments), ' ', arguments - 2);
	frame.len += arguments - 2;
	buffer_add_text(&frame, "}}}");
	ck_assert_int_eq(read_frame(frame.data, frame.len), 0);
	ck_assert(request.id == 9);
}

static const struct {
	const char *piece;
	size_t server, tool, arguments;
	const char *refusal;
} sizes[] = {
	{ "s", CONFIG_NAME_MAX, TOOL_NAME_MAX, TOOL_ARGUMENTS_MAX, "" },
	{ "\\u0073", CONFIG_NAME_MAX, 2, 2, "" },
	{ "s", CONFIG_NAME_MAX + 1, 2, 2, NO_SUCH },
	{ "\\u0073", CONFIG_NAME_MAX + 1, 2, 2, NO_SUCH },
	{ "\xc3\xa9", CONFIG_NAME_MAX / 2, 2, 2, "" },
	{ "\xc3\xa9", CONFIG_NAME_MAX / 2 + 1, 2, 2, NO_SUCH },
	{ "s", 1, TOOL_NAME_MAX + 1, 2, "unknown tool: the name of a tool "
	    "has at most 1024 bytes as JSON, not 1025" },
	{ "s", 1, 2, TOOL_ARGUMENTS_MAX + 1, "the arguments of a call have at "
	    "most 16 MiB as JSON; these need 16777217 bytes" },
};

UNIT_TESTS(sizes_are_bounded, UNIT_COUNT(sizes))
{
	read_sized(sizes[_i].piece, sizes[_i].server, sizes[_i].tool,
	    sizes[_i].arguments);
	ck_assert_str_eq(request.refusal.text, sizes[_i].refusal);
}

/* Frames that are too long */

#define HEAD(members) "{" members ",\"payload\":{\"type\":\"call_tool\",\"arg"

static const struct {
	const char *head;
	uint64_t id; /* 0: it cannot be said */
} glimpses[] = {
	{ HEAD("\"type\":\"rpc_request\",\"id\":7"), 7 },
	{ HEAD(" \"id\" : 9007199254740992 , \"type\" : \"rpc_request\" "),
	    REQUEST_ID_MAX },
	{ "{\"type\":\"rpc_request\",\"id\":7 , \r\"payload\" : \"x", 7 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":7,\"x\":[{}]"), 7 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":0"), 0 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":\"7\""), 0 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":7,\"id\":7"), 0 },
	{ HEAD("\"type\":\"rpc_request\""), 0 },
	{ HEAD("\"id\":7"), 0 },
	{ HEAD("\"type\":\"ready\",\"id\":7"), 0 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":7,\"x\":[\"a"), 0 },
	{ HEAD("\"type\":\"rpc_request\",\"id\":7,\"x\":"), 0 },
	{ "[" HEAD("\"type\":\"rpc_request\",\"id\":7"), 0 },
	{ "\"payload\"", 0 },
	{ ",\"payload\"", 0 },
	{ "{\"type\":\"rpc_request\",\"id\":7,\"arguments\":{", 0 },
	{ "xxxxxxxxxxxxxxxxxxxxxxxx", 0 },
	{ "", 0 },
};

UNIT_TESTS(long_frames_show_their_ids, UNIT_COUNT(glimpses))
{
	char head[LINES_GLIMPSE];
	struct line line = { .data = head, .oversized = 1,
		.total = 20000000 };
	size_t len = strlen(glimpses[_i].head);

	/* However much of it is known. */
	memset(head, 'x', sizeof(head));
	memcpy(head, glimpses[_i].head, len);
	for (line.len = len; line.len <= sizeof(head); line.len++) {
		ck_assert_int_eq(request_glimpse(&line, &request),
		    glimpses[_i].id != 0);
		if (glimpses[_i].id == 0)
			continue;
		ck_assert(request.id == glimpses[_i].id);
		ck_assert_str_eq(request.refusal.text, "the arguments of a "
		    "call have at most 16 MiB as JSON; these need 20000000 "
		    "bytes");
	}
}

/* The whole glimpse stands before the payload. */
UNIT_TEST(a_glimpse_may_end_anywhere)
{
	static const char end[] = "\"payload\"";
	char head[LINES_GLIMPSE];
	struct line line = { .data = head, .len = sizeof(head),
		.oversized = 1 };

	memset(head, ' ', sizeof(head));
	memcpy(head + sizeof(head) - strlen(end), end, strlen(end));
	ck_assert_int_eq(request_glimpse(&line, &request), 0);
	memset(head, 'x', sizeof(head));
	memcpy(head + sizeof(head) - strlen(end), end, strlen(end));
	ck_assert_int_eq(request_glimpse(&line, &request), 0);
}
