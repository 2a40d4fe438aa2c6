/*
 * Tests of relay/store_request: every malformed request of the store is a
 * fault, what honest code can ask for without getting it is a refusal, and the
 * rest comes out byte for byte.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "relay/relay.h"
#include "unit.h"

static struct request request;
static struct err err;

/* Nothing is sent here. */
int
channel_send(
    struct channel *channel, enum ipc_type type, void *msg, struct err *why)
{
	return err_set(why, "nothing is sent here");
}

static int
read_frame(const char *frame)
{
	struct json_span span;

	ck_assert_msg(json_span_parse(frame, strlen(frame), &span, &err) == 0,
	    "%s: %s", frame, err.text);
	return request_read(span, &request, &err);
}

static void
read_well(const char *frame)
{
	ck_assert_msg(read_frame(frame) == 0, "%s: %s", frame, err.text);
	ck_assert_str_eq(request.refusal.text, "");
	ck_assert(store_request_is(&request));
}

static void
is_span(struct json_span span, const char *text)
{
	ck_assert_msg(span.len == strlen(text) &&
	        memcmp(span.p, text, span.len) == 0,
	    "%.*s, not %s", (int)span.len, span.p, text);
}

#define ASK(type, members)                                                     \
	"{\"id\":1,\"payload\":{\"type\":\"" type "\"" members "}}"
#define NO(name) "a request without a valid \"" name "\""

static const struct {
	const char *frame, *err;
} faults[] = {
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
	{ ASK("save_tool", ",\"name\":\"f\",\"source\":\"\""), NO("about") },
	{ ASK("save_tool", ",\"name\":\"f\",\"about\":\"\",\"source\":1"),
	    NO("source") },
	{ ASK("load_tool", ",\"key\":\"f\""), NO("name") },
	{ ASK("list_saved_tools", ",\"after\":[]"), NO("after") },
};

UNIT_TESTS(is_a_fault, UNIT_COUNT(faults))
{
	ck_assert_int_eq(read_frame(faults[_i].frame), -1);
	ck_assert_str_eq(err.text, faults[_i].err);
}

#define A_KEY "a key is a text of 1 to 4096 bytes of UTF-8"
#define NOT_IMPORTED                                                           \
	"the name of a saved tool must be a Python identifier of at most 128 " \
	"bytes that is not a keyword, does not begin with \"__\" or "          \
	"\"mcp_\", and is not defined in every call"
#define A_NAME "the name of a tool is a text of 1 to 128 bytes of UTF-8"

static const struct {
	const char *frame, *why;
} refusals[] = {
	{ ASK("load_memory", ",\"key\":\"\""), A_KEY },
	{ ASK("load_memory", ",\"key\":\"\\ud800\""), A_KEY },
	{ ASK("save_memory", ",\"key\":\"\",\"value\":1"), A_KEY },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":[]"),
	    "metadata must be an object: a name and a value for each" },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":null"),
	    "metadata must be an object: a name and a value for each" },
	{ ASK("load_tool", ",\"name\":\"\""), A_NAME },
	{ ASK("load_tool", ",\"name\":\"a\\u0000\""),
	    "the name of a tool must not contain NUL" },
	{ ASK("save_memory", ",\"key\":\"a\",\"value\":1,\"metadata\":"
	    "{\"a\":\r1}"), "it is not on one line" },
	{ ASK("save_tool", ",\"name\":\"a b\",\"source\":\"\","
	    "\"about\":\"\""), NOT_IMPORTED },
	{ ASK("save_tool", ",\"name\":\"mcp_files\",\"source\":\"\","
	    "\"about\":\"\""), NOT_IMPORTED },
	{ ASK("save_tool", ",\"name\":\"a\",\"source\":\"\","
	    "\"about\":\"\\u0000\""),
	    "the documentation of a tool must not contain NUL" },
};

UNIT_TESTS(is_refused, UNIT_COUNT(refusals))
{
	ck_assert_int_eq(read_frame(refusals[_i].frame), 0);
	ck_assert_str_eq(request.refusal.text, refusals[_i].why);
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

		ck_assert_int_eq(read_frame(frame), 0);
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
	    "\"after\":\"", MEMORY_KEY_MAX, "\"}}", "a key is a text of 0 to");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"load_tool\","
	    "\"name\":\"", SAVED_TOOL_NAME_MAX, "\"}}", A_NAME);
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_tool\","
	    "\"name\":\"f\",\"source\":\"\",\"about\":\"",
	    SAVED_TOOL_ABOUT_MAX, "\"}}", "documentation is a text of 0 to");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_memory\","
	    "\"key\":\"k\",\"value\":\"", MEMORY_VALUE_MAX - 2, "\"}}",
	    "a value has at most 4 MiB as JSON; this one needs 4194305 bytes");
	check_bound("{\"id\":1,\"payload\":{\"type\":\"save_memory\","
	    "\"key\":\"k\",\"value\":1,\"metadata\":{\"a\":\"",
	    MEMORY_METADATA_MAX - 8, "\"}}}",
	    "metadata have at most 16 KiB as JSON; these need 16385 bytes");
}

UNIT_TEST(parts_come_out)
{
	read_well(ASK("save_memory", ",\"value\":[1e400,\"\\ud800\"],"
	    "\"key\":\"a\\u0000\\u00e9\",\"metadata\":{ \"b\" :1},"
	    "\"version\":9007199254740992"));
	ck_assert_int_eq(request.type, IPC_SAVE_MEMORY);
	ck_assert_uint_eq(request.key_len, 4);
	ck_assert_mem_eq(request.key, "a\0\xc3\xa9", 4);
	is_span(request.value, "[1e400,\"\\ud800\"]");
	/* What is kept of it until the store is there is counted. */
	is_span(request.arguments, request.frame.p);
	is_span(request.metadata, "{ \"b\" :1}");
	ck_assert_int_eq(request.compared, 1);
	ck_assert(request.version == REQUEST_ID_MAX);
	read_well(ASK("save_memory", ",\"value\":null,\"key\":\"a\""));
	ck_assert_int_eq(request.compared, 0);
	ck_assert_uint_eq(request.metadata.len, 0);
	read_well(ASK("save_memory", ",\"value\":1,\"key\":\"a\","
	    "\"version\":0"));
	ck_assert_int_eq(request.compared, 1);
	read_well(ASK("load_memory", ",\"key\":\"a\",\"whole\":true"));
	ck_assert_int_eq(request.whole, 1);
	read_well(ASK("load_memory", ",\"key\":\"a\",\"whole\":1"));
	ck_assert_int_eq(request.whole, 0);
	read_well(ASK("list_memories", ""));
	ck_assert_uint_eq(request.key_len, 0);
	read_well(ASK("list_memories", ",\"after\":\"k\""));
	ck_assert_str_eq(request.key, "k");
	read_well(ASK("save_tool", ",\"name\":\"f\",\"about\":\"does it\","
	    "\"source\":\"def f():\\n pass\""));
	ck_assert_str_eq(request.key, "f");
	ck_assert_str_eq(request.about, "does it");
	is_span(request.source, "\"def f():\\n pass\"");
	read_well(ASK("list_saved_tools", ",\"after\":\"f\""));
	ck_assert_str_eq(request.key, "f");
}

/* A source is decoded when it is sent: what cannot be is refused then. */
UNIT_TEST(sources_are_bounded)
{
	auto_free char *text = text_of(SAVED_TOOL_SOURCE_MAX + 1);
	auto_free char *frame = mem_printf("{\"id\":1,\"payload\":{\"type\":"
	    "\"save_tool\",\"name\":\"f\",\"about\":\"\",\"source\":\"%s\"}}",
	    text);

	read_well(frame);
	ck_assert_int_eq(store_request_send(NULL, &request, &err), -1);
	ck_assert_str_eq(err.text, "the source of a tool has at most 256 KiB; "
	    "this one has 262145 bytes");
	read_well(ASK("save_tool", ",\"name\":\"f\",\"about\":\"\","
	    "\"source\":\"\\ud800\""));
	ck_assert_int_eq(store_request_send(NULL, &request, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "the source of the tool"));
}
