/*
 * What a client is asked of a question of a server, and what the server gets of
 * an answer.
 */
#include <string.h>

#include "common/ask_client.h"
#include "common/base/mem.h"
#include "common/json/json.h"
#include "tests/unit/unit.h"
#include "worker/broker/arguments/arguments.h"

static struct json_span
parse(const char *text)
{
	struct json_span value;

	ck_assert_int_eq(json_span_parse(text, strlen(text), &value, NULL), 0);
	return value;
}

#define FIELD "\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
#define VISIT "\"mode\":\"url\",\"message\":\"m\",\"url\":"
#define NO_ADDRESS                                                             \
	"\"url\" is no address of the web with a host, without a name or "     \
	"password, of at most 8192 bytes"
#define WRONG(name) "\"" name "\" is missing, or of the wrong type"
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
	unsigned int kind;
	const char *result, *why; /* NULL: it is taken */
} whole[] = {
	{ ASK_CLIENT_ROOTS, "{\"roots\":[]}", NULL },
	{ ASK_CLIENT_ROOTS,
	    "{\"roots\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]}", NULL },
	{ ASK_CLIENT_ROOTS, "{\"roots\":\"x\"}", WRONG("roots") },
	{ ASK_CLIENT_ROOTS, "{\"roots\":[5]}", WRONG("uri") },
	{ ASK_CLIENT_ROOTS, "{\"roots\":[{}]}", WRONG("uri") },
	{ ASK_CLIENT_SAMPLING, "{\"content\":{\"type\":\"text\"}}", NULL },
	{ ASK_CLIENT_SAMPLING, "{\"content\":[{\"type\":\"text\"},{\"type\":"
	  "\"image\"}]}", NULL },
	{ ASK_CLIENT_SAMPLING, "{\"content\":[{}]}", WRONG("type") },
	{ ASK_CLIENT_SAMPLING, "{\"content\":[\"a\"]}", WRONG("type") },
	{ ASK_CLIENT_SAMPLING, "{\"content\":\"a\"}", WRONG("content") },
	{ ASK_CLIENT_SAMPLING, "{}", WRONG("content") },
};

UNIT_TESTS(parts_of_an_answer_are_what_they_must_be, UNIT_COUNT(whole))
{
	auto_buffer struct buffer out = { 0 };
	struct json_span none = { NULL, 0 };
	struct err err;
	int taken = question_check(
	    whole[_i].kind, none, parse(whole[_i].result), &out, &err);

	ck_assert_int_eq(taken, whole[_i].why == NULL ? 0 : -1);
	if (taken == -1)
		ck_assert_str_eq(err.text, whole[_i].why);
	else
		ck_assert_str_eq(out.data, whole[_i].result);
}

#define BROKEN(rule) "\"" rule "\""

/* A field, what it is filled in with, and the rule that this breaks. */
static const struct {
	const char *field, *value, *rule; /* NULL: it is taken */
} filled[] = {
	{ "\"integer\",\"minimum\":18", "18", NULL },
	{ "\"integer\",\"minimum\":18", "17", BROKEN("minimum") },
	{ "\"integer\",\"minimum\":18", "\"17\"", BROKEN("minimum") },
	{ "\"number\",\"maximum\":1e2", "100", NULL },
	{ "\"number\",\"maximum\":1e2", "100.5", BROKEN("maximum") },
	{ "\"number\",\"minimum\":\"x\"", "-1", NULL },
	{ "\"string\",\"minLength\":2", "\"\u00fc\\u00fc\"", NULL },
	{ "\"string\",\"minLength\":3", "\"\u00fc\\u00fc\"",
	  BROKEN("minLength") },
	{ "\"string\",\"maxLength\":1", "\"\\ud83d\\ude00\"", NULL },
	{ "\"string\",\"maxLength\":1", "\"ab\"", BROKEN("maxLength") },
	{ "\"string\",\"minimum\":9,\"maxItems\":0", "\"ab\"", NULL },
	{ "\"boolean\",\"minimum\":9", "true", NULL },
	{ "\"array\",\"minItems\":1,\"items\":{\"type\":\"string\",\"enum\":["
	  "\"a\",\"b\"]}", "[\"b\"]", NULL },
	{ "\"array\",\"minItems\":1,\"items\":{}", "[]", BROKEN("minItems") },
	{ "\"array\",\"maxItems\":1,\"items\":{}", "[1,2]",
	  BROKEN("maxItems") },
	{ "\"array\",\"items\":{\"anyOf\":[{\"const\":\"a\"}]}", "[\"b\"]",
	  "the value" },
	{ "\"array\",\"items\":{\"enum\":[\"a\"]}", "\"a\"", "the value" },
	{ "\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"},{\"const\":"
	  "\"b\"}]", "\"b\"", NULL },
	{ "\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"}]", "\"A\"",
	  "the value" },
	{ "\"string\",\"enum\":[\"a\"],\"enumNames\":[\"A\"]", "\"A\"",
	  "the value" },
	{ "\"string\",\"format\":\"email\"", "\"a@b.example\"", NULL },
	{ "\"string\",\"format\":\"email\"", "\"a b@c\"", BROKEN("format") },
	{ "\"string\",\"format\":\"email\"", "\"@c\"", BROKEN("format") },
	{ "\"string\",\"format\":\"email\"", "\"a@b\\nc\"", BROKEN("format") },
	{ "\"string\",\"format\":\"uri\"", "\"https://a/b?c#d\"", NULL },
	{ "\"string\",\"format\":\"uri\"", "\"urn:a:b\"", NULL },
	{ "\"string\",\"format\":\"uri\"", "\"/a:b\"", BROKEN("format") },
	{ "\"string\",\"format\":\"uri\"", "\"https://a b\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2024-02-29\"", NULL },
	{ "\"string\",\"format\":\"date\"", "\"2024-13-01\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2024-1-1\"", BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2026-02-30\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2026-02-29\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2100-02-29\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2000-02-29\"", NULL },
	{ "\"string\",\"format\":\"date\"", "\"2026-04-31\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date\"", "\"2026-08-31\"", NULL },
	{ "\"string\",\"format\":\"date-time\"", "\"2024-02-29t23:59:60.5z\"",
	  NULL },
	{ "\"string\",\"format\":\"date-time\"",
	  "\"2024-02-29T00:00:00+05:30\"", NULL },
	{ "\"string\",\"format\":\"date-time\"", "\"2024-02-29T00:00:00\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"date-time\"", "\"2024-02-29\"",
	  BROKEN("format") },
	{ "\"string\",\"format\":\"ipv9\"", "\"x\"", NULL },
	/* The default counts as what is filled in. */
	{ "\"integer\",\"default\":3,\"minimum\":3", NULL, NULL },
	{ "\"string\",\"minLength\":9", NULL, NULL },
};

UNIT_TESTS(a_form_is_filled_in_as_its_schema_says, UNIT_COUNT(filled))
{
	auto_free char *schema = mem_printf("{\"type\":\"object\","
	    "\"properties\":{\"a\":{\"type\":%s}}}", filled[_i].field);
	auto_free char *result = mem_printf("{\"action\":\"accept\","
	    "\"content\":{%s%s}}", filled[_i].value == NULL ? "" : "\"a\":",
	    filled[_i].value == NULL ? "" : filled[_i].value);
	const char *rule = filled[_i].rule;
	auto_free char *why = mem_printf("what was filled in does not fit the "
	    "form: %s of \"a\"", rule == NULL ? "" : rule);
	auto_buffer struct buffer out = { 0 };
	struct err err = { 0, "" };
	int taken = question_check(
	    ASK_CLIENT_FORM, parse(schema), parse(result), &out, &err);

	ck_assert_str_eq(err.text, rule == NULL ? "" : why);
	ck_assert_int_eq(taken, rule == NULL ? 0 : -1);
}
