/* The table of clients: see adopt_client.h. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/suggest.h"
#include "../../options/home.h"
#include "../../options/option_table.h"
#include "adopt_client.h"

#define MCP_SERVERS "\"mcpServers\""
#define ENTRY "\"caisson\": { \"command\": @ }"

static const struct adopt_client adopt_clients[] = {
	{ "claude-desktop", "Claude Desktop",
	    "in ~/.config/Claude/claude_desktop_config.json (on macOS in "
	    "Library/Application Support/Claude of your home folder)",
	    MCP_SERVERS, ENTRY, 0, NULL },
	{ "claude-code", "Claude Code", ADOPT_CLIENT_COMMAND, MCP_SERVERS,
	    ENTRY, 1, "claude mcp add --scope user caisson -- @" },
	{ "cursor", "Cursor", "in ~/.cursor/mcp.json", MCP_SERVERS, ENTRY, 1,
	    NULL },
	{ "vscode", "VS Code",
	    "in ~/.config/Code/User/mcp.json, or in .vscode/mcp.json of a "
	    "folder", "\"servers\"",
	    "\"caisson\": { \"type\": \"stdio\", \"command\": @ }", 1, NULL },
	{ "copilot-cli", "Copilot CLI", "in ~/.copilot/mcp-config.json",
	    MCP_SERVERS,
	    "\"caisson\": { \"type\": \"local\", \"command\": @, \"args\": [], "
	    "\"tools\": [\"*\"] }", 0, NULL },
	{ "codex", "Codex", "in ~/.codex/config.toml", NULL,
	    "[mcp_servers.caisson]%command = @", 0,
	    "codex mcp add caisson -- @" },
	{ "gemini-cli", "Gemini CLI", "in ~/.gemini/settings.json",
	    MCP_SERVERS, ENTRY, 1, "gemini mcp add --scope user caisson @" },
	{ "qwen-code", "Qwen Code", "in ~/.qwen/settings.json", MCP_SERVERS,
	    ENTRY, 1, NULL },
	{ "windsurf", "Windsurf", "in ~/.codeium/windsurf/mcp_config.json",
	    MCP_SERVERS, ENTRY, 1, NULL },
	{ "cline", "Cline",
	    "in cline_mcp_settings.json, which its button \"Configure MCP "
	    "Servers\" opens", MCP_SERVERS, ENTRY, 0, NULL },
	{ "zed", "Zed", "in ~/.config/zed/settings.json",
	    "\"context_servers\"",
	    "\"caisson\": { \"source\": \"custom\", \"command\": @, "
	    "\"args\": [] }", 0, NULL },
	{ "opencode", "opencode", "in ~/.config/opencode/opencode.json",
	    "\"mcp\"",
	    "\"caisson\": { \"type\": \"local\", \"command\": [@] }", 1,
	    NULL },
	{ "goose", NULL, "in ~/.config/goose/config.yaml", NULL,
	    "extensions:%  caisson:%    enabled: true%    type: stdio%"
	    "    name: caisson%    cmd: @%    args: []%    timeout: 300", 0,
	    NULL },
	{ "continue", NULL, "in ~/.continue/config.yaml", NULL,
	    "mcpServers:%  - name: caisson%    command: @", 0, NULL },
	{ "lm-studio", "LM Studio", "in ~/.lmstudio/mcp.json", MCP_SERVERS,
	    ENTRY, 0, NULL },
	{ "kiro", "Kiro", "in ~/.kiro/settings/mcp.json", MCP_SERVERS, ENTRY,
	    0, NULL },
	{ "crush", "Crush", "in ~/.config/crush/crush.json", "\"mcp\"",
	    "\"caisson\": { \"type\": \"stdio\", \"command\": @ }", 0, NULL },
	{ "mcp-inspector", "MCP Inspector", "in ~/.mcp-inspector/mcp.json",
	    MCP_SERVERS, ENTRY, 0, NULL },
};

#define ADOPT_CLIENTS (sizeof(adopt_clients) / sizeof(adopt_clients[0]))

const struct adopt_client *
adopt_client_at(size_t n)
{
	return n < ADOPT_CLIENTS ? &adopt_clients[n] : NULL;
}

static void
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
	err_set(err, "\"%s", text.data);
}

const struct adopt_client *
adopt_client_find(const char *name, struct err *err)
{
	size_t i;

	for (i = 0; i < ADOPT_CLIENTS; i++)
		if (strcasecmp(adopt_clients[i].name, name) == 0)
			return &adopt_clients[i];
	adopt_client_unknown(name, err);
	return NULL;
}

const struct adopt_client *
adopt_client_find_edited(const char *name, struct err *err)
{
	const struct adopt_client *client = adopt_client_find(name, err);
	auto_free char *settings = NULL;

	if (client == NULL || client->source != NULL)
		return client;
	settings = home_settings(environ, err);
	if (settings != NULL)
		err_set(err, "the file of %s is YAML, which is not edited: "
		    "move its servers to %s/servers/%s.json by hand, and put "
		    "there what 'caisson client %s' prints", client->name,
		    settings, client->name, client->name);
	return NULL;
}

void
adopt_client_add_entry(struct buffer *out, const struct adopt_client *client,
    const char *path, const char *line_end)
{
	const char *p;

	for (p = client->entry; *p != '\0'; p++)
		if (*p == '@') /* valid in TOML and YAML as in JSON */
			json_add_text(out, path);
		else if (*p == '%')
			buffer_add_text(out, line_end);
		else
			buffer_add(out, p, 1);
}

void
adopt_client_add_command(struct buffer *out,
    const struct adopt_client *client, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	int quoted = path[strspn(path, plain)] != '\0';

	buffer_add(out, client->command, strcspn(client->command, "@"));
	buffer_add_text(out, quoted ? "'" : "");
	for (; *path != '\0'; path++)
		if (*path == '\'')
			buffer_add_text(out, "'\\''");
		else
			buffer_add(out, path, 1);
	buffer_add_text(out, quoted ? "'" : "");
}
