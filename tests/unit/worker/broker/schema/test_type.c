/*
 * Tests of worker/broker/schema: the TypeScript of schemas and of the tools of
 * a server. In the tables ' stands for ". That the compiler accepts it is
 * tested in tests/e2e/types.test.mjs.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/json/json.h"
#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/broker/schema/schema.h"

static void
swap(char *text, char from, char to)
{
	for (; *text != '\0'; text++)
		if (*text == from)
			*text = to;
}

/* Returns JSON of the table, which the caller frees, and its span. */
static char *
quoted(const char *text, struct json_span *span)
{
	char *copy = mem_strdup(text);
	struct err err;

	swap(copy, '\'', '"');
	if (json_span_parse(copy, strlen(copy), span, &err) == -1)
		ck_abort_msg("%s: %s", text, err.text);
	return copy;
}

/* Appends a type, and those that got names. */
static void
add(const char *text, bool brief, struct buffer *out)
{
	struct json_span span;
	auto_free char *copy = quoted(text, &span);
	struct schema schema = { span, TYPES_WORK_MAX };
	struct type_writer writer = { .schema = &schema, .text = out,
		.end = TYPES_TOOL_MAX, .prefix = "f", .given = true };

	if (brief) {
		type_add_brief(&schema, span, out);
	} else {
		type_add(&writer, span);
		type_add_named(&writer);
	}
	buffer_add_text(out, "");
	swap(out->data, '"', '\'');
	ck_assert(copy != NULL && utf8_valid(out->data, out->len));
}

#define TREE                                                                   \
	"{'properties':{'n':{'$ref':'#/$defs/a~1n'},'m':{'$ref':'#/o/n'}},"    \
	"'$defs':{'a/n':{'properties':{'c':{'items':{'$ref':'#/$defs/a~1n'}}}" \
	"}},'o':{'n':{'$ref':'#/o/n'}}}"

static const struct {
	const char *schema, *type, *brief;
} types[] = {
	{ "{}", "unknown", "" },
	{ "false", "never", ": never" },
	{ "{'type':'integer'}", "number", ": integer" },
	{ "{'type':['string','integer','number','null']}",
	    "string | number | null", ": string | number | null" },
	{ "{'type':'array','items':{'type':['string','null']}}",
	    "(string | null)[]", ": (string | null)[]" },
	{ "{'type':'array'}", "unknown[]", ": array" },
	{ "{'prefixItems':[{'type':'string'},{'const':1}],'items':false}",
	    "(string | 1)[]", ": (string | 1)[]" },
	{ "{'enum':['a*/','\\u000a\\ud83d\\ude00',1e3,null]}",
	    "'a*/' | '\\n\xf0\x9f\x98\x80' | 1e3 | null", NULL },
	{ "{'enum':['\\ud800',{}]}", "string | unknown", ": string | ..." },
	{ "{'type':'string','enum':['a'],'nullable':true}", "'a' | null",
	    ": 'a' | null" },
	{ "{'items':{'type':'string','nullable':true}}", "(string | null)[]",
	    NULL },
	{ "{'anyOf':[{'type':'string'},{'oneOf':[{'const':1},{'const':2}]}]}",
	    "string | 1 | 2", NULL },
	{ "{'type':'object','anyOf':[{'format':'x'},{'type':'string'}]}",
	    "{ [key: string]: unknown }", NULL },
	{ "{'allOf':[{'type':'string'},{'enum':['a','b']}]}",
	    "string & ('a' | 'b')", NULL },
	{ "{'items':{'allOf':[{'type':'string'},{'enum':['a']}]}}",
	    "(string & 'a')[]", NULL },
	/* Members. */
	{ "{'type':'object','properties':{}}", "{}", ": {}" },
	{ "{'properties':{'a':{},'b-c':{'type':'null'},'d':{'default':1},"
	  "'[e':{}},'required':['a','d']}", "{ a: unknown; 'b-c'?: null; "
	    "d?: unknown; '[e'?: unknown }", NULL },
	{ "{'properties':{'a':{'const':1},'\\u0061':{'const':2}}}",
	    "{ a?: 1 }", NULL },
	{ "{'properties':{'a':{}},'required':['b']}",
	    "{ a?: unknown; [key: string]: unknown }", NULL },
	{ "{'properties':{'a\\u0000':{}}}", "{ [key: string]: unknown }",
	    NULL },
	{ "{'properties':{'a':{}},'additionalProperties':{'type':'string'}}",
	    "{ a?: unknown; [key: string]: unknown }", ": { a?: unknown }" },
	{ "{'additionalProperties':{'type':'string'}}",
	    "{ [key: string]: string }", ": { [key: string]: string }" },
	{ "{'type':'object','additionalProperties':false}", "{}", NULL },
	{ "{'properties':{'a':{'description':'x */\\n\\n \\u001b y '}}}",
	    "{\n\t/** x *\\/ \\x1b y */\n\ta?: unknown;\n}", NULL },
	/* References. */
	{ TREE, "{ n?: f_A_1n; m?: f_N }\n"
	    "export type f_A_1n = { c?: f_A_1n[] };\n"
	    "export type f_N = unknown;", ": { n?: { c?: ...[] }; m?: ... }" },
	{ "{'$ref':'#'}", "unknown", ": ..." },
	{ "{'$ref':'#/$defs/a','$defs':{'a':{'type':'string'}}}", "string",
	    NULL },
	{ "{'items':[{'$ref':'x'}],'$ref':5}", "unknown[]", NULL },
	{ "{'properties':{'a':{'$id':'x','type':'string'}}}",
	    "{ a?: unknown }", NULL },
	{ "{'type':[],'anyOf':5,'allOf':{},'enum':[],'required':{},"
	  "'properties':[1]}", "unknown", NULL },
};

UNIT_TESTS(a_type_of_a_schema, UNIT_COUNT(types))
{
	auto_buffer struct buffer text = { 0 }, brief = { 0 };

	add(types[_i].schema, false, &text);
	ck_assert_str_eq(text.data, types[_i].type);
	add(types[_i].schema, true, &brief);
	if (types[_i].brief != NULL)
		ck_assert_str_eq(brief.data, types[_i].brief);
}

/* Whatever is deep, long or wide is cut. */
UNIT_TEST(types_are_bounded)
{
	auto_buffer struct buffer deep = { 0 }, wide = { 0 }, text = { 0 },
	    other = { 0 };
	size_t n;

	for (n = 0; n < 60; n++)
		buffer_add_text(&deep, "{'properties':{'a':");
	buffer_add_text(&deep, "1");
	for (n = 0; n < 60; n++)
		buffer_add_text(&deep, "}}");
	add(deep.data, false, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "{ a?: unknown } }"));
	buffer_add_text(&wide, "{'properties':{'a':{}");
	for (n = 0; n < 3000; n++)
		buffer_printf(&wide, ",'n%zu':{'enum':['%050zu','']}", n, n);
	buffer_add_text(&wide, "}}");
	add(wide.data, false, &other);
	ck_assert(other.len < TYPES_TOOL_MAX + KIB);
	ck_assert_ptr_nonnull(strstr(other.data, "; [key: string]: unknown }"));
	buffer_reset(&text);
	add(wide.data, true, &text);
	ck_assert(text.len <= TYPES_BRIEF_MAX + strlen(": ..."));
}

#define TOOLS                                                                  \
	"{'tools':[{'name':'read_file','description':'Reads.','inputSchema':"  \
	"{'type':'object','properties':{'path':{'type':'string'}},'required':" \
	"['path']},'outputSchema':{'properties':{'n':{'$ref':'#'}}}},"         \
	"{'name':'delete'},{'name':'ODD.name'},{'name':'a-b'},{'name':'aB'},"  \
	"{'name':'\\ud800'}],'aliases':['read_file','delete','odd_name','a_b'" \
	",'ab','tool']}"

static const char *const declared[] = { "declare module \"mcp/s\" {\n"
	"\texport interface Result<T = any> { ",
	"\n\t/** Reads. */\n\texport function read_file(args: { path: string })"
	": Promise<Result<{ n?: read_file_T_ }>>;\n"
	"\texport { read_file as readFile };\n"
	"\texport type read_file_T_ = { n?: read_file_T_ };\n"
	"\texport function $delete(args?: { [key: string]: unknown }): "
	"Promise<Result>;\n\texport { $delete as delete };\n",
	"function odd_name(", "export { odd_name as oddName };",
	"function a_b(", "function aB(", "function tool(",
	"\n}\ndeclare const mcp_s: typeof import(\"mcp/s\");\n" };

UNIT_TEST(a_module_of_a_server)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span list, none = { NULL, 0 };
	auto_free char *copy = quoted(TOOLS, &list);
	size_t n;

	ck_assert_uint_eq(module_add("s", list, none, &text), 6);
	for (n = 0; n < UNIT_COUNT(declared); n++)
		ck_assert_msg(strstr(text.data, declared[n]) != NULL, "%s: %s",
		    declared[n], text.data);
	/* It may mean a-b, too. */
	ck_assert_ptr_null(strstr(text.data, " as aB"));
	buffer_reset(&text);
	ck_assert_uint_eq(module_add("s", list,
	    (struct json_span){ "\"ODD\\u002ename\"", 15 }, &text), 1);
	ck_assert_ptr_nonnull(strstr(text.data, "odd_name("));
	ck_assert_ptr_null(strstr(text.data, "delete"));
	ck_assert_uint_eq(module_add("s", list,
	    (struct json_span){ "\"none\"", 6 }, &text), 0);
	ck_assert(copy != NULL);
}
