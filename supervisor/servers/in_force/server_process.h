/*
 * The process of a downstream server: below a keeper, in a session of its own,
 * ended in order with all its descendants. Runs in the supervisor, which holds
 * none of its pipes.
 */
#ifndef SUPERVISOR_SERVER_PROCESS_H
#define SUPERVISOR_SERVER_PROCESS_H

#include "../../../common/base/err.h"
#include "../servers.h"

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
	const char *ca_file; /* for remote ones; "": those of the system */
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

/*
 * Ends a server whose standard input has been closed, so that it should exit by
 * itself. After times.eof it gets SIGTERM; times.term later it is killed with
 * all its descendants; times.kill later its keeper is killed. Further calls
 * change nothing.
 */
void server_process_stop(struct server_process *process);

#endif
