/*
 * Tests of common/json/jsonrpc: what a line is sorted into, that an id guessed
 * from the two ends of a line is never a wrong one, and the exact bytes of
 * answers.
 */
#include <stdlib.h>
#include <string.h>

#include "common/json/jsonrpc.h"
#include "common/base/lines.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

#define SPAN(text) ((struct json_span){ (text), strlen(text) })

static struct json_span
parse(const char *text)
{
	struct json_span value;
	struct err err;

	if (json_span_parse(text, strlen(text), &value, &err) == -1)
		ck_abort_msg("the test's own JSON: %s: %s", text, err.text);
	return value;
}

/* NULL where there must be none. */
static void
is_span(struct json_span span, const char *text)
{
	if (text == NULL)
		text = "";
	ck_assert_uint_eq(span.len, strlen(text));
	ck_assert_mem_eq(span.p == NULL ? "" : span.p, text, span.len);
}

/* Sorting */

#define V "\"jsonrpc\":\"2.0\""
#define SORT_ID "the id must be a string or an integer"
#define SORT_VERSION "the member \"jsonrpc\" must be \"2.0\""
#define SORT_METHOD "the member \"method\" must be there once and be a string"

static const struct {
	const char *line;
	enum jsonrpc_kind kind;
	const char *id, *method, *params;
	const char *error;
} sorts[] = {
	{ "{" V ",\"id\":1,\"method\":\"ping\"}", JSONRPC_REQUEST, "1",
	    "\"ping\"", NULL, NULL },
	{ " {\"method\" : \"x\",\"id\" : \"a\\\"b\" , " V " } ",
	    JSONRPC_REQUEST, "\"a\\\"b\"", "\"x\"", NULL, NULL },
	{ "{" V ",\"id\":\"\",\"method\":\"\",\"params\":[]}",
	    JSONRPC_REQUEST, "\"\"", "\"\"", "[]", NULL },
	{ "{" V ",\"id\":-0,\"method\":\"x\",\"params\":null}",
	    JSONRPC_REQUEST, "-0", "\"x\"", "null", NULL },
	/* No number type of ours could hold this id, and none has to. */
	{ "{" V ",\"id\":123456789012345678901234567890,\"method\":\"x\"}",
	    JSONRPC_REQUEST, "123456789012345678901234567890", "\"x\"", NULL,
	    NULL },
	{ "{\"\\u0069d\":7,\"\\u006asonrpc\":\"2.0\",\"method\":\"x\"}",
	    JSONRPC_REQUEST, "7", "\"x\"", NULL, NULL },
	{ "{" V ",\"method\":\"n\"}", JSONRPC_NOTIFICATION, NULL, "\"n\"",
	    NULL, NULL },
	{ "{" V ",\"method\":\"n\",\"params\":{\"id\":3}}",
	    JSONRPC_NOTIFICATION, NULL, "\"n\"", "{\"id\":3}", NULL },
	{ "{" V ",\"id\":1,\"result\":{}}", JSONRPC_RESPONSE, "1", NULL, NULL,
	    NULL },
	{ "{" V ",\"id\":1,\"error\":{\"code\":1}}", JSONRPC_RESPONSE, "1",
	    NULL, NULL, NULL },
	{ "{" V ",\"error\":{\"code\":1}}", JSONRPC_RESPONSE, NULL, NULL,
	    NULL, NULL },
	/* How a peer reports what it could not read: never answered. */
	{ "{" V ",\"id\":null,\"error\":{\"code\":-32700}}",
	    JSONRPC_RESPONSE, NULL, NULL, NULL, NULL },
	{ "{\"result\":{},\"id\":2}", JSONRPC_RESPONSE, "2", NULL, NULL, NULL },
	{ "{" V ",\"id\":1,\"method\":\"x\",\"result\":1}", JSONRPC_REQUEST,
	    "1", "\"x\"", NULL, NULL },
	{ "[]", JSONRPC_INVALID, NULL, NULL, NULL,
	    "a message must be a JSON object" },
	{ "1", JSONRPC_INVALID, NULL, NULL, NULL,
	    "a message must be a JSON object" },
	{ "null", JSONRPC_INVALID, NULL, NULL, NULL,
	    "a message must be a JSON object" },
	{ "{}", JSONRPC_INVALID, NULL, NULL, NULL, SORT_VERSION },
	{ "{\"id\":5}", JSONRPC_INVALID, "5", NULL, NULL, SORT_VERSION },
	{ "{\"id\":5,\"jsonrpc\":\"1.0\",\"method\":\"x\"}", JSONRPC_INVALID,
	    "5", NULL, NULL, SORT_VERSION },
	{ "{\"id\":5,\"jsonrpc\":2.0,\"method\":\"x\"}", JSONRPC_INVALID,
	    "5", NULL, NULL, SORT_VERSION },
	{ "{" V "," V ",\"id\":5,\"method\":\"x\"}", JSONRPC_INVALID, "5",
	    NULL, NULL, SORT_VERSION },
	{ "{" V ",\"id\":5}", JSONRPC_INVALID, "5", NULL, NULL, SORT_METHOD },
	{ "{" V ",\"id\":5,\"method\":6}", JSONRPC_INVALID, "5", NULL, NULL,
	    SORT_METHOD },
	{ "{" V ",\"id\":5,\"method\":\"a\",\"method\":\"a\"}",
	    JSONRPC_INVALID, "5", NULL, NULL, SORT_METHOD },
	{ "{" V ",\"id\":5,\"method\":\"a\",\"params\":1,\"params\":1}",
	    JSONRPC_INVALID, "5", NULL, NULL,
	    "the member \"params\" is there more than once" },
	{ "{" V ",\"id\":null,\"method\":\"x\"}", JSONRPC_INVALID, NULL, NULL,
	    NULL, SORT_ID },
	{ "{" V ",\"id\":1.5,\"method\":\"x\"}", JSONRPC_INVALID, NULL, NULL,
	    NULL, SORT_ID },
	{ "{" V ",\"id\":1e3,\"method\":\"x\"}", JSONRPC_INVALID, NULL, NULL,
	    NULL, SORT_ID },
	{ "{" V ",\"id\":true,\"method\":\"x\"}", JSONRPC_INVALID, NULL, NULL,
	    NULL, SORT_ID },
	{ "{" V ",\"id\":[1],\"method\":\"x\"}", JSONRPC_INVALID, NULL, NULL,
	    NULL, SORT_ID },
	{ "{" V ",\"id\":1,\"id\":2,\"method\":\"x\"}", JSONRPC_INVALID, NULL,
	    NULL, NULL, "the member \"id\" is there 2 times" },
};

UNIT_EACH(sorts_a_message, UNIT_COUNT(sorts))
{
	struct jsonrpc message;
	struct err err = { 0, "" };

	jsonrpc_sort(parse(sorts[_i].line), &message, &err);
	ck_assert_msg(message.kind == sorts[_i].kind, "%s: kind %d, %s",
	    sorts[_i].line, message.kind, err.text);
	is_span(message.id, sorts[_i].id);
	if (sorts[_i].error != NULL) {
		ck_assert_str_eq(err.text, sorts[_i].error);
		return;
	}
	is_span(message.params, sorts[_i].params);
	if (message.kind != JSONRPC_RESPONSE)
		is_span(message.method, sorts[_i].method);
}

/* Guessing: "head" and "tail" are all that is known of the line. */

#define FIRST "{" V ",\"id\":"

static const struct {
	const char *head, *tail, *id;
} glimpses[] = {
	{ FIRST "5,\"method\":\"x", "xxx\"}}", "5" },
	{ FIRST "\"a-b\",\"method\":\"x", "xxx\"}}", "\"a-b\"" },
	{ FIRST "\"a,b\",\"x", "xxx\"}}", "\"a,b\"" },
	{ FIRST " 12 , \"method\":\"x", "xxx\"}}", "12" },
	{ "{\"method\":\"x", "xxx\"}},\"id\":5}", "5" },
	{ "{\"method\":\"x", "xxx\"}}, \"id\":5}", "5" },
	{ "{\"method\":\"x", "xxx\"}}, \"id\": \"q\" } \r", "\"q\"" },
	{ "", "{\"id\":5}", "5" },
	/* As others write them: with white space, in another order. */
	{ "{\"jsonrpc\": \"2.0\", \"id\": 3, \"result\": {\"x", "xxx\"}}",
	    "3" },
	{ " {\t\"id\"\r:\n3 , \"result\": {\"x", "xxx\"}}", "3" },
	{ "{\"id\":3,\"jsonrpc\":\"2.0\",\"result\":{\"x", "xxx\"}}", "3" },
	{ "{\"result\":{\"x\":[{\"}\\\"\":\"]\"},[]],\"id\":4},\"id\":3,\"x",
	    "",
	    "3" },
	{ "{\"error\":{\"code\":1},\"id\":\"3\"}", "", "\"3\"" },
	{ "{\"method\":\"a\\\\\",\"id\":3,\"params\":{\"x", "xxx\"}}", "3" },
	{ "{\"result\":{\"x", "xxx\"},\"id\":3,\"jsonrpc\":\"2.0\"}", "3" },
	{ "{\"result\":{\"x", "xxx\"} , \"jsonrpc\" : \"2.0\" , \"id\" : 3 } ",
	    "3" },
	{ "{\"result\":{\"x", "xxx\"},\"id\":3,\"a\":\"\\\\\\\"{\",\"b\":true}",
	    "3" },
	{ "{\"result\":{\"x", "xxx\"},\"id\":3,\"a\":-1.5E+7,\"b\":null}",
	    "3" },
	/* What is no JSON in a value need not be. */
	{ "{\"result\":{\"x\":[NaN,-Infinity,\"\xff\"]},\"id\":3,\"x", "",
	    "3" },
	{ "{\"id\":3,\"result\":None,\"x", "", "3" },
	/* Twice: the same, or not. */
	{ "{\"id\":3,\"result\":{\"x", "xxx\"},\"id\":3}", "3" },
	{ "{\"id\":3,\"result\":{\"x", "xxx\"},\"id\":4}", NULL },
	{ "{\"id\":3,\"id\":4,\"result\":{\"x", "xxx\"}}", NULL },
	/* It may go on behind what is known, or begin before it. */
	{ "{\"id\":3 ", "xxx\"}}", NULL },
	{ "{\"id\"", "xxx\"}}", NULL },
	{ "{\"result\":[[],\"id\":3,", "xxx\"}}", NULL },
	{ "{\"result\":{\"x", "\\\"id\":3}", NULL },
	{ "{\"result\":{\"x", "\\\\\",\"id\":3}", "3" },
	{ "{\"result\":{\"x", "\"x\":{},\"id\":3,\"z\":[]}", NULL },
	{ "{\"result\":{\"x", "3,\"jsonrpc\":\"2.0\"}", NULL },
	{ "{\"result\":{\"x", "\"jsonrpc\":\"2.0\"}", NULL },
	{ "{\"result\":{\"x", "}", NULL },
	{ "[1,\"id\":3,", "", NULL },
	{ "{,\"id\":3,", "", NULL },
	{ "{\"id\":3]", "", NULL },
	/* It may go on behind what is known. */
	{ FIRST "5", "xxx\"}}", NULL },
	{ FIRST "\"a", "b\"}}", NULL },
	{ FIRST, "", NULL },
	{ "", "", NULL },
	/* No id: part of another value, or of another kind. */
	{ FIRST "\"a,b", "xxx\"}}", NULL },
	{ FIRST "{\"x\":1,\"y\":2},", "xxx\"}}", NULL },
	{ FIRST "[1,2],", "xxx\"}}", NULL },
	{ FIRST "null,", "xxx\"}}", NULL },
	{ FIRST "1.5,", "xxx\"}}", NULL },
	{ FIRST "12 13,", "xxx\"}}", NULL },
	{ "{\"method\":\"x", "xxx\"},\"id\":5]}", NULL },
	{ "{\"method\":\"x", "xxx\",\"id\":5}}", NULL },
	{ "{\"method\":\"x", "xxx\",\"id\":5},\"z\":1}", NULL },
	{ "{\"method\":\"x", "xxx\",\"a\\\"id\":5}", NULL },
	{ "{\"method\":\"x", "xxx\",\"grid\":5}", NULL },
	{ "{\"method\":\"x", "xxx\",\"id\":}", NULL },
	{ "{\"method\":\"x", "xxx\",\"id\":5", NULL },
	{ "{\"method\":\"x", "\"id\":5}", NULL },
	{ "[{\"method\":\"x", "xxx\",\"id\":5}]", NULL },
};

UNIT_EACH(guesses_an_id, UNIT_COUNT(glimpses))
{
	const char *head = glimpses[_i].head, *tail = glimpses[_i].tail;
	struct json_span id = { NULL, 0 };
	int found = jsonrpc_glimpse_id(
	    head, strlen(head), tail, strlen(tail), &id);

	ck_assert_msg(found == (glimpses[_i].id != NULL), "%s ... %s", head,
	    tail);
	/* Untouched when there is none: callers rely on it. */
	is_span(id, glimpses[_i].id);
}

/*
 * Lines of every kind, cut everywhere: a guess must be an id that the whole
 * line has. They are made of parts that were chosen to mislead.
 */

static unsigned int
pick(unsigned int below)
{
	static unsigned int state = 20;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

static const char *const names[] = { "\"id\"", "\"id\"", "\"jsonrpc\"",
	"\"x\\\"id\"", "\"\\\\\"", "\"grid\"", "\", \\\"id\\\":5}\"",
	"\"{\"", "\"params\"", "\"i\\u0064\"" };
static const char *const values[] = { "5", "\"q\"", "\"2.0\"", "null", "1.5",
	"\",\"", "\"\\\",\\\"id\\\":7}\"", "\"}\"", "\"\\\\\"", "-1", "true",
	"\", {\"", "\"id\"", "\"\\\"id\\\":\"", "\"\"", "{}", "[]" };
static const char *const gaps[] = { "", "", "", "", " ", "\t", " \r" };

#define PICK(array) array[pick(UNIT_COUNT(array))]

static void
add_value(struct buffer *line, int depth);

static void
add_object(struct buffer *line, int depth)
{
	unsigned int n, members = pick(4);

	buffer_add_text(line, "{");
	/* Half of them begin as clients begin. */
	if (pick(2) == 0) {
		buffer_add_text(line, "\"jsonrpc\":\"2.0\",\"id\":");
		add_value(line, depth + 2);
		buffer_add_text(line, members > 0 ? "," : "");
	}
	for (n = 0; n < members; n++) {
		buffer_add_text(line, n > 0 ? "," : "");
		buffer_printf(line, "%s%s%s:%s", PICK(gaps), PICK(names),
		    PICK(gaps), PICK(gaps));
		add_value(line, depth + 1);
		buffer_add_text(line, PICK(gaps));
	}
	buffer_add_text(line, "}");
}

static void
add_value(struct buffer *line, int depth)
{
	unsigned int what = pick(8);

	if (depth < 3 && what < 2) {
		add_object(line, depth);
	} else if (depth < 3 && what == 2) {
		buffer_add_text(line, "[");
		add_value(line, depth + 1);
		buffer_add_text(line, ",");
		add_value(line, depth + 1);
		buffer_add_text(line, "]");
	} else {
		buffer_add_text(line, PICK(values));
	}
}

/* Whether the line as a whole has this id. */
static int
has_id(struct json_span object, struct json_span id)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;

	if (object.p[0] != '{')
		return 0;
	while (json_span_next_member(&walk, &name, &value))
		if (json_span_is(name, "id") && value.len == id.len &&
		    memcmp(value.p, id.p, id.len) == 0)
			return 1;
	return 0;
}

static int
is_id(struct json_span id)
{
	return id.p[0] == '"' || strcspn(id.p, ".eEtfn[{") >= id.len;
}

/* Returns how often there was a guess. */
static unsigned long
cut_everywhere(struct json_span line)
{
	struct json_span id;
	unsigned long guesses = 0;
	size_t head, tail;

	for (head = 0; head <= line.len; head++)
		for (tail = 0; tail <= line.len; tail++) {
			if (!jsonrpc_glimpse_id(line.p, head,
			        line.p + line.len - tail, tail, &id))
				continue;
			guesses++;
			if (!has_id(line, id) || !is_id(id))
				ck_abort_msg("%.*s: %zu and %zu bytes show "
				    "the id %.*s", (int)line.len, line.p,
				    head, tail, (int)id.len, id.p);
		}
	return guesses;
}

UNIT_TEST(never_guesses_wrong)
{
	struct buffer line = { 0 };
	unsigned long guesses = 0;
	int n;

	for (n = 0; n < 500; n++) {
		if (pick(20) == 0)
			add_value(&line, 0);
		else
			add_object(&line, 0);
		guesses += cut_everywhere(parse(line.data));
		line.len = 0;
	}
	buffer_reset(&line);
	ck_assert_uint_gt(guesses, 1000);
}

/* An answer is known by what it is not. */
UNIT_TESTS(guesses_whose_answer_it_is, 8)
{
	static const struct {
		const char *head, *tail, *id;
	} rows[] = {
		{ " {\"result\":{\"x", "xxx\"},\"id\":3}", "3" },
		{ "{\"id\":3,\"result\":{\"method\":\"x", "xxx\"}}", "3" },
		{ "{\"id\":3,\"method\" : \"x", "xxx\"}", NULL },
		{ "{\"params\":{\"x", "xxx\"},\"method\":\"x\",\"id\":3}",
		  NULL },
		{ "{\"params\":{\"x", "xxx\"},\"id\":3,\"method\":\"x\"}",
		  NULL },
		{ "log: {\"result\":{\"x", "xxx\"},\"id\":3}", NULL },
		{ "", "{\"id\":3}", NULL },
		{ " ", "{\"id\":3}", NULL },
	};
	const char *head = rows[_i].head, *tail = rows[_i].tail;
	struct json_span id = { NULL, 0 };
	int found = jsonrpc_glimpse_answered(
	    head, strlen(head), tail, strlen(tail), &id);

	ck_assert_int_eq(found, rows[_i].id != NULL);
	is_span(id, rows[_i].id);
}

/* Answers */

UNIT_TEST(writes_an_error)
{
	auto_buffer struct buffer out = { 0 };

	jsonrpc_add_error(&out, SPAN("\"a\\u0000\""), JSONRPC_PARSE_ERROR,
	    "a \"b\"\n", "{\"uri\":1}");
	jsonrpc_add_error(&out, (struct json_span){ NULL, 0 }, -1, "", NULL);
	ck_assert_str_eq(out.data,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0000\",\"error\":{\"code\":"
	    "-32700,\"message\":\"a \\\"b\\\"\\n\",\"data\":{\"uri\":1}}}\n"
	    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,"
	    "\"message\":\"\"}}\n");
}
