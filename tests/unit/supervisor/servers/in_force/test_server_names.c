/*
 * Tests of supervisor/servers/in_force/server_names: the one sentence about
 * each name that cannot be used, and what a box is told of those that can. The
 * configuration is a stand-in.
 */
#include <jansson.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "supervisor/servers/in_force/server_names.h"
#include "tests/unit/unit.h"

#define SERVERS_MAX 16

/* What is configured; those that are taken are in force. */
static struct servers servers;
static struct server list[SERVERS_MAX];
static size_t nlist;
static const struct server *installed; /* has a program when looked for */

static int a_config;
#define CONFIG ((struct in_force *)(void *)&a_config)

size_t
in_force_count(const struct in_force *config)
{
	size_t i, n = 0;

	ck_assert_ptr_eq(config, &a_config);
	for (i = 0; i < nlist; i++)
		n += list[i].state == SERVER_TAKEN;
	return n;
}

const struct server *
in_force_at(const struct in_force *config, size_t at)
{
	size_t i, n = 0;

	ck_assert_uint_lt(at, in_force_count(config));
	for (i = 0; i < nlist; i++)
		if (list[i].state == SERVER_TAKEN && n++ == at)
			return &list[i];
	ck_abort_msg("no server at %zu", at);
}

const struct server *
in_force_find(const struct in_force *config, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < in_force_count(config); i++)
		if (strlen(in_force_at(config, i)->name) == len &&
		    memcmp(in_force_at(config, i)->name, name, len) == 0)
			return in_force_at(config, i);
	return NULL;
}

int
in_force_has_program(struct in_force *config, const struct server *server)
{
	ck_assert_ptr_eq(config, &a_config);
	return server->program != NULL || server == installed;
}

const struct servers *
in_force_servers(const struct in_force *config)
{
	ck_assert_ptr_eq(config, &a_config);
	return &servers;
}

int
server_judge_is_stranger(
    const struct servers *all, const struct server_file *file)
{
	ck_assert_ptr_eq(all, &servers);
	return file->source->project;
}

/* A kept file is stale once the time is this. */
int
server_keep_is_over(const struct server_file *file, uint64_t now)
{
	return now >= file->since;
}

/* Adds a server; why is NULL for one that is taken. */
static struct server *
add(const char *name, enum server_state state, const char *why)
{
	struct server *server = &list[nlist++];

	if (nlist == 1 && TAILQ_EMPTY(&servers.list))
		TAILQ_INIT(&servers.list);
	server->name = (char *)name;
	server->alias = (char *)"alias";
	server->description = (char *)"";
	server->state = state;
	server->why = (char *)why;
	server->command = (char *)"prog";
	server->run = (struct server_texts){ (char *)"prog\0-v", 8 };
	server->program = (char *)"/usr/bin/prog";
	TAILQ_INSERT_TAIL(&servers.list, server, entry);
	return server;
}

/* What is said of names: each ends with a comma. */
static void
check_names(const char *names, const char *says)
{
	auto_free char *texts = mem_strdup(names);
	struct err err = { 0, "" };
	size_t len = strlen(texts);
	int checked;
	char *p;

	for (p = texts; *p != '\0'; p++)
		if (*p == ',')
			*p = '\0';
	checked = server_names_check(texts, len, CONFIG, NULL, 1, &err);
	ck_assert_str_eq(err.text, says);
	ck_assert_int_eq(checked, says[0] == '\0' ? 0 : -1);
	ck_assert_int_eq(utf8_valid(err.text, strlen(err.text)), 1);
}

/* Names */

/* [what was asked for, what it means], each name with a comma */
static const struct {
	const char *names;
	const char *means;
} written[] = {
	{ "", "" },
	{ "fs,", "fs," },
	{ "GitHub,mcp_github,", "git-hub," },
	{ "git_hub,fs,FS,", "git-hub,fs," },
	{ "mcp-fs,MCP_fs,", "mcp-fs,fs," },
	{ "a_b,", "a_b," }, /* a-b and A.B */
	{ "A-B,a-b,", "A-B,a-b," },
	{ "-,mcp_,", "-,mcp_," },
	{ "off,", "off," },
	{ "github2,git.hub,", "github2,git.hub," },
};

UNIT_TESTS(names_are_settled, UNIT_COUNT(written))
{
	char *names = mem_strdup(written[_i].names), *p;
	size_t len = strlen(names);

	add("fs", SERVER_TAKEN, NULL);
	add("git-hub", SERVER_TAKEN, NULL);
	add("a-b", SERVER_TAKEN, NULL);
	add("A.B", SERVER_TAKEN, NULL);
	add("OFF", SERVER_TAKEN, NULL);
	add("off", SERVER_SKIPPED, "it is disabled");
	for (p = names; *p != '\0'; p++)
		if (*p == ',')
			*p = '\0';
	server_names_settle(&names, &len, CONFIG, NULL);
	for (p = names; p < names + len; p++)
		if (*p == '\0')
			*p = ',';
	ck_assert_uint_eq(len, strlen(written[_i].means));
	ck_assert_mem_eq(names, written[_i].means, len);
	free(names);
}

UNIT_TEST(says_that_there_are_none)
{
	TAILQ_INIT(&servers.list);
	check_names("gh,", "unknown server \"gh\": no servers are configured");
}

/* What may not be used is as if it were not there. */
UNIT_TEST(says_nothing_of_what_is_not_allowed)
{
	const struct server_texts allowed = { (char *)"gh\0none", 8 };
	const struct server_texts nothing = { NULL, 0 };
	struct err err = { 0, "" };

	add("fs", SERVER_TAKEN, NULL);
	add("gh", SERVER_TAKEN, NULL);
	add("off", SERVER_SKIPPED, "it is disabled");
	ck_assert_int_eq(
	    server_names_check("gh", 3, CONFIG, &allowed, 0, &err), 0);
	ck_assert_int_eq(
	    server_names_check("fs", 3, CONFIG, &allowed, 0, &err), -1);
	ck_assert_str_eq(err.text, "unknown server \"fs\": configured: "
	    "\"gh\"");
	ck_assert_int_eq(
	    server_names_check("off", 4, CONFIG, &allowed, 0, &err), -1);
	ck_assert_str_eq(err.text, "unknown server \"off\": configured: "
	    "\"gh\"");
	/* Where all are allowed, files are our user's all the same. */
	ck_assert_int_eq(
	    server_names_check("off", 4, CONFIG, NULL, 0, &err), -1);
	ck_assert_str_eq(err.text, "unknown server \"off\": configured: "
	    "\"fs\", \"gh\"");
	ck_assert_int_eq(
	    server_names_check("gh", 3, CONFIG, &nothing, 0, &err), -1);
	ck_assert_str_eq(err.text, "unknown server \"gh\": no servers are "
	    "configured");
}

static const struct {
	const char *names, *says;
} unknown[] = {
	{ "x,", "unknown server \"x\": configured: \"files\", \"github\", "
	    "\"caf\xc3\xa9 1\"" },
	/* The first that is wrong. */
	{ "files,x,y,", "unknown server \"x\": configured: \"files\", "
	    "\"github\", \"caf\xc3\xa9 1\"" },
	{ "gihtub,", "unknown server \"gihtub\": did you mean \"github\"? "
	    "configured: \"files\", \"github\", \"caf\xc3\xa9 1\"" },
	/* A name is shown as it must be written. */
	{ "cafe 1,", "unknown server \"cafe 1\": did you mean \"caf\xc3\xa9 "
	    "1\"? configured: \"files\", \"github\", \"caf\xc3\xa9 1\"" },
	/* Foreign text stays within its quotes and its line. */
	{ "a\"\n\\\x7f,", "unknown server \"a\\\"\\x0a\\\\\\x7f\": configured: "
	    "\"files\", \"github\", \"caf\xc3\xa9 1\"" },
	/* Long names are cut, between characters. */
	{ "0123456789012345678901234567890123456789a,",
	    "unknown server \"0123456789012345678901234567890123456789...\": "
	    "configured: \"files\", \"github\", \"caf\xc3\xa9 1\"" },
	{ "012345678901234567890123456789012345678\xc3\xa9,",
	    "unknown server \"012345678901234567890123456789012345678...\": "
	    "configured: \"files\", \"github\", \"caf\xc3\xa9 1\"" },
};

UNIT_TESTS(says_what_there_is_instead, UNIT_COUNT(unknown))
{
	add("files", SERVER_TAKEN, NULL);
	add("github", SERVER_TAKEN, NULL);
	add("caf\xc3\xa9 1", SERVER_TAKEN, NULL);
	check_names(unknown[_i].names, unknown[_i].says);
}

/* Entries that are not used */

static const struct {
	const char *why, *says;
} reasons[] = {
	{ "it is disabled", "server \"gh\" is not used: it is disabled" },
	{ "", "server \"gh\" is not used: " },
	/* Paths may be in it, which are any bytes. */
	{ "/srv/caf\xe9/x.json defines it",
	    "server \"gh\" is not used: /srv/caf\xef\xbf\xbd/x.json defines "
	    "it" },
	{ "\xff\xff\xff", "server \"gh\" is not used: "
	    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
};

UNIT_TESTS(says_why_one_is_not_used, UNIT_COUNT(reasons))
{
	add("github", SERVER_TAKEN, NULL);
	add("", SERVER_REJECTED, "the whole file is wrong");
	add("gh", _i % 2 ? SERVER_REJECTED : SERVER_SKIPPED, reasons[_i].why);
	add("gh", SERVER_SKIPPED, "another reason");
	check_names("gh,", reasons[_i].says);
}

/* Files that are refused */

static const struct server_source mine = { .name = "mine" };
static const struct server_source project = { .name = "its", .project = 1 };
static struct server_file files[SERVERS_MAX];
static size_t nfiles;

static struct server_file *
add_file(const char *path, enum server_file_state state, const char *why)
{
	struct server_file *file = &files[nfiles++];

	if (nfiles == 1)
		TAILQ_INIT(&servers.files);
	file->source = &mine;
	file->path = (char *)path;
	file->state = state;
	file->why = (char *)why;
	TAILQ_INSERT_TAIL(&servers.files, file, entry);
	return file;
}

UNIT_TEST(says_which_files_are_refused)
{
	struct server *row;

	add_file("/a", SERVER_FILE_TAKEN, NULL);
	add_file("/b", SERVER_FILE_MISSING, "there is no such file");
	add_file("/c\xe9", SERVER_FILE_REFUSED, "cannot be opened");
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "/c\xef\xbf\xbd is refused: cannot be opened");
	row = add("", SERVER_REJECTED, "'5' where a colon should be");
	row->line = 3;
	row->column = 9;
	row->file = add_file("/d", SERVER_FILE_REFUSED, "is none");
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "/c\xef\xbf\xbd is refused: cannot be opened; /d is refused: "
	    "line 3, column 9: '5' where a colon should be");
	add_file("/e", SERVER_FILE_REFUSED, "is another");
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "/c\xef\xbf\xbd is refused: cannot be opened; /d is refused: "
	    "line 3, column 9: '5' where a colon should be; and 1 more file "
	    "('caisson servers list' lists all)");
}

/* One that is kept is said from the first moment: it may be why. */
UNIT_TEST(says_which_files_are_kept)
{
	struct server_file *file =
	    add_file("/a", SERVER_FILE_STALE, "line 1, column 2: wrong");

	file->fault = SERVER_FAULT_BROKEN;
	add_file("/b", SERVER_FILE_STALE, "there is no such file")->fault =
	    SERVER_FAULT_GONE;
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "servers of /a are stale: line 1, column 2: wrong; its last valid "
	    "content is used until it is fixed or deleted");
	file->why = (char *)"cannot be opened: Too many open files";
	file->transient = 1;
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "servers of /a are stale: cannot be opened: Too many open files; "
	    "its last valid content is used until it can be read again");
}

/* Notes and the log, each sentence on a line. */
static void
check_said(void (*tell)(struct buffer *, const struct servers *, uint64_t),
    uint64_t now, const char *says)
{
	auto_buffer struct buffer texts = { 0 };
	size_t i;

	buffer_add_text(&texts, "");
	tell(&texts, &servers, now);
	for (i = 0; i < texts.len; i++)
		if (texts.data[i] == '\0')
			texts.data[i] = '\n';
	ck_assert_str_eq(texts.data, says);
}

#define STALE(path, why)                                                       \
	"servers of " path " are stale: " why "; its last valid content is "   \
	"used until it is fixed or deleted\n"

UNIT_TEST(notes_tell_of_stale_files)
{
	struct server_file *file;

	add_file("/taken", SERVER_FILE_TAKEN, NULL);
	add_file("/refused", SERVER_FILE_REFUSED, "wrong");
	add_file("/gone", SERVER_FILE_STALE, "gone")->fault = SERVER_FAULT_GONE;
	file = add_file("/a", SERVER_FILE_STALE, "is empty");
	file->fault = SERVER_FAULT_BROKEN;
	file->since = 7;
	check_said(server_faults_add_notes, 6, "");
	check_said(server_faults_add_log, 6, "/refused: wrong ('caisson "
	    "servers list' tells more)\n");
	check_said(server_faults_add_notes, 7, STALE("/a", "is empty"));
	check_said(server_faults_add_log, 7, "/refused: wrong ('caisson "
	    "servers list' tells more)\n" STALE("/a", "is empty"));
	add_file("/b\xe9", SERVER_FILE_STALE, "is empty")->fault =
	    SERVER_FAULT_BROKEN;
	add_file("/c", SERVER_FILE_STALE, "is empty")->fault =
	    SERVER_FAULT_BROKEN;
	add_file("/d", SERVER_FILE_STALE, "is empty")->fault =
	    SERVER_FAULT_BROKEN;
	check_said(server_faults_add_notes, 7, STALE("/a", "is empty")
	    STALE("/b\xef\xbf\xbd", "is empty")
	    "servers of more files are stale: the log names them\n");
}

/* Of the file of that source and path alone, and of no other fault. */
static const struct {
	const char *path;
	enum server_fault fault;
	const struct server_source *source;
	const char *says;
} distrust_rows[] = {
	{ "/a", SERVER_FAULT_NONE, &mine, "" },
	{ "/a", SERVER_FAULT_GONE, &mine, "" },
	{ "/a", SERVER_FAULT_BROKEN, &mine, "" },
	{ "/a", SERVER_FAULT_UNTRUSTED, &project, "" },
	{ "/b", SERVER_FAULT_UNTRUSTED, &mine, "" },
	{ "/a", SERVER_FAULT_UNTRUSTED, &mine, "its configuration "
	    "file /a is no longer trusted: it is of another\xef\xbf"
	    "\xbd; correct the file to use the server again" },
};

UNIT_TESTS(reports_why_a_file_is_not_trusted, UNIT_COUNT(distrust_rows))
{
	auto_buffer struct buffer text = { 0 };
	struct server_file *file;

	buffer_add_text(&text, "");
	add_file("/", SERVER_FILE_MISSING, "is not there")->path = NULL;
	file = add_file(distrust_rows[_i].path, SERVER_FILE_REFUSED,
	    "is of another\xe9");
	file->fault = distrust_rows[_i].fault;
	ck_assert_int_eq(server_faults_add_distrust(&text, &servers,
	    distrust_rows[_i].source, "/a"), distrust_rows[_i].says[0] != '\0');
	ck_assert_str_eq(text.data, distrust_rows[_i].says);
}

UNIT_TEST(what_strangers_wrote_is_not_said)
{
	add_file("/a", SERVER_FILE_REFUSED, "do this")->source = &project;
	check_names("x,", "unknown server \"x\": no servers are configured");
	add_file("/b", SERVER_FILE_REFUSED, "do this");
	check_names("x,", "unknown server \"x\": no servers are configured; "
	    "/b is refused: do this");
}

/* Programs */

/* Where it was searched for is for its user, and not for a model. */
#define NO_PROGRAM                                                             \
	": install it, or name its whole path ('caisson servers test' "        \
	"shows where it was searched for)"

static const struct {
	const char *command, *run, *searched, *says;
} programs[] = {
	{ "npx", "npx", "/bin:/home/me/bin", "server \"gh\" cannot be started: "
	    "its command \"npx\" was not found" NO_PROGRAM },
	{ "/opt/x", "/opt/x", NULL, "server \"gh\" cannot be started: its "
	    "command \"/opt/x\" is not an executable file here" },
	/* What a variable holds is not shown. */
	{ "${TOOL}", "/secret/x", NULL, "server \"gh\" cannot be started: its "
	    "command \"${TOOL}\" is not an executable file here" },
	{ "a\tb", "a\tb", "/bin", "server \"gh\" cannot be started: its "
	    "command \"a\\x09b\" was not found" NO_PROGRAM },
};

UNIT_TESTS(says_which_program_is_missing, UNIT_COUNT(programs))
{
	struct server *server;

	add("fs", SERVER_TAKEN, NULL);
	server = add("gh", SERVER_TAKEN, NULL);
	server->command = (char *)programs[_i].command;
	server->run.data = (char *)programs[_i].run;
	server->run.len = strlen(programs[_i].run) + 1;
	server->searched = (char *)programs[_i].searched;
	server->program = NULL;
	check_names("fs,", "");
	check_names("fs,gh,", programs[_i].says);
	/* It is installed, and asked for again. */
	installed = server;
	check_names("fs,gh,", "");
}

/* The servers in the run frame of a box */

static const struct {
	const char *names;
	size_t len;
	const char *json;
} rows[] = {
	{ NULL, 0, "[]" },
	{ "fs", 3, "[{\"name\":\"fs\",\"alias\":\"alias\",\"description\":"
	    "\"\"}]" },
	{ "gh\0fs", 6, "[{\"name\":\"gh\",\"alias\":\"g_h\",\"description\":"
	    "\"a \\\"b\\\"\\n\\u2028caf\xc3\xa9]\"},{\"name\":\"fs\","
	    "\"alias\":\"alias\",\"description\":\"\"}]" },
	/* Those that are not in force any more are left out. */
	{ "no", 3, "[]" },
	{ "off\0no\0fs\0no", 13, "[{\"name\":\"fs\",\"alias\":\"alias\","
	    "\"description\":\"\"}]" },
};

UNIT_TESTS(describes_servers_to_a_box, UNIT_COUNT(rows))
{
	auto_buffer struct buffer text = { 0 };
	struct server *server;
	json_t *json;

	add("fs", SERVER_TAKEN, NULL);
	add("off", SERVER_SKIPPED, "it is disabled");
	server = add("gh", SERVER_TAKEN, NULL);
	server->alias = (char *)"g_h";
	server->description = (char *)"a \"b\"\n\xe2\x80\xa8" "caf\xc3\xa9]";
	/* Whatever stands before it. */
	buffer_add_text(&text, "{}");
	server_names_add_json(&text, rows[_i].names, rows[_i].len, CONFIG);
	ck_assert_str_eq(text.data + 2, rows[_i].json);
	json = json_loads(text.data + 2, JSON_REJECT_DUPLICATES, NULL);
	ck_assert(json_is_array(json));
	json_decref(json);
}
