/*
 * Detects servers that would be this program again: see servers.h. A wrapper
 * (env, sh -c, npx, …) is known by its name, and its target is searched for
 * among its arguments. Runs in the supervisor; reads attributes of files and
 * opens none. A script that starts Caisson cannot be detected.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "servers.h"

/* What a wrapper starts. */
enum server_self_way {
	SERVER_SELF_WORD,    /* an argument, and the arguments after it */
	SERVER_SELF_SHELL,   /* also words within an argument */
	SERVER_SELF_PACKAGE, /* the package in its first argument */
};

static const char *const server_self_wrappers[][32] = {
	[SERVER_SELF_WORD] = { "nice", "ionice", "chrt", "taskset", "nohup",
	    "setsid", "setpriv", "stdbuf", "unbuffer", "timeout", "time",
	    "sudo", "doas", "systemd-run", "unshare", "nsenter", "bwrap",
	    "firejail", "strace", "ltrace", "xargs", NULL },
	/* env because of -S */
	[SERVER_SELF_SHELL] = { "env", "runuser", "su", "flock", "script",
	    "busybox", "sh", "dash", "bash", "ash", "ksh", "zsh", "fish",
	    NULL },
	[SERVER_SELF_PACKAGE] = { "npx", "pnpx", "bunx", "uvx", "pipx", "npm",
	    "pnpm", "yarn", "bun", "uv", NULL },
};

/* Subcommands of those runners before the package. */
static const char *const server_self_verbs[] = { "exec", "dlx", "x", "run",
	"tool", NULL };

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
 * Returns whether a package has our name: caisson, caisson@1, @scope/caisson.
 */
static int
server_self_is_package(const char *word)
{
	const char *slash = word[0] == '@' ? strchr(word, '/') : NULL;
	auto_free char *name = mem_strdup(slash == NULL ? word : slash + 1);

	name[strcspn(name, "@=<>[")] = '\0';
	return server_program_is_self(name, NULL, "/");
}

/* Returns whether a word is in a list that ends with NULL. */
static int
server_self_lists(const char *const *list, const char *word)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return 1;
	return 0;
}

static int
server_self_is_verb(const char *word)
{
	return server_self_lists(server_self_verbs, word);
}

/*
 * Returns whether the first argument that is not an option is such a package.
 */
static int
server_self_runs_package(const struct server_self *of,
    const struct server_texts *run, const char *p)
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
	int way;

	for (way = SERVER_SELF_PACKAGE; way >= 0; way--)
		if (server_self_lists(server_self_wrappers[way], name))
			break;
	return way;
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
		"--directory", "--project", "--python", "--spec", NULL };

	return server_self_lists(options, word);
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
