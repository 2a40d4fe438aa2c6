/*
 * The words of the command mcp and their actions. Run in the box, by scripts.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"

static const char command_help[] =
    "\n"
    "Calls tools of the user's MCP servers. The text of a result goes to "
    "standard\n"
    "output, an error to standard error. Calls run in parallel as background "
    "jobs;\n"
    "wait for them: wait. At most some 100 run at once (xargs -P 16).\n"
    "\n"
    "call     call a tool; a server that is not loaded is loaded first\n"
    "         NAME=VALUE   an argument: a string, or a number, true, false, "
    "null,\n"
    "                      a JSON array or object where the tool takes one;\n"
    "                      up to 128 KiB, larger ones with -\n"
    "         NAME:=JSON   an argument, as JSON\n"
    "         -            first: a JSON object of arguments from standard "
    "input\n"
    "         --json       print the whole result as JSON\n"
    "tools    list tools with their arguments: of one server, or of those "
    "loaded;\n"
    "         of one tool, its description and the schema of its arguments\n"
    "         --json       print what the server says, as JSON\n"
    "ask      ask a server for resources, resource_templates or prompts; with "
    "a name,\n"
    "         for read_resource or get_prompt, or for complete_prompt or\n"
    "         complete_resource, with 'argument:={\"name\": ..., \"value\": "
    "...}'\n"
    "types    print the tools of a server as TypeScript\n"
    "search   list the tools of all servers that fit the words, best first\n"
    "servers  list the servers\n"
    "load     load a server ahead of calls\n"
    "show     show a picture in the answer: a PNG, JPEG, WebP or GIF, - for "
    "standard\n"
    "         input; also without mcp: show chart.png\n"
    "\n"
    "--help behind any command, server or tool prints what it takes.\n"
    "Exit status: 0, 1 if the tool or the server failed, 2 for wrong use.\n"
    "\n"
    "example: mcp call files read_text_file path=/data/a.txt | wc -l\n";

static int command_explain(const char *name);
static int command_print_help(int count, char **words);

static int
command_fail(const char *what, const struct err *err)
{
	print_error("%s: %s", what, err->text);
	return MCP_FAILED;
}

/* The same for a call with wrong words, for which no tool was called. */
static int
command_refuse(const char *what, const struct err *err)
{
	command_fail(what, err);
	return MCP_USAGE;
}

/* The parts of a call. */
struct command_call {
	const char *server;
	const char *tool;
	char **words; /* of its arguments, ended by NULL */
	int whole;
	char *name; /* "server.tool" */
};

/* Removes --json from words; "--" ends the options. */
static int
command_take_options(char **words, int *whole)
{
	char **to = words;
	char **from;
	int options = 1;

	for (from = words; *from != NULL; from++) {
		if (options && strcmp(*from, "--") == 0) {
			options = 0;
		} else if (options && strcmp(*from, "--json") == 0) {
			*whole = 1;
		} else if (options && strncmp(*from, "--", 2) == 0) {
			print_error("there is no option %s: mcp help", *from);
			return -1;
		} else {
			*to++ = *from;
		}
	}
	*to = NULL;
	return 0;
}

/*
 * Makes the request of a call of a listed tool. Returns 0, or an enum
 * mcp_status after reporting the error.
 */
static int
command_make_request(const struct command_call *call, const char *server,
    struct buffer *request)
{
	auto_buffer struct buffer line = { 0 }, arguments = { 0 };
	struct json_span list, tool, name, schema = { NULL, 0 };
	struct err err;

	if (ask_about("list_tools", server, 0, &line, &list, &err) == -1)
		return command_fail(server, &err);
	if (!listed_find_tool(list, call->tool, &tool)) {
		listed_explain_tool(list, call->name, call->tool, server);
		return MCP_USAGE;
	}
	if (json_span_get(tool, "inputSchema", &schema) != 1)
		schema = tool;
	if (values_read(call->words, schema, &arguments, &err) == -1) {
		print_error("%s: %s", call->name, err.text);
		return MCP_USAGE;
	}
	(void)json_span_get(tool, "name", &name);
	buffer_add_text(request, "{\"type\":\"call_tool\",\"server\":");
	json_add_text(request, server);
	buffer_add_text(request, ",\"tool\":");
	buffer_add(request, name.p, name.len);
	buffer_add_text(request, ",\"arguments\":");
	buffer_add(request, arguments.data, arguments.len);
	buffer_add_text(request, "}");
	return 0;
}

/* Loads a server, and waits until its tools can be called. */
static int
command_start(const char *server, struct err *err)
{
	auto_buffer struct buffer line = { 0 };
	struct json_span payload;

	return ask_about("load_server", server, 0, &line, &payload, err);
}

/* Like command_call, with the list of servers. */
static int
command_call_one(
    const struct command_call *call, const struct listed_servers *servers)
{
	const struct listed_server *server;
	auto_buffer struct buffer request = { 0 }, line = { 0 };
	struct json_span result;
	struct err err;
	int status;

	server = listed_find(servers, call->server, &err);
	if (server == NULL)
		return command_refuse(call->name, &err);
	if (!server->loaded && command_start(server->name, &err) == -1)
		return command_fail(call->name, &err);
	status = command_make_request(call, server->name, &request);
	if (status != MCP_DONE)
		return status;
	if (ask_relay(&request, &line, &result, &err) == -1)
		return err.code == EINVAL ? command_refuse(call->name, &err) :
		    command_fail(call->name, &err);
	return print_result(result, call->whole, call->name);
}

static int
command_call(int, char **words)
{
	struct command_call call = { .words = words };
	auto_free char *name = NULL;
	struct listed_servers servers;
	struct err err;
	int status;

	if (command_take_options(words, &call.whole) == -1)
		return MCP_USAGE;
	if (words[0] == NULL || words[1] == NULL) {
		return command_explain("call");
	}
	call.server = words[0];
	call.tool = words[1];
	call.words = words + 2;
	call.name = name = mem_printf("%s.%s", words[0], words[1]);
	if (listed_fetch(&servers, &err) == -1)
		return command_fail(call.name, &err);
	status = command_call_one(&call, &servers);
	listed_free(&servers);
	return status;
}

/* What a server lists needs no name. */
static int
command_is_list(const char *what)
{
	return strcmp(what, "resources") == 0 || strcmp(what, "prompts") == 0 ||
	    strcmp(what, "resource_templates") == 0;
}

/* Asks a listed server for what the words behind its name say. */
static int
command_ask_one(const char *server, char **words, int whole)
{
	auto_buffer struct buffer request = { 0 }, line = { 0 }, json = { 0 };
	int named = words[1] != NULL && !command_is_list(words[0]);
	struct json_span answer;
	struct err err;

	if (values_read(words + 1 + named,
	        (struct json_span){ "{}", 2 }, &json, &err) == -1)
		return command_refuse(words[0], &err);
	buffer_add_text(&request, "{\"type\":\"ask_server\",\"server\":");
	json_add_text(&request, server);
	buffer_add_text(&request, ",\"what\":");
	json_add_text(&request, words[0]);
	if (named) {
		buffer_add_text(&request, ",\"name\":");
		json_add_text(&request, words[1]);
	}
	buffer_printf(&request, ",\"arguments\":%s}", json.data);
	if (ask_relay(&request, &line, &answer, &err) == -1)
		return command_fail(words[0], &err);
	return print_asked(answer, whole, words[0]);
}

static int
command_ask(int, char **words)
{
	const struct listed_server *server;
	struct listed_servers servers;
	int whole = 0, status;
	struct err err;

	if (command_take_options(words, &whole) == -1)
		return MCP_USAGE;
	if (words[0] == NULL || words[1] == NULL)
		return command_explain("ask");
	if (listed_fetch(&servers, &err) == -1)
		return command_fail(words[0], &err);
	server = listed_find(&servers, words[0], &err);
	if (server == NULL)
		status = command_refuse(words[0], &err);
	else if (!server->loaded && command_start(server->name, &err) == -1)
		status = command_fail(words[0], &err);
	else
		status = command_ask_one(server->name, words + 1, whole);
	listed_free(&servers);
	return status;
}

static int
command_tools(int, char **words)
{
	int whole = 0;

	if (command_take_options(words, &whole) == -1)
		return MCP_USAGE;
	if (words[0] != NULL && words[1] != NULL && words[2] != NULL)
		return command_explain("tools");
	return listed_print_tools(
	    words[0], words[0] == NULL ? NULL : words[1], whole);
}

static int
command_search(int count, char **words)
{
	auto_buffer struct buffer text = { 0 };
	int i;

	for (i = 0; i < count; i++)
		buffer_printf(&text, "%s ", words[i]);
	if (strspn(text.data, " \t\n") == text.len)
		return command_explain("search");
	return listed_search(text.data);
}

static int
command_types(int, char **words)
{
	return listed_print_tools(words[0], NULL, MCP_TYPES);
}

static int
command_servers(int, char **)
{
	return listed_print_servers();
}

static int
command_load(int, char **words)
{
	const struct listed_server *server;
	struct listed_servers servers;
	struct err err;
	int failed;

	if (listed_fetch(&servers, &err) == -1)
		return command_fail(words[0], &err);
	server = listed_find(&servers, words[0], &err);
	if (server == NULL) {
		listed_free(&servers);
		return command_refuse(words[0], &err);
	}
	failed = command_start(server->name, &err);
	listed_free(&servers);
	return failed ? command_fail(words[0], &err) : MCP_DONE;
}

static int
command_show(int count, char **words)
{
	auto_buffer struct buffer request = { 0 }, line = { 0 };
	struct json_span payload;
	struct err err;

	if (show_make_request(&request, words[0],
	        count > 1 ? words[1] : NULL, &err) == -1)
		return command_refuse(words[0], &err);
	if (ask_relay(&request, &line, &payload, &err) == -1)
		return command_fail(words[0], &err);
	return MCP_DONE;
}

static const struct command {
	const char *name;
	const char *takes;
	int least; /* words after the name */
	int most;
	int (*run)(int count, char **words);
} commands[] = {
	{ "call", " SERVER TOOL [--json] [-] [NAME=VALUE ...] "
	          "[NAME:=JSON ...]", 2, INT32_MAX, command_call },
	{ "ask", " SERVER WHAT [--json] [NAME [NAME=VALUE ...]]", 2,
	    INT32_MAX, command_ask },
	{ "tools", " [--json] [SERVER [TOOL]]", 0, 4, command_tools },
	{ "types", " SERVER", 1, 1, command_types },
	{ "search", " WORD ...", 1, INT32_MAX, command_search },
	{ "servers", "", 0, 0, command_servers },
	{ "load", " SERVER", 1, 1, command_load },
	{ "show", " FILE [TITLE]", 1, 2, command_show },
	{ "help", " [COMMAND]", 0, 1, command_print_help },
	{ "--help", NULL, 0, 1, command_print_help },
	{ "-h", NULL, 0, 1, command_print_help },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Returns the command of this name, or NULL. */
static const struct command *
command_find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* Prints the usage of a command, or of all commands for NULL. */
static void
command_print_usage(FILE *to, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < COMMANDS; i++)
		if (commands[i].takes != NULL &&
		    (name == NULL || strcmp(commands[i].name, name) == 0))
			fprintf(to, "%s mcp %s%s\n",
			    n++ == 0 ? "usage:" : "      ", commands[i].name,
			    commands[i].takes);
}

static int
command_explain(const char *name)
{
	command_print_usage(stderr, name);
	return MCP_USAGE;
}

static int
command_unknown(const char *name)
{
	print_error("there is no command %s: mcp help", name);
	return MCP_USAGE;
}

static int
command_print_help(int count, char **words)
{
	if (count > 0 && command_find(words[0]) == NULL)
		return command_unknown(words[0]);
	command_print_usage(stdout, count > 0 ? words[0] : NULL);
	printf("%s", command_help);
	return MCP_DONE;
}

/*
 * Whether the words request help, which may follow any words; if so, only the
 * words before it remain.
 */
static int
command_is_help(int *count, char **words)
{
	int i;

	for (i = 0; i < *count && strcmp(words[i], "--") != 0; i++)
		if (strcmp(words[i], "--help") == 0) {
			words[i] = NULL;
			*count = i;
			return 1;
		}
	return 0;
}

/* Explains a command, or the named server or tool. */
static int
command_help_with(const char *name, int count, char **words)
{
	if (count > 0 && strcmp(name, "call") == 0)
		return listed_print_tools(words[0], words[1], 0);
	command_print_usage(stdout, name);
	printf("%s", command_help);
	return MCP_DONE;
}

int
command_main(int count, char **words)
{
	const struct command *command;
	int status;

	if (count < 2)
		return command_explain(NULL);
	command = command_find(words[1]);
	if (command == NULL)
		return command_unknown(words[1]);
	count -= 2;
	words += 2;
	if (command->takes != NULL && command_is_help(&count, words))
		status = command_help_with(command->name, count, words);
	else if (count < command->least || count > command->most)
		return command_explain(command->name);
	else
		status = command->run(count, words);
	if (fflush(stdout) == EOF && status == MCP_DONE)
		status = MCP_FAILED;
	return status;
}
