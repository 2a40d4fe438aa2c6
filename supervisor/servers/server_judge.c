/*
 * Decides which entries of the configuration files are used: see servers.h.
 * Runs in the supervisor; starts nothing. Sentences never contain the value of
 * a variable.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/address.h"
#include "../../common/base/buffer.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../../common/base/utf8.h"
#include "servers.h"

/* Always returns -1, for the caller to return. */
static int
server_set(struct server *server, enum server_state state, const char *why)
{
	server->state = state;
	server->why = mem_strdup(why);
	return -1;
}

int
server_judge_is_stranger(
    const struct servers *servers, const struct server_file *file)
{
	return file->source->project && !servers->setup.trust_project;
}

/* Returns the earlier entry that owns its name, or NULL. */
static const struct server *
server_first(const struct servers *servers, const struct server *server)
{
	const struct server *other;

	TAILQ_FOREACH (other, &servers->list, entry) {
		if (other == server)
			return NULL;
		if (strcmp(other->name, server->name) != 0)
			continue;
		/* An entry that its file disables is still a definition. */
		if (other->state == SERVER_TAKEN ||
		    (other->state == SERVER_SKIPPED &&
		        (other->disabled || other->remote) &&
		        !server_judge_is_stranger(servers, other->file)))
			return other;
	}
	return NULL;
}

/* Checks whether it is to be used. */
static int
server_judge_use(struct servers *servers, struct server *server)
{
	const struct server *first = server_first(servers, server);
	auto_free char *why = NULL;

	if (first != NULL) {
		why = mem_printf("the first definition of a name wins, and "
		    "that is in %s:%llu:%llu", first->file->path,
		    (unsigned long long)first->line,
		    (unsigned long long)first->column);
		return server_set(server, SERVER_SKIPPED, why);
	}
	if (server_judge_is_stranger(servers, server->file))
		return server_set(server, SERVER_SKIPPED, "files of the "
		    "working directory are not trusted "
		    "(CAISSON_TRUST_PROJECT_FILES=on trusts them)");
	if (server->disabled)
		return server_set(
		    server, SERVER_SKIPPED, "it is disabled in its file");
	return 0;
}

/* Appends text, expanded, and a NUL. what is its place in the entry. */
static int
server_expand_to(struct buffer *out, const char *what, const char *text,
    struct expand *expand, struct err *err)
{
	auto_free char *expanded = expand_text(expand, text, err);

	if (expanded == NULL)
		return err_wrap(err, "its %s", what);
	text_list_add(out, expanded);
	return 0;
}

static struct server_texts
server_texts_take(struct buffer *buffer)
{
	struct server_texts texts;

	texts.data = buffer_take(buffer, &texts.len);
	return texts;
}

/* Appends a path and a NUL; replaces a leading ~/ by the home. */
static int
server_expand_path(struct buffer *out, const char *what, const char *text,
    struct expand *expand, struct err *err)
{
	const char *home =
	    expand_variable(expand->envp, "HOME", strlen("HOME"));

	if (text[0] == '~' && (text[1] == '/' || text[1] == '\0') &&
	    home != NULL && home[0] == '/') {
		buffer_add_text(out, home);
		text++;
	}
	return server_expand_to(out, what, text, expand, err);
}

/* Expands the command and its arguments. */
static int
server_expand_run(struct server *server, struct expand *expand, struct err *err)
{
	const struct server_texts *args = &server->args;
	auto_buffer struct buffer run = { 0 };
	const char *p;

	if (server_expand_path(
	        &run, "command", server->command, expand, err) == -1)
		return -1;
	if (run.data[0] == '\0')
		return err_set(err, "its command is empty when its variables "
		    "are filled in");
	TEXT_LIST_EACH (p, args->data, args->len)
		if (server_expand_to(&run, "args", p, expand, err) == -1)
			return -1;
	server->run = server_texts_take(&run);
	return 0;
}

/* Checks a header (RFC 9110, 5.1 and 5.5), which may not begin another one. */
static int
server_check_header(const char *name, const char *value, struct err *err)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";
	/* One that begins with a colon is not sent: see CONNECT. */
	const char *p = name[0] == ':' ? name + 1 : name;

	for (; *p != '\0' && (isalnum((unsigned char)*p) ||
	         strchr(marks, *p) != NULL); p++)
		;
	if (name[0] == '\0' || *p != '\0')
		return err_set(err, "its header \"%s\" has a character that "
		    "no name of a header has", name);
	for (p = value; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p) && *p != '\t' &&
		    strcmp(name, ":privateKey") != 0) /* it has lines */
			return err_set(err, "the value of its header \"%s\" "
			    "has a control character, such as the end of a "
			    "line", name);
	if (name[0] == ':' && !utf8_valid(value, strlen(value)))
		return err_set(err, "its oauth: \"%s\" is no UTF-8", name + 1);
	if (strcmp(name, ":grant") == 0 &&
	    strcmp(value, "client_credentials") != 0 &&
	    strcmp(value, "jwt-bearer") != 0 &&
	    strcmp(value, "authorization_code") != 0)
		return err_set(err, "its oauth: \"grant\" must be "
		    "client_credentials, jwt-bearer or authorization_code");
	if (server_is_secret_file(name) && value[0] != '/')
		return err_set(err, "its oauth: \"%s\" must be an absolute "
		    "path, or begin with ~/", name + 1);
	return 0;
}

/* Expands its variables, or its headers if it is remote. */
static int
server_expand_env(struct server *server, struct expand *expand, struct err *err)
{
	const char *what = server->remote ? "headers" : "env";
	const struct server_texts *pairs =
	    server->remote ? &server->headers : &server->env;
	auto_buffer struct buffer env = { 0 };
	const char *name, *value;
	size_t begin;

	TEXT_LIST_PAIRS (name, value, pairs->data, pairs->len) {
		buffer_add_text(&env, name);
		buffer_add_text(&env, "=");
		begin = env.len;
		if ((server_is_secret_file(name) ? server_expand_path :
		        server_expand_to)(&env, name[0] == ':' ? "oauth" : what,
		        value, expand, err) == -1 ||
		    (server->remote && server_check_header(
		        name, env.data + begin, err) == -1))
			return -1;
	}
	server->run_env = server_texts_take(&env);
	return 0;
}

/*
 * Returns what is wrong with a URL, as the end of a sentence; NULL: nothing. A
 * user and a password in it would be written, and shown, as no secret is.
 */
static const char *
server_url_fault(const char *url)
{
	const char *host = address_host(url), *port;
	auto_free char *authority = NULL;

	if (host == NULL)
		return "must begin with https:// or http:// and a host, "
		    "without spaces or control characters";
	authority = mem_dup(host, strcspn(host, "/?#"));
	if (strchr(authority, '@') != NULL)
		return "has a user or a password before its host: remove "
		    "them, and give its entry the header Authorization";
	port = authority + strcspn(authority, authority[0] == '[' ? "]" : ":");
	if (authority[0] == '[' && *port++ != ']')
		return "lacks the ] after the address of its host";
	return *port != '\0' && (*port != ':' || address_port(port + 1) < 1) ?
	    "has a port that is no number from 1 to 65535" : NULL;
}

/* The URL of a remote server stands for its command, and for its program. */
static int
server_expand_url(struct server *server, struct expand *expand, struct err *err)
{
	auto_buffer struct buffer url = { 0 };
	const char *fault;

	if (server_expand_to(&url, "url", server->url, expand, err) == -1)
		return -1;
	fault = server_url_fault(url.data);
	if (fault != NULL)
		return err_set(err, "its url %s", fault);
	server->program = mem_strdup(url.data);
	server->run = server_texts_take(&url);
	return 0;
}

static int
server_expand_cwd(struct server *server, struct expand *expand, struct err *err)
{
	auto_buffer struct buffer cwd = { 0 };

	if (server->cwd[0] == '\0')
		return 0;
	if (server_expand_path(&cwd, "cwd", server->cwd, expand, err) == -1)
		return -1;
	if (cwd.data[0] != '/')
		return err_set(err, "its cwd must be an absolute path, or "
		    "begin with ~/");
	server->run_cwd = buffer_take(&cwd, NULL);
	return 0;
}

/* Returns the PATH for it: its own, or ours. */
static const char *
server_search(const struct server *server, char **envp)
{
	const struct server_texts *env = &server->run_env;
	const char *p;

	TEXT_LIST_EACH (p, env->data, env->len)
		if (strncmp(p, "PATH=", 5) == 0)
			return p + 5;
	p = expand_variable(envp, "PATH", strlen("PATH"));
	return p != NULL ? p : "";
}

void
server_judge_program(struct servers *servers, struct server *server)
{
	const struct servers_setup *setup = &servers->setup;
	const char *command = server->run.data;

	free(server->path);
	free(server->program);
	free(mem_take(&server->searched));
	server->path = server_path_extend(
	    server_search(server, setup->envp), setup->envp);
	server->program = server_program_find(command, server->path,
	    server->run_cwd == NULL ? setup->folder : server->run_cwd);
	if (server->program == NULL && strchr(command, '/') == NULL)
		server->searched = mem_strdup(server->path);
}

static int
server_judge_self(struct servers *servers, struct server *server)
{
	const struct servers_setup *setup = &servers->setup;

	server_judge_program(servers, server);
	if (setup->allow_self)
		return 0;
	if (server_self_is_bridge(&server->run))
		return server_set(server, SERVER_SKIPPED, "it is the earlier "
		    "bridge, which Caisson replaces "
		    "(CAISSON_ALLOW_SELF_SERVER=on allows it)");
	if (!server_self_is_started(&server->run, server->path,
	        server->run_cwd == NULL ? setup->folder : server->run_cwd,
	        setup->self))
		return 0;
	return server_set(server, SERVER_SKIPPED, "it would start this program "
	    "itself, without end (CAISSON_ALLOW_SELF_SERVER=on allows it)");
}

void
server_judge(struct servers *servers, struct server *server)
{
	struct expand expand = { .envp = servers->setup.envp,
		.folder = servers->setup.folder,
		.shape = server->file->source->shape };
	struct err err;

	if (server->state != SERVER_TAKEN ||
	    server_judge_use(servers, server) == -1)
		return;
	if ((server->remote ? server_expand_url(server, &expand, &err) :
	        server_expand_run(server, &expand, &err)) == -1 ||
	    server_expand_env(server, &expand, &err) == -1 ||
	    server_expand_cwd(server, &expand, &err) == -1) {
		server->unsupported = expand.foreign;
		server_set(server, expand.foreign ? SERVER_SKIPPED :
		    SERVER_REJECTED, err.text);
	} else if (!server->remote) {
		server_judge_self(servers, server);
	}
}
