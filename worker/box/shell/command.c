/*
 * The words of the command mcp, and what each does. Run in the box, by scripts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "../../../common/json.h"
#include "../../../common/mem.h"

static const char command_usage[] =
    "usage: mcp call SERVER TOOL [--json] [-] [NAME=VALUE ...] "
    "[NAME:=JSON ...]\n"
    "       mcp tools [SERVER]\n"
    "       mcp search WORD ...\n"
    "       mcp servers\n"
    "       mcp load SERVER\n"
    "       mcp help\n";

static const char command_help[] =
    "\n"
    "Calls tools of the user's MCP servers. The text of a result goes to "
    "standard\n"
    "output, an error to standard error. Calls run in parallel as background "
    "jobs;\n"
    "wait for them: wait.\n"
    "\n"
    "call     call a tool of a loaded server\n"
    "         NAME=VALUE   an argument: a string, or a number, true, false, "
    "null,\n"
    "                      a JSON array or object where the tool takes one\n"
    "         NAME:=JSON   an argument, as JSON\n"
    "         -            first: a JSON object of arguments from standard "
    "input\n"
    "         --json       print the whole result as JSON\n"
    "tools    list tools with their arguments: of one server, or of those "
    "loaded\n"
    "search   list the tools of all servers that fit the words, best first\n"
    "servers  list the servers\n"
    "load     load a server, which the call did not name in servers\n"
    "\n"
    "Exit status: 0, 1 if the tool or the server failed, 2 for wrong use.\n"
    "\n"
    "example: mcp call files read_text_file path=/data/a.txt | wc -l\n";

static int
command_fail(const char *what, const struct err *err)
{
	print_error("%s: %s", what, err->text);
	return MCP_FAILED;
}

/* What a call is made of. */
struct command_call {
	const char *server;
	const char *tool;
	char **words; /* of its arguments; the last is NULL */
	int whole;
	char *name; /* "server.tool" */
};

/* Takes --json out of the words; behind "--" none is an option. */
static int
command_take_options(struct command_call *call)
{
	char **to = call->words;
	char **from;
	int options = 1;

	for (from = call->words; *from != NULL; from++) {
		if (options && strcmp(*from, "--") == 0) {
			options = 0;
		} else if (options && strcmp(*from, "--json") == 0) {
			call->whole = 1;
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
 * Makes the request of a call of a tool that the server has listed. Returns 0,
 * or an enum mcp_status, having said why.
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
		print_error("%s: the server has no such tool: mcp tools %s",
		    call->name, call->server);
		return MCP_FAILED;
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

/* As command_call, when it is known which servers there are. */
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
		return command_fail(call->name, &err);
	if (!server->loaded) {
		print_error("%s: the server is not loaded: name it in the "
		    "argument \"servers\" of the tool that runs this code, or: "
		    "mcp load %s", call->name, server->name);
		return MCP_FAILED;
	}
	status = command_make_request(call, server->name, &request);
	if (status != MCP_DONE)
		return status;
	if (ask_relay(&request, &line, &result, &err) == -1)
		return command_fail(call->name, &err);
	return print_result(result, call->whole, call->name);
}

static int
command_call(int count, char **words)
{
	struct command_call call = { .words = words };
	auto_free char *name = NULL;
	struct listed_servers servers;
	struct err err;
	int status;

	(void)count;
	if (command_take_options(&call) == -1)
		return MCP_USAGE;
	if (words[0] == NULL || words[1] == NULL) {
		print_error("call takes a server and a tool: mcp help");
		return MCP_USAGE;
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

static int
command_tools(int count, char **words)
{
	(void)count;
	return listed_print_tools(words[0]);
}

/* Words that were given as one are several all the same. */
static int
command_search(int count, char **words)
{
	auto_buffer struct buffer text = { 0 };
	auto_free char **apart = NULL;
	size_t n = 0;
	char *rest, *word;
	int i;

	for (i = 0; i < count; i++)
		buffer_printf(&text, "%s ", words[i]);
	apart = mem_alloc((text.len / 2 + 2) * sizeof(*apart));
	rest = text.data;
	while ((word = strsep(&rest, " \t\n")) != NULL)
		if (word[0] != '\0')
			apart[n++] = word;
	if (n == 0) {
		print_error("search takes words: mcp help");
		return MCP_USAGE;
	}
	return listed_search(apart);
}

static int
command_servers(int count, char **words)
{
	(void)count;
	(void)words;
	return listed_print_servers();
}

static int
command_load(int count, char **words)
{
	auto_buffer struct buffer line = { 0 };
	const struct listed_server *server;
	struct listed_servers servers;
	struct json_span payload;
	struct err err;
	int failed = -1;

	(void)count;
	if (listed_fetch(&servers, &err) == -1)
		return command_fail(words[0], &err);
	server = listed_find(&servers, words[0], &err);
	if (server != NULL)
		failed = ask_about("load_server", server->name, 0, &line,
		    &payload, &err);
	listed_free(&servers);
	return failed ? command_fail(words[0], &err) : MCP_DONE;
}

static int
command_print_help(int count, char **words)
{
	(void)count;
	(void)words;
	printf("%s%s", command_usage, command_help);
	return MCP_DONE;
}

static const struct command {
	const char *name;
	int least; /* words behind the name */
	int most;
	int (*run)(int count, char **words);
} commands[] = {
	{ "call", 0, INT32_MAX, command_call },
	{ "tools", 0, 1, command_tools },
	{ "search", 0, INT32_MAX, command_search },
	{ "servers", 0, 0, command_servers },
	{ "load", 1, 1, command_load },
	{ "help", 0, 0, command_print_help },
	{ "--help", 0, 0, command_print_help },
	{ "-h", 0, 0, command_print_help },
};

int
command_main(int count, char **words)
{
	const struct command *command = commands;
	const struct command *end =
	    commands + sizeof(commands) / sizeof(commands[0]);
	int status;

	if (count < 2) {
		fputs(command_usage, stderr);
		return MCP_USAGE;
	}
	while (command < end && strcmp(command->name, words[1]) != 0)
		command++;
	if (command == end) {
		print_error("there is no command %s: mcp help", words[1]);
		return MCP_USAGE;
	}
	if (count - 2 < command->least || count - 2 > command->most) {
		print_error("%s takes other words: mcp help", words[1]);
		return MCP_USAGE;
	}
	status = command->run(count - 2, words + 2);
	if (fflush(stdout) == EOF && status == MCP_DONE)
		status = MCP_FAILED;
	return status;
}
