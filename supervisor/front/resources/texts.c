/*
 * The description of Caisson for a client: server information, instructions,
 * the manual. It is short, because it costs every client context. It must be
 * true, because models rely on it.
 */
#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../answer/answer.h"
#include "manual_memory_text.h"
#include "manual_more_text.h"
#include "manual_text.h"
#include "../../box/shared/language.h"
#include "texts.h"
#include "../../run/run.h"
#include "../tools/tool.h"

/* The use of the tool, in two sentences; some hosts show only this. */
static const char texts_instructions[] =
    "%s executes %s in a %ssealed box and returns what it prints%s. "
    "Prefer it to reasoning by hand for calculation, parsing and data work%s; "
    "print only what you need; ";

/* What a call finds of earlier calls, as the setting arguments is. */
static const char *
texts_kept(const struct options *options)
{
	if (!options_argument(options, ARGUMENT_SESSION))
		return options_argument(options, ARGUMENT_CONVERSATION) ?
		    "every call starts afresh, but files in /data stay with "
		    "the same conversationId." :
		    "every call starts afresh.";
	return options_argument(options, ARGUMENT_CONVERSATION) ?
	    "a call without session starts afresh; calls with the same "
	    "session keep variables; files in /data stay with the same "
	    "conversationId." :
	    "a call without session starts afresh; calls with the same "
	    "session keep variables.";
}

void
texts_add_server(struct buffer *buffer)
{
	buffer_add_text(buffer, "{\"name\":\"caisson\","
	    "\"title\":\"Caisson\",\"version\":\"" CAISSON_VERSION "\"}");
}

void
texts_add_instructions(
    struct buffer *buffer, const struct options *options, int servers)
{
	const struct tool *runner = tools_runner(options);
	auto_buffer struct buffer text = { 0 };

	if (runner == NULL)
		return;
	buffer_printf(&text, texts_instructions, runner->name,
	    runner->executes,
	    options_argument(options, ARGUMENT_SESSION) ? "" : "fresh ",
	    runner == &run_python_tool && options->echo ?
	    ", or the value of its last expression" : "", servers ?
	    ", and to call tools of the user's MCP servers in code, many of "
	    "them in one call" : "");
	buffer_add_text(&text, texts_kept(options));
	if (runner != &run_code_tool && tools_include(options, &run_code_tool))
		buffer_add_text(&text, " run_code runs other languages.");
	buffer_add_text(buffer, ",\"instructions\":");
	json_add_string(buffer, text.data, text.len);
}

void
texts_add_initialize(struct buffer *buffer, const char *version,
    const struct options *options, int servers)
{
	buffer_printf(buffer, "{\"protocolVersion\":\"%s\",", version);
	buffer_printf(buffer, "\"capabilities\":{\"tools\":{},%s"
	    "\"completions\":{},\"resources\":{}},\"serverInfo\":",
	    servers ? "\"logging\":{}," : "");
	texts_add_server(buffer);
	texts_add_instructions(buffer, options, servers);
	buffer_add_text(buffer, "}");
}

void
texts_add_resource(struct buffer *buffer)
{
	buffer_add_text(buffer, "{\"uri\":\"" TEXTS_CAPABILITIES_URI
	    "\",\"name\":\"capabilities\","
	    "\"title\":\"What code in the box can do\","
	    "\"mimeType\":\"text/markdown\"}");
}

/* The form of results; the manual describes the compact one. */
static const char *const texts_answers[] = {
	[ANSWER_COMPACT] = "",
	[ANSWER_TOON] = " The answer is one block of TOON: its fields, and "
	    "under stdout and stderr the lines as an array.",
	[ANSWER_JSON] = " The answer is one block of JSON: its fields, and "
	    "under stdout and stderr the lines as an array.",
};

/* How code of each language calls tools, if calls name their language. */
static void
texts_add_languages(struct buffer *text)
{
	const struct language *language;
	size_t i;

	language_renew();
	buffer_add_text(text, "# Languages\n\nrun_code takes:\n\n");
	for (i = 0; (language = language_at(i)) != NULL; i++)
		buffer_printf(text, "- `%s`: %s\n", language->name,
		    language->use);
	buffer_add_text(text, "\nThe rest of this page is about Python.\n\n");
}

/*
 * Adds the manual that code in the box gets from capability_summary("full"),
 * from the same files. It omits disabled features.
 */
static void
texts_add_manual(struct buffer *text, const struct options *options)
{
	if (tools_include(options, &run_code_tool))
		texts_add_languages(text);
	buffer_add_text(text, manual_text);
	if (options->memory_api)
		buffer_add_text(text, manual_memory_text);
	buffer_add_text(text, manual_more_text);
}

void
texts_add_capabilities(struct buffer *buffer, const struct options *options,
    struct json_span uri)
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
	if (!options->echo)
		buffer_add_text(&text, "The value of the last expression does "
		    "not come back here: print it.\n");
	if (options->allow_weak_isolation)
		buffer_add_text(&text, "Where namespaces are forbidden, an "
		    "answer ends with `isolation: weak`; there is no "
		    "/workspace, /tmp and /dev/shm then: use the working "
		    "directory and tempfile.\n");
	buffer_printf(buffer, "{\"contents\":[{\"uri\":%.*s,"
	    "\"mimeType\":\"text/markdown\",\"text\":", (int)uri.len,
	    uri.p);
	json_add_string(buffer, text.data, text.len);
	buffer_add_text(buffer, "}]}");
}
