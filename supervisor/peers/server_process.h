/*
 * The process of a downstream server: below a keeper, in a session of its own,
 * ended in order, with everything that it has started. Runs in the supervisor,
 * which holds none of its pipes.
 */
#ifndef SUPERVISOR_SERVER_PROCESS_H
#define SUPERVISOR_SERVER_PROCESS_H

#include "../../common/err.h"
#include "../servers/servers.h"

struct server_process;

/* The ends of its pipes that the broker gets. */
struct server_process_pipes {
	int in; /* written to: its standard input */
	int out;
	int errors;
};

/* How long a server that is to end is waited for, in milliseconds. */
struct server_process_times {
	unsigned int eof;  /* SERVER_PROCESS_EOF_MS */
	unsigned int term; /* SERVER_PROCESS_TERM_MS */
	unsigned int kill; /* SERVER_PROCESS_KILL_MS */
};

/*
 * The server, and all that it had started, is gone; how is the end of a
 * sentence: "exited with code 1". It is freed afterwards.
 */
typedef void server_process_ended(void *ctx, const char *how);

/*
 * Starts the program of a server that is taken (servers.h), with our
 * environment (envp) and its own variables on top, in its own folder; times is
 * copied. Returns it, and in pipes three descriptors that the caller owns; or
 * NULL with err. ended is called once, from the loop, never before this has
 * returned.
 */
struct server_process *server_process_start(struct event_base *base,
    const struct server *server, char **envp,
    const struct server_process_times *times,
    struct server_process_pipes *pipes, server_process_ended *ended, void *ctx,
    struct err *err);

/*
 * Its standard input has been closed: it is to end by itself, after
 * times.eof it is asked to (SIGTERM), after times.term more it is killed with
 * all that it has started, and after times.kill more its keeper is. Calling it
 * again changes nothing.
 */
void server_process_stop(struct server_process *process);

#endif
