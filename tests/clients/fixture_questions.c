/*
 * The tools of the conformance suite that ask their client. In versions with a
 * handshake the same tools send requests, in later ones they ask for input.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "fixtures.h"
#include "supervisor/front/tools/tool.h"

#define ELICITATION "elicitation/create"
#define SAMPLING "sampling/createMessage"
#define ROOTS "roots/list"

/* A form with these properties, and the required ones. */
#define FORM(message, properties, required)                                    \
	"{\"message\":" message ",\"requestedSchema\":{\"type\":\"object\","   \
	"\"properties\":{" properties "},\"required\":[" required "]}}"
#define NAME_FORM(message)                                                     \
	FORM("\"" message "\"", "\"name\":{\"type\":\"string\"}", "\"name\"")
#define CONFIRM_FORM                                                           \
	FORM("\"Please confirm\"", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")

#define PROMPT(text, tokens)                                                   \
	"{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","    \
	"\"text\":" text "}}],\"maxTokens\":" tokens "}"

#define COUNT(parts) (sizeof(parts) / sizeof((parts)[0]))

static const struct {
	const char *method;
	unsigned int capability;
	const char *name;
} fixture_methods[] = {
	{ ELICITATION, ASK_CLIENT_FORM, "elicitation" },
	{ SAMPLING, ASK_CLIENT_SAMPLING, "sampling" },
	{ ROOTS, ASK_CLIENT_ROOTS, "roots" },
};

/* Returns the row of the capability that a client lacks for this, or -1. */
static int
fixture_lacks(const struct tool_call *call, const char *method)
{
	int n = 0;

	while (strcmp(fixture_methods[n].method, method) != 0)
		n++;
	return (call->context.capabilities & fixture_methods[n].capability) ==
	        0 ? n : -1;
}

void
fixture_ask_all(struct tool_call *call, const struct question_part *parts,
    size_t count, tool_call_asked *told)
{
	auto_free char *data = NULL;
	struct err err;
	size_t i;
	int lacks;

	for (i = 0; i < count; i++) {
		lacks = fixture_lacks(call, parts[i].method);
		if (lacks == -1)
			continue;
		err_set(&err, "the client does not support %s",
		    parts[i].method);
		data = mem_printf("{\"requiredCapabilities\":{\"%s\":{}}}",
		    fixture_methods[lacks].name);
		if (call->context.era->incapable != 0)
			tool_call_answer_error(call,
			    call->context.era->incapable, err.text, data);
		else
			tool_call_refuse(call, "error", err.text);
		return;
	}
	if (tool_call_ask(call, parts, count, told, &err) == -1)
		tool_call_refuse(call, "error", err.text);
}

static void
fixture_on_told(
    struct tool_call *call, struct json_span results, const char *why)
{
	if (results.len == 0)
		tool_call_refuse(call, "error", why);
	else
		fixture_answer_told(call, "state-ok:", results);
}

static void
fixture_ask(struct tool_call *call, const char *key, const char *method,
    const char *params)
{
	const struct question_part part = { key, method, params };

	fixture_ask_all(call, &part, 1, fixture_on_told);
}

/* A tool that asks one thing. */
#define FIXTURE_ASKS(id, key, method, params)                                  \
	FIXTURE_TOOL(id, FIXTURE_NO_ARGUMENTS)                                 \
	{                                                                      \
		(void)arguments;                                               \
		fixture_ask(call, key, method, params);                        \
	}

FIXTURE_TOOL(test_sampling, FIXTURE_ARGUMENT("prompt"))
{
	auto_free char *prompt = fixture_string(arguments, "prompt");
	auto_free char *params = mem_printf(PROMPT("%s", "100"), prompt);

	fixture_ask(call, "sample", SAMPLING, params);
}

FIXTURE_TOOL(test_elicitation, FIXTURE_ARGUMENT("message"))
{
	auto_free char *message = fixture_string(arguments, "message");
	auto_free char *params = mem_printf(
	    FORM("%s", "\"response\":{\"type\":\"string\"}", "\"response\""),
	    message);

	fixture_ask(call, "response", ELICITATION, params);
}

FIXTURE_ASKS(test_elicitation_sep1034_defaults, "defaults", ELICITATION,
    FORM("\"Please review\"",
        "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\","
        "\"pending\"],\"default\":\"active\"},"
        "\"verified\":{\"type\":\"boolean\",\"default\":true}", ""))

#define TITLED(n, title) "{\"const\":\"value" n "\",\"title\":\"" title "\"}"
#define TITLES                                                                 \
	"[" TITLED("1", "First") "," TITLED("2", "Second") ","                 \
	TITLED("3", "Third") "]"
#define OPTIONS "[\"option1\",\"option2\",\"option3\"]"

FIXTURE_ASKS(test_elicitation_sep1330_enums, "choices", ELICITATION,
    FORM("\"Please select\"",
        "\"untitledSingle\":{\"type\":\"string\",\"enum\":" OPTIONS "},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLES "},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\","
        "\"opt3\"],\"enumNames\":[\"One\",\"Two\",\"Three\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"minItems\":1,"
        "\"maxItems\":3,\"items\":{\"type\":\"string\",\"enum\":"
        OPTIONS "}},"
        "\"titledMulti\":{\"type\":\"array\",\"minItems\":1,"
        "\"maxItems\":3,\"items\":{\"anyOf\":" TITLES "}}", ""))

FIXTURE_ASKS(test_missing_capability, "sample", SAMPLING,
    PROMPT("\"Hello\"", "10"))
FIXTURE_ASKS(test_streaming_elicitation, "user_name", ELICITATION,
    NAME_FORM("What is your name?"))
FIXTURE_ASKS(test_input_required_result_elicitation, "user_name",
    ELICITATION, NAME_FORM("What is your name?"))
FIXTURE_ASKS(test_input_required_result_sampling, "capital_question",
    SAMPLING, PROMPT("\"What is the capital of France?\"", "100"))
FIXTURE_ASKS(test_input_required_result_list_roots, "client_roots", ROOTS, "{}")
FIXTURE_ASKS(test_input_required_result_request_state, "confirm",
    ELICITATION, CONFIRM_FORM)
FIXTURE_ASKS(test_input_required_result_tampered_state, "confirm",
    ELICITATION, CONFIRM_FORM)

static const struct question_part fixture_parts[] = {
	{ "greeting", SAMPLING, PROMPT("\"Generate a greeting\"", "50") },
	{ "user_name", ELICITATION, NAME_FORM("What is your name?") },
	{ "client_roots", ROOTS, "{}" },
};

FIXTURE_TOOL(test_input_required_result_multiple_inputs, FIXTURE_NO_ARGUMENTS)
{
	(void)arguments;
	fixture_ask_all(
	    call, fixture_parts, COUNT(fixture_parts), fixture_on_told);
}

/* Asks only for what the client supports. */
FIXTURE_TOOL(test_input_required_result_capabilities, FIXTURE_NO_ARGUMENTS)
{
	struct question_part parts[COUNT(fixture_parts)];
	size_t i, n = 0;

	(void)arguments;
	for (i = 0; i < COUNT(fixture_parts); i++)
		if (fixture_lacks(call, fixture_parts[i].method) == -1)
			parts[n++] = fixture_parts[i];
	if (n == 0)
		fixture_answer(call, FIXTURE_TEXT("Nothing to ask"));
	else
		fixture_ask_all(call, parts, n, fixture_on_told);
}

static void
fixture_on_first(
    struct tool_call *call, struct json_span results, const char *why)
{
	if (results.len == 0)
		tool_call_refuse(call, "error", why);
	else
		fixture_ask(call, "step2", ELICITATION,
		    FORM("\"Step 2: What is your favorite color?\"",
		        "\"color\":{\"type\":\"string\"}", "\"color\""));
}

FIXTURE_TOOL(test_input_required_result_multi_round, FIXTURE_NO_ARGUMENTS)
{
	static const struct question_part part = { "step1", ELICITATION,
		NAME_FORM("Step 1: What is your name?") };

	(void)arguments;
	fixture_ask_all(call, &part, 1, fixture_on_first);
}
