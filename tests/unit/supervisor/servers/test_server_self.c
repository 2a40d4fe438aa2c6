/*
 * Tests of supervisor/servers/server_self: what would start this program again,
 * itself or through another one, and what only looks like it.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

/* For this test we are /usr/bin/id; words have '|' where a NUL is. */
static const struct {
	const char *run;
	int is;
} commands[] = {
	{ "id|", 1 },
	{ "/usr/bin/id|", 1 },
	{ "./link|", 1 },
	{ "caisson|", 1 },
	{ "/opt/caisson|--check|", 1 },
	{ "env|id|", 1 },
	{ "/usr/bin/env|A=b|-u|C|caisson|x|", 1 },
	{ "env|-S|A=b caisson --x|", 1 },
	{ "nice|-n|5|/usr/bin/id|", 1 },
	{ "timeout|5|./link|", 1 },
	{ "setsid|env|A=b|sh|-c|caisson|", 1 },
	{ "sh|-c|caisson|", 1 },
	{ "/bin/bash|-lc|cd /tmp && exec /usr/bin/id \"$@\"|", 1 },
	{ "zsh|-c|A=1 'caisson'|", 1 },
	{ "dash|-c|(id)|", 1 },
	{ "npx|caisson|", 1 },
	{ "npx|-y|caisson@latest|x|", 1 },
	{ "npx|-y|@someone/caisson|", 1 },
	{ "npm|exec|--|caisson|", 1 },
	{ "uvx|caisson==1.0|", 1 },
	{ "uv|tool|run|caisson|", 1 },
	{ "env|A=b|npx|-y|caisson|", 1 },
	/* And these are others. */
	{ "sh|-c|true|", 0 },
	{ "true|caisson|", 0 },
	{ "node|/home/me/caisson|", 0 },
	{ "npx|-y|@modelcontextprotocol/server-filesystem|caisson|", 0 },
	{ "npx|-y|@caisson/other|", 0 },
	{ "npx|-y|caisson-tools|", 0 },
	{ "uvx|mcp-server-git|--repository|caisson|", 0 },
	{ "env|HOME=./caisson|true|", 0 },
	{ "env|NAME=caisson|true|", 0 },
	{ "env|true|./caisson|", 0 }, /* a folder */
	{ "sh|-c|ls ./caisson/x|", 0 },
	{ "env|", 0 },
	{ "sh|-c||", 0 },
	{ "npx|", 0 },
};

UNIT_TESTS(recognises_itself, UNIT_COUNT(commands))
{
	struct server_texts run = { mem_strdup(commands[_i].run),
		strlen(commands[_i].run) };
	size_t i;

	for (i = 0; i < run.len; i++)
		if (run.data[i] == '|')
			run.data[i] = '\0';
	ck_assert_int_eq(symlink("/usr/bin/id", "link"), 0);
	ck_assert_int_eq(mkdir("caisson", 0700), 0);
	ck_assert_int_eq(server_self_is_started(&run, "/none:/usr/bin:/bin",
	    folder, "/usr/bin/id"), commands[_i].is);
	free(run.data);
}

/* The entries that the earlier bridge has published, and other servers. */
static const struct {
	const char *run;
	int is;
} bridges[] = {
	{ "mcp-server-code-execution-mode|run|", 1 },
	{ "uvx|mcp-server-code-execution-mode@latest|run|", 1 },
	{ "uvx|--from|git+https://github.com/elusznik/mcp-server-code-"
	  "execution-mode|mcp-server-code-execution-mode|run|", 1 },
	{ "uv|run|python|/abs/mcp_server_code_execution_mode.py|", 1 },
	{ "uv|--directory|/x|run|python|mcp_server_code_execution_mode.py|",
	    1 },
	{ "/v/bin/python3.14|-m|mcp_server_code_execution_mode|", 1 },
	{ "uvx|mcp-server-git|--repository|/x/mcp-server-code-execution-mode|",
	    0 },
	{ "npx|-y|server-filesystem|/x/mcp-server-code-execution-mode|", 0 },
	{ "python3|server.py|mcp-server-code-execution-mode|", 0 },
	{ "cat|mcp-server-code-execution-mode|", 0 },
	{ "uvx|--from|", 0 },
};

UNIT_TESTS(recognises_the_bridge, UNIT_COUNT(bridges))
{
	struct server_texts run = { mem_strdup(bridges[_i].run),
		strlen(bridges[_i].run) };
	size_t i;

	for (i = 0; i < run.len; i++)
		if (run.data[i] == '|')
			run.data[i] = '\0';
	ck_assert_int_eq(server_self_is_bridge(&run), bridges[_i].is);
	free(run.data);
}
