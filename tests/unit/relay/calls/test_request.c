/*
 * Tests of relay/calls/request: every malformed request is a fault, what honest
 * code can ask for without getting it is a refusal, and the rest comes out byte
 * for byte.
 */
#include <stdbool.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "tests/unit/unit.h"

static struct request request;
static struct err err;

static int
read_frame(const char *frame, size_t len)
{
	struct json_span span;

	ck_assert_msg(json_span_parse(frame, len, &span, &err) == 0, "%s: %s",
	    frame, err.text);
	request_release(&request);
	return request_read(span, &request, &err);
}

static void
read_well(const char *frame)
{
	ck_assert_msg(read_frame(frame, strlen(frame)) == 0, "%s: %s", frame,
	    err.text);
	ck_assert_str_eq(request.refusal.text, "");
}

static void
is_bytes(const void *data, size_t len, const char *text)
{
	ck_assert_uint_eq(len, strlen(text));
	ck_assert_mem_eq(data, text, len);
}

/* Faults */

#define ID(id) "{\"id\":" id ",\"payload\":{\"type\":\"list_servers\"}}"
#define PAYLOAD(payload) "{\"id\":1,\"payload\":" payload "}"
#define CALL(members) PAYLOAD("{\"type\":\"call_tool\"," members "}")
#define LIST(members)                                                          \
	PAYLOAD("{\"type\":\"list_tools\",\"server\":\"s\"" members "}")
#define ASK(type, members)                                                     \
	"{\"id\":1,\"payload\":{\"type\":\"" type "\"" members "}}"
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
	{ LIST(",\"remembered\":true,\"remembered\":true"), NO("remembered") },
	{ ASK("save_memory", ""), NO("key") },
	{ ASK("save_memory", ",\"key\":1,\"value\":1"), NO("key") },
	{ ASK("save_memory", ",\"key\":\"a\""), NO("value") },
	{ ASK("save_memory", ",\"key\":\"a\",\"key\":\"a\",\"value\":1"),
	    NO("key") },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"value\":1"),
	    NO("value") },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":{},"
	    "\"metadata\":{}"), NO("metadata") },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"version\":\"1\""),
	    NO("version") },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"version\":-1"),
	    "a request with an invalid version" },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"version\":1.0"),
	    "a request with an invalid version" },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,"
	    "\"version\":9007199254740993"), "a request with an invalid "
	    "version" },
	{ ASK("load_memory", ""), NO("key") },
	{ ASK("delete_memory", ",\"key\":null"), NO("key") },
	{ ASK("list_memories", ",\"after\":1"), NO("after") },
	{ ASK("save_tool", ""), NO("name") },
	{ ASK("save_tool", ",\"name\":\"f\",\"about\":\"\""), NO("source") },
	{ ASK("load_output", ",\"execution\":\"e\",\"from\":1073741825"),
	    "a request with an invalid from" },
	{ ASK("load_memory", ",\"key\":\"a\",\"whole\":1"), NO("whole") },
	{ ASK("save_tool", ",\"name\":\"f\",\"about\":\"\",\"source\":1"),
	    NO("source") },
	{ ASK("load_tool", ",\"key\":\"f\""), NO("name") },
	{ ASK("list_saved_tools", ",\"after\":[]"), NO("after") },
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
	{ PAYLOAD("{\"type\":\"ask_server\",\"server\":\"fs\",\"what\":"
	          "\"prompts\",\"arguments\":{}}"),
	    1, IPC_ASK_SERVER, "fs" },
};

UNIT_TESTS(requests_are_read, UNIT_COUNT(requests))
{
	const char *frame = requests[_i].frame;

	ck_assert_msg(read_frame(frame, strlen(frame)) == 0, "%s: %s", frame,
	    err.text);
	ck_assert_str_eq(request.refusal.text, "");
	ck_assert(request.id == requests[_i].id);
	ck_assert_int_eq(request.type, requests[_i].type);
	ck_assert(request.message.list_servers.id == request.id);
	if (requests[_i].server[0] != '\0')
		ck_assert_str_eq(request.message.load_server.server,
		    requests[_i].server);
}

static const struct {
	const char *frame;
	int remembered;
} lists[] = {
	{ LIST(""), 0 },
	{ LIST(",\"remembered\":false"), 0 },
	{ LIST(",\"remembered\":true"), 1 },
};

UNIT_TESTS(what_is_remembered_may_do, UNIT_COUNT(lists))
{
	const char *frame = lists[_i].frame;

	ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
	ck_assert_int_eq((int)request.message.list_tools.remembered,
	    lists[_i].remembered);
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
	const struct ipc_call_tool *call = &request.message.call_tool;

	ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
	ck_assert_str_eq(request.refusal.text, "");
	is_bytes(call->tool.data, call->tool.len, exact[_i].tool);
	is_bytes(call->arguments.data, call->arguments.len,
	    exact[_i].arguments);
	ck_assert_uint_eq(request.size, call->arguments.len);
}

/* Refusals */

#define NO_SUCH                                                                \
	"unknown server: the name of a server must have 1 to 128 bytes of "   \
	"UTF-8 without NUL"
#define A_KEY "a key must have 1 to 4096 bytes of UTF-8"
#define A_NAME                                                                 \
	"the name of a tool must have 1 to 128 bytes of UTF-8 without NUL"
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
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":[]"), NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":null"),
	    NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":\"{}\""),
	    NO_OBJECT },
	{ CALL("\"server\":\"s\",\"tool\":\"t\",\"arguments\":1"), NO_OBJECT },
	{ ASK("load_memory", ",\"key\":\"\""), A_KEY },
	{ ASK("load_memory", ",\"key\":\"\\ud800\""), A_KEY },
	{ ASK("save_memory", ",\"key\":\"\",\"value\":1"), A_KEY },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":[]"),
	    "metadata must be an object: a name and a value for each" },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":null"),
	    "metadata must be an object: a name and a value for each" },
	{ ASK("load_tool", ",\"name\":\"\""), A_NAME },
	{ ASK("load_tool", ",\"name\":\"a\\u0000\""), A_NAME },
	{ ASK("save_tool", ",\"name\":\"f\",\"source\":\"\\ud800\""),
	    "the source of a tool must have at most 262144 bytes of UTF-8" },
	{ ASK("save_tool", ",\"name\":\"a\",\"source\":\"\","
	    "\"about\":\"\\u0000\""),
	    "the first line of a tool's documentation must have at most 400 "
	    "bytes of UTF-8 without NUL" },
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
	    "may have at most 1 KiB as JSON, not 1025 bytes" },
	{ "s", 1, 2, TOOL_ARGUMENTS_MAX + 1, "the arguments of a call may have "
	    "at most 16 MiB as JSON, not 16777217 bytes" },
};

UNIT_TESTS(sizes_are_bounded, UNIT_COUNT(sizes))
{
	read_sized(sizes[_i].piece, sizes[_i].server, sizes[_i].tool,
	    sizes[_i].arguments);
	ck_assert_str_eq(request.refusal.text, sizes[_i].refusal);
}

/* A text of so many bytes. */
static char *
text_of(size_t len)
{
	char *text = mem_alloc(len + 1);

	memset(text, 'x', len);
	return text;
}

/* Bounds: what just fits, and what just does not. */
static void
check_bound(const char *before, size_t most, const char *behind,
    const char *refused)
{
	size_t len;

	for (len = most; len <= most + 1; len++) {
		auto_free char *text = text_of(len);
		auto_free char *frame =
		    mem_printf("%s%s%s", before, text, behind);

		ck_assert_int_eq(read_frame(frame, strlen(frame)), 0);
		if (len == most)
			ck_assert_str_eq(request.refusal.text, "");
		else
			ck_assert_msg(strstr(request.refusal.text, refused) !=
			    NULL, "%s", request.refusal.text);
	}
}

UNIT_TEST(bounds_hold)
{
	check_bound("{\"id\":1,\"payload\":{\"type\":\"load_memory\","
	    "\"key\":\"", MEMORY_KEY_MAX, "\"}}", A_KEY);
	check_bound("{\"id\":1,\"payload\":{\"type\":\"list_memories\","
	    "\"after\":\"", MEMORY_KEY_MAX, "\"}}",
	    "a key must have at most 4096 bytes");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"load_tool\","
	    "\"name\":\"", SAVED_TOOL_NAME_MAX, "\"}}", A_NAME);
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_tool\","
	    "\"name\":\"f\",\"source\":\"\",\"about\":\"",
	    SAVED_TOOL_ABOUT_MAX, "\"}}",
	    "documentation must have at most 400");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_memory\","
	    "\"key\":\"k\",\"value\":\"", MEMORY_VALUE_MAX - 2, "\"}}",
	    "a value may have at most 4 MiB as JSON, not 4194305 bytes");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_memory\","
	    "\"key\":\"k\",\"value\":1,\"metadata\":{\"a\":\"",
	    MEMORY_METADATA_MAX - 8, "\"}}}",
	    "metadata may have at most 16 KiB as JSON, not 16385 bytes");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_tool\","
	    "\"name\":\"f\",\"source\":\"", SAVED_TOOL_SOURCE_MAX, "\"}}",
	    "the source of a tool must have at most 262144 bytes of UTF-8");
}

UNIT_TEST(fields_come_out)
{
	const struct ipc_save_memory *save = &request.message.save_memory;
	const struct ipc_save_tool *tool = &request.message.save_tool;

	read_well(ASK("save_memory", ",\"value\":[1e400,\"\\ud800\"],"
	    "\"key\":\"a\\u0000\\u00e9\",\"metadata\":{ \"b\" :1},"
	    "\"compared\":true,\"version\":9007199254740992"));
	ck_assert_int_eq(request.type, IPC_SAVE_MEMORY);
	ck_assert_uint_eq(save->key.len, 4);
	ck_assert_mem_eq(save->key.data, "a\0\xc3\xa9", 4);
	is_bytes(save->value.data, save->value.len, "[1e400,\"\\ud800\"]");
	/* What is kept of it until the store is there is counted. */
	ck_assert_uint_eq(request.size, request.frame.len);
	is_bytes(save->metadata.data, save->metadata.len, "{ \"b\" :1}");
	ck_assert(save->compared == 1 && save->version == REQUEST_ID_MAX);
	read_well(ASK("save_memory", ",\"value\":null,\"key\":\"a\""));
	ck_assert(save->compared == 0 && save->metadata.len == 0);
	read_well(ASK("load_memory", ",\"key\":\"a\",\"whole\":true"));
	ck_assert(request.message.load_memory.whole == 1);
	read_well(ASK("list_memories", ""));
	ck_assert_uint_eq(request.message.list_memories.after.len, 0);
	read_well(ASK("list_saved_tools", ""));
	ck_assert_str_eq(request.message.list_saved_tools.after, "");
	read_well(ASK("save_tool", ",\"name\":\"f\",\"about\":\"does it\","
	    "\"source\":\"def f():\\n pass\""));
	ck_assert_str_eq(tool->name, "f");
	ck_assert_str_eq(tool->about, "does it");
	is_bytes(tool->source.data, tool->source.len, "def f():\n pass");
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
	struct line line = { .data = head, .oversized = true,
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
		    "call may have at most 16 MiB as JSON, not 20000000 "
		    "bytes");
	}
}

/* The whole glimpse stands before the payload. */
UNIT_TEST(a_glimpse_may_end_anywhere)
{
	static const char end[] = "\"payload\"";
	char head[LINES_GLIMPSE];
	struct line line = { .data = head, .len = sizeof(head),
		.oversized = true };

	memset(head, ' ', sizeof(head));
	memcpy(head + sizeof(head) - strlen(end), end, strlen(end));
	ck_assert_int_eq(request_glimpse(&line, &request), 0);
	memset(head, 'x', sizeof(head));
	memcpy(head + sizeof(head) - strlen(end), end, strlen(end));
	ck_assert_int_eq(request_glimpse(&line, &request), 0);
}
