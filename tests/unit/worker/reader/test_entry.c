/*
 * Tests of worker/reader/entry: every member of an entry, right and wrong,
 * with the sentence and the byte that it is about. No sentence shows a value.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/reader/entry.h"

/* Reads {"name": value}; returns what entry_read does. */
static int
read_entry(struct entry *entry, const char *text, struct err *err)
{
	struct json_span object, name, value;
	struct json_span_walk walk;

	memset(entry, 0, sizeof(*entry));
	ck_assert_int_eq(json_span_parse(text, strlen(text), &object, err), 0);
	walk = json_span_walk(object);
	ck_assert_int_eq(json_span_next_member(&walk, &name, &value), 1);
	return entry_read(entry, name, value, err);
}

static const struct {
	const char *text;
	const char *command, *args, *env, *cwd, *description;
	int remote, disabled;
} good[] = {
	{ "{\"a\":{\"command\":\"c\"}}", "c", "", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"args\":[\"x\",\"\",\"y\"]}}", "c",
	    "x||y|", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":[\"c\",\"x\"],\"args\":[\"y\"]}}", "c",
	    "x|y|", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":[\"c\"]}}", "c", "", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"A\":\"1\",\"B\":\"\"}}}",
	    "c", "", "A|1|B||", "", "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"cwd\":\"/x\",\"description\":"
	  "\"d\\n\"}}", "c", "", "", "/x", "d\n", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"args\":null,\"env\":null,"
	  "\"cwd\":null,\"type\":null}}", "c", "", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"type\":\"stdio\"}}", "c", "", "", "",
	    "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"type\":\"local\"}}", "c", "", "", "",
	    "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"disabled\":true}}", "c", "", "", "",
	    "", 0, 1 },
	{ "{\"a\":{\"command\":\"c\",\"disabled\":false}}", "c", "", "", "",
	    "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"enabled\":false}}", "c", "", "", "",
	    "", 0, 1 },
	{ "{\"a\":{\"command\":\"c\",\"enabled\":true}}", "c", "", "", "",
	    "", 0, 0 },
	{ "{\"a\":{\"url\":\"http://x\"}}", "", "", "", "", "", 1, 0 },
	{ "{\"a\":{\"httpUrl\":\"http://x\"}}", "", "", "", "", "", 1, 0 },
	{ "{\"a\":{\"serverUrl\":\"http://x\"}}", "", "", "", "", "", 1, 0 },
	{ "{\"a\":{\"url\":\"http://x\",\"type\":\"streamableHttp\"}}", "",
	    "", "", "", "", 1, 0 },
	{ "{\"a\":{\"url\":\"http://x\",\"command\":\"c\",\"type\":"
	  "\"stdio\"}}", "c", "", "", "", "", 0, 0 },
	{ "{\"a\":{\"command\":\"c\",\"autoApprove\":[1],\"timeout\":5}}",
	    "c", "", "", "", "", 0, 0 },
	{ "{\"a\":{\"c\\u006fmmand\":\"\\u00e9\"}}", "\xc3\xa9", "", "", "",
	    "", 0, 0 },
};

static void
is_texts(const struct buffer *found, const char *wanted)
{
	size_t i;

	ck_assert_uint_eq(found->len, strlen(wanted));
	for (i = 0; i < found->len; i++)
		ck_assert_int_eq(
		    found->data[i] == '\0' ? '|' : found->data[i], wanted[i]);
}

static void
is_text(const char *found, const char *wanted)
{
	ck_assert_str_eq(found == NULL ? "" : found, wanted);
}

UNIT_TESTS(reads, UNIT_COUNT(good))
{
	struct entry entry;
	struct err err;

	ck_assert_int_eq(read_entry(&entry, good[_i].text, &err), 0);
	ck_assert_str_eq(entry.name, "a");
	is_text(entry.command, good[_i].command);
	is_texts(&entry.args, good[_i].args);
	is_texts(&entry.env, good[_i].env);
	is_text(entry.cwd, good[_i].cwd);
	is_text(entry.description, good[_i].description);
	ck_assert_int_eq(entry.remote, good[_i].remote);
	ck_assert_int_eq(entry.disabled, good[_i].disabled);
	entry_reset(&entry);
}

static const struct {
	const char *tools;
	int narrowed;
	const char *allow, *deny;
} tools[] = {
	{ "null", 0, "", "" },
	{ "{}", 0, "", "" },
	{ "{\"allow\":[]}", 1, "", "" },
	{ "{\"allow\":[\"read_*\",\"list\"]}", 1, "read_*|list|", "" },
	{ "{\"deny\":[\"del\\u0065te\"]}", 0, "", "delete|" },
	{ "{\"deny\":[\"d\"],\"allow\":[\"a\"]}", 1, "a|", "d|" },
	/* As one client has it. */
	{ "[\"*\"]", 1, "*|", "" },
};

/* An empty list of one client allows everything; it takes nothing back. */
UNIT_TEST(an_empty_list_may_allow_everything)
{
	struct entry entry;
	struct err err;

	ck_assert_int_eq(read_entry(&entry,
	    "{\"a\":{\"command\":\"c\",\"available_tools\":[]}}", &err), 0);
	ck_assert_int_eq(entry.narrowed, 0);
	entry_reset(&entry);
	ck_assert_int_eq(read_entry(&entry,
	    "{\"a\":{\"command\":\"c\",\"available_tools\":[],"
	    "\"tools\":{\"allow\":[]}}}", &err), 0);
	ck_assert_int_eq(entry.narrowed, 1);
	entry_reset(&entry);
}

UNIT_TESTS(reads_which_tools, UNIT_COUNT(tools))
{
	auto_free char *text = mem_printf(
	    "{\"a\":{\"command\":\"c\",\"tools\":%s}}", tools[_i].tools);
	struct entry entry;
	struct err err;

	ck_assert_int_eq(read_entry(&entry, text, &err), 0);
	ck_assert_int_eq(entry.narrowed, tools[_i].narrowed);
	is_texts(&entry.allow, tools[_i].allow);
	is_texts(&entry.deny, tools[_i].deny);
	entry_reset(&entry);
}

#define SAMPLING(value) "{\"a\":{\"command\":\"c\",\"sampling\":" value "}}"
#define ROOTS(value) "{\"a\":{\"command\":\"c\",\"roots\":" value "}}"
#define NO_ROOTS                                                               \
	"\"roots\" must be an array of folders: absolute paths, or URIs such " \
	"as file:///home/me"

static const struct {
	const char *text;
	size_t at;
	const char *sentence;
} bad[] = {
	{ "{\"a\":{\"command\":\"c\",\"tools\":5}}", 28, "\"tools\" must be "
	    "an object such as {\"deny\": [\"delete_*\"]}, or an array of the "
	    "names to allow" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"allow\":\"x\"}}}", 37,
	    "\"allow\" of \"tools\" must be an array of names" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"deny\":[\"\"]}}}", 37,
	    "each element of \"deny\" of \"tools\" must not be empty" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"deny\":[5]}}}", 37,
	    "each element of \"deny\" of \"tools\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"denied\":[]}}}", 29,
	    "\"tools\" may have the members \"allow\" and \"deny\", each "
	    "once, and no others" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"allow\":[],\"allow\":[]}"
	  "}}", 40, "\"tools\" may have the members \"allow\" and "
	    "\"deny\", each once, and no others" },
	{ "{\"\":{\"command\":\"c\"}}", 1,
	    "the name of a server must not be empty" },
	{ "{\"a\\u0007\":{\"command\":\"c\"}}", 1,
	    "the name of a server must not contain control characters" },
	{ "{\"a\\u0000\":{\"command\":\"c\"}}", 1,
	    "the name of a server contains a NUL character, which "
	    "cannot be passed to a program" },
	{ "{\"a\\ud800\":{\"command\":\"c\"}}", 1,
	    "the name of a server must be text: the string has U+D800 alone, "
	    "half of a surrogate pair, which UTF-8 cannot hold" },
	{ "{\"a\":5}", 5,
	    "a server must be an object, such as {\"command\": \"npx\"}" },
	{ "{\"a\":null}", 5,
	    "a server must be an object, such as {\"command\": \"npx\"}" },
	{ "{\"a\":{}}", 1, "has neither \"command\" nor \"url\": one of them "
	    "is needed" },
	{ "{\"a\":{\"comand\":\"c\"}}", 1, "has neither \"command\" nor "
	    "\"url\": one of them is needed" },
	{ "{\"a\":{\"command\":\"\"}}", 16, "\"command\" must not be empty" },
	{ "{\"a\":{\"command\":[]}}", 16, "\"command\" must not be empty" },
	{ "{\"a\":{\"command\":[\"c\",{}]}}", 21,
	    "each element of \"args\" must be a string" },
	{ "{\"a\":{\"command\":{}}}", 16,
	    "\"command\" must be a string, or have a member \"path\"" },
	{ "{\"a\":{\"command\":5}}", 16, "\"command\" must be a string" },
	{ "{\"a\":{\"command\":{\"path\":5}}}", 24,
	    "\"path\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"cmd\":\"d\"}}", 26,
	    "has more than one command" },
	{ "{\"a\":{\"url\":\"x\",\"uri\":\"y\"}}", 22,
	    "has more than one URL" },
	{ "{\"a\":{\"command\":\"c\",\"envFile\":\"secret\"}}", 30,
	    "has an \"envFile\", which is not read: put its variables into "
	    "\"env\"" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":\"x\"}}", 28,
	    "\"tools\" must be an object such as {\"deny\": "
	    "[\"delete_*\"]}, or an array of the names to allow" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"allow\":\"x\"}}}", 37,
	    "\"allow\" of \"tools\" must be an array of names" },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"deny\":[5]}}}", 37,
	    "each element of \"deny\" of \"tools\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"prompts\":[]}}", 30,
	    "\"prompts\" must be an object such as {\"deny\": "
	    "[\"private*\"]}" },
	{ "{\"a\":{\"command\":\"c\",\"resources\":{\"x\":[]}}}", 33,
	    "\"resources\" may have the members \"allow\" and \"deny\", and no "
	    "others" },
	{ "{\"a\":{\"command\":\"c\",\"resources\":{\"deny\":5}}}", 40,
	    "\"deny\" of \"resources\" must be an array of names" },
	{ SAMPLING("{\"allow\":[]}"), 31,
	    "\"sampling\" must be true or false" },
	{ SAMPLING("{\"allow\":[\"x\"]}"), 31,
	    "\"sampling\" must be true or false" },
	{ SAMPLING("\"yes\""), 31,
	    "\"sampling\" must be true or false" },
	{ SAMPLING("1"), 31,
	    "\"sampling\" must be true or false" },
	{ SAMPLING("[]"), 31,
	    "\"sampling\" must be true or false" },
	{ ROOTS("{\"deny\":[\"*\"]}"), 28, NO_ROOTS },
	{ ROOTS("true"), 28, NO_ROOTS },
	{ ROOTS("[\"../a\"]"), 28, NO_ROOTS },
	{ ROOTS("[\"/a\",\"javascript:1\"]"), 28, NO_ROOTS },
	{ ROOTS("[\"file://a\"]"), 28, NO_ROOTS },
	{ "{\"a\":{\"command\":\"c\",\"concurrency\":0}}", 34,
	    "\"concurrency\" must be an integer from 1 to 256: how many calls "
	    "the server gets at once" },
	{ "{\"a\":{\"url\":\"x\",\"headers\":[]}}", 26,
	    "\"headers\" must be an object whose values are strings" },
	{ "{\"a\":{\"url\":\"x\",\"headers\":{\"A\":5}}}", 31,
	    "\"A\" in \"headers\" must be a string" },
	{ "{\"a\":{\"url\":\"x\",\"headers\":{\"A\\n\":\"s\"}}}", 27,
	    "\"A\n\" in \"headers\" cannot be a name" },
	{ "{\"a\":{\"url\":\"x\",\"headers\":{\"A\":\"secret\\nB: c\"}}}", 31,
	    "\"A\" in \"headers\" contains a line end, which is not "
	    "allowed in a header" },
	{ "{\"a\":{\"url\":\"x\",\"bearer_token_env_var\":5}}", 39,
	    "\"bearer_token_env_var\" must be a string" },
	{ "{\"a\":{\"command\":\"c\\u0000\"}}", 16, "\"command\" contains a "
	    "NUL character, which cannot be passed to a program" },
	{ "{\"a\":{\"command\":\"c\",\"command\":\"d\"}}", 30,
	    "\"command\" is in this entry more than once" },
	{ "{\"a\":{\"command\":\"c\",\"args\":\"secret\"}}", 27,
	    "\"args\" must be an array of strings" },
	{ "{\"a\":{\"command\":\"c\",\"args\":[\"x\",null]}}", 32,
	    "each element of \"args\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"env\":[]}}", 26,
	    "\"env\" must be an object whose values are strings" },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"A\":[]}}}", 31,
	    "\"A\" in \"env\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"\":\"secret\"}}}", 27,
	    "\"\" in \"env\" cannot be a name" },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"A=B\":\"secret\"}}}", 27,
	    "\"A=B\" in \"env\" cannot be a name" },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"A\":\"s\",\"A\":\"t\"}}}",
	    35, "\"A\" is in \"env\" more than once" },
	{ "{\"a\":{\"command\":\"c\",\"cwd\":5}}", 26,
	    "\"cwd\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"cwd\":\"\"}}", 26,
	    "\"cwd\" must not be empty" },
	{ "{\"a\":{\"command\":\"c\",\"description\":5}}", 34,
	    "\"description\" must be a string" },
	{ "{\"a\":{\"command\":\"c\",\"disabled\":\"yes\"}}", 31,
	    "\"disabled\" must be true or false" },
	{ "{\"a\":{\"command\":\"c\",\"shared\":\"yes\"}}", 29,
	    "\"shared\" must be true or false" },
	{ "{\"a\":{\"command\":\"c\",\"enabled\":1}}", 30,
	    "\"enabled\" must be true or false" },
	{ "{\"a\":{\"command\":\"c\",\"type\":\"pipe\"}}", 27,
	    "\"type\" must be stdio, http or sse" },
	{ "{\"a\":{\"command\":\"c\",\"type\":5}}", 27,
	    "\"type\" must be stdio, http or sse" },
	{ "{\"a\":{\"command\":\"c\",\"type\":\"http\"}}", 27,
	    "\"type\" is http, but there is no \"url\"" },
	{ "{\"a\":{\"url\":\"x\",\"type\":\"stdio\"}}", 23,
	    "\"type\" is stdio, but there is no \"command\"" },
	{ "{\"a\":{\"url\":5}}", 12, "the URL must be a string" },
	{ "{\"a\":{\"url\":\"x\",\"command\":\"c\"}}", 5,
	    "has both \"command\" and \"url\": remove one of them, or set "
	    "\"type\"" },
};

UNIT_TESTS(refuses, UNIT_COUNT(bad))
{
	struct entry entry;
	struct err err;

	ck_assert_int_eq(read_entry(&entry, bad[_i].text, &err), -1);
	ck_assert_str_eq(err.text, bad[_i].sentence);
	ck_assert_ptr_nonnull(entry.at);
	ck_assert_uint_eq((size_t)(entry.at - bad[_i].text), bad[_i].at);
	ck_assert_ptr_null(strstr(err.text, "secret"));
	entry_reset(&entry);
}

/* Each bound, just kept and just broken. */
static const struct {
	const char *format; /* of a text of so many bytes */
	size_t most;
} bounds[] = {
	{ "{\"%s\":{\"command\":\"c\"}}", CONFIG_NAME_MAX },
	{ "{\"a\":{\"command\":\"%s\"}}", CONFIG_PATH_MAX },
	{ "{\"a\":{\"command\":\"c\",\"args\":[\"%s\"]}}",
	    CONFIG_ARGS_MAX - 1 },
	{ "{\"a\":{\"command\":\"c\",\"args\":[\"x\",\"%s\"]}}",
	    CONFIG_ARGS_MAX - 3 },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"A\":\"%s\"}}}",
	    CONFIG_ENV_MAX - 3 },
	{ "{\"a\":{\"command\":\"c\",\"env\":{\"%s\":\"x\"}}}",
	    CONFIG_ENV_MAX - 3 },
	{ "{\"a\":{\"command\":\"c\",\"cwd\":\"%s\"}}", CONFIG_PATH_MAX },
	{ "{\"a\":{\"command\":\"c\",\"description\":\"%s\"}}",
	    CONFIG_DESCRIPTION_MAX },
	{ "{\"a\":{\"command\":\"c\",\"tools\":{\"deny\":[\"x\",\"%s\"]}}}",
	    CONFIG_TOOLS_MAX - 3 },
};

UNIT_TESTS(bounds_hold, UNIT_COUNT(bounds))
{
	const char *format = bounds[_i].format;
	const char *mark = strstr(format, "%s");
	size_t extra;

	for (extra = 0; extra < 2; extra++) {
		size_t n, len = bounds[_i].most + extra;
		auto_buffer struct buffer text = { 0 };
		struct entry entry;
		struct err err;

		buffer_add(&text, format, (size_t)(mark - format));
		for (n = 0; n < len; n++)
			buffer_add_text(&text, "x");
		buffer_add_text(&text, mark + 2);
		ck_assert_int_eq(read_entry(&entry, text.data, &err),
		    extra == 0 ? 0 : -1);
		entry_reset(&entry);
	}
}

UNIT_TEST(reads_how_to_log_in)
{
	struct entry entry;
	struct err err;

	ck_assert_int_eq(read_entry(&entry, "{\"a\":{\"url\":\"http://x\","
	    "\"headers\":{\"A\":\"b\"},\"oauth\":{\"clientId\":\"i\","
	    "\"clientSecret\":\"${S}\",\"scopes\":[\"r\",\"w\"],"
	    "\"callbackPort\":8123,\"other\":1}}}", &err), 0);
	is_texts(&entry.headers, "A|b|:clientId|i|:clientSecret|${S}|"
	    ":scopes|r w|:callbackPort|8123|");
	entry_reset(&entry);
	ck_assert_int_eq(read_entry(&entry,
	    "{\"a\":{\"url\":\"http://x\",\"oauth\":false}}", &err), 0);
	is_texts(&entry.headers, "");
	entry_reset(&entry);
	ck_assert_int_eq(read_entry(&entry, "{\"a\":{\"url\":\"http://x\","
	    "\"auth\":{\"CLIENT_ID\":\"i\",\"CLIENT_SECRET\":{}}}}", &err),
	    -1);
	ck_assert_str_eq(err.text, "\"CLIENT_SECRET\" must be a string");
	entry_reset(&entry);
}
