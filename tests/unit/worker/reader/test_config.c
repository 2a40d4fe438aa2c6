/*
 * Tests of worker/reader/config: whole files, good and bad, and the rows that
 * they become, each with line, column and sentence.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/reader/config.h"

static struct buffer told;

/* Texts with a NUL behind each, as "a|b|". */
static void
tell_texts(const struct ipc_bytes *bytes)
{
	size_t i;

	for (i = 0; i < bytes->len; i++)
		buffer_printf(&told, "%c",
		    bytes->data[i] == '\0' ? '|' : bytes->data[i]);
}

static void
tell_server(const struct ipc_entry *row)
{
	buffer_printf(&told, "%d:%d %s%s%s%s: %s ", (int)row->line,
	    (int)row->column, row->name,
	    row->remote == CONFIG_HTTP ? " http" :
	        row->remote == CONFIG_SSE ? " sse" : "",
	    row->disabled ? " disabled" : "", row->shared ? " shared" : "",
	    row->command);
	tell_texts(&row->args);
	buffer_add_text(&told, " ");
	tell_texts(&row->env);
	buffer_printf(&told, " %s %s", row->cwd, row->description);
	if (row->narrowed) {
		buffer_add_text(&told, " only ");
		tell_texts(&row->allow);
	}
	if (row->deny.len > 0) {
		buffer_add_text(&told, " but ");
		tell_texts(&row->deny);
	}
	buffer_add_text(&told, "\n");
}

static void
tell_rejected(const struct ipc_rejected *row)
{
	buffer_printf(&told, "%d:%d %s%s %s\n", (int)row->line,
	    (int)row->column, row->name, row->foreign ? "?" : "!",
	    row->reason);
}

static void
tell(void *ctx, enum ipc_type type, void *msg)
{
	ck_assert_ptr_eq(ctx, &told);
	if (type == IPC_ENTRY)
		tell_server(msg);
	else if (type == IPC_REJECTED)
		tell_rejected(msg);
	else
		ck_abort_msg("a position that was not asked for");
}

/* The text is copied, exactly, so that ASan sees a byte too far. */
static int parsed;

static const char *
read_file(const char *data, size_t len, enum config_shape shape)
{
	struct config_sink sink = { tell, &told, 0 };
	struct config_file file = { shape, "/home/me/work" };
	auto_free char *exact = data == NULL ? NULL : mem_resize(NULL, len);

	if (len > 0)
		memcpy(exact, data, len);
	buffer_reset(&told);
	buffer_add_text(&told, "");
	parsed = config_read(exact, len, &file, &sink);
	return told.data;
}

static const char *
read_text(const char *data, size_t len)
{
	return read_file(data, len, CONFIG_SHAPE_PLAIN);
}

#define ONE "{\"command\":\"a\"}"
#define NO_MEMBER "1:1 ! the file has no member \"mcpServers\" (nor "          \
	"\"servers\"), so it defines no server\n"
#define NO_OBJECT "1:1 ! the file must be one JSON object, such as "           \
	"{\"mcpServers\": {\"name\": {\"command\": \"npx\"}}}\n"

static const struct {
	const char *text;
	const char *rows;
} files[] = {
	/* Good ones */
	{ "{\"mcpServers\":{}}", "" },
	{ "{\"mcpServers\":{\"a\":" ONE "}}", "1:16 a: a    \n" },
	{ "{\"servers\":{\"a\":" ONE "}}", "1:13 a: a    \n" },
	{ "{\"mcp_servers\":{\"a\":" ONE "}}", "1:17 a: a    \n" },
	{ "{\"context_servers\":{\"a\":" ONE "}}", "1:21 a: a    \n" },
	{ "{\"x\":1,\"mcpServers\":{\"a\":" ONE "},\"y\":[]}",
	    "1:22 a: a    \n" },
	{ "{\"servers\":{\"b\":" ONE "},\"mcpServers\":{\"a\":" ONE "}}",
	    "1:48 a: a    \n1:13 b: a    \n" },
	{ "{\n  // one\n  \"mcpServers\": { /* two\n */\n    \"a\": "
	  "{ \"command\": \"x\", },\n  },\n}\n",
	    "5:5 a: x    \n" },
	{ "\xef\xbb\xbf{\"mcpServers\":{\"a\":" ONE "}}", "1:16 a: a    \n" },
	{ "{/* \xc3\xa9\xff */\"mcpServers\":{\"a\":" ONE "}}",
	    "1:24 a: a    \n" },
	{ "{\"mcpServers\":{\"a\":" ONE ",\"a\":" ONE "}}",
	    "1:16 a: a    \n1:36 a: a    \n" },
	/* An entry that is wrong costs itself alone. */
	{ "{\"mcpServers\":{\n\"a\":" ONE ",\n\"b\":{\"command\":1},\n\"c\":"
	  ONE "}}",
	    "2:1 a: a    \n3:16 b! \"command\" must be a string\n"
	    "4:1 c: a    \n" },
	{ "{\"servers\":5,\"mcpServers\":{\"a\":" ONE "}}",
	    "1:28 a: a    \n"
	    "1:12 ! \"servers\" must be an object whose members are "
	    "servers, such as {\"name\": {\"command\": \"npx\"}}\n" },
	{ "{\"servers\":{},\"servers\":{}}",
	    "1:25 ! \"servers\" is in the file more than once: merge "
	    "them into one\n" },
	/* Files that are wrong as a whole */
	{ "{}", NO_MEMBER },
	{ "{\"command\":\"a\"}", NO_MEMBER },
	{ "{\"x\":1,\"mcpservers\":{\"a\":" ONE "}}", NO_MEMBER },
	{ "\xff\xfe{", "1:1 ! the file is UTF-16: save it as UTF-8\n" },
	{ "[]", NO_OBJECT },
	{ "\"x\"", NO_OBJECT },
	{ "", "1:1 ! the text is empty where a value should be\n" },
	{ " \n ", "2:2 ! the text ends where a value should be\n" },
	{ "{\n  \"mcpServers\": {\n    \"a\" 5\n}}",
	    "3:9 ! '5' where a colon should be\n" },
	{ "{\"\xc3\xa9\" 5}", "1:6 ! '5' where a colon should be\n" },
	{ "{\"mcpServers\":{\"a\":" ONE "}",
	    "1:36 ! the text ends where a comma or } should be\n" },
	{ "{} x", "1:4 ! 'x' where the end should be\n" },
	{ "{\"a\":01}", "1:7 ! a digit behind a leading zero\n" },
	{ "{\"\xff\":1}", "1:3 ! bytes that are not UTF-8\n" },
	{ "{\"a\":\"\n\"}", "1:7 ! a control character that is not "
	    "escaped\n" },
	{ "{\n /* x", "2:2 ! a comment that begins with /* does not end: "
	    "close it with */\n" },
	{ "{'a':1}", "1:2 ! ''' where a name in quotes should be\n" },
	{ "{\" at byte 1\":x}",
	    "1:15 ! 'x' where a value should be\n" },
};

UNIT_TESTS(files_become_rows, UNIT_COUNT(files))
{
	ck_assert_str_eq(read_text(files[_i].text, strlen(files[_i].text)),
	    files[_i].rows);
}

/* The files of clients, as their programs write them. */
static const struct {
	enum config_shape shape;
	const char *text;
	const char *rows;
} clients[] = {
	/* Claude Desktop, Cursor, Windsurf, Cline, LM Studio, Kiro */
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"command\":\"npx\","
	    "\"args\":[\"-y\",\"x\"],\"env\":{\"K\":\"v\"}}}}",
	    "1:16 n: npx -y|x| K|v|  \n" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"url\":\"http://x\","
	    "\"headers\":{\"A\":\"${env:T}\"}}}}",
	    "1:16 n http: http://x  A|${env:T}|  \n" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"serverUrl\":"
	    "\"http://x\",\"disabled\":true,\"disabledTools\":[\"a\"]}}}",
	    "1:16 n http disabled: http://x     but a|\n" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"command\":\"c\","
	    "\"shared\":true},\"m\":{\"command\":\"d\",\"shared\":false}}}",
	    "1:16 n shared: c    \n1:50 m: d    \n" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"type\":\"sse\","
	    "\"url\":\"http://x\",\"autoApprove\":[],\"timeout\":60}}}",
	    "1:16 n sse: http://x    \n" },
	/* Copilot CLI */
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":{\"n\":{\"type\":\"local\","
	    "\"command\":\"c\",\"args\":[],\"tools\":[\"*\"]}}}",
	    "1:16 n: c     only *|\n" },
	/* VS Code */
	{ CONFIG_SHAPE_CLIENT, "{\"inputs\":[{\"type\":\"promptString\","
	    "\"id\":\"k\"}],\"servers\":{\"n\":{\"type\":\"stdio\","
	    "\"command\":\"c\",\"sandboxEnabled\":true,\"dev\":{}}}}",
	    "1:57 n: c    \n" },
	/* A file that its client has made, and nothing more */
	{ CONFIG_SHAPE_CLIENT, "", "" },
	{ CONFIG_SHAPE_CLIENT, " \n", "" },
	{ CONFIG_SHAPE_CLIENT, "{}", "" },
	{ CONFIG_SHAPE_CLIENT, "{\"mcpServers\":null}", "" },
	{ CONFIG_SHAPE_CLIENT, "{", "1:2 ! the text ends where a name in "
	    "quotes should be\n" },
	/* Claude Code */
	{ CONFIG_SHAPE_CLAUDE, "{\"mcpServers\":{\"a\":" ONE ",\"b\":" ONE
	    "},\n\"projects\":{\"/other\":{\"mcpServers\":{\"x\":" ONE
	    "}},\n\"/home/me/work\":{\"history\":[],\"mcpServers\":{\"a\":"
	    "{\"command\":\"mine\"}},\"disabledMcpServers\":[\"b\"]}}}",
	    "3:45 a: mine    \n1:16 a: a    \n1:36 b disabled: a    \n" },
	{ CONFIG_SHAPE_CLAUDE, "{\"numStartups\":5}", "" },
	{ CONFIG_SHAPE_CLAUDE, "{\"projects\":[],\"mcpServers\":{}}", "" },
	/* Gemini */
	{ CONFIG_SHAPE_GEMINI, "{\"mcp\":{\"allowed\":[\"a\",\"b\"],"
	    "\"excluded\":[\"b\"]},\"mcpServers\":{\"a\":{\"httpUrl\":"
	    "\"http://x\",\"includeTools\":[\"t\"],\"excludeTools\":[\"u\"],"
	    "\"trust\":true},\"b\":" ONE ",\"c\":" ONE "}}",
	    "1:61 a http: http://x     only t| but u|\n"
	    "1:143 b disabled: a    \n1:163 c disabled: a    \n" },
	/* Zed */
	{ CONFIG_SHAPE_ZED, "{\"theme\":\"x\",\"context_servers\":{\"a\":{"
	    "\"source\":\"custom\",\"enabled\":true,\"command\":\"c\","
	    "\"args\":[],\"env\":{}},\"b\":{\"source\":\"extension\","
	    "\"settings\":{}},\"d\":{\"command\":{\"path\":\"p\",\"args\":["
	    "\"x\"],\"env\":{\"A\":\"1\"}}}},}",
	    "1:33 a: c    \n1:119 b? it is built into the program that "
	    "owns this file (extension)\n1:146 d: p x| A|1|  \n" },
	/* opencode, both of its ways; a server may be called so, too. Crush */
	{ CONFIG_SHAPE_MCP, "{\"mcp\":{\"a\":{\"type\":\"local\",\"command\":"
	    "[\"c\",\"x\"],\"environment\":{\"A\":\"1\"},\"enabled\":"
	    "false},\"b\":{\"type\":\"remote\",\"url\":\"http://x\"}}}",
	    "1:9 a disabled: c x| A|1|  \n1:90 b http: http://x    \n" },
	{ CONFIG_SHAPE_MCP, "{\"mcp\":{\"servers\":{\"a\":{\"command\":[\"c\"],"
	    "\"disabled\":true,\"cwd\":\"/\"}}}}",
	    "1:20 a disabled: c   / \n" },
	{ CONFIG_SHAPE_MCP, "{\"mcp\":{\"servers\":{\"command\":[\"c\"]}}}",
	    "1:9 servers: c    \n" },
	{ CONFIG_SHAPE_MCP, "{\"mcp\":{\"a\":{\"type\":\"stdio\",\"command\":"
	    "\"c\",\"disabled_tools\":[\"t\"]}}}",
	    "1:9 a: c     but t|\n" },
	/* Codex */
	{ CONFIG_SHAPE_CODEX, "model = \"x\"\n\n[mcp_servers.a]\ncommand = "
	    "\"c\"\nargs = [\n  'x', # first\n]\nstartup_timeout_sec = 1.5\n"
	    "enabled_tools = [\"t\"]\ndisabled_tools = ['u']\nenv_vars = ["
	    "\"X\", {name = \"Y\", source = \"z\"}]\n[mcp_servers.a.env]\n"
	    "A = \"1\"\n[mcp_servers.a.tools.t]\napproval_mode = \"auto\"\n",
	    "3:14 a: c x| A|1|   only t| but u|\n" },
	{ CONFIG_SHAPE_CODEX, "[mcp_servers]\n  w = { url = 'http://x', "
	    "enabled = false,bearer_token_env_var = 'T', http_headers = { H = "
	    "'v' }, env_http_headers = { G = 'E' } }\n[mcp_servers.\"b c\"]\n"
	    "command = 5\n[mcp_servers.d]\nurl = 1\n",
	    "2:3 w http disabled: http://x  H|v|G|${E}|Authorization|"
	    "Bearer ${T}|  \n"
	    "4:11 b c! \"command\" must be a string\n"
	    "6:7 d! the URL must be a string\n" },
	{ CONFIG_SHAPE_CODEX, "model = 'x'\n", "" },
	{ CONFIG_SHAPE_CODEX, "mcp_servers = 5\n", "1:15 ! \"mcp_servers\" "
	    "must be an object whose members are servers, such as "
	    "{\"name\": {\"command\": \"npx\"}}\n" },
	{ CONFIG_SHAPE_CODEX, "[mcp_servers.a]\ncommand = npx\n",
	    "2:11 ! this is not a TOML value: strings need quotes\n" },
	/* Goose */
	{ CONFIG_SHAPE_GOOSE, "GOOSE_MODEL: x\nextensions:\n  developer:\n"
	    "    type: builtin\n    enabled: true\n    timeout: 300\n  git:\n"
	    "    type: stdio\n    cmd: uvx\n    args:\n    - mcp-server-git\n"
	    "    envs:\n      A: '1'\n    env_keys: [K]\n    enabled: false\n"
	    "    available_tools: [t]\n  web:\n    type: streamable_http\n"
	    "    uri: http://x\n    headers: {}\n    envs: {}\n"
	    "    bundled: null\n",
	    "4:11 developer? it is built into the program that owns this file "
	    "(builtin)\n7:3 git disabled: uvx mcp-server-git| A|1|   only t|\n"
	    "17:3 web http: http://x    \n" },
	{ CONFIG_SHAPE_GOOSE, "# none yet\n", "" },
	{ CONFIG_SHAPE_GOOSE, "extensions:\n  a: *b\n", "2:6 ! aliases (*name) "
	    "are not read: write out what they stand for\n" },
	/* Continue */
	{ CONFIG_SHAPE_CONTINUE, "name: x\nmcpServers:\n  - name: a\n"
	    "    command: c\n    args: [\"-y\"]\n    env:\n      A: b\n"
	    "  - command: d\n  - name: e\n    type: sse\n    url: http://x\n",
	    "3:11 a: c -y| A|b|  \n8:5 ! each element of \"mcpServers\" must "
	    "have one \"name\"\n9:11 e sse: http://x    \n" },
};

UNIT_TESTS(clients_are_read, UNIT_COUNT(clients))
{
	ck_assert_str_eq(read_file(clients[_i].text, strlen(clients[_i].text),
	    clients[_i].shape), clients[_i].rows);
}

/* What is wrong in a file is an edit; what is no such text is none. */
static const struct {
	enum config_shape shape;
	const char *text;
	int parsed;
} texts[] = {
	{ CONFIG_SHAPE_PLAIN, "{\"mcpServers\":{\"a\":" ONE "}}", 1 },
	{ CONFIG_SHAPE_PLAIN, "{\"mcpServers\":{\"a\":5}}", 1 },
	{ CONFIG_SHAPE_PLAIN, "{}", 1 },
	{ CONFIG_SHAPE_PLAIN, "[]", 1 },
	{ CONFIG_SHAPE_PLAIN, "", 0 },
	{ CONFIG_SHAPE_PLAIN, "// only this\n", 0 },
	{ CONFIG_SHAPE_PLAIN, "{\"mcpServers\":{\"a\":" ONE "}", 0 },
	{ CONFIG_SHAPE_PLAIN, "{ /* {}", 0 },
	{ CONFIG_SHAPE_CLAUDE, "{}", 1 },
	{ CONFIG_SHAPE_CLAUDE, "", 0 },
	{ CONFIG_SHAPE_CLAUDE, " \n", 0 },
	{ CONFIG_SHAPE_CLAUDE, "{\"mcpS", 0 },
	{ CONFIG_SHAPE_CODEX, "a = 1\n", 1 },
	{ CONFIG_SHAPE_CODEX, "# only this\n", 1 },
	{ CONFIG_SHAPE_CODEX, "", 0 },
	{ CONFIG_SHAPE_CODEX, "[mcp_serv", 0 },
	{ CONFIG_SHAPE_GOOSE, "a: 1\n", 1 },
	{ CONFIG_SHAPE_GOOSE, "# only this\n", 1 },
	{ CONFIG_SHAPE_GOOSE, "\n", 0 },
	{ CONFIG_SHAPE_GOOSE, "a: [1, 2\n", 0 },
};

UNIT_TESTS(says_whether_a_text_could_be_parsed, UNIT_COUNT(texts))
{
	const char *text = texts[_i].text;

	read_file(text, strlen(text), texts[_i].shape);
	ck_assert_msg(parsed == texts[_i].parsed, "\"%s\"", text);
}

UNIT_TEST(entries_are_counted)
{
	auto_buffer struct buffer text = { 0 };
	const char *p;
	int n, rows = 0;

	buffer_add_text(&text, "{\"mcpServers\":{\n");
	for (n = 0; n < CONFIG_ENTRIES_MAX + 3; n++)
		buffer_printf(&text, "\"%d\":" ONE ",\n", n);
	buffer_add_text(&text, "}}");
	p = read_text(text.data, text.len);
	while ((p = strchr(p, '\n')) != NULL && p[1] != '\0') {
		rows++;
		p++;
	}
	ck_assert_int_eq(rows, CONFIG_ENTRIES_MAX);
	ck_assert_ptr_nonnull(strstr(told.data, "\n502:1 ! more than 500 "
	    "servers in one file: this one and those after it are left "
	    "out\n"));
}
