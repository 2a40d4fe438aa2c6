/*
 * Tests of supervisor/front/resources/texts: what we say about ourselves is one
 * line of valid JSON, short, and promises nothing that is not there.
 */
#include <jansson.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/front/resources/texts.h"
#include "supervisor/front/tools/tool.h"

/* The most bytes of the whole answer to tools/list. */
#define TOOLS_MAX 1000
#define ENVELOPE "{\"jsonrpc\":\"2.0\",\"id\":1234567890,\"result\":}\n"
/* Some hosts show only this much of the instructions. */
#define INSTRUCTIONS_MAX 512

/* The widest numbers that options can have. */
static struct options options = { .tools = 1, .echo = 1, .timeout = 12345,
	.max_timeout = TIMEOUT_SECONDS_MAX,
	.arguments = 7, /* all but files */
	.memory = 300 * MIB,
	.pids = 77,
	.max_output = 48 * KIB };

/* Reads what was added; it is one line. */
static json_t *
read_json(struct buffer *text)
{
	json_error_t error;
	json_t *json;

	ck_assert_ptr_null(strchr(text->data, '\n'));
	json = json_loads(text->data, JSON_REJECT_DUPLICATES, &error);
	if (json == NULL)
		ck_abort_msg("%s: %s", error.text, text->data);
	buffer_reset(text);
	return json;
}

static json_t *
read_tool(json_t **list)
{
	struct buffer text = { 0 };
	json_t *tools;

	tools_add_list(&text, &options);
	*list = read_json(&text);
	tools = json_object_get(*list, "tools");
	ck_assert_uint_eq(json_object_size(*list), 1);
	ck_assert_uint_eq(json_array_size(tools), 1);
	return json_array_get(tools, 0);
}

/* The string at a place such as "serverInfo.version"; never NULL. */
static const char *
string_at(json_t *json, const char *place)
{
	auto_free char *copy = mem_strdup(place);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ".")) != NULL)
		json = json_object_get(json, name);
	ck_assert_msg(json_is_string(json), "no string at %s", place);
	return json_string_value(json);
}

UNIT_TEST(the_tool_list_is_short)
{
	auto_free char *text = NULL;
	json_t *list, *tool = read_tool(&list);

	ck_assert_ptr_null(json_object_get(tool, "outputSchema"));
	ck_assert(json_is_false(json_object_get(json_object_get(tool,
	    "inputSchema"), "additionalProperties")));
	text = json_dumps(list, JSON_COMPACT);
	ck_assert_uint_lt(strlen(text) + strlen(ENVELOPE), TOOLS_MAX);
	json_decref(list);
}

/* The sentence about what comes back follows the setting echo. */
UNIT_TESTS(says_what_comes_back, 4)
{
	static const char *const words[] = { "prints comes back",
		"prints, or the value of its last expression, comes back",
		"prints comes back",
		"prints, or the value of its last expression (not in shell), "
	};
	struct options others = options;
	struct buffer text = { 0 };

	others.echo = _i % 2;
	others.tools = _i < 2 ? 1 : 2;
	tools_add_list(&text, &others);
	ck_assert_ptr_nonnull(strstr(text.data, words[_i]));
	buffer_reset(&text);
	texts_add_initialize(&text, "2025-06-18", &others, 1);
	ck_assert_int_eq(
	    strstr(text.data, "its last expression") != NULL, _i == 1);
	buffer_reset(&text);
	texts_add_capabilities(&text, &others, (struct json_span){ "1", 1 });
	ck_assert_int_eq(
	    strstr(text.data, "does not come back here") != NULL, _i % 2 == 0);
	buffer_reset(&text);
}

/* The sentence about earlier calls follows the setting arguments. */
static const struct {
	unsigned int arguments;
	const char *except, *kept;
} continued[] = {
	{ 0, "earlier state.", "only what you need; every call starts afresh" },
	{ 1U << ARGUMENT_CONVERSATION,
	    "earlier state (except by conversationId).",
	    "every call starts afresh, but files in /data stay with the same "
	    "conversationId." },
	{ 1U << ARGUMENT_SESSION, "earlier state (except by session).",
	    "a call without session starts afresh; calls with the same session "
	    "keep variables." },
	{ 1U << ARGUMENT_SESSION | 1U << ARGUMENT_CONVERSATION,
	    "earlier state (except by session or conversationId).",
	    "a call without session starts afresh; calls with the same session "
	    "keep variables; files in /data stay with the same "
	    "conversationId." },
};

UNIT_TESTS(says_what_continues, 2 * UNIT_COUNT(continued))
{
	size_t n = (size_t)_i / 2;
	struct options others = options;
	struct buffer text = { 0 };
	json_t *json;

	others.arguments |= continued[n].arguments;
	others.tools = _i % 2 == 0 ? 1 : 2;
	tools_add_list(&text, &others);
	ck_assert_ptr_nonnull(strstr(text.data, continued[n].except));
	ck_assert_int_eq(strstr(text.data, "fresh") != NULL,
	    _i % 2 == 1 && n < 2);
	buffer_reset(&text);
	texts_add_initialize(&text, "2025-06-18", &others, 1);
	json = read_json(&text);
	ck_assert_ptr_nonnull(
	    strstr(string_at(json, "instructions"), continued[n].kept));
	ck_assert_int_eq(strstr(string_at(json, "instructions"),
	    "in a fresh sealed box") != NULL, n < 2);
	ck_assert_uint_lt(
	    strlen(string_at(json, "instructions")), INSTRUCTIONS_MAX);
	json_decref(json);
}

UNIT_TEST(initialize_is_answered)
{
	struct buffer text = { 0 };
	json_t *json;

	texts_add_initialize(&text, "2025-06-18", &options, 1);
	json = read_json(&text);
	ck_assert_str_eq(string_at(json, "protocolVersion"), "2025-06-18");
	ck_assert_str_eq(string_at(json, "serverInfo.name"), "caisson");
	ck_assert_str_eq(
	    string_at(json, "serverInfo.version"), CAISSON_VERSION);
	ck_assert_uint_lt(
	    strlen(string_at(json, "instructions")), INSTRUCTIONS_MAX);
	/* Only what is there: no prompts, no list_changed. */
	ck_assert_uint_eq(
	    json_object_size(json_object_get(json, "capabilities")), 4);
	ck_assert_uint_eq(json_object_size(json_object_get(
	    json_object_get(json, "capabilities"), "tools")), 0);
	ck_assert_uint_eq(json_object_size(json_object_get(
	    json_object_get(json, "capabilities"), "resources")), 0);
	json_decref(json);
}

/* A tool that is not in force is not spoken of. */
UNIT_TESTS(instructions_name_the_tool, 4)
{
	static const char *const begins[] = { "run_python executes Python in ",
		"run_python executes Python in ", "run_code executes code in ",
		NULL };
	static const unsigned int tools[] = { 1, 7, 6, 4 };
	struct options others = options;
	struct buffer text = { 0 };
	json_t *json;

	others.tools = tools[_i];
	texts_add_initialize(&text, "2025-06-18", &others, 1);
	json = read_json(&text);
	if (begins[_i] == NULL)
		ck_assert_ptr_null(json_object_get(json, "instructions"));
	else
		ck_assert_int_eq(strncmp(string_at(json, "instructions"),
		    begins[_i], strlen(begins[_i])), 0);
	json_decref(json);
}

/* The limits that it names are those in force here. */
UNIT_TEST(the_manual_names_the_limits)
{
	static const char limits[] = "In force here: 12345 s a call unless it "
	    "asks for up to 86400 s, 300 MiB of memory, 77 processes and "
	    "threads, 48 KiB kept of each output stream.\n";
	struct buffer text = { 0 };
	json_t *json, *content;
	const char *manual;

	texts_add_capabilities(
	    &text, &options, (struct json_span){ "\"x:y\"", 5 });
	json = read_json(&text);
	content = json_array_get(json_object_get(json, "contents"), 0);
	ck_assert_str_eq(string_at(content, "uri"), "x:y");
	ck_assert_str_eq(string_at(content, "mimeType"), "text/markdown");
	manual = string_at(content, "text");
	ck_assert_int_eq(strncmp(manual, "--- PYTHON SANDBOX MANUAL ---\n",
	    30), 0);
	ck_assert_str_eq(manual + strlen(manual) - strlen(limits), limits);
	json_decref(json);
}
