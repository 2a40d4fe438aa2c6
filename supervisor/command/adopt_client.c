/*
 * The clients whose servers can be moved: see adopt_client.h. Runs in the
 * supervisor.
 */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../common/json.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../options/home.h"
#include "../options/option_table.h"
#include "../options/suggest.h"
#include "adopt_client.h"

#define MCP_SERVERS "\"mcpServers\""
#define ENTRY "\"caisson\": { \"command\": @ }"

static const struct adopt_client adopt_clients[] = {
	{ "claude-desktop", "Claude Desktop", MCP_SERVERS, ENTRY, 0, NULL },
	{ "claude-code", "Claude Code", MCP_SERVERS, ENTRY, 1,
	    "claude mcp add --scope user caisson -- caisson" },
	{ "cursor", "Cursor", MCP_SERVERS, ENTRY, 1, NULL },
	{ "vscode", "VS Code", "\"servers\"",
	    "\"caisson\": { \"type\": \"stdio\", \"command\": @ }", 1, NULL },
	{ "copilot-cli", "Copilot CLI", MCP_SERVERS,
	    "\"caisson\": { \"type\": \"local\", \"command\": @, \"args\": [], "
	    "\"tools\": [\"*\"] }", 0, NULL },
	{ "codex", "Codex", NULL, "[mcp_servers.caisson]%command = @", 0,
	    "codex mcp add caisson -- caisson" },
	{ "gemini-cli", "Gemini CLI", MCP_SERVERS, ENTRY, 1,
	    "gemini mcp add --scope user caisson caisson" },
	{ "qwen-code", "Qwen Code", MCP_SERVERS, ENTRY, 1, NULL },
	{ "windsurf", "Windsurf", MCP_SERVERS, ENTRY, 1, NULL },
	{ "cline", "Cline", MCP_SERVERS, ENTRY, 0, NULL },
	{ "zed", "Zed", "\"context_servers\"",
	    "\"caisson\": { \"source\": \"custom\", \"command\": @, "
	    "\"args\": [] }", 0, NULL },
	{ "opencode", "opencode", "\"mcp\"",
	    "\"caisson\": { \"type\": \"local\", \"command\": [@] }", 1,
	    NULL },
	{ "lm-studio", "LM Studio", MCP_SERVERS, ENTRY, 0, NULL },
	{ "kiro", "Kiro", MCP_SERVERS, ENTRY, 0, NULL },
	{ "crush", "Crush", "\"mcp\"",
	    "\"caisson\": { \"type\": \"stdio\", \"command\": @ }", 0, NULL },
	{ "mcp-inspector", "MCP Inspector", MCP_SERVERS, ENTRY, 0, NULL },
};

#define ADOPT_CLIENTS (sizeof(adopt_clients) / sizeof(adopt_clients[0]))

/* The clients whose files are YAML. */
static const char *const adopt_others[] = { "goose", "continue" };

static int
adopt_client_unknown(const char *name, struct err *err)
{
	struct suggest suggest = suggest_start(name);
	auto_buffer struct buffer text = { 0 };
	size_t i;

	shown_add_quoted(&text, name, OPTION_NAME_SIZE);
	buffer_add_text(&text, "\" is no client that is known here: ");
	for (i = 0; i < ADOPT_CLIENTS; i++)
		suggest_try(&suggest, adopt_clients[i].name);
	if (suggest.best != NULL)
		buffer_printf(
		    &text, "did you mean %s? There are ", suggest.best);
	for (i = 0; i < ADOPT_CLIENTS; i++)
		buffer_printf(&text, "%s%s", i == 0 ? "" :
		    i == ADOPT_CLIENTS - 1 ? " and " : ", ",
		    adopt_clients[i].name);
	return err_set(err, "\"%s", text.data);
}

const struct adopt_client *
adopt_client_find(const char *name, struct err *err)
{
	auto_free char *settings = NULL;
	size_t i;

	for (i = 0; i < ADOPT_CLIENTS; i++)
		if (strcasecmp(adopt_clients[i].name, name) == 0)
			return &adopt_clients[i];
	for (i = 0; i < sizeof(adopt_others) / sizeof(adopt_others[0]); i++)
		if (strcasecmp(adopt_others[i], name) == 0) {
			settings = home_settings(environ, err);
			if (settings != NULL)
				err_set(err, "the file of %s is YAML, which is "
				    "not edited: move its servers to "
				    "%s/servers/%s.json by hand, and put there "
				    "what 'caisson client %s' prints",
				    adopt_others[i], settings,
				    adopt_others[i], adopt_others[i]);
			return NULL;
		}
	adopt_client_unknown(name, err);
	return NULL;
}

void
adopt_client_add_entry(struct buffer *out, const struct adopt_client *client,
    const char *path, const char *line_end)
{
	const char *p;

	for (p = client->entry; *p != '\0'; p++)
		if (*p == '@') /* valid in TOML as in JSON */
			json_add_text(out, path);
		else if (*p == '%')
			buffer_add_text(out, line_end);
		else
			buffer_add(out, p, 1);
}
