/*
 * Tests of supervisor/front/tools/arguments: which arguments are accepted and
 * what they mean, and the one sentence with which every other is refused.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/run/run.h"
#include "supervisor/box/shared/language.h"
#include "supervisor/front/tools/tool.h"

#define CODE_ALLOWED 1024

static const struct options options = {
	.timeout = 30, .max_timeout = 120, .max_code = CODE_ALLOWED,
	.arguments = 7 /* all but files */
};

static int
read_arguments(const char *text, struct request *run, struct err *err)
{
	struct json_span arguments = { NULL, 0 };

	if (text != NULL &&
	    json_span_parse(text, strlen(text), &arguments, err) == -1)
		ck_abort_msg("the test's own JSON: %s: %s", text, err->text);
	return arguments_read(arguments, "run_python",
	    language_find("python"), &options, run, err);
}

static const struct {
	const char *arguments, *code;
	unsigned int timeout;
} accepted[] = {
	{ "{\"code\":\"print(1)\"}", "print(1)", 30 },
	{ " { \"code\" : \"\\n\\tx\" } ", "\n\tx", 30 },
	{ "{\"\\u0063ode\":\"\\u00e9\\ud83d\\ude00\"}",
	    "\xc3\xa9\xf0\x9f\x98\x80", 30 },
	{ "{\"code\":\"\xc2\xa0\"}", "\xc2\xa0", 30 },
	{ "{\"timeout\":1,\"code\":\"x\"}", "x", 1 },
	/* Some clients fill in what is not given with null. */
	{ "{\"code\":\"x\",\"timeout\":null}", "x", 30 },
	{ "{\"servers\":null,\"code\":\"x\",\"timeout\":null}", "x", 30 },
	{ "{\"code\":\"x\",\"timeout\":120}", "x", 120 },
	{ "{\"code\":\"x\",\"timeout\":5.0}", "x", 5 },
	{ "{\"code\":\"x\",\"timeout\":1.2e1}", "x", 12 },
	{ "{\"code\":\"x\",\"timeout\":0.5E1}", "x", 5 },
};

UNIT_EACH(accepts, UNIT_COUNT(accepted))
{
	struct request run;
	struct err err = { 0, "" };

	ck_assert_msg(read_arguments(accepted[_i].arguments, &run, &err) == 0,
	    "%s: %s", accepted[_i].arguments, err.text);
	ck_assert_str_eq(run.code, accepted[_i].code);
	ck_assert_uint_eq(run.code_len, strlen(accepted[_i].code));
	ck_assert_uint_eq(run.timeout, accepted[_i].timeout);
	ck_assert_uint_eq(run.servers_len, 0);
	request_reset(&run);
	ck_assert_ptr_null(run.code);
}

/* A timeout above the maximum is lowered to it, with a note to the user. */
static const char *const lowered[] = { "121", "4294967297", "1e100" };

UNIT_EACH(lowers_the_timeout, UNIT_COUNT(lowered))
{
	auto_free char *arguments = mem_printf(
	    "{\"code\":\"x\",\"timeout\":%s}", lowered[_i]);
	auto_free char *note = mem_printf("timeout was lowered from %s to 120 "
	    "seconds, the most that is allowed", lowered[_i]);
	struct request run;
	struct err err = { 0, "" };

	ck_assert_msg(read_arguments(arguments, &run, &err) == 0, "%s: %s",
	    arguments, err.text);
	ck_assert_uint_eq(run.timeout, 120);
	ck_assert_str_eq(run.notes, note);
	ck_assert_uint_eq(run.notes_len, strlen(note) + 1);
	request_reset(&run);
	ck_assert_ptr_null(run.notes);
}

#define H64 "0123456789012345678901234567890123456789012345678901234567890123"

/* Names in the order in which they were given, each once and with a NUL. */
static const struct {
	const char *servers, *names;
	size_t len;
} named[] = {
	{ "[]", "", 0 },
	{ "[\"fs\"]", "fs", 3 },
	{ "\"fs\"", "fs", 3 },
	{ "[ \"gh\" , \"fs\" ]", "gh\0fs", 6 },
	{ "[\"gh\",\"fs\",\"gh\",\"\\u0066s\"]", "gh\0fs", 6 },
	/* One that another one begins with, or ends with, is another one. */
	{ "[\"fs2\",\"fs\",\"2\"]", "fs2\0fs\0" "2", 9 },
	{ "[\"\\u00e9 \\ud83d\\ude00/\"]", "\xc3\xa9 \xf0\x9f\x98\x80/", 9 },
	{ "[\"" H64 H64 "\"]", H64 H64, CONFIG_NAME_MAX + 1 },
};

UNIT_EACH(names_servers, UNIT_COUNT(named))
{
	auto_free char *arguments = mem_printf(
	    "{\"code\":\"x\",\"servers\":%s}", named[_i].servers);
	struct request run;
	struct err err = { 0, "" };

	ck_assert_msg(read_arguments(arguments, &run, &err) == 0, "%s: %s",
	    arguments, err.text);
	ck_assert_uint_eq(run.servers_len, named[_i].len);
	ck_assert_mem_eq(run.servers, named[_i].names, named[_i].len);
	request_reset(&run);
	ck_assert_ptr_null(run.servers);
}

#define MISSING "code is missing: give the Python source to run as a string"
#define NO_LANGUAGE                                                            \
	"language is missing: the languages are "
#define NO_OBJECT "arguments must be an object such as {\"code\": \"print(1)\"}"
#define NO_STRING "code must be a string of Python source"
#define BLANK "code is blank: give the Python source to run"
#define TIMEOUT "timeout must be a whole number of seconds from 1 to 120"
#define SERVERS "servers must be an array of names of servers"
#define UNKNOWN(name)                                                          \
	"unknown argument \"" name "\": run_python takes code, servers and "   \
	"timeout"
#define NO_NAME(name)                                                          \
	"unknown server \"" name "\": a name has from 1 to 128 bytes and no "  \
	"NUL"
#define TEN "0123456789"
#define E10                                                                    \
	"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"                             \
	"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"

static const struct {
	const char *arguments, *error;
} refused[] = {
	{ "{\"language\":\"python\",\"code\":\"x\"}", UNKNOWN("language") },
	{ NULL, MISSING },
	{ "{}", MISSING },
	{ "{\"timeout\":1}", MISSING },
	{ "null", NO_OBJECT },
	{ "[]", NO_OBJECT },
	{ "[\"code\"]", NO_OBJECT },
	{ "\"print(1)\"", NO_OBJECT },
	{ "{\"code\":1}", NO_STRING },
	{ "{\"code\":null}", MISSING },
	{ "{\"code\":null,\"timeout\":null,\"servers\":null}", MISSING },
	{ "{\"code\":\"x\",\"code\":null}", "code is given more than once" },
	{ "{\"code\":\"x\",\"cod\":null}", UNKNOWN("cod") },
	{ "{\"code\":[\"x\"]}", NO_STRING },
	{ "{\"code\":\"\"}", BLANK },
	{ "{\"code\":\" \\t\\r\\n\\f\\u000b\"}", BLANK },
	{ "{\"code\":\"x\",\"code\":\"y\"}", "code is given more than once" },
	{ "{\"code\":\"x\",\"\\u0063ode\":\"y\"}",
	    "code is given more than once" },
	{ "{\"code\":\"'\\ud800'\"}", "code must be text: the string has "
	    "U+D800 alone, half of a surrogate pair, which UTF-8 cannot hold" },
	{ "{\"code\":\"x\\u0000\"}",
	    "code contains a NUL character, which no Python source may" },
	{ "{\"code\":\"x\",\"timeout\":0}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":-1}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":121.5}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":0.5}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":1.5}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":1e999}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":\"30\"}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":\"30s\"}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":true}", TIMEOUT },
	{ "{\"code\":\"x\",\"timeout\":[1]}", TIMEOUT },
	/* Longer than any number written by hand. */
	{ "{\"code\":\"x\",\"timeout\":0.0000000000000000000000000000000000000"
	    "000000000000000000000000000000000000000000000000000001e100}",
	    TIMEOUT },
	{ "{\"code\":\"x\",\"servers\":5}", SERVERS },
	{ "{\"code\":\"x\",\"servers\":\"\"}", NO_NAME("") },
	{ "{\"code\":\"x\",\"servers\":{}}", SERVERS },
	{ "{\"code\":\"x\",\"servers\":[\"gh\",1]}",
	    "servers must contain only strings, the names of servers" },
	{ "{\"code\":\"x\",\"servers\":[null]}",
	    "servers must contain only strings, the names of servers" },
	{ "{\"code\":\"x\",\"servers\":[\"gh\"],\"servers\":[]}",
	    "servers is given more than once" },
	{ "{\"code\":\"x\",\"language\":\"a\",\"language\":\"b\"}",
	    "unknown argument \"language\": run_python takes code, servers and "
	    "timeout" },
	{ "{\"servers\":[\"gh\"]}", MISSING },
	{ "{\"code\":\"x\",\"servers\":[\"gh\",\"\\ud800\"]}",
	    "servers must contain only names: the string has U+D800 alone, "
	    "half of a surrogate pair, which UTF-8 cannot hold" },
	{ "{\"code\":\"x\",\"servers\":[\"\"]}", NO_NAME("") },
	{ "{\"code\":\"x\",\"servers\":[\"a\\u0000b\"]}", NO_NAME("a") },
	{ "{\"code\":\"x\",\"servers\":[\"" H64 H64 "x\"]}",
	    NO_NAME("01234567890123456789012345678901234567890123456789"
	    "012345678") },
	{ "{\"code\":\"x\",\"Code\":\"y\"}", UNKNOWN("Code") },
	{ "{\"code\":\"x\",\"\":1}", UNKNOWN("") },
	{ "{\"code\":\"x\",\"a\\\"\\n\":1}", UNKNOWN("a\"\n") },
	/* Long names are cut, between characters. */
	{ "{\"" TEN TEN TEN TEN TEN TEN "\":1}",
	    UNKNOWN(TEN TEN TEN TEN TEN TEN) },
	{ "{\"" TEN TEN TEN TEN TEN TEN "a\":1}",
	    UNKNOWN(TEN TEN TEN TEN TEN "012345678") },
	{ "{\"x" E10 E10 E10 "\":1}", UNKNOWN("x" E10 E10 "\xc3\xa9\xc3\xa9"
	    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9") },
};

UNIT_EACH(refuses, UNIT_COUNT(refused))
{
	struct request run;
	struct err err = { 0, "" };

	ck_assert_int_eq(read_arguments(refused[_i].arguments, &run, &err), -1);
	ck_assert_str_eq(err.text, refused[_i].error);
	ck_assert_ptr_null(run.code);
	ck_assert_ptr_null(run.servers);
	/* It goes into JSON, which takes nothing else. */
	ck_assert_int_eq(utf8_valid(err.text, strlen(err.text)), 1);
}

/* Arguments that are switched on. */
static const struct {
	unsigned int on;
	const char *arguments, *error;
} others[] = {
	{ ARGUMENT_SESSION, "\"session\":\"" H64 "\"", NULL },
	{ ARGUMENT_SESSION, "\"session\":\"" H64 "x\"",
	    "session has 65 bytes; it must have 1 to 64" },
	{ ARGUMENT_SESSION, "\"session\":\"\"",
	    "session has 0 bytes; it must have 1 to 64" },
	{ ARGUMENT_SESSION, "\"session\":\"" E10 E10 E10 E10 "\"",
	    "session has 80 bytes; it must have 1 to 64" },
	{ ARGUMENT_SESSION, "\"session\":5",
	    "session must be a string of 1 to 64 bytes" },
	{ ARGUMENT_SESSION, "\"session\":\"a\\nb\"",
	    "session must have no control character, and not be \".\" or "
	    "\"..\"" },
	{ ARGUMENT_SESSION, "\"session\":\"\\ud800\"",
	    "session must be text: the string has U+D800 alone, half of a "
	    "surrogate pair, which UTF-8 cannot hold" },
	{ ARGUMENT_CONVERSATION, "\"conversationId\":\"" H64 H64 "\"", NULL },
	{ ARGUMENT_CONVERSATION, "\"conversationId\":\"" H64 H64 "x\"",
	    "conversationId has 129 bytes; it must have 1 to 128" },
	{ ARGUMENT_CONVERSATION, "\"conversationId\":[]",
	    "conversationId must be a string of 1 to 128 bytes" },
	{ ARGUMENT_FILES, "\"session\":\"a\"",
	    "session is not switched on: run_python takes code, servers, "
	    "timeout and files; CAISSON_ARGUMENTS=code,servers,timeout,files,"
	    "session adds it" },
	{ ARGUMENT_CODE, "\"conversationId\":\"a\"",
	    "conversationId is not switched on: run_python takes code, servers "
	    "and timeout; CAISSON_ARGUMENTS=code,servers,timeout,"
	    "conversationId adds it" },
	{ ARGUMENT_CODE, "\"files\":[\"a\"]",
	    "files is not switched on: run_python takes code, servers and "
	    "timeout; CAISSON_ARGUMENTS=code,servers,timeout,files adds it" },
	{ ARGUMENT_STDIN, "\"stdin\":\"a\\u0000\"", NULL },
	{ ARGUMENT_STDIN, "\"stdin\":{\"base64\":\"AP8=\"}", NULL },
	{ ARGUMENT_STDIN, "\"stdin\":[]",
	    "stdin must be a string, or an object such as {\"base64\": "
	    "\"aGkK\"}" },
	{ ARGUMENT_STDIN, "\"stdin\":{\"base64\":\"x\"}",
	    "base64 of stdin is not valid base64" },
	{ ARGUMENT_ENVIRONMENT,
	    "\"environment\":{ \"A_1\":\"\", \"_b\":\"\\n\" }", NULL },
	{ ARGUMENT_ENVIRONMENT, "\"environment\":\"A=1\"",
	    "environment must be an object such as {\"LEVEL\": \"3\"}" },
	{ ARGUMENT_ENVIRONMENT, "\"environment\":{\"1A\":\"b\"}",
	    "a name in environment must have 1 to 64 letters, digits and "
	    "underscores, and begin with no digit" },
	{ ARGUMENT_ENVIRONMENT, "\"environment\":{\"A=B\":\"b\"}",
	    "a name in environment must have 1 to 64 letters, digits and "
	    "underscores, and begin with no digit" },
	{ ARGUMENT_ENVIRONMENT,
	    "\"environment\":{\"A\":\"b\",\"A\":\"c\"}",
	    "A is in environment more than once" },
	{ ARGUMENT_ENVIRONMENT, "\"environment\":{\"A\":1}",
	    "A in environment must be a string without NUL" },
	{ ARGUMENT_ENVIRONMENT,
	    "\"environment\":{\"A\":\"b\\u0000\"}",
	    "A in environment must be a string without NUL" },
	{ ARGUMENT_REQUEST, "\"request\":{}",
	    "code of python answers no request: leave out the argument "
	    "request, or use javascript, whose default export has fetch()" },
	{ ARGUMENT_ARGUMENTS, "\"arguments\":[\"a\"]",
	    "code of python takes no arguments: leave them out, and pass "
	    "data in stdin or environment" },
	{ ARGUMENT_NETWORK, "\"network\":false", NULL },
	{ ARGUMENT_NETWORK, "\"network\":[]", NULL },
	{ ARGUMENT_NETWORK, "\"network\":[\"a.org\"]",
	    "boxes have no network: leave out the argument network; code "
	    "reaches other hosts through MCP servers" },
};

UNIT_EACH(reads_others, UNIT_COUNT(others))
{
	auto_free char *text =
	    mem_printf("{\"code\":\"x\",%s}", others[_i].arguments);
	struct json_span arguments = { NULL, 0 };
	struct options these = options;
	struct request run;
	struct err err = { 0, "" };
	int wanted = others[_i].error == NULL ? 0 : -1;

	these.arguments |= 1U << others[_i].on;
	ck_assert_int_eq(
	    json_span_parse(text, strlen(text), &arguments, &err), 0);
	ck_assert_int_eq(arguments_read(arguments, "run_python",
	    language_find("python"), &these, &run, &err), wanted);
	ck_assert_str_eq(err.text, wanted == 0 ? "" : others[_i].error);
	request_reset(&run);
}

/* Where the call names the language. */
static const struct {
	const char *arguments;
	const char *error; /* NULL: it is taken */
} in_language[] = {
	{ "{\"language\":\"python\",\"code\":\"x\"}", NULL },
	{ "{\"code\":\"x\",\"language\":\"Python3\"}", NULL },
	{ "{\"code\":\"x\",\"servers\":[],\"timeout\":3,\"language\":"
	  "\"py\"}", NULL },
	{ NULL, NO_LANGUAGE },
	{ "{\"code\":\"x\"}", NO_LANGUAGE },
	{ "{\"code\":\"x\",\"language\":null}", "language must be a string: "
	  "the languages are " },
	{ "{\"code\":\"x\",\"language\":\"cobol\"}", "unknown language "
	  "\"cobol\": the languages are " },
	{ "{\"language\":\"python\",\"language\":\"py\",\"code\":\"x\"}",
	  "language is given more than once" },
	{ "{\"language\":\"python\\u0000\",\"code\":\"x\"}", "unknown "
	  "language \"python\": the languages are " },
	{ "{\"language\":\"python\",\"x\":1}", "unknown argument \"x\": "
	  "run_code takes language, code, servers and timeout" },
	{ "{\"language\":\"python\"}", MISSING },
};

UNIT_EACH(reads_the_language, UNIT_COUNT(in_language))
{
	struct json_span arguments = { NULL, 0 };
	struct request request;
	struct err err = { 0, "" };
	const char *text = in_language[_i].arguments;
	const char *error = in_language[_i].error;
	auto_buffer struct buffer whole = { 0 };
	int wanted = error == NULL ? 0 : -1;

	if (text != NULL)
		ck_assert_int_eq(json_span_parse(
		    text, strlen(text), &arguments, &err), 0);
	ck_assert_int_eq(arguments_read(arguments, "run_code", NULL, &options,
	    &request, &err), wanted);
	if (wanted == 0)
		ck_assert_ptr_eq(request.language, language_at(0));
	else {
		buffer_add_text(&whole, error);
		if (error[strlen(error) - 1] == ' ')
			language_add_names(&whole);
		ck_assert_str_eq(err.text, whole.data);
	}
	request_reset(&request);
}

/* The limit counts bytes of Python, not of JSON. */
UNIT_EACH(bounds_the_code, 2)
{
	auto_buffer struct buffer arguments = { 0 };
	struct request run;
	struct err err = { 0, "" };
	int n, len = CODE_ALLOWED + _i;

	buffer_add_text(&arguments, "{\"code\":\"");
	for (n = 0; n < len; n++)
		buffer_add_text(&arguments, "\\u0041");
	buffer_add_text(&arguments, "\"}");
	if (_i == 0) {
		ck_assert_int_eq(read_arguments(arguments.data, &run, &err), 0);
		ck_assert_uint_eq(run.code_len, CODE_ALLOWED);
	} else {
		ck_assert_int_eq(
		    read_arguments(arguments.data, &run, &err), -1);
		ck_assert_str_eq(err.text, "code has 1025 bytes, more than "
		    "the 1024 allowed (CAISSON_MAX_CODE)");
	}
	request_reset(&run);
}

/* As many as can be configured, and one more. */
UNIT_EACH(bounds_the_servers, 2)
{
	auto_buffer struct buffer arguments = { 0 };
	struct request run;
	struct err err = { 0, "" };
	int n;

	buffer_add_text(&arguments, "{\"code\":\"x\",\"servers\":[\"a\"");
	for (n = 1; n < CONFIG_SERVERS_MAX + _i; n++)
		buffer_add_text(&arguments, ",\"a\"");
	buffer_add_text(&arguments, "]}");
	ck_assert_int_eq(
	    read_arguments(arguments.data, &run, &err), _i == 0 ? 0 : -1);
	if (_i == 0)
		ck_assert_uint_eq(run.servers_len, 2);
	else
		ck_assert_str_eq(err.text, "servers has more than 1000 names");
	request_reset(&run);
}
