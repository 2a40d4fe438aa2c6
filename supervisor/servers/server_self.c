/*
 * Detects servers that would be this program again: see servers.h. A wrapper
 * (env, sh -c, npx, …) is known by its name, and its target is searched for
 * among its arguments. Runs in the supervisor; reads attributes of files and
 * opens none. A script that starts Caisson cannot be detected.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "servers.h"

/* What a wrapper starts. */
enum server_self_way {
	SERVER_SELF_WORD,    /* an argument, and the arguments after it */
	SERVER_SELF_SHELL,   /* also words within an argument */
	SERVER_SELF_PACKAGE, /* the package in its first argument */
};

static const struct {
	const char *name;
	enum server_self_way way;
} server_self_wrappers[] = {
	{ "env", SERVER_SELF_SHELL }, /* because of -S */
	{ "nice", SERVER_SELF_WORD },
	{ "ionice", SERVER_SELF_WORD },
	{ "chrt", SERVER_SELF_WORD },
	{ "taskset", SERVER_SELF_WORD },
	{ "nohup", SERVER_SELF_WORD },
	{ "setsid", SERVER_SELF_WORD },
	{ "setpriv", SERVER_SELF_WORD },
	{ "stdbuf", SERVER_SELF_WORD },
	{ "unbuffer", SERVER_SELF_WORD },
	{ "timeout", SERVER_SELF_WORD },
	{ "time", SERVER_SELF_WORD },
	{ "sudo", SERVER_SELF_WORD },
	{ "doas", SERVER_SELF_WORD },
	{ "runuser", SERVER_SELF_SHELL },
	{ "su", SERVER_SELF_SHELL },
	{ "systemd-run", SERVER_SELF_WORD },
	{ "flock", SERVER_SELF_SHELL },
	{ "unshare", SERVER_SELF_WORD },
	{ "nsenter", SERVER_SELF_WORD },
	{ "bwrap", SERVER_SELF_WORD },
	{ "firejail", SERVER_SELF_WORD },
	{ "strace", SERVER_SELF_WORD },
	{ "ltrace", SERVER_SELF_WORD },
	{ "xargs", SERVER_SELF_WORD },
	{ "script", SERVER_SELF_SHELL },
	{ "busybox", SERVER_SELF_SHELL },
	{ "sh", SERVER_SELF_SHELL },
	{ "dash", SERVER_SELF_SHELL },
	{ "bash", SERVER_SELF_SHELL },
	{ "ash", SERVER_SELF_SHELL },
	{ "ksh", SERVER_SELF_SHELL },
	{ "zsh", SERVER_SELF_SHELL },
	{ "fish", SERVER_SELF_SHELL },
	{ "npx", SERVER_SELF_PACKAGE },
	{ "pnpx", SERVER_SELF_PACKAGE },
	{ "bunx", SERVER_SELF_PACKAGE },
	{ "uvx", SERVER_SELF_PACKAGE },
	{ "pipx", SERVER_SELF_PACKAGE },
	{ "npm", SERVER_SELF_PACKAGE },
	{ "pnpm", SERVER_SELF_PACKAGE },
	{ "yarn", SERVER_SELF_PACKAGE },
	{ "bun", SERVER_SELF_PACKAGE },
	{ "uv", SERVER_SELF_PACKAGE },
};

/* Subcommands of those runners before the package. */
static const char *const server_self_verbs[] = {
	"exec",
	"dlx",
	"x",
	"run",
	"tool",
};

/* The search path for programs, and our own program. */
struct server_self {
	const char *search;
	const char *folder;
	const char *self;
};

static const char *
server_self_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* Returns whether a word is a command that is this program. */
static int
server_self_is(const struct server_self *of, const char *word)
{
	auto_free char *program = NULL;

	if (word[0] == '\0')
		return 0;
	program = server_program_find(word, of->search, of->folder);
	/* For example, a directory with our name is not our program. */
	if (program == NULL && strchr(word, '/') != NULL)
		return 0;
	return server_program_is_self(word, program, of->self);
}

/* Returns whether a word of a shell command line is this program. */
static int
server_self_is_in(const struct server_self *of, const char *line)
{
	static const char between[] = " \t\r\n;|&()<>{}`$\"'";
	size_t len;

	for (; *line != '\0'; line += len) {
		line += strspn(line, between);
		len = strcspn(line, between);
		auto_free char *word = mem_dup(line, len);

		if (server_self_is(of, word))
			return 1;
	}
	return 0;
}

/*
 * Returns whether a package has our name: caisson, caisson@1,
 * @scope/caisson.
 */
static int
server_self_is_package(const char *word)
{
	const char *slash = word[0] == '@' ? strchr(word, '/') : NULL;
	auto_free char *name = mem_strdup(slash == NULL ? word : slash + 1);

	name[strcspn(name, "@=<>[")] = '\0';
	return server_program_is_self(name, NULL, "/");
}

static int
server_self_is_verb(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(server_self_verbs) /
	         sizeof(server_self_verbs[0]); i++)
		if (strcmp(word, server_self_verbs[i]) == 0)
			return 1;
	return 0;
}

/*
 * Returns whether the first argument that is not an option is such a package.
 */
static int
server_self_runs_package(
    const struct server_self *of, const struct server_texts *run,
    const char *p)
{
	while ((p = text_list_next(run->data, run->len, p)) != NULL) {
		if (p[0] == '-' || server_self_is_verb(p))
			continue;
		return server_self_is_package(p) || server_self_is(of, p);
	}
	return 0;
}

/* Returns how a program starts others, -1 if it is not a wrapper. */
static int
server_self_way(const char *program)
{
	const char *name = server_self_base(program);
	size_t i;

	for (i = 0; i < sizeof(server_self_wrappers) /
	         sizeof(server_self_wrappers[0]); i++)
		if (strcmp(name, server_self_wrappers[i].name) == 0)
			return (int)server_self_wrappers[i].way;
	return -1;
}

/* The same for packages in the arguments of an earlier wrapper. */
static int
server_self_is_argument(const struct server_self *of,
    const struct server_texts *run, const char *p, enum server_self_way way)
{
	if (server_self_is(of, p))
		return 1;
	if (way == SERVER_SELF_SHELL && server_self_is_in(of, p))
		return 1;
	return server_self_way(p) == SERVER_SELF_PACKAGE &&
	    server_self_runs_package(of, run, p);
}

int
server_self_is_started(const struct server_texts *run, const char *search,
    const char *folder, const char *self)
{
	const struct server_self of = { search, folder, self };
	const char *p = run->data;
	auto_free char *program = server_program_find(p, search, folder);
	int way = server_self_way(p);

	if (server_program_is_self(p, program, self))
		return 1;
	if (way == -1)
		return 0;
	if (way == SERVER_SELF_PACKAGE)
		return server_self_runs_package(&of, run, p);
	while ((p = text_list_next(run->data, run->len, p)) != NULL)
		if (server_self_is_argument(
		        &of, run, p, (enum server_self_way)way))
			return 1;
	return 0;
}

/* The bridge that Caisson replaces */

#define SERVER_SELF_BRIDGE "mcp-server-code-execution-mode"

/*
 * Returns whether a word is its package, a release or a repository of it, its
 * module or its script.
 */
static int
server_self_names_bridge(const char *word)
{
	auto_free char *name = mem_strdup(server_self_base(word));
	char *p;

	for (p = name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	name[strcspn(name, "@=<>[.")] = '\0';
	return strcmp(name, SERVER_SELF_BRIDGE) == 0;
}

/* Returns whether the word after it belongs to an option of a runner. */
static int
server_self_takes_value(const char *word)
{
	static const char *const options[] = { "--from", "--with",
		"--directory", "--project", "--python", "--spec" };
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(word, options[i]) == 0)
			return 1;
	return 0;
}

/* Returns whether it runs scripts and modules, or packages. */
static int
server_self_is_runner(const char *word)
{
	static const char python[] = "python";

	return strncmp(server_self_base(word), python, strlen(python)) == 0 ||
	    server_self_way(word) == SERVER_SELF_PACKAGE;
}

int
server_self_is_bridge(const struct server_texts *run)
{
	const char *p = run->data;

	if (server_self_names_bridge(p))
		return 1;
	if (!server_self_is_runner(p))
		return 0;
	while ((p = text_list_next(run->data, run->len, p)) != NULL) {
		if (server_self_takes_value(p))
			p = text_list_next(run->data, run->len, p);
		else if (p[0] != '-' && !server_self_is_verb(p) &&
		    !server_self_is_runner(p))
			return server_self_names_bridge(p);
		if (p == NULL)
			break;
	}
	return 0;
}
