/*
 * Tests of supervisor/servers/server_sources: which files are found, of whom,
 * and in which order.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

static void
enter(void)
{
	ck_assert_int_eq(mkdir("MCPs", 0700), 0);
	ck_assert_int_eq(mkdir(".config", 0700), 0);
	ck_assert_int_eq(mkdir(".config/mcp", 0700), 0);
	ck_assert_int_eq(mkdir(".config/mcp/servers", 0700), 0);
	ck_assert_int_eq(mkdir("mcp-servers", 0700), 0);
}

UNIT_FIXTURE(enter, NULL)

static void
make_file(const char *path, off_t size)
{
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	ck_assert_int_eq(ftruncate(fd, size), 0);
}

static void
tell(struct buffer *out, const struct server_file *file)
{
	const char *path = file->path == NULL ? "-" : file->path;

	if (strncmp(path, folder, strlen(folder)) == 0)
		path += strlen(folder);
	buffer_printf(out, "%d%s %s%s%s\n", (int)file->state,
	    file->source->project ? "!" : "", path,
	    file->why == NULL ? "" : ": ", file->why == NULL ? "" : file->why);
}

/* What was found of ours: "state path (why)", without the folder. */
static char *
found(const char *named, const char *home)
{
	auto_free char *variable = mem_printf("HOME=%s", home);
	char *envp[] = { variable, NULL };
	const struct servers_setup setup = { .envp = envp, .folder = folder,
		.named = named };
	struct server_file_list files = TAILQ_HEAD_INITIALIZER(files);
	struct server_file *file;
	struct buffer out = { 0 };

	server_sources_find(&files, &setup);
	TAILQ_FOREACH (file, &files, entry)
		if (!file->source->client)
			tell(&out, file);
	server_sources_free(&files);
	return buffer_take(&out, NULL);
}

UNIT_TEST(finds_in_order)
{
	auto_free char *text = NULL;

	make_file("MCPs/b.json", 0);
	make_file("MCPs/a.json", 0);
	make_file("MCPs/B.json", 0);
	make_file("MCPs/.hidden.json", 0);
	make_file("MCPs/.json", 0);
	ck_assert_int_eq(mkdir(".config/caisson", 0700), 0);
	ck_assert_int_eq(mkdir(".config/caisson/servers", 0700), 0);
	make_file(".config/caisson/servers/own.json", 0);
	make_file("MCPs/a.json.bak", 0);
	make_file("MCPs/notes.txt", 0);
	make_file(".config/mcp/servers/z.json", 0);
	ck_assert_int_eq(mkfifo("mcp-servers/f.json", 0600), 0);
	text = found("/x/y.json", folder);
	ck_assert_str_eq(text, "0 /x/y.json\n"
	    "0 /.config/caisson/servers/own.json\n0 /MCPs/B.json\n"
	    "0 /MCPs/a.json\n0 /MCPs/b.json\n"
	    "0 /.config/mcp/servers/z.json\n0! /mcp-servers/f.json\n");
}

UNIT_TEST(says_what_there_is_not)
{
	auto_free char *text = NULL;

	ck_assert_int_eq(rmdir("MCPs"), 0);
	make_file("MCPs", 0);
	ck_assert_int_eq(rmdir("mcp-servers"), 0);
	text = found("", folder);
	ck_assert_str_eq(text, "2 -: is not set\n"
	    "2 /.config/caisson/servers: there is no such folder\n"
	    "4 /MCPs: cannot be read: Not a directory\n"
	    "3 /.config/mcp/servers: has no file *.json\n"
	    "2! /mcp-servers: there is no such folder\n");
}

UNIT_TESTS(a_home_is_absolute, 3)
{
	static const char *const homes[] = { "", "x", "./x" };
	auto_free char *text = NULL;

	text = found("", homes[_i]);
	ck_assert_str_eq(text, "2 -: is not set\n"
	    "2 -: HOME is not set to a folder\n"
	    "2 -: HOME is not set to a folder\n"
	    "2 -: HOME is not set to a folder\n"
	    "3! /mcp-servers: has no file *.json\n");
}

UNIT_TEST(files_are_counted)
{
	auto_free char *text = NULL;
	int n;

	for (n = 0; n <= CONFIG_FILES_MAX; n++) {
		auto_free char *path = mem_printf("MCPs/%d.json", n);

		make_file(path, 0);
	}
	text = found("", folder);
	ck_assert_ptr_nonnull(strstr(text, "4 /MCPs: has more than 256 files "
	    "*.json: none of them is read\n"));
	ck_assert_ptr_null(strstr(text, "/MCPs/"));
}

/*
 * The files of clients, as their programs have them, below a home that is the
 * folder that one works in, too: of a file that may be both, the first is the
 * user's.
 */
static const struct {
	const char *path;
	const char *name;
	enum config_shape shape;
	int project;
} clients[] = {
	{ ".claude.json", "Claude Code", CONFIG_SHAPE_CLAUDE, 0 },
	{ ".mcp.json", "Claude Code", CONFIG_SHAPE_CLIENT, 1 },
	{ ".config/Claude/claude_desktop_config.json", "Claude Desktop",
	    CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/claude/claude_desktop_config.json", "Claude Desktop",
	    CONFIG_SHAPE_CLIENT, 0 },
	{ "Library/Application Support/Claude/claude_desktop_config.json",
	    "Claude Desktop", CONFIG_SHAPE_CLIENT, 0 },
	{ ".cursor/mcp.json", "Cursor", CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/Code/User/mcp.json", "VS Code", CONFIG_SHAPE_CLIENT, 0 },
	{ "Library/Application Support/Code/User/mcp.json", "VS Code",
	    CONFIG_SHAPE_CLIENT, 0 },
	{ ".vscode/mcp.json", "VS Code", CONFIG_SHAPE_CLIENT, 1 },
	{ ".copilot/mcp-config.json", "Copilot CLI", CONFIG_SHAPE_CLIENT, 0 },
	{ ".github/mcp.json", "Copilot CLI", CONFIG_SHAPE_CLIENT, 1 },
	{ ".codex/config.toml", "Codex", CONFIG_SHAPE_CODEX, 0 },
	{ ".gemini/settings.json", "Gemini CLI", CONFIG_SHAPE_GEMINI, 0 },
	{ ".qwen/settings.json", "Qwen Code", CONFIG_SHAPE_GEMINI, 0 },
	{ ".codeium/windsurf/mcp_config.json", "Windsurf",
	    CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
	  "cline_mcp_settings.json", "Cline", CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/Cursor/User/globalStorage/saoudrizwan.claude-dev/settings/"
	  "cline_mcp_settings.json", "Cline", CONFIG_SHAPE_CLIENT, 0 },
	{ "Library/Application Support/Code/User/globalStorage/"
	  "saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "Cline",
	    CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/zed/settings.json", "Zed", CONFIG_SHAPE_ZED, 0 },
	{ ".config/opencode/opencode.json", "opencode", CONFIG_SHAPE_MCP, 0 },
	{ ".config/opencode/opencode.jsonc", "opencode", CONFIG_SHAPE_MCP, 0 },
	{ "opencode.json", "opencode", CONFIG_SHAPE_MCP, 1 },
	{ "opencode.jsonc", "opencode", CONFIG_SHAPE_MCP, 1 },
	{ ".opencode/opencode.json", "opencode", CONFIG_SHAPE_MCP, 1 },
	{ ".config/goose/config.yaml", "Goose", CONFIG_SHAPE_GOOSE, 0 },
	{ ".continue/config.yaml", "Continue", CONFIG_SHAPE_CONTINUE, 0 },
	{ ".lmstudio/mcp.json", "LM Studio", CONFIG_SHAPE_CLIENT, 0 },
	{ ".kiro/settings/mcp.json", "Kiro", CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/crush/crush.json", "Crush", CONFIG_SHAPE_MCP, 0 },
	{ ".mcp-inspector/mcp.json", "MCP Inspector", CONFIG_SHAPE_CLIENT, 0 },
	{ ".config/mcp/mcp.json", "Home Manager", CONFIG_SHAPE_CLIENT, 0 },
};

/* Makes a file, and the folders that it is in. */
static void
make_path(const char *path)
{
	auto_free char *copy = mem_strdup(path);
	char *slash = copy;

	while ((slash = strchr(slash, '/')) != NULL) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash++ = '/';
	}
	make_file(path, 0);
}

/* The first file of a client that is found in a home; the caller frees it. */
static struct server_file_list files = TAILQ_HEAD_INITIALIZER(files);

static const struct server_file *
first_found(char **envp)
{
	const struct servers_setup setup = { .envp = envp,
		.folder = folder,
		.named = "" };
	struct server_file *file;

	server_sources_find(&files, &setup);
	TAILQ_FOREACH (file, &files, entry)
		if (file->source->client && file->state == SERVER_FILE_FOUND)
			return file;
	return NULL;
}

UNIT_TEST(finds_files_of_clients)
{
	const struct server_file *file;
	auto_free char *home = NULL;
	size_t i;

	home = mem_printf("HOME=%s", folder);
	for (i = 0; i < UNIT_COUNT(clients); i++) {
		auto_free char *wanted =
		    mem_printf("%s/%s", folder, clients[i].path);

		make_path(clients[i].path);
		file = first_found((char *[]){ home, NULL });
		ck_assert_msg(file != NULL, "%s", wanted);
		ck_assert_str_eq(file->path, wanted);
		ck_assert_str_eq(file->source->name, clients[i].name);
		ck_assert_int_eq(file->source->shape, clients[i].shape);
		ck_assert_int_eq(file->source->project, clients[i].project);
		server_sources_free(&files);
		ck_assert_int_eq(unlink(clients[i].path), 0);
	}
}

/* Variables that say where a client has its files. */
UNIT_TEST(a_client_may_have_moved)
{
	static const struct {
		const char *variable, *path, *name;
	} moved[] = {
		{ "CLAUDE_CONFIG_DIR", "x/.claude.json", "Claude Code" },
		{ "CODEX_HOME", "x/config.toml", "Codex" },
		{ "COPILOT_HOME", "x/mcp-config.json", "Copilot CLI" },
		{ "XDG_CONFIG_HOME", "x/zed/settings.json", "Zed" },
	};
	const struct server_file *file;
	size_t i;

	for (i = 0; i < UNIT_COUNT(moved); i++) {
		auto_free char *home = mem_printf("HOME=%s", folder);
		auto_free char *variable =
		    mem_printf("%s=%s/x", moved[i].variable, folder);

		make_path(moved[i].path);
		file = first_found((char *[]){ home, variable, NULL });
		ck_assert_ptr_nonnull(file);
		ck_assert_str_eq(file->source->name, moved[i].name);
		ck_assert_ptr_nonnull(strstr(file->path, moved[i].path));
		server_sources_free(&files);
		ck_assert_int_eq(unlink(moved[i].path), 0);
	}
}

UNIT_TEST(links_that_lead_nowhere_are_found)
{
	auto_free char *home = NULL;

	home = mem_printf("HOME=%s", folder);
	ck_assert_int_eq(symlink("nowhere", ".claude.json"), 0);
	ck_assert_ptr_nonnull(first_found((char *[]){ home, NULL }));
	server_sources_free(&files);
}

UNIT_TEST(a_folder_that_leads_away_is_refused)
{
	auto_free char *text = NULL;

	ck_assert_int_eq(rmdir("mcp-servers"), 0);
	ck_assert_int_eq(symlink("/etc", "mcp-servers"), 0);
	text = found("", folder);
	ck_assert_ptr_nonnull(strstr(text, "4! /mcp-servers: is a link that "
	    "leads out of the working directory\n"));
}
