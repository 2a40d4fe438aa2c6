/*
 * What a client is asked of a question of a server, and what the server gets of
 * an answer.
 */
#include <string.h>

#include "common/ask_client.h"
#include "common/json/json.h"
#include "tests/unit/unit.h"
#include "worker/broker/arguments/arguments.h"

static struct json_span
parse(const char *text)
{
	struct json_span value;

	ck_assert_int_eq(
	    json_span_parse(text, strlen(text), &value, NULL), 0);
	return value;
}

#define FIELD "\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
#define VISIT "\"mode\":\"url\",\"message\":\"m\",\"url\":"
#define NO_ADDRESS                                                             \
	"\"url\" is no address of the web with a host, without a name or "     \
	"password, of at most 8192 bytes"
#define NO_MODE "\"mode\" must be form or url, once"

/* out begins with a brace, or is why it is refused. */
static const struct {
	const char *method, *params, *out;
} asked[] = {
	/* A field called "title", names that are not known, foreign lines. */
	{ "elicitation/create", "{\"mode\":\"form\",\"url\":\"javascript:1\","
	  "\"Message\":\"x\",\"message\":\"a\\nnote: \\u001b[1mb\"," FIELD
	  "\"title\":{\"type\":\"string\",\"title\":\"x\\u001b[2J\\u202e\","
	  "\"description\":\"d\\n\\nother asks: y\",\"Title\":\"z\","
	  "\"enum\":[\"a\\n\"],\"enumNames\":[\"A\\nB\"]}},"
	  "\"required\":[\"title\"],\"x\":1}}",
	  "{\"message\":\"s asks: a note: \\\\x1b[1mb\"," FIELD
	  "\"title\":{\"type\":\"string\",\"title\":\"x\\\\x1b[2J\\\\u202e\","
	  "\"description\":\"d  other asks: y\",\"enum\":[\"a\\n\"],"
	  "\"enumNames\":[\"A B\"]}},\"required\":[\"title\"]}}" },
	{ "elicitation/create", "{\"message\":\"m\"," FIELD "\"a\":{\"type\":"
	  "\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\",\"title\":"
	  "\"b\\nc\"}]}}}}}", "{\"message\":\"s asks: m\"," FIELD "\"a\":{"
	  "\"type\":\"array\",\"items\":{\"anyOf\":[{\"title\":\"b c\","
	  "\"const\":\"a\"}]}}}}}" },
	{ "elicitation/create", "{\"message\":\"m\"," FIELD "\"a\":{\"type\":"
	  "\"array\",\"items\":{\"items\":{\"items\":{\"type\":1}}}}}}}",
	  "{\"message\":\"s asks: m\"," FIELD "\"a\":{\"type\":\"array\","
	  "\"items\":{\"items\":{\"items\":{}}}}}}}" },
	{ "elicitation/create", "{\"mode\":\"URL\",\"message\":\"m\"}",
	  NO_MODE },
	{ "elicitation/create", "{\"mode\":\"form\"," VISIT "\"https://a\"}",
	  NO_MODE },
	{ "elicitation/create", "{" VISIT "\"https:\\/\\/a:1/x?y=@\","
	  "\"URL\":\"b\",\"elicitationId\":\"e\"}", "{\"message\":\"s asks: m\""
	  ",\"mode\":\"url\",\"url\":\"https://a:1/x?y=@\","
	  "\"elicitationId\":\"e\"}" },
	{ "elicitation/create", "{" VISIT "\"https://a@b/\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"https://a:x@b\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"https://\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"https:///a\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"https://:1\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"http://a\\u0000\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"http://a\\\\b\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"ftp://a\"}", NO_ADDRESS },
	{ "elicitation/create", "{" VISIT "\"https://a\",\"elicitationId\":5}",
	  "\"elicitationId\" is no short string" },
	{ "sampling/createMessage", "{\"messages\":[],\"tools\":[],"
	  "\"includeContext\":\"allServers\",\"maxTokens\":1}",
	  "{\"_meta\":{\"caisson/server\":\"s\"},\"systemPrompt\":\"s asks.\","
	  "\"messages\":[],\"maxTokens\":1}" },
	{ "sampling/createMessage", "{\"messages\":[],\"systemPrompt\":\"p\"}",
	  "{\"_meta\":{\"caisson/server\":\"s\"},\"systemPrompt\":"
	  "\"s asks:\\n\\np\",\"messages\":[]}" },
	{ "sampling/createMessage", "{\"messages\":[],\"systemPrompt\":5}",
	  "\"systemPrompt\" is no text: a string is expected" },
};

UNIT_TESTS(asks_what_is_known, UNIT_COUNT(asked))
{
	static const struct buffer none;
	auto_buffer struct buffer out = { 0 };
	auto_buffer struct buffer method = { 0 };
	struct json_span params = parse(asked[_i].params);
	struct err err;

	json_add_text(&method, asked[_i].method);
	if (question_settle(question_kind(parse(method.data), params), params,
	        "s", &none, &out, &err) == -1)
		ck_assert_str_eq(err.text, asked[_i].out);
	else
		ck_assert_str_eq(
		    (buffer_add(&out, "", 1), out.data), asked[_i].out);
}

UNIT_TEST(refuses_a_long_address)
{
	static const struct buffer none;
	auto_buffer struct buffer out = { 0 }, text = { 0 };
	size_t n;
	struct err err;

	buffer_add_text(&text, "{" VISIT "\"https://");
	for (n = 0; n < QUESTION_URL_MAX; n++)
		buffer_add_text(&text, "a");
	buffer_add_text(&text, "\"}");
	ck_assert_int_eq(question_settle(ASK_CLIENT_URL, parse(text.data), "s",
	    &none, &out, &err), -1);
	ck_assert_str_eq(err.text, NO_ADDRESS);
}

static const struct {
	const char *result, *why; /* NULL: it is taken */
} roots[] = {
	{ "{\"roots\":[]}", NULL },
	{ "{\"roots\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}", NULL },
	{ "{\"roots\":\"x\"}", "\"roots\" is missing, or of the wrong type" },
	{ "{\"roots\":[5]}", "\"uri\" is missing, or of the wrong type" },
	{ "{\"roots\":[{}]}", "\"uri\" is missing, or of the wrong type" },
};

UNIT_TESTS(roots_are_folders, UNIT_COUNT(roots))
{
	auto_buffer struct buffer out = { 0 };
	struct json_span none = { NULL, 0 };
	struct err err;
	int taken = question_check(
	    ASK_CLIENT_ROOTS, none, parse(roots[_i].result), &out, &err);

	ck_assert_int_eq(taken, roots[_i].why == NULL ? 0 : -1);
	if (taken == -1)
		ck_assert_str_eq(err.text, roots[_i].why);
	else
		ck_assert_str_eq(out.data, roots[_i].result);
}
