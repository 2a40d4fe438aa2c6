/*
 * Tests of worker/broker/arguments: what is sent of the arguments of a call, by
 * the schema of its tool, and what is said of those that are not. In the tables
 * ' stands for ".
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/broker/arguments/arguments.h"

/* Returns JSON of the table, which the caller frees, and its span. */
static char *
quoted(const char *text, struct json_span *span)
{
	char *copy = mem_strdup(text), *p;
	struct err err;

	for (p = copy; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	if (json_span_parse(copy, strlen(copy), span, &err) == -1)
		ck_abort_msg("%s: %s", text, err.text);
	return copy;
}

/* Compares what is sent, or else what is said. */
static void
expect(const char *schema, const char *object, const char *sent,
    const char *says)
{
	auto_buffer struct buffer settled = { 0 }, said = { 0 };
	struct json_span schema_span, object_span, span;
	auto_free char *schema_text = quoted(schema, &schema_span);
	auto_free char *object_text = quoted(object, &object_span);
	auto_free char *sent_text = NULL;
	char *p;

	ck_assert(schema_text != NULL && object_text != NULL);
	ck_assert_msg(arguments_settle(schema_span, object_span, &settled,
	    &said) == (says == NULL), "%.300s by %.300s: %.300s", object,
	    schema, said.len > 0 ? said.data : "fits");
	if (says == NULL) {
		sent_text = quoted(sent != NULL ? sent : object, &span);
		ck_assert_str_eq(settled.data, sent_text);
		return;
	}
	for (p = said.data; *p != '\0'; p++)
		if (*p == '"')
			*p = '\'';
	ck_assert_msg(strncmp(said.data, says, strlen(says)) == 0,
	    "%.300s by %.300s:\n%.400s\n%.400s", object, schema, said.data,
	    says);
}

#define FILE_SCHEMA                                                            \
	"{'type':'object','properties':{'head':{'type':'integer',"             \
	"'default':10},"                                                       \
	"'path':{'type':'string'},'mode':{'enum':['text','binary']}},"         \
	"'required':['path']}"
#define FILE_TAKES                                                             \
	"; the tool takes path: string, head?: integer, mode?: 'text' | "      \
	"'binary'"
#define MERGED                                                                 \
	"{'allOf':[{'properties':{'a':{'type':'string'}},'required':['a']},"   \
	"{'$ref':'#/$defs/B'}],'$defs':{'B':{'properties':{'b':{'type':"       \
	"'integer','default':3}},'required':['b']}}}"
#define FIND                                                                   \
	"{'properties':{'query':{},'repository':{},'perPage':{},"              \
	"'file_path':{},'issue_number':{}}}"
#define FIND_TAKES                                                             \
	"; the tool takes query?, repository?, perPage?, file_path?, "         \
	"issue_number?"

static const struct {
	const char *schema, *object, *sent, *says;
} names[] = {
	{ FILE_SCHEMA, "{'path':''}", NULL, NULL },
	{ FILE_SCHEMA, "{ 'path' : 'x', 'head':-1,\t'mode':'binary' }", NULL,
	    NULL },
	{ FILE_SCHEMA, "{}", NULL, "missing argument 'path'" FILE_TAKES },
	{ FILE_SCHEMA, "{'path':'x','haed':1}", NULL,
	    "unknown argument 'haed'; did you mean 'head'?" FILE_TAKES },
	{ FILE_SCHEMA, "{'pth':'x'}", NULL, "unknown argument 'pth'; did you "
	    "mean 'path'?; missing argument 'path'" FILE_TAKES },
	{ FILE_SCHEMA, "{'Pathh':'x'}", NULL, "unknown argument 'Pathh'; did "
	    "you mean 'path'?; missing argument 'path'" FILE_TAKES },
	{ FILE_SCHEMA, "{'path':'x','nonsense':1,'others':2}", NULL,
	    "unknown arguments 'nonsense', 'others'" FILE_TAKES },
	{ FILE_SCHEMA, "{'path':5,'head':'many'}", NULL, "argument 'path' is "
	    "5, and must be a string; argument 'head' is 'many', and must be "
	    "an integer" FILE_TAKES },
	{ FILE_SCHEMA, "{'path':'x','mode':'bianry','haed':1}", NULL,
	    "unknown argument 'haed'; did you mean 'head'?; argument 'mode' is "
	    "'bianry', and must be 'text' or 'binary'; did you mean 'binary'?"
	    FILE_TAKES },
	{ FILE_SCHEMA, "{'path':'x','p\\u0061th2':1,'a\\u0000':2}", NULL,
	    "unknown arguments 'p\\u0061th2', 'a\\u0000'" FILE_TAKES },
	{ FILE_SCHEMA, "{'p\\u0061th':'x'}", NULL, NULL },
	{ MERGED, "{'b':1}", NULL, "missing argument 'a'; the tool "
	    "takes a: string, b: integer" },
	{ MERGED, "{'a':'x'}", NULL, NULL },
	{ MERGED, "{'a':'x','c':2}", NULL, "unknown argument 'c'; the tool "
	    "takes a: string, b: integer" },
	{ "{'additionalProperties':false}", "{'a':1}", NULL,
	    "unknown argument 'a'; the tool takes none" },
	{ "{'required':['a','a',5,null,{}]}", "{}", NULL,
	    "missing argument 'a'; the tool takes a" },
	{ "{'properties':{'folder':{},'before':{}},'required':['folder']}",
	    "{'folder':'inbox','to':'bob@x.org'}", NULL,
	    "unknown argument 'to'; the tool takes folder, before?" },
	{ "{'properties':{'perPage':{},'from':{}}}", "{'per_page':5}", NULL,
	    "unknown argument 'per_page'; did you mean 'perPage'?" },
	{ "{'properties':{'perPage':{},'from':{}}}", "{'from_':5}", NULL,
	    "unknown argument 'from_'; did you mean 'from'?" },
	/* Of similar meaning, or with some of the words. */
	{ FIND, "{'q':1}", NULL, "unknown argument 'q'; did you mean 'query'?"
	    FIND_TAKES },
	{ FIND, "{'repo':1}", NULL,
	    "unknown argument 'repo'; did you mean 'repository'?" FIND_TAKES },
	{ FIND, "{'per':1}", NULL,
	    "unknown argument 'per'; did you mean 'perPage'?" FIND_TAKES },
	{ FIND, "{'path':1}", NULL,
	    "unknown argument 'path'; did you mean 'file_path'?" FIND_TAKES },
	{ FIND, "{'number':1}", NULL, "unknown argument 'number'; did you "
	    "mean 'issue_number'?" FIND_TAKES },
	{ FIND, "{'repos':1}", NULL,
	    "unknown argument 'repos'; did you mean 'repository'?" FIND_TAKES },
	{ FIND, "{'pages':1}", NULL,
	    "unknown argument 'pages'; did you mean 'perPage'?" FIND_TAKES },
	{ FIND, "{'colour':1}", NULL,
	    "unknown argument 'colour'" FIND_TAKES },
	{ FIND, "{'i':1}", NULL, "unknown argument 'i'" FIND_TAKES },
	/* On one line, whatever the server calls its own. */
	{ "{'properties':{'path\\n\\u001b[31m':{}}}", "{'path':1}", NULL,
	    "unknown argument 'path'; did you mean 'path\\n\\u001b[31m'?" },
	/* A name of its own: references in it lead to other places. */
	{ "{'properties':{'a':{}},'allOf':[{'$id':'x','$ref':'#/$defs/p'}],"
	  "'$defs':{'p':{'required':['z'],'additionalProperties':false}}}",
	    "{'a':1}", NULL, NULL },
};

UNIT_TESTS(names_are_judged, UNIT_COUNT(names))
{
	expect(names[_i].schema, names[_i].object, names[_i].sent,
	    names[_i].says);
}

#define SOME "'properties':{'a':{}}"

/* By these, {'z':1} is for the server to judge. */
static const char *const vague[] = { "null", "true", "false", "5", "[]",
	"'object'", "{}", "{'properties':{}}", "{'properties':5}",
	"{'properties':[1]}", "{'required':'z'}", "{'$ref':'#'}", "{'$ref':5}",
	"{'$ref':'#/$defs/x'}", "{'allOf':5}", "{'$ref':'o.json'," SOME "}",
	"{'allOf':[{" SOME "},{'not':{}}]}", "{'allOf':[{" SOME "},false]}",
	"{'type':'array'," SOME "}", "{'additionalProperties':true," SOME "}",
	"{'additionalProperties':{}," SOME "}",
	"{'additionalProperties':'no'," SOME "}",
	"{'unevaluatedProperties':true," SOME "}",
	"{'patternProperties':{'^z':{}}," SOME "}",
	"{'propertyNames':{'pattern':'^[a-z]$'}," SOME "}",
	"{'anyOf':[{'properties':{'z':{}}}]," SOME "}",
	"{'oneOf':[{'required':['q']}]," SOME "}",
	"{'if':{" SOME "},'then':{'required':['q']}}",
	"{'anyOf':[{'required':['q']}]}",
	("{'required':['a'],'properties':{'a':{'default':1}},"
	 "'additionalProperties':true}") };

UNIT_TESTS(in_doubt_the_server_judges, UNIT_COUNT(vague))
{
	expect(vague[_i], "{'z':1}", NULL, NULL);
}

#define ROOT                                                                   \
	",'$defs':{'n':{'type':'integer'},'e':{'enum':['x']},"                 \
	"'r':{'$ref':'#/$defs/n'},'here':{'$anchor':'there','type':'null'},"   \
	"'loop':{'$ref':'#/$defs/loop'},'a/b':{'type':'null'},"                \
	"'list':[{},{'type':'integer'}],"                                      \
	"'other':{'$id':'http://x/','type':'null','$defs':{'m':{'type':"       \
	"'null'}}}}"
#define INTEGER "'x', and must be an integer"
#define ITEMS                                                                  \
	"{'type':'array','items':{'type':'object','required':['name','kind']," \
	"'properties':{'name':{'type':'string'},'kind':{'enum':['a','b']},"    \
	"'size':{'type':'integer'},'note':{'type':'string'}},"                 \
	"'additionalProperties':false}}"
#define TWO                                                                    \
	"{'anyOf':[{'type':'object','required':['id']},"                       \
	"{'type':'object','required':['name']}]}"
#define KINDS                                                                  \
	"{'oneOf':[{'type':'object','required':['id']},"                       \
	"{'type':'array','items':{'type':'string'}}]}"

/* The schema of an argument a, its value, and what is sent or said. */
static const struct {
	const char *schema, *value, *sent, *says;
} values[] = {
	{ "{'type':'string'}", "''", NULL, NULL },
	{ "{'type':'string'}", "1", NULL, "1, and must be a string" },
	{ "{'type':'string'}", "['x']", NULL,
	    "an array, and must be a string" },
	{ "{'type':'string'}", "{'x':1}", NULL,
	    "an object, and must be a string" },
	{ "{'type':'integer'}", "0", NULL, NULL },
	{ "{'type':'integer'}", "1.0", NULL, NULL },
	{ "{'type':'integer'}", "-0.0", NULL, NULL },
	{ "{'type':'integer'}", "1e300", NULL, NULL },
	{ "{'type':'integer'}", "1e400", NULL, NULL },
	{ "{'type':'integer'}", "'1'", "1", NULL },
	{ "{'type':'integer'}", "'-70'", "-70", NULL },
	{ "{'type':'integer'}", "'0'", "0", NULL },
	{ "{'type':'integer'}", "true", NULL, "true, and must be an integer" },
	{ "{'type':'integer'}", "1.5", NULL, "1.5, and must be an integer" },
	{ "{'type':'integer'}", "'1.0'", NULL,
	    "'1.0', and must be an integer" },
	{ "{'type':'integer'}", "'01'", NULL, "'01', and must be an integer" },
	{ "{'type':'integer'}", "'+1'", NULL, "'+1', and must be an integer" },
	{ "{'type':'integer'}", "' 1'", NULL, "' 1', and must be an integer" },
	{ "{'type':'integer'}", "'1\\n'", NULL,
	    "'1\\n', and must be an integer" },
	{ "{'type':'integer'}", "'\\u0031'", NULL,
	    "'\\u0031', and must be an integer" },
	{ "{'type':'integer'}", "'-'", NULL, "'-', and must be an integer" },
	{ "{'type':'integer'}", "''", NULL, "'', and must be an integer" },
	{ "{'type':'number'}", "1.5", NULL, NULL },
	{ "{'type':'number'}", "7", NULL, NULL },
	{ "{'type':'number'}", "false", NULL, "false, and must be a number" },
	{ "{'type':'number'}", "'1.5'", NULL, "'1.5', and must be a number" },
	{ "{'type':'number'}", "'15'", "15", NULL },
	{ "{'type':'boolean'}", "1", NULL, "1, and must be true or false" },
	{ "{'type':'boolean'}", "'true'", NULL,
	    "'true', and must be true or false" },
	{ "{'type':'array'}", "{}", NULL, "an object, and must be an array" },
	{ "{'type':'object'}", "[]", NULL, "an array, and must be an object" },
	{ "{'type':'null'}", "null", NULL, NULL },
	{ "{'type':'null'}", "0", NULL, "0, and must be null" },
	{ "{'type':['string','null']}", "null", NULL, NULL },
	{ "{'type':['string','null']}", "1", NULL,
	    "1, and must be a string or null" },
	{ "{'type':['string','integer']}", "'5'", NULL, NULL },
	{ "{'type':['integer','number','string']}", "true", NULL,
	    "true, and must be a string or a number" },
	{ "{'type':['string','array','null']}", "true", NULL,
	    "true, and must be a string, an array or null" },
	{ "{'type':'string','nullable':true}", "null", NULL, NULL },
	{ "{'type':'string'}",
	    "'\xc3\xa9xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
	    NULL, NULL },
	/* Choices */
	{ "{'enum':['a','B',1,null,false]}", "1.0", NULL, NULL },
	{ "{'enum':['a','B',1,null,false]}", "'\\u0061'", NULL, NULL },
	{ "{'enum':['a','B',1,null,false]}", "'b'", NULL,
	    "'b', and must be 'a', 'B', 1, null or false; did you mean 'B'?" },
	{ "{'enum':['a','B',1,null,false]}", "0", NULL,
	    "0, and must be 'a', 'B', 1, null or false" },
	{ "{'enum':['a','B',1,null,false]}", "true", NULL,
	    "true, and must be 'a', 'B', 1, null or false" },
	{ "{'enum':['mi\\nles']}", "'miles'", NULL, "'miles', and must be "
	    "'mi\\nles'; did you mean 'mi\\nles'?" },
	{ "{'type':'string','enum':['kilometres','miles']}", "'kilometers'",
	    NULL, "'kilometers', and must be 'kilometres' or 'miles'; did you "
	    "mean 'kilometres'?" },
	{ "{'const':2.0}", "2", NULL, NULL },
	{ "{'const':2.0}", "3", NULL, "3, and must be 2.0" },
	{ "{'const':{'x':1}}", "{}", NULL, NULL },
	{ "{'enum':[[1],'z']}", "[2]", NULL, NULL },
	{ "{'enum':[1,2,3,4,5,6,7,8,9,10,11]}", "50", NULL,
	    "50, and must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ..." },
	{ "{'enum':[1,2]}", "'2'", "2", NULL },
	/* References */
	{ "{'$ref':'#/$defs/r'}", "1", NULL, NULL },
	{ "{'$ref':'#/$defs/r'}", "'7'", "7", NULL },
	{ "{'$ref':'#/$defs/r'}", "'x'", NULL, INTEGER },
	{ "{'$ref':'#/$defs/list/1'}", "'x'", NULL, INTEGER },
	{ "{'$ref':'#/$defs/list/2'}", "'x'", NULL, NULL },
	{ "{'$ref':'#/$defs/a~1b'}", "1", NULL, "1, and must be null" },
	{ "{'$ref':'#there'}", "1", NULL, NULL },
	{ "{'allOf':[{},{'$ref':'#/$defs/n'}]}", "'x'", NULL, INTEGER },
	{ "{'type':'integer','allOf':[{'enum':[1,'x']}]}", "'x'", NULL,
	    INTEGER },
	{ "{'type':'integer','allOf':[{'enum':[1,'x']}]}", "2", NULL,
	    "2, and must be 1 or 'x'" },
	{ "{'$ref':'#/$defs/n','enum':[5]}", "1", NULL, NULL },
	{ "{'$ref':'#/$defs/loop'}", "'x'", NULL, NULL },
	{ "{'$ref':'#/$defs/other'}", "'x'", NULL, NULL },
	{ "{'$ref':'#/$defs/other/$defs/m'}", "'x'", NULL, NULL },
	{ "{'$id':'x','type':'null'}", "'x'", NULL, NULL },
	/* Nested */
	{ ITEMS, "[{'name':'x','kind':'a'}]", NULL, NULL },
	{ ITEMS, "[{'name':'x','kind':'a','size':'7'},{'name':'y','kind':'b',"
	    "'size':'8'}]", "[{'name':'x','kind':'a','size':7},{'name':'y',"
	    "'kind':'b','size':8}]", NULL },
	{ ITEMS, "{}", NULL, "an object, and must be an array" },
	/* A name that only begins like that of the property. */
	{ "{'properties':{'n':{'type':'integer'}}}", "{'n\\u0000z':'5'}", NULL,
	    NULL },
	/* Alternatives */
	{ "{'anyOf':[{'type':'integer'},{'type':'null'}]}", "'5'", "5", NULL },
	{ "{'anyOf':[{'type':'integer'},{'type':'null'}]}", "null", NULL,
	    NULL },
	{ "{'anyOf':[{'type':'integer'},{'type':'null'}]}", "'x'", NULL,
	    "'x', and must be an integer or null" },
	{ "{'anyOf':[{'type':'integer'},{'type':'string'}]}", "'5'", NULL,
	    NULL },
	{ "{'anyOf':[{'type':'integer'},{'type':'string'}]}", "true", NULL,
	    "true, and must be a string or an integer" },
	{ "{'anyOf':[{'type':'array','items':{'type':'integer'}},"
	  "{'type':'null'}]}", "['1',2]", "[1,2]", NULL },
	{ KINDS, "{'id':1}", NULL, NULL },
	{ KINDS, "5", NULL, "5, and must be an array or an object" },
	{ TWO, "{'name':1}", NULL, NULL },
	/* What is not understood. */
	{ "true", "5", NULL, NULL }, { "{'type':'any'}", "5", NULL, NULL },
	{ "{'type':['string','file']}", "5", NULL, NULL },
	{ "{'type':[]}", "5", NULL, NULL }, { "{'type':5}", "5", NULL, NULL },
	{ "{'enum':[]}", "5", NULL, NULL }, { "{'enum':'x'}", "5", NULL, NULL },
	{ "{'not':{}}", "5", NULL, NULL },
	{ "{'anyOf':5,'oneOf':[]}", "5", NULL, NULL },
	{ "{'anyOf':[5,{'type':'null'}]}", "5", NULL, NULL },
	{ "{'pattern':'^z$','minLength':99}", "'x'", NULL, NULL },
	{ "{'maxItems':0,'items':false}", "[1]", NULL, NULL },
	{ "{'prefixItems':5,'items':{'type':'null'}}", "[1]", NULL, NULL },
};

UNIT_TESTS(values_are_judged, UNIT_COUNT(values))
{
	auto_free char *schema = mem_printf("{'type':'object','properties':"
	    "{'a':%s}" ROOT "}", values[_i].schema);
	auto_free char *object = mem_printf("{'a':%s}", values[_i].value);
	auto_free char *sent = mem_printf("{'a':%s}", values[_i].sent != NULL ?
	    values[_i].sent : values[_i].value);
	auto_free char *says = mem_printf(
	    "argument 'a' is %s", values[_i].says);

	expect(schema, object, sent, values[_i].says == NULL ? NULL : says);
}

#define PAIR "{'type':'string'},{'type':'integer'}"
#define NESTED                                                                 \
	"{'properties':{'e':" ITEMS ",'k':" KINDS ",'w':" TWO ","              \
	"'m':{'properties':{'s':{'type':'string'}},'additionalProperties':"    \
	"{'$ref':'#/$defs/n'}},'p':{'patternProperties':{'^z':{}},"            \
	"'additionalProperties':{'type':'integer'}},'c':{'prefixItems':[" PAIR \
	"],'items':{'type':'boolean'}},'o':{'items':[" PAIR "],"               \
	"'additionalItems':{'type':'null'}},'l':{'items':[" PAIR "]}},"        \
	"'additionalProperties':{'type':'integer'},"                           \
	"'$defs':{'n':{'type':'integer'}}}"

/* All that is wrong is told at once. */
static const struct {
	const char *object, *sent, *says;
} nested[] = {
	{ "{'e':[{'name':1,'kind':'c'},{'kind':'a','nam':''},5]}",
	    NULL, "argument 'e[0].name' is 1, and must be a string; argument "
	    "'e[0].kind' is 'c', and must be 'a' or 'b'; argument 'e[1]': "
	    "unknown member 'nam'; did you mean 'name'?; missing member "
	    "'name'; it takes name: string, kind: 'a' | 'b', size?: integer, "
	    "note?: string; argument 'e[2]' is 5, and must be an object; the "
	    "tool takes e?: { name: string; kind: 'a' | 'b'; size?: integer; "
	    "note?: string }[], k?: " },
	{ "{'e':[{'name':'x','kind':'a','note':null}]}", NULL, "argument "
	    "'e[0].note' is null, and must be a string, or be left out" },
	{ "{'e':[1,2,3,4,5,6,7]}", NULL, "argument 'e[0]' is 1, and must be an "
	    "object; argument 'e[1]' is 2, and must be an object; argument "
	    "'e[2]' is 3, and must be an object; argument 'e[3]' is 4, and "
	    "must be an object; argument 'e[4]' is 5, and must be an object; "
	    "..." },
	{ "{'k':{}}", NULL, "argument 'k': missing member 'id'; it takes id; "
	    "the tool takes " },
	{ "{'k':[1]}", NULL, "argument 'k[0]' is 1, and must be a string" },
	{ "{'e':[{'name':'x','kind':'a','size\\u0000z':'5'}]}", NULL,
	    "argument 'e[0]': unknown member 'size\\u0000z'; it takes name: "
	    "string, kind: 'a' | 'b', size?: integer, note?: string" },
	{ "{'w':{}}", NULL, "argument 'w': missing member 'id'; it takes id"
	    ", or else argument 'w': missing member 'name'; it takes name" },
	/* Members and arguments that no property has. */
	{ "{'m':{'a':'1','s':'2'},'z':'3'}", "{'m':{'a':1,'s':'2'},'z':3}",
	    NULL },
	{ "{'m':{'b':'z','s':1},'z':true}", NULL, "argument 'm.b' is 'z', and "
	    "must be an integer; argument 'm.s' is 1, and must be a string; "
	    "argument 'z' is true, and must be an integer" },
	{ "{'m':{'b':null}}", NULL, "argument 'm.b' is null, and must be an "
	    "integer, or be left out" },
	{ "{'p':{'zz':'1'}}", NULL, NULL },
	/* Items by their place, and the rest. */
	{ "{'c':['1','2',true],'o':['3','4',null],'l':['5','6','7']}",
	    "{'c':['1',2,true],'o':['3',4,null],'l':['5',6,'7']}", NULL },
	{ "{'c':['1'],'o':[],'l':['x','y']}", NULL,
	    "argument 'l[1]' is 'y', and must be an integer" },
	{ "{'c':[1,2,3],'o':['1',2,3]}", NULL, "argument 'c[0]' is 1, and "
	    "must be a string; argument 'c[2]' is 3, and must be true or "
	    "false; argument 'o[2]' is 3, and must be null" },
};

UNIT_TESTS(nested_values_are_judged, UNIT_COUNT(nested))
{
	expect(NESTED, nested[_i].object, nested[_i].sent, nested[_i].says);
}

/* By it, null is left out for a and d, and taken for b and c. */
#define NULLS                                                                  \
	"{'properties':{'a':{'type':'string'},'b':{'type':['string','null']}," \
	"'c':{},'d':{'enum':['x']},'e':{'type':'string'}},'required':['e']}"

static const struct {
	const char *object, *sent, *says;
} nulls[] = {
	{ "{'a':null,'b':null,'c':null,'d':null,'e':''}",
	    "{'b':null,'c':null,'e':''}", NULL },
	{ "{'e':'','a':null}", "{'e':''}", NULL },
	{ "{'e':'', 'a':null, 'd':null }", "{'e':''}", NULL },
	{ "{ 'a' : null , 'e':'' }", "{ 'e':'' }", NULL },
	{ "{'a':null,'e':'','d':null,'b':'x','a':null}",
	    "{'a':null,'e':'','b':'x','a':null}", NULL },
	{ "{'e':'x','\\u0065':null}", NULL, NULL },
	{ "{'e':null}", NULL, "argument 'e' is null, and must be a string" },
	{ "{'e':'','f':null}", NULL, "unknown argument 'f'" },
};

UNIT_TESTS(null_is_left_out, UNIT_COUNT(nulls))
{
	expect(NULLS, nulls[_i].object, nulls[_i].sent, nulls[_i].says);
}

UNIT_TEST(only_null_is_left)
{
	expect("{'properties':{'a':{'type':'string'}}}", "{ 'a':null }", "{}",
	    NULL);
}

/* What is too deep or too much is for the server to judge, as it is. */
UNIT_TEST(the_work_is_bounded)
{
	static const char loop[] = "{'properties':{'n':{'$ref':"
	    "'#/properties/n'},'m':{'type':'array','items':{'type':"
	    "'integer'}}},'type':'object'}";
	static const char deep[] = "{'properties':{'a':{'properties':{'a':"
	    "{'$ref':'#/properties/a'}},'type':'object'}}}";
	auto_buffer struct buffer object = { 0 };
	size_t n;

	buffer_add_text(&object, "{'m':['1'");
	for (n = 0; n < ARGUMENTS_VALUES_MAX; n++)
		buffer_add_text(&object, ",'1'");
	buffer_add_text(&object, "]}");
	expect(loop, object.data, NULL, NULL);
	expect(deep, "{'a':{'a':{'a':5}}}", NULL,
	    "argument 'a.a.a' is 5, and must be an object");
	buffer_reset(&object);
	for (n = 0; n < 20; n++)
		buffer_add_text(&object, "{'a':");
	buffer_add_text(&object, "5");
	for (n = 0; n < 20; n++)
		buffer_add_text(&object, "}");
	expect(deep, object.data, NULL, NULL);
}

/* Each of many names is looked for among many: not to the end. */
UNIT_TEST(many_names_are_bounded)
{
	auto_buffer struct buffer schema = { 0 }, object = { 0 };
	size_t n;

	buffer_add_text(&schema, "{'properties':{");
	buffer_add_text(&object, "{");
	for (n = 0; n < 10000; n++) {
		buffer_printf(&schema, "%s'n%zu':{}", n > 0 ? "," : "", n);
		buffer_printf(&object, "%s'm%zu':1", n > 0 ? "," : "", n);
	}
	buffer_add_text(&schema, "},'required':['n0','n1','n2','n3','n4',"
	    "'n5']}");
	buffer_add_text(&object, "}");
	expect(schema.data, "{}", NULL, "missing arguments 'n0', 'n1', 'n2', "
	    "'n3', 'n4', ...; the tool takes n0, n1, n2, n3, n4, n5, n6?, ");
	expect(schema.data, object.data, NULL, "unknown arguments 'm0', 'm1', "
	    "'m2', 'm3', 'm4', ...");
	/* Too many to be compared. */
	for (n = 0; n < object.len; n++)
		if (object.data[n] == 'm')
			object.data[n] = 'n';
	expect(schema.data, object.data, NULL, NULL);
}

/* However many names there are, each part of a schema is looked at once. */
UNIT_TEST(many_are_left_out)
{
	auto_buffer struct buffer schema = { 0 }, object = { 0 };
	size_t n;

	buffer_add_text(&schema, "{'properties':{");
	buffer_add_text(&object, "{");
	for (n = 0; n < 2000; n++) {
		buffer_printf(&schema, "%s'n%zu':{'type':'string'}",
		    n > 0 ? "," : "", n);
		buffer_printf(&object, "%s'n%zu':null", n > 0 ? "," : "", n);
	}
	buffer_add_text(&schema, "}}");
	buffer_add_text(&object, "}");
	expect(schema.data, object.data, "{}", NULL);
}

/* However large a value is, all are judged. */
UNIT_TEST(a_large_value_is_judged)
{
	auto_buffer struct buffer object = { 0 }, sent = { 0 };
	size_t n;

	buffer_add_text(&sent, "{'content':'");
	for (n = 0; n < 9 * MIB / 64; n++)
		buffer_add_text(&sent, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	buffer_printf(&object, "%s','path':'x','head':null}", sent.data);
	buffer_add_text(&sent, "','path':'x'}");
	expect("{'properties':{'content':{},'path':{},'head':{'type':"
	    "'integer'}},'required':['path','content']}", object.data,
	    sent.data, NULL);
}

/* Short values take time, too: so many are not compared with many choices. */
UNIT_TEST(many_choices_are_bounded)
{
	auto_buffer struct buffer schema = { 0 }, object = { 0 };
	size_t n;

	buffer_add_text(&schema, "{'properties':{'a':{'type':'array','items':"
	    "{'enum':[99.5");
	for (n = 0; n < 50; n++)
		buffer_add_text(&schema, ",99.5");
	buffer_add_text(&schema, ",'b']}}}}");
	buffer_add_text(&object, "{'a':['b'");
	for (n = 0; n < ARGUMENTS_VALUES_MAX - 1000; n++)
		buffer_add_text(&object, ",'b'");
	buffer_add_text(&object, ",'x']}");
	expect(schema.data, object.data, NULL, NULL);
}
