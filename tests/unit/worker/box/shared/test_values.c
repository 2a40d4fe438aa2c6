/*
 * Tests of worker/box/shared/values: words of a command line as the arguments
 * of a tool.
 */
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/box/shared/mcp.h"

static const char schema[] = "{\"type\":\"object\",\"properties\":{"
    "\"s\":{\"type\":\"string\"},\"n\":{\"type\":\"number\"},"
    "\"i\":{\"type\":\"integer\"},\"b\":{\"type\":\"boolean\"},"
    "\"a\":{\"type\":\"array\"},\"o\":{\"type\":\"object\"},"
    "\"sn\":{\"type\":[\"string\",\"null\"]},"
    "\"any\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"
    "\"ref\":{\"$ref\":\"#/$defs/count\"},"
    "\"loop\":{\"$ref\":\"#/properties/loop\"},"
    "\"e\":{\"enum\":[1,2]},\"odd\":{\"type\":7},\"free\":{}},"
    "\"$defs\":{\"count\":{\"type\":\"integer\"}}}";

static const struct {
	const char *words[4];
	const char *json;  /* NULL: refused */
	const char *error; /* what it says then */
} rows[] = {
	{ { NULL }, "{}", NULL },
	{ { "s=x" }, "{\"s\":\"x\"}", NULL },
	{ { "s=" }, "{\"s\":\"\"}", NULL },
	{ { "s=5" }, "{\"s\":\"5\"}", NULL },
	{ { "s=a=b:=c" }, "{\"s\":\"a=b:=c\"}", NULL },
	{ { "s=\"q\"\n" }, "{\"s\":\"\\\"q\\\"\\n\"}", NULL },
	{ { "s=\xff" }, NULL, "s is not UTF-8" },
	{ { "n=5", "i=-3" }, "{\"n\":5,\"i\":-3}", NULL },
	{ { "n=1e400" }, "{\"n\":1e400}", NULL },
	{ { "n=five", "b=yes" }, "{\"n\":\"five\",\"b\":\"yes\"}", NULL },
	{ { "b=true" }, "{\"b\":true}", NULL },
	{ { "a=[1, 2]" }, "{\"a\":[1, 2]}", NULL },
	{ { "a={}" }, "{\"a\":\"{}\"}", NULL },
	{ { "o={\"x\":[]}" }, "{\"o\":{\"x\":[]}}", NULL },
	{ { "sn=null" }, "{\"sn\":null}", NULL },
	{ { "sn=nul" }, "{\"sn\":\"nul\"}", NULL },
	{ { "any=7" }, "{\"any\":7}", NULL },
	{ { "ref=7" }, "{\"ref\":7}", NULL },
	{ { "e=2" }, "{\"e\":2}", NULL },
	/* What says nothing that is understood takes text. */
	{ { "loop=7", "odd=7", "free=7" },
	    "{\"loop\":\"7\",\"odd\":\"7\",\"free\":\"7\"}", NULL },
	{ { "other=7" }, "{\"other\":\"7\"}", NULL },
	{ { "n:=5", "s:=\"x\"" }, "{\"n\":5,\"s\":\"x\"}", NULL },
	{ { "i=1.0" }, "{\"i\":1.0}", NULL },
	{ { "e=3" }, "{\"e\":3}", NULL },
	{ { "s:=x" }, NULL, "s is not valid JSON" },
	{ { "s:=1,\"n\":2" }, NULL, "s is not valid JSON" },
	{ { "s" }, NULL, "\"s\" is not an argument" },
	{ { "=x" }, NULL, "\"=x\" is not an argument" },
	{ { ":=1" }, NULL, "\":=1\" is not an argument" },
	{ { "s=a", "-" }, NULL, "- must come before" },
};

UNIT_TESTS(words_become_arguments, UNIT_COUNT(rows))
{
	auto_buffer struct buffer json = { 0 };
	struct json_span span;
	struct err err;
	int wanted = rows[_i].json == NULL ? -1 : 0;

	ck_assert_int_eq(
	    json_span_parse(schema, strlen(schema), &span, NULL), 0);
	ck_assert_int_eq(values_read((char *const *)rows[_i].words, span,
	    &json, &err), wanted);
	if (wanted == 0)
		ck_assert_str_eq(json.data, rows[_i].json);
	else
		ck_assert_msg(strstr(err.text, rows[_i].error) != NULL, "%s",
		    err.text);
}

static const struct {
	const char *input;
	const char *json; /* NULL: refused */
} inputs[] = {
	{ "{\"s\":\"x\", \"n\":1}\n", "{\"s\":\"x\", \"n\":1,\"b\":true}" },
	{ "{}", "{\"b\":true}" },
	{ " { } ", "{\"b\":true}" },
	{ "[]", NULL },
	{ "", NULL },
};

UNIT_TESTS(standard_input_is_taken_too, UNIT_COUNT(inputs))
{
	static const char *const words[] = { "-", "b=true", NULL };
	auto_buffer struct buffer json = { 0 };
	const char *input = inputs[_i].input;
	struct json_span span;
	struct err err;
	int line[2];

	ck_assert_int_eq(pipe(line), 0);
	ck_assert_int_eq(write(line[1], input, strlen(input)),
	    (ssize_t)strlen(input));
	close(line[1]);
	ck_assert_int_eq(dup2(line[0], STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(
	    json_span_parse(schema, strlen(schema), &span, NULL), 0);
	ck_assert_int_eq(
	    values_read((char *const *)words, span, &json, &err),
	    inputs[_i].json == NULL ? -1 : 0);
	if (inputs[_i].json != NULL)
		ck_assert_str_eq(json.data, inputs[_i].json);
}
