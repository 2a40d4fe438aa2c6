/*
 * Tests of supervisor/servers/server_judge: which of several entries is taken,
 * with what filled in, and the sentence about each other one.
 */
#include <stdbool.h>
#include <string.h>

#include "texts.h"
#include "tests/unit/unit.h"

static const struct server_source own = { .name = "own" };
static const struct server_source project = { .name = "project",
	.project = 1 };
static struct server_file own_file = { .source = &own, .path = "/o.json" };
static struct server_file project_file = { .source = &project,
	.path = "/p.json" };

static char *environment[] = { "HOME=/home/user", "PATH=/usr/bin:/bin",
	"A=secret", NULL };

static struct servers servers = { .setup = { .envp = environment,
	.folder = "/", .self = "/usr/bin/env" } };

/* An entry: args and env have '|' where a NUL is. */
struct row {
	struct server_file *file;
	const char *name, *command, *args, *env, *cwd;
	int remote; /* then command is its URL */
	int disabled;
};

/* Adds an entry to the list and has it judged; lives as long as the test. */
static struct server *
judge(const struct row *row)
{
	struct server *server = mem_alloc(sizeof(*server));

	*server = (struct server){ .file = row->file, .line = 2, .column = 3,
		.name = mem_strdup(row->name),
		.command = mem_strdup(row->remote ? "" : row->command),
		.url = row->remote ? mem_strdup(row->command) : NULL,
		.args = texts_of(row->args == NULL ? "" : row->args),
		.env = texts_of(row->env == NULL ? "" : row->env),
		.headers = texts_of(row->env == NULL ? "" : row->env),
		.cwd = mem_strdup(row->cwd == NULL ? "" : row->cwd),
		.remote = (enum config_remote)row->remote,
		.disabled = row->disabled };
	if (TAILQ_EMPTY(&servers.list))
		TAILQ_INIT(&servers.list);
	TAILQ_INSERT_TAIL(&servers.list, server, entry);
	server_judge(&servers, server);
	return server;
}

static void
is(const struct server *server, enum server_state state, const char *why)
{
	ck_assert_int_eq(server->state, state);
	ck_assert_str_eq(server->why == NULL ? "" : server->why, why);
}

#define FIRST "the first definition of a name wins, and that is in /o.json:2:3"
#define UNTRUSTED "files of the working directory are not trusted "            \
	"(CAISSON_TRUST_PROJECT_FILES=on trusts them)"
#define SELF "it would start this program itself, without end "                \
	"(CAISSON_ALLOW_SELF_SERVER=on allows it)"
#define BAD_URL "its url must begin with https:// or http:// and a host, "     \
    "without spaces or control characters"
#define BAD_PORT "its url has a port that is no number from 1 to 65535"
#define OFF "it is disabled in its file"

static const struct {
	struct row row;
	enum server_state state;
	const char *why;
} single[] = {
	{ { &own_file, "a", "sh", NULL, NULL, NULL, 0, 0 }, SERVER_TAKEN, "" },
	{ { &own_file, "a", "sh", NULL, NULL, "/x", 0, 0 }, SERVER_TAKEN, "" },
	{ { &own_file, "a", "nowhere-to-be-found", NULL, NULL, NULL, 0, 0 },
	    SERVER_TAKEN, "" },
	{ { &own_file, "a", "sh", NULL, NULL, NULL, 0, 1 }, SERVER_SKIPPED,
	    OFF },
	{ { &own_file, "a", "http://a", NULL, NULL, NULL, CONFIG_SSE, 0 },
	    SERVER_TAKEN, "" },
	{ { &own_file, "a", "HTTPS://a/${NONE:-b}", NULL, NULL, NULL,
	        CONFIG_HTTP, 0 }, SERVER_TAKEN, "" },
	{ { &own_file, "a", "ftp://a/b", NULL, NULL, NULL, CONFIG_HTTP, 0 },
	    SERVER_REJECTED, BAD_URL },
	{ { &own_file, "a", "https://", NULL, NULL, NULL, CONFIG_HTTP, 0 },
	    SERVER_REJECTED, BAD_URL },
	{ { &own_file, "a", "https://:80/", NULL, NULL, NULL, CONFIG_HTTP, 0 },
	    SERVER_REJECTED, BAD_URL },
	{ { &own_file, "a", "https://a b/", NULL, NULL, NULL, CONFIG_HTTP, 0 },
	    SERVER_REJECTED, BAD_URL },
	{ { &own_file, "a", "https://a/\x1b", NULL, NULL, NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED, BAD_URL },
	{ { &own_file, "a", "https://u:p@a/", NULL, NULL, NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED, "its url has a user or a password before "
	    "its host: remove them, and give its entry the header "
	    "Authorization" },
	{ { &own_file, "a", "https://a:65536/", NULL, NULL, NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED, BAD_PORT },
	{ { &own_file, "a", "https://[::1]x", NULL, NULL, NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED, BAD_PORT },
	{ { &own_file, "a", "https://[::1/", NULL, NULL, NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED,
	    "its url lacks the ] after the address of its host" },
	{ { &own_file, "a", "https://[::1]:443?a=b@c", NULL, NULL, NULL,
	        CONFIG_HTTP, 0 }, SERVER_TAKEN, "" },
	{ { &own_file, "a", "https://b\xc3\xbc""cher/", NULL, NULL, NULL,
	        CONFIG_HTTP, 0 },
	    SERVER_TAKEN, "" },
	{ { &own_file, "a", "http://a", NULL, "X-Y|a b\t|", NULL, CONFIG_HTTP,
	        0 }, SERVER_TAKEN, "" },
	{ { &own_file, "a", "http://a", NULL, "X: Y|a|", NULL, CONFIG_HTTP, 0 },
	    SERVER_REJECTED, "its header \"X: Y\" has a character that no name "
	    "of a header has" },
	{ { &own_file, "a", "http://a", NULL, "X|a\r\nY: b|", NULL, CONFIG_HTTP,
	        0 }, SERVER_REJECTED, "the value of its header \"X\" has a "
	    "control character, such as the end of a line" },
	{ { &project_file, "a", "${NONE}", NULL, NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, UNTRUSTED },
	{ { &own_file, "a", "${NONE}", NULL, NULL, NULL, 0, 0 },
	    SERVER_REJECTED, "its command: uses ${NONE}, which is not set: "
	    "set it, or write ${NONE:-default}" },
	{ { &own_file, "a", "${NONE:-}", NULL, NULL, NULL, 0, 0 },
	    SERVER_REJECTED,
	    "its command is empty when its variables are filled in" },
	{ { &own_file, "a", "sh", "x|${NONE}|", NULL, NULL, 0, 0 },
	    SERVER_REJECTED, "its args: uses ${NONE}, which is not set: set "
	    "it, or write ${NONE:-default}" },
	{ { &own_file, "a", "sh", NULL, "X|${input:y}|", NULL, 0, 0 },
	    SERVER_SKIPPED, "its env: uses ${input:y}, which only another "
	    "program can fill in: write ${VARIABLE} and set it" },
	{ { &own_file, "a", "sh", NULL, NULL, "${NONE}", 0, 0 },
	    SERVER_REJECTED, "its cwd: uses ${NONE}, which is not set: set "
	    "it, or write ${NONE:-default}" },
	{ { &own_file, "a", "sh", NULL, NULL, "x", 0, 0 }, SERVER_REJECTED,
	    "its cwd must be an absolute path, or begin with ~/" },
	{ { &own_file, "a", "sh", NULL, NULL, "~x", 0, 0 }, SERVER_REJECTED,
	    "its cwd must be an absolute path, or begin with ~/" },
	{ { &own_file, "a", "caisson", NULL, NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
	{ { &own_file, "a", "/opt/caisson", NULL, NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
	/* Our own binary, for this test, is /usr/bin/env. */
	{ { &own_file, "a", "env", NULL, NULL, NULL, 0, 0 }, SERVER_SKIPPED,
	    SELF },
	{ { &own_file, "a", "../usr/bin/env", NULL, NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
	{ { &own_file, "a", "${NONE:-env}", NULL, NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
	{ { &own_file, "a", "./env", NULL, NULL, "/usr/bin", 0, 0 },
	    SERVER_SKIPPED, SELF },
	/* Through a wrapper; test_server_self has the others. */
	{ { &own_file, "a", "sh", "-c|exec env|", NULL, NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
	/* Its own PATH is not all that is searched. */
	{ { &own_file, "a", "env", NULL, "PATH|/none|", NULL, 0, 0 },
	    SERVER_SKIPPED, SELF },
};

UNIT_TESTS(judges_one, UNIT_COUNT(single))
{
	struct server *server = judge(&single[_i].row);

	is(server, single[_i].state, single[_i].why);
	if (server->why != NULL)
		ck_assert_ptr_null(strstr(server->why, "secret"));
}

UNIT_TEST(fills_in)
{
	static const struct row row = { &own_file, "a", "${X:-sh}",
		"-c|${A}||", "V|${A}|W||", "~/${A}", 0, 0 };
	struct server *server = judge(&row);

	is(server, SERVER_TAKEN, "");
	ck_assert_uint_eq(server->run.len, 14);
	ck_assert_mem_eq(server->run.data, "sh\0-c\0secret\0\0", 14);
	ck_assert_uint_eq(server->run_env.len, 12);
	ck_assert_mem_eq(server->run_env.data, "V=secret\0W=\0", 12);
	ck_assert_str_eq(server->run_cwd, "/home/user/secret");
	ck_assert_ptr_nonnull(strstr(server->program, "/bin/sh"));
	/* What was written is still there, to be shown. */
	ck_assert_str_eq(server->command, "${X:-sh}");
	ck_assert_str_eq(server->cwd, "~/${A}");
}

UNIT_TEST(a_home_may_be_written_short)
{
	static const struct row row = { &own_file, "a", "~/bin/x", "~/y|",
		NULL, "~", 0, 0 };
	struct server *server = judge(&row);

	is(server, SERVER_TAKEN, "");
	ck_assert_mem_eq(server->run.data, "/home/user/bin/x\0~/y", 21);
	ck_assert_str_eq(server->run_cwd, "/home/user");
}

UNIT_TEST(only_consent_makes_a_stranger_none)
{
	ck_assert_int_eq(server_judge_is_stranger(&servers, &own_file), 0);
	ck_assert_int_eq(server_judge_is_stranger(&servers, &project_file), 1);
	servers.setup.trust_project = true;
	ck_assert_int_eq(server_judge_is_stranger(&servers, &project_file), 0);
}

/* The beginning of its PATH; where a command that is nowhere was looked for. */
static const struct {
	struct row row;
	const char *path;
	int found, searched;
} paths[] = {
	{ { &own_file, "a", "sh", NULL, NULL, NULL, 0, 0 },
	    "/usr/bin:/bin", 1, 0 },
	{ { &own_file, "a", "sh", NULL, "PATH|/a:${A}|", NULL, 0, 0 },
	    "/a:secret:/", 1, 0 },
	{ { &own_file, "a", "sh", NULL, "PATH||", NULL, 0, 0 }, "/", 1, 0 },
	{ { &own_file, "a", "nowhere", NULL, NULL, NULL, 0, 0 },
	    "/usr/bin:/bin", 0, 1 },
	{ { &own_file, "a", "nowhere", NULL, "PATH|/a|", NULL, 0, 0 }, "/a:/",
	    0, 1 },
	{ { &own_file, "a", "./nowhere", NULL, NULL, NULL, 0, 0 },
	    "/usr/bin:/bin", 0, 0 },
};

UNIT_TESTS(says_where_it_looked, UNIT_COUNT(paths))
{
	struct server *server = judge(&paths[_i].row);

	is(server, SERVER_TAKEN, "");
	ck_assert_int_eq(strncmp(server->path, paths[_i].path,
	    strlen(paths[_i].path)), 0);
	ck_assert_int_eq(server->program != NULL, paths[_i].found);
	if (paths[_i].searched)
		ck_assert_str_eq(server->searched, server->path);
	else
		ck_assert_ptr_null(server->searched);
}

/* Whether an entry keeps later ones from its name. */
static const struct {
	struct row row;
	int keeps;
} before[] = {
	{ { &own_file, "a", "sh", NULL, NULL, NULL, 0, 0 }, 1 },
	{ { &own_file, "a", "sh", NULL, NULL, NULL, 0, 1 }, 1 },
	{ { &own_file, "a", "http://a", NULL, NULL, NULL, 1, 0 }, 1 },
	{ { &own_file, "b", "sh", NULL, NULL, NULL, 0, 0 }, 0 },
	{ { &own_file, "a", "${NONE}", NULL, NULL, NULL, 0, 0 }, 0 },
	{ { &own_file, "a", "caisson", NULL, NULL, NULL, 0, 0 }, 0 },
	{ { &project_file, "a", "sh", NULL, NULL, NULL, 0, 0 }, 0 },
	{ { &project_file, "a", "sh", NULL, NULL, NULL, 0, 1 }, 0 },
};

UNIT_TESTS(the_first_one_wins, UNIT_COUNT(before))
{
	static const struct row row = { &own_file, "a", "sh", NULL, NULL,
		NULL, 0, 0 };

	judge(&before[_i].row);
	if (before[_i].keeps)
		is(judge(&row), SERVER_SKIPPED, FIRST);
	else
		is(judge(&row), SERVER_TAKEN, "");
}

UNIT_TEST(the_user_may_allow_more)
{
	static const struct row ours = { &own_file, "a", "caisson", NULL,
		NULL, NULL, 0, 0 };
	static const struct row theirs = { &project_file, "b", "sh", NULL,
		NULL, NULL, 0, 0 };

	servers.setup.allow_self = true;
	servers.setup.trust_project = true;
	is(judge(&ours), SERVER_TAKEN, "");
	is(judge(&theirs), SERVER_TAKEN, "");
}

UNIT_TEST(what_was_rejected_stays_so)
{
	struct server server = { .file = &own_file, .name = (char[]){ "" },
		.state = SERVER_REJECTED, .why = (char[]){ "wrong" } };

	TAILQ_INIT(&servers.list);
	TAILQ_INSERT_TAIL(&servers.list, &server, entry);
	server_judge(&servers, &server);
	is(&server, SERVER_REJECTED, "wrong");
}
