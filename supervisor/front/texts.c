/*
 * What we say about ourselves to a client: server information, instructions,
 * the tool and its schemas, the manual. Short, because every client pays for
 * it in context; true, because models believe it. Runs in the supervisor.
 */
#include "../../common/json.h"
#include "manual_memory_text.h"
#include "manual_more_text.h"
#include "manual_text.h"
#include "../run/run.h"
#include "front.h"

/* How the tool is used, in two sentences: some hosts show only this. */
static const char texts_instructions[] =
    "run_python executes Python in a fresh sealed box and returns what it "
    "prints. Prefer it to reasoning by hand for calculation, parsing and data "
    "work, and to call tools of the user's MCP servers in code, many of them "
    "in one call; print only what you need; every call starts afresh.";

/*
 * What it is, what it is for, how servers are called, what comes back, where
 * to find the rest. It stands alone where a host hides the instructions, and
 * names no server: that would change it, and hosts cache it.
 */
static const char texts_description[] =
    "Run Python 3 in a fresh, sealed sandbox: no network, no host files, no "
    "earlier state. Use it to compute, transform data, and to call the "
    "user's MCP servers in code, a whole task in one run: name them in "
    "servers, then r = await mcp_NAME.TOOL(arg=1); r.data (parsed), r.text. "
    "Only what the code prints comes back: filter, print little. To "
    "discover, inside: print(runtime.capability_summary()), print(await "
    "runtime.search_tool_docs('words')), help(mcp_NAME.TOOL)";

static const char texts_output_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"string\",\"enum\":[\"success\",\"error\","
    "\"timeout\",\"validation_error\",\"cancelled\"]},"
    "\"summary\":{\"type\":\"string\"},"
    "\"exitCode\":{\"type\":\"integer\"},"
    "\"signal\":{\"type\":\"string\"},"
    "\"servers\":{\"type\":\"array\",\"items\":"
    "{\"type\":\"string\"}},"
    "\"stdout\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"stderr\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"error\":{\"type\":\"string\"},"
    "\"timeoutSeconds\":{\"type\":\"integer\"},"
    "\"truncated\":{\"type\":\"object\",\"properties\":{"
    "\"stdout\":{\"type\":\"integer\"},\"stderr\":{\"type\":\"integer\"}},"
    "\"description\":\"bytes cut per stream\"},"
    "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}";

void
texts_add_initialize(struct buffer *buffer, const char *version)
{
	buffer_printf(buffer, "{\"protocolVersion\":\"%s\",", version);
	buffer_add_text(buffer, "\"capabilities\":{\"tools\":{},"
	    "\"resources\":{}},\"serverInfo\":{\"name\":\"caisson\","
	    "\"title\":\"Caisson\",\"version\":\"" CAISSON_VERSION "\"},"
	    "\"instructions\":");
	json_add_text(buffer, texts_instructions);
	buffer_add_text(buffer, "}");
}

static void
texts_add_input_schema(struct buffer *buffer, const struct options *options)
{
	buffer_add_text(buffer, "{\"type\":\"object\",\"properties\":{"
	    "\"code\":{\"type\":\"string\",\"description\":"
	    "\"Python source\"},\"servers\":{\"type\":\"array\","
	    "\"items\":{\"type\":\"string\"}},"
	    "\"timeout\":{\"type\":\"integer\",\"minimum\":1,");
	buffer_printf(buffer, "\"maximum\":%u,\"default\":%u,",
	    options->max_timeout, options->timeout);
	buffer_add_text(buffer, "\"description\":\"seconds\"}},"
	    "\"required\":[\"code\"],\"additionalProperties\":false}");
}

void
texts_add_tools(struct buffer *buffer, const struct options *options)
{
	buffer_add_text(buffer, "{\"tools\":[{\"name\":\"" TEXTS_TOOL "\","
	    "\"title\":\"Run Python\",\"description\":");
	json_add_text(buffer, texts_description);
	buffer_add_text(buffer, ",\"inputSchema\":");
	texts_add_input_schema(buffer, options);
	buffer_add_text(buffer, ",\"outputSchema\":");
	buffer_add_text(buffer, texts_output_schema);
	buffer_add_text(buffer, ",\"annotations\":{\"readOnlyHint\":false,"
	    "\"destructiveHint\":true,\"idempotentHint\":false,"
	    "\"openWorldHint\":true}}]}");
}

void
texts_add_resources(struct buffer *buffer)
{
	buffer_add_text(buffer, "{\"resources\":[{\"uri\":\""
	    TEXTS_CAPABILITIES_URI "\",\"name\":\"capabilities\","
	    "\"title\":\"What run_python can do\","
	    "\"mimeType\":\"text/markdown\"}]}");
}

/* How answers look; the manual tells of compact ones. */
static const char *const texts_answers[] = {
	[ANSWER_COMPACT] = "",
	[ANSWER_TOON] = " The answer is one block of TOON: its fields, and "
	    "under stdout and stderr the lines as an array.",
	[ANSWER_JSON] = " The answer is one block of JSON: its fields, and "
	    "under stdout and stderr the lines as an array.",
};

/*
 * The manual that code in the box gets from capability_summary("full"), of
 * the same files. What is switched off is not spoken of.
 */
static void
texts_add_manual(struct buffer *text, const struct options *options)
{
	buffer_add_text(text, manual_text);
	if (options->memory_api)
		buffer_add_text(text, manual_memory_text);
	buffer_add_text(text, manual_more_text);
}

void
texts_add_capabilities(struct buffer *buffer, const struct options *options)
{
	auto_buffer struct buffer text = { 0 };

	texts_add_manual(&text, options);
	buffer_printf(&text, "\nIn force here: %u s a call unless it asks for "
	    "up to %u s, %llu MiB of memory, %u processes and threads, "
	    "%llu KiB kept of each output stream.%s\n", options->timeout,
	    options->max_timeout,
	    (unsigned long long)(options->memory / MIB), options->pids,
	    (unsigned long long)(options->max_output / KIB),
	    texts_answers[options->output_mode]);
	if (options->allow_weak_isolation)
		buffer_add_text(&text, "Where namespaces are forbidden, an "
		    "answer ends with `isolation: weak`; there is no "
		    "/workspace, /tmp and /dev/shm then: use the working "
		    "directory and tempfile.\n");
	buffer_add_text(buffer, "{\"contents\":[{\"uri\":\""
	    TEXTS_CAPABILITIES_URI "\",\"mimeType\":\"text/markdown\","
	    "\"text\":");
	json_add_string(buffer, text.data, text.len);
	buffer_add_text(buffer, "}]}");
}
