/*
 * The process of a downstream server: below a keeper, in a session of its own,
 * ended in order with all its descendants. Runs in the supervisor, which holds
 * none of its pipes.
 */
#ifndef SUPERVISOR_SERVER_PROCESS_H
#define SUPERVISOR_SERVER_PROCESS_H

#include "../../../common/base/err.h"
#include "../servers.h"

struct options;
struct server_process;

/* The broker's ends of its pipes. */
struct server_process_pipes {
	int in; /* to its standard input */
	int out;
	int errors;
};

/* The time limits for ending a server, in milliseconds. */
struct server_process_times {
	unsigned int eof;  /* SERVER_PROCESS_EOF_MS */
	unsigned int term; /* SERVER_PROCESS_TERM_MS */
	unsigned int kill; /* SERVER_PROCESS_KILL_MS */
};

/*
 * Called when the server and all its descendants have ended; how completes a
 * sentence: "exited with code 1". The process is freed afterwards.
 */
typedef void server_process_ended(void *ctx, const char *how);

/* What they start with. */
struct server_process_setup {
	char **envp; /* our environment; its variables name proxies, too */
	const struct options *options;
	const char *owner; /* whose login it is; "": the local user's */
};

/*
 * Starts the program of a server that is taken (servers.h), in its own
 * directory, with our environment and its own variables, which take precedence;
 * or, if it is remote, a connector, which shows the same pipes. times is
 * copied. Returns the process, and in pipes three descriptors that the caller
 * owns; or NULL with err. ended is called once, from the loop, never before
 * this function has returned.
 */
struct server_process *server_process_start(struct event_base *base,
    const struct server *server, const struct server_process_setup *setup,
    const struct server_process_times *times,
    struct server_process_pipes *pipes, server_process_ended *ended, void *ctx,
    struct err *err);

/* What comes of a login. */
struct server_login_ends {
	void (*visit)(void *ctx, const char *url); /* open this address */
	/* The end; reason is "" if it is kept, or removed. */
	void (*over)(void *ctx, const char *reason, const char *scope);
	void *ctx;
};

/*
 * Starts a connector that logs in at a remote server, whose browser comes back
 * to listener, which this takes; or out, if it is -1. Returns as
 * server_process_start; ends is copied.
 */
struct server_process *server_process_log_in(struct event_base *base,
    const struct server *server, const struct server_process_setup *setup,
    int *listener, const struct server_login_ends *ends,
    server_process_ended *ended, void *ctx, struct err *err);

/* Passes on where the browser was sent to. */
void server_process_paste(struct server_process *process, const char *text);

/* The messages of a connector that logs in. */
void server_process_hear_visit(struct server_process *process, const char *url);
void server_process_hear_over(
    struct server_process *process, const char *reason, const char *scope);

/*
 * Ends a server whose standard input has been closed, so that it should exit by
 * itself. After times.eof it gets SIGTERM; times.term later it is killed with
 * all its descendants; times.kill later its keeper is killed. Further calls
 * change nothing.
 */
void server_process_stop(struct server_process *process);

#endif
