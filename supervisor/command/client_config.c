/*
 * The entry for Caisson in the configuration of each client: see
 * client_config.h. The formats are those that worker/reader parses. Runs in the
 * supervisor.
 */
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../common/json.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../../common/utf8.h"
#include "../options/home.h"
#include "../options/json_report.h"
#include "../options/option_table.h"
#include "client_config.h"
#include "../servers/servers.h"
#include "../options/suggest.h"

/* In each, @ is the path of the program, in double quotes; ' is for a shell. */
#define CLIENT_CONFIG_SERVERS                                                  \
	"{\n"                                                                  \
	"    \"mcpServers\": {\n"                                              \
	"        \"caisson\": { \"command\": @ }\n"                            \
	"    }\n"                                                              \
	"}\n"

static const struct client_config {
	const char *name;
	const char *where; /* the end of a sentence */
	const char *lines;
} client_configs[] = {
	{ "claude-desktop",
	    "in ~/.config/Claude/claude_desktop_config.json (on macOS in "
	    "Library/Application Support/Claude of your home folder)",
	    CLIENT_CONFIG_SERVERS },
	{ "claude-code", "on a command line",
	    "claude mcp add --scope user caisson -- '\n" },
	{ "cursor", "in ~/.cursor/mcp.json", CLIENT_CONFIG_SERVERS },
	{ "vscode",
	    "in ~/.config/Code/User/mcp.json, or in .vscode/mcp.json of a "
	    "folder",
	    "{\n"
	    "    \"servers\": {\n"
	    "        \"caisson\": { \"type\": \"stdio\", \"command\": @ }\n"
	    "    }\n"
	    "}\n" },
	{ "copilot-cli", "in ~/.copilot/mcp-config.json",
	    "{\n"
	    "    \"mcpServers\": {\n"
	    "        \"caisson\": {\n"
	    "            \"type\": \"local\",\n"
	    "            \"command\": @,\n"
	    "            \"args\": [],\n"
	    "            \"tools\": [\"*\"]\n"
	    "        }\n"
	    "    }\n"
	    "}\n" },
	{ "codex", "in ~/.codex/config.toml",
	    "[mcp_servers.caisson]\n"
	    "command = @\n" },
	{ "gemini-cli", "in ~/.gemini/settings.json", CLIENT_CONFIG_SERVERS },
	{ "qwen-code", "in ~/.qwen/settings.json", CLIENT_CONFIG_SERVERS },
	{ "windsurf", "in ~/.codeium/windsurf/mcp_config.json",
	    CLIENT_CONFIG_SERVERS },
	{ "cline", "in cline_mcp_settings.json, which its button \"Configure "
	    "MCP Servers\" opens", CLIENT_CONFIG_SERVERS },
	{ "zed", "in ~/.config/zed/settings.json",
	    "{\n"
	    "    \"context_servers\": {\n"
	    "        \"caisson\": {\n"
	    "            \"source\": \"custom\",\n"
	    "            \"command\": @,\n"
	    "            \"args\": []\n"
	    "        }\n"
	    "    }\n"
	    "}\n" },
	{ "opencode", "in ~/.config/opencode/opencode.json",
	    "{\n"
	    "    \"mcp\": {\n"
	    "        \"caisson\": { \"type\": \"local\", \"command\": [@] }\n"
	    "    }\n"
	    "}\n" },
	{ "goose", "in ~/.config/goose/config.yaml",
	    "extensions:\n"
	    "  caisson:\n"
	    "    enabled: true\n"
	    "    type: stdio\n"
	    "    name: caisson\n"
	    "    cmd: @\n"
	    "    args: []\n"
	    "    timeout: 300\n" },
	{ "continue", "in ~/.continue/config.yaml",
	    "mcpServers:\n"
	    "  - name: caisson\n"
	    "    command: @\n" },
	{ "lm-studio", "in ~/.lmstudio/mcp.json", CLIENT_CONFIG_SERVERS },
	{ "kiro", "in ~/.kiro/settings/mcp.json", CLIENT_CONFIG_SERVERS },
	{ "crush", "in ~/.config/crush/crush.json",
	    "{\n"
	    "    \"mcp\": {\n"
	    "        \"caisson\": { \"type\": \"stdio\", \"command\": @ }\n"
	    "    }\n"
	    "}\n" },
	{ "mcp-inspector", "in ~/.mcp-inspector/mcp.json",
	    CLIENT_CONFIG_SERVERS },
};

#define CLIENT_CONFIGS (sizeof(client_configs) / sizeof(client_configs[0]))

const char *
client_config_name(size_t n)
{
	return n < CLIENT_CONFIGS ? client_configs[n].name : NULL;
}

/* Always returns -1; err lists the clients. */
static int
client_config_unknown(const char *name, struct err *err)
{
	struct suggest suggest = suggest_start(name);
	auto_buffer struct buffer text = { 0 };
	size_t i;

	buffer_add_text(&text, "\"");
	shown_add_quoted(&text, name, OPTION_NAME_SIZE);
	buffer_add_text(&text, "\" is no client that is known here: ");
	for (i = 0; i < CLIENT_CONFIGS; i++)
		suggest_try(&suggest, client_configs[i].name);
	if (suggest.best != NULL)
		buffer_printf(
		    &text, "did you mean %s? There are ", suggest.best);
	for (i = 0; i < CLIENT_CONFIGS; i++)
		buffer_printf(&text, "%s%s", i == 0 ? "" :
		    i == CLIENT_CONFIGS - 1 ? " and " : ", ",
		    client_configs[i].name);
	return err_set(err, "%s", text.data);
}

static const struct client_config *
client_config_find(const char *name)
{
	size_t i;

	for (i = 0; i < CLIENT_CONFIGS; i++)
		if (strcasecmp(client_configs[i].name, name) == 0)
			return &client_configs[i];
	return NULL;
}

/* Appends a path as one word of a shell. */
static void
client_config_add_word(struct buffer *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

	if (path[strspn(path, plain)] == '\0') {
		buffer_add_text(out, path);
		return;
	}
	buffer_add_text(out, "'");
	for (; *path != '\0'; path++)
		if (*path == '\'')
			buffer_add_text(out, "'\\''");
		else
			buffer_add(out, path, 1);
	buffer_add_text(out, "'");
}

static void
client_config_fill(struct buffer *out, const char *lines, const char *path)
{
	for (; *lines != '\0'; lines++)
		if (*lines == '@') /* valid in TOML and YAML as in JSON */
			json_add_text(out, path);
		else if (*lines == '\'')
			client_config_add_word(out, path);
		else
			buffer_add(out, lines, 1);
}

static int
client_config_list(FILE *out, int json)
{
	auto_buffer struct buffer report = { 0 };
	size_t i;

	buffer_add_text(&report, "{");
	json_report_open(&report, "clients", '[');
	for (i = 0; i < CLIENT_CONFIGS; i++)
		json_report_text(&report, NULL, client_configs[i].name);
	json_report_close(&report, ']');
	if (json) {
		json_report_print(&report);
		return 0;
	}
	for (i = 0; i < CLIENT_CONFIGS; i++)
		fprintf(out, "%s\n", client_configs[i].name);
	return 0;
}

/*
 * Removes leading ".." and "." from a relative path, and the parents from the
 * directory it is relative to, which contains no links.
 */
static const char *
client_config_climb(const char *path, char *folder)
{
	char *slash;

	for (;;)
		if (strncmp(path, "./", 2) == 0) {
			path += 2;
		} else if (strncmp(path, "../", 3) == 0 &&
		    (slash = strrchr(folder, '/')) != NULL) {
			*slash = '\0';
			path += 3;
		} else {
			return path;
		}
}

/*
 * Returns the path that the program was invoked by, or NULL; the caller frees
 * it.
 */
static char *
client_config_asked(const struct client_config_self *self)
{
	auto_free char *folder = mem_strdup(self->folder);
	auto_free char *path = NULL;
	const char *command = self->invoked;

	/* Only a path with a slash is relative to the directory. */
	if (strchr(command, '/') != NULL && self->folder[0] != '\0')
		command = client_config_climb(command, folder);
	if (command != self->invoked && strchr(command, '/') == NULL)
		path = server_program_find(command, folder, folder);
	else
		path = server_program_find(command, self->search, folder);
	if (path == NULL || path[0] != '/' ||
	    !server_program_is_file(path, self->exe))
		return NULL;
	return mem_take(&path);
}

/* Returns the path of its file, or NULL with err; the caller frees it. */
static char *
client_config_file(const char *exe, struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlink(exe, path, sizeof(path) - 1);

	if (len == -1) {
		err_sys(err, "find the path of this program");
		return NULL;
	}
	path[len] = '\0';
	return mem_strdup(path);
}

char *
client_config_path(const struct client_config_self *self, struct err *err)
{
	auto_free char *path = client_config_asked(self);

	if (path == NULL)
		path = client_config_file(self->exe, err);
	if (path != NULL && !utf8_valid(path, strlen(path))) {
		err_set(err, "the path of this program is not UTF-8: no "
		    "client can be configured with it");
		return NULL;
	}
	return mem_take(&path);
}

/*
 * Returns where the lines belong, with the user's folders in place of ~ and
 * ~/.config, where they are known; the caller frees it.
 */
static char *
client_config_where(const struct client_config *client, char **envp)
{
	static const char settings[] = "~/.config";
	const char *config = home_folder(envp, "XDG_CONFIG_HOME");
	const char *home = home_folder(envp, "HOME");
	struct buffer out = { 0 };
	const char *p;

	for (p = client->where; *p != '\0'; p++)
		if (config != NULL &&
		    strncmp(p, settings, strlen(settings)) == 0) {
			shown_add(&out, config, strlen(config));
			p += strlen(settings) - 1;
		} else if (*p == '~' && home != NULL) {
			shown_add(&out, home, strlen(home));
		} else {
			buffer_add(&out, p, 1);
		}
	return buffer_take(&out, NULL);
}

static void
client_config_report(const struct client_config *client, const char *where,
    const char *lines, const char *path)
{
	auto_buffer struct buffer report = { 0 };

	buffer_add_text(&report, "{");
	json_report_text(&report, "client", client->name);
	json_report_text(&report, "where", where);
	json_report_text(&report, "program", path);
	json_report_text(&report, "lines", lines);
	json_report_print(&report);
}

int
client_config_print(const char *name,
    const struct client_config_self *self, int json, FILE *out,
    struct err *err)
{
	const struct client_config *client;
	auto_buffer struct buffer text = { 0 };
	auto_free char *path = NULL, *where = NULL;

	if (name == NULL)
		return client_config_list(out, json);
	client = client_config_find(name);
	if (client == NULL)
		return client_config_unknown(name, err);
	path = client_config_path(self, err);
	if (path == NULL)
		return -1;
	client_config_fill(&text, client->lines, path);
	where = client_config_where(client, self->envp);
	if (json) {
		client_config_report(client, where, text.data, path);
		return 0;
	}
	fputs(text.data, out);
	fflush(out);
	fprintf(stderr, "caisson: these lines belong %s\n", where);
	return 0;
}
