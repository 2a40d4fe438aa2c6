/*
 * Tests of worker/box/shell/values: words of a command line as the arguments of
 * a tool.
 */
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"
#include "worker/box/shell/mcp.h"

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
	{ { "n=five" }, NULL, "n must be a number, and is \"five\"" },
	{ { "n=true" }, NULL, "n must be a number" },
	{ { "b=true" }, "{\"b\":true}", NULL },
	{ { "b=yes" }, NULL, "b must be true or false" },
	{ { "a=[1, 2]" }, "{\"a\":[1, 2]}", NULL },
	{ { "a={}" }, NULL, "a must be a JSON array" },
	{ { "o={\"x\":[]}" }, "{\"o\":{\"x\":[]}}", NULL },
	{ { "sn=null" }, "{\"sn\":null}", NULL },
	{ { "sn=nul" }, "{\"sn\":\"nul\"}", NULL },
	{ { "any=7" }, "{\"any\":7}", NULL },
	{ { "any=x" }, NULL, "any must be an integer or null" },
	{ { "ref=7" }, "{\"ref\":7}", NULL },
	{ { "ref=x" }, NULL, "ref must be an integer" },
	{ { "e=2" }, "{\"e\":2}", NULL },
	/* What says nothing that is understood takes text. */
	{ { "loop=7", "odd=7", "free=7" },
	    "{\"loop\":\"7\",\"odd\":\"7\",\"free\":\"7\"}", NULL },
	{ { "other=7" }, NULL, "it takes no argument other; it takes s, n" },
	{ { "s:=[1]", "n:=\"x\"" }, NULL, "the argument s must be a string, "
	    "and is a JSON array; the argument n must be a number, and is "
	    "\"x\"" },
	{ { "n:=5", "s:=\"x\"" }, "{\"n\":5,\"s\":\"x\"}", NULL },
	{ { "i=1.5" }, NULL, "i must be an integer, and is 1.5" },
	{ { "i=1.0" }, "{\"i\":1.0}", NULL },
	{ { "e=3" }, NULL, "e must be one of 1, 2, and is 3" },
	{ { "I=1" }, NULL, "no argument I; did you mean i?" },
	{ { "s:=x" }, NULL, "s is not valid JSON" },
	{ { "s:=1,\"n\":2" }, NULL, "s is not valid JSON" },
	{ { "s" }, NULL, "\"s\" is not an argument" },
	{ { "=x" }, NULL, "\"=x\" is not an argument" },
	{ { ":=1" }, NULL, "\":=1\" is not an argument" },
	{ { "s=a", "s=b" }, NULL, "s is given more than once" },
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
	const char *schema;
	const char *word;
	const char *error; /* NULL: taken */
} checked[] = {
	{ "{\"required\":[\"a\",\"b\"]}", "a=1", "b is missing" },
	{ "{\"required\":[\"a\"]}", "a=1", NULL },
	{ "{\"required\":\"nonsense\"}", "a=1", NULL },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "a=1",
	    NULL },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "b=1",
	    "takes no argument b" },
	{ "{\"properties\":{\"a\":{}}}", "b=1", "takes no argument b" },
	{ "{\"properties\":{\"a\":{}},\"anyOf\":[]}", "b=1", NULL },
	{ "{\"properties\":{\"a\":{}},\"additionalProperties\":true}", "b=1",
	    NULL },
	{ "{\"properties\":{\"a\":{},\"b\":{},\"c\":{\"default\":1}},"
	  "\"required\":[\"b\",\"a\",\"c\"]}", "d=1",
	    "it takes no argument d; the arguments b, a are missing; it takes "
	    "a (required), b (required), c (required)" },
	{ "{\"properties\":{\"a\":{\"enum\":[\"red\",\"green\"]}}}", "a=blue",
	    "a must be one of \"red\", \"green\", and is \"blue\"" },
	{ "{\"properties\":{\"a\":{\"const\":\"red\"}}}", "a=blue",
	    "a must be \"red\", and is" },
	{ "{\"properties\":{\"a\":{\"const\":5}}}", "a=5", NULL },
	{ "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
	  "\"string\"}}}}", "a=[\"x\",1]",
	    "a[1] must be a string, and is 1" },
	{ "{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{"
	  "\"x\":{},\"y\":{}},\"required\":[\"x\"],"
	  "\"additionalProperties\":false}}}", "a={\"z\":1}",
	    "the argument a: it takes no member z; the member "
	    "x is missing; it takes x (required), y" },
	{ "{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"x\":{"
	  "\"type\":\"integer\"}}}}}", "a={\"z\":1,\"x\":\"1\"}",
	    "a.x must be an integer, and is \"1\"" },
	{ "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"integer\"},"
	  "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}]}}}",
	    "a=[\"x\"]", "a[0] must be an integer, and is \"x\"" },
	{ "{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"integer\"},"
	  "{\"type\":\"null\"},{\"what\":7}]}}}", "a=[1]", NULL },
	{ "{\"properties\":{\"a\":{\"type\":\"string\",\"nullable\":true}}}",
	    "a:=null", NULL },
	{ "{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/s\"}]}},"
	  "\"$defs\":{\"s\":{\"type\":\"string\"}}}", "a:=1",
	    "a must be a string" },
	{ "{\"properties\":{\"a\":{\"type\":[\"integer\",\"file\"]}}}", "a=x",
	    NULL },
	{ "{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#/properties/a\"},"
	  "{\"$ref\":\"#/properties/a\"}]}}}", "a=1", NULL },
	{ "{\"properties\":[],\"required\":[1]}", "a=1", NULL },
	{ "{\"additionalProperties\":false}", "b=1", NULL },
	{ "true", "b=1", NULL },
};

UNIT_TESTS(what_the_schema_demands_is_there, UNIT_COUNT(checked))
{
	const char *words[] = { checked[_i].word, NULL };
	auto_buffer struct buffer json = { 0 };
	struct json_span span;
	struct err err;

	ck_assert_int_eq(json_span_parse(checked[_i].schema,
	    strlen(checked[_i].schema), &span, NULL), 0);
	ck_assert_int_eq(
	    values_read((char *const *)words, span, &json, &err),
	    checked[_i].error == NULL ? 0 : -1);
	if (checked[_i].error != NULL)
		ck_assert_msg(strstr(err.text, checked[_i].error) != NULL,
		    "%s", err.text);
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
	{ "{\"b\":false}", NULL },
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
