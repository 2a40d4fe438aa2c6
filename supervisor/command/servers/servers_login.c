/*
 * caisson servers login, and logout: a connector talks to the authorization
 * server; this prints the address for the browser, and passes on what is
 * pasted. Runs in the supervisor; no token passes through it.
 */
#include <event2/event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../../common/base/utf8.h"
#include "../../../common/limits.h"
#include "../../../common/suggest.h"
#include "../../options/options.h"
#include "../../process/socket/socket.h"
#include "../../servers/in_force/in_force.h"
#include "../../servers/in_force/server_login.h"
#include "../../servers/in_force/server_process.h"
#include "../shared/command.h"

struct servers_login {
	struct event_base *base;
	struct server_process *process;
	struct event *typed; /* what is pasted; NULL: nothing can be */
	struct buffer line;
	bool out;   /* it logs out */
	bool over;
	char *failed; /* why, or NULL */
};

static void
servers_login_on_visit(void *ctx, const char *url)
{
	struct servers_login *login = ctx;
	auto_buffer struct buffer shown = { 0 };

	shown_add(&shown, url, strlen(url));
	printf("Open this address in a browser, and agree there:\n\n  %s\n\n",
	    shown.data);
	if (login->typed != NULL)
		fputs("If the browser runs on another machine, it shows an "
		      "error in the end: paste the address that it shows "
		      "then.\n", stdout);
	fflush(stdout);
}

static void
servers_login_on_over(void *ctx, const char *reason, const char *scope)
{
	struct servers_login *login = ctx;
	auto_buffer struct buffer shown = { 0 };

	login->over = true;
	shown_add(&shown, reason, strlen(reason));
	if (reason[0] != '\0') {
		login->failed = buffer_take(&shown, NULL);
		return;
	}
	shown_add(&shown, scope, strlen(scope));
	printf("%s%s%s\n", login->out ? "Logged out" : "Logged in",
	    shown.len > 0 ? ", with the scopes " : "",
	    shown.len > 0 ? shown.data : "");
}

static void
servers_login_on_ended(void *ctx, const char *how)
{
	struct servers_login *login = ctx;

	if (!login->over)
		login->failed =
		    mem_printf("the connector %s before it was done", how);
	login->process = NULL;
	event_base_loopexit(login->base, NULL);
}

/* Passes on a whole line. */
static void
servers_login_on_typed(evutil_socket_t fd, short, void *ctx)
{
	struct servers_login *login = ctx;
	struct buffer *line = &login->line;
	ssize_t n = read(fd, buffer_reserve(line, PIPE_CHUNK), PIPE_CHUNK);
	size_t len;

	if (n <= 0 || line->len + (size_t)n >= LOGIN_URL_MAX) {
		event_del(login->typed);
		return;
	}
	line->len += (size_t)n;
	buffer_add_text(line, "");
	len = strcspn(line->data, "\r\n");
	if (line->data[len] == '\0')
		return;
	line->data[len] = '\0';
	if (len > 0 && login->process != NULL && utf8_valid(line->data, len))
		server_process_paste(login->process, line->data);
	line->len = 0;
}

/* Opens the socket that the browser comes back to; at the port of the entry. */
static int
servers_login_listen(const struct server *server, struct err *err)
{
	const char *text, *port = "0";
	auto_free char *where = NULL;
	int fd;

	TEXT_LIST_EACH (text, server->run_env.data, server->run_env.len)
		if (strncmp(text, ":callbackPort=", 14) == 0)
			port = text + 14;
		else if (strncasecmp(text, "Authorization=", 14) == 0)
			return err_set(err, "server \"%s\": its entry has "
			    "the header Authorization, which is sent instead "
			    "of a login: remove one of them", server->name);
	where = mem_printf("127.0.0.1:%s", port);
	fd = listen_tcp(where, err);
	return fd != -1 || port[0] == '0' ? fd :
	    err_wrap(err, "the callbackPort of server \"%s\"", server->name);
}

static void
servers_login_on_configured(void *ctx)
{
	event_base_loopexit(ctx, NULL);
}

const struct server *
servers_login_find(
    const struct command_setup *setup, const char *name, struct err *err)
{
	struct in_force_waiter waiter = { .ready = servers_login_on_configured,
		.ctx = setup->base };
	struct suggest suggest = suggest_start(name);
	const struct server *server;
	size_t i;

	in_force_refresh(setup->config, &waiter);
	event_base_dispatch(setup->base);
	server = in_force_find(setup->config, name, strlen(name));
	for (i = 0; i < in_force_count(setup->config); i++)
		suggest_try(&suggest, in_force_at(setup->config, i)->name);
	if (server != NULL && server->remote)
		return server;
	if (server != NULL)
		err_set(err, "server \"%s\": it is a program here: only "
		    "remote servers have logins", name);
	else
		command_no_server("server", &suggest, err);
	return NULL;
}

/* Waits until it is over. Returns 0, or -1 with err. */
static int
servers_login_wait(
    struct servers_login *login, const char *name, struct err *err)
{
	auto_free char *failed = NULL;

	if (!login->out) {
		login->typed = event_new(login->base, STDIN_FILENO,
		    EV_READ | EV_PERSIST, servers_login_on_typed, login);
		/* A file cannot be waited for. */
		if (event_add(login->typed, NULL) == -1)
			loop_event_free(&login->typed);
	}
	event_base_dispatch(login->base);
	loop_event_free(&login->typed);
	buffer_reset(&login->line);
	failed = mem_take(&login->failed);
	return failed == NULL ? 0 :
	    err_set(err, "server \"%s\": %s", name, failed);
}

/* Logs in, or out if there is no listener. Returns 0, or -1 with err. */
static int
servers_login_of(const struct command_setup *setup, const struct server *server,
    const char *owner, int *listener, struct err *err)
{
	const struct server_process_setup start = { setup->envp,
		setup->options, owner };
	struct servers_login login = { .base = setup->base,
		.out = *listener == -1 };
	const struct server_login_ends ends = { servers_login_on_visit,
		servers_login_on_over, &login };

	login.process = server_process_log_in(setup->base, server, &start,
	    listener, &ends, servers_login_on_ended, &login, err);
	return login.process == NULL ?
	    err_wrap(err, "server \"%s\"", server->name) :
	    servers_login_wait(&login, server->name, err);
}

/* Logs in, or out. Returns the exit status. */
static int
servers_login_do(const struct command_setup *setup, bool out, struct err *err)
{
	const char *owner;
	const struct server *server;
	auto_fd int listener = -1;
	int begun = owner_flag_begin(setup, "logins", &owner, err);

	if (begun != 0)
		return begun;
	server = servers_login_find(
	    setup, setup->options->command.operand, err);
	if (server != NULL && !out)
		listener = servers_login_listen(server, err);
	if (server == NULL || (!out && listener == -1))
		return command_end(-1, err);
	return command_end(
	    servers_login_of(setup, server, owner, &listener, err), err);
}

void
servers_login_drop(const struct command_setup *setup, const char *name,
    const struct server *server)
{
	auto_buffer struct buffer logins = { 0 };
	const char *owner, *until;
	struct err err;

	server_login_list(setup->options, setup->envp, name, &logins);
	TEXT_LIST_PAIRS (owner, until, logins.data, logins.len) {
		int none = -1;

		(void)until;
		if (server == NULL)
			log_warn("server \"%s\": it could not be told that a "
			    "login is no longer used", name);
		else if (servers_login_of(
		             setup, server, owner, &none, &err) == -1)
			log_warn("%s", err.text);
	}
	server_login_remove(setup->options, setup->envp, name);
}

int
servers_login_run(struct command_setup *setup, struct err *err)
{
	return servers_login_do(setup, false, err);
}

int
servers_logout_run(struct command_setup *setup, struct err *err)
{
	return servers_login_do(setup, true, err);
}
