/*
 * The supervisor: the front process. It serves one MCP client, has a box and a
 * relay for every call, and concludes each call once. It alone may exec, open
 * and kill. Its client is the only outsider whose bytes it parses, and it
 * closes each descriptor of a box as soon as it has passed it on. All code of
 * this directory runs in that process only.
 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include "../common/ipc/channel.h"
#include "../common/base/err.h"
#include "box/box.h"
#include "door/door.h"
#include "options/options.h"
#include "process/socket/socket.h"
#include "run/run.h"

struct in_force;

/* The process: one instance, in main. Its parts are passed to the rooms. */
struct supervisor {
	struct event_base *base;
	struct options options;
	struct in_force *config; /* the configured servers */
	struct doors doors;
	struct owner user;     /* of calls of clients that act for our user */
	int audit; /* file for a line per tool call; -1: none */
	struct boxes boxes;
	struct runs runs;
	struct notify notify; /* the service manager that started us */
};

/* supervisor.c: assembly, and the only teardown. */

/*
 * Prepares the process for a command with these needs, but for CLIENTS neither
 * log nor audit file. Returns 0, or -1 with err.
 */
int supervisor_prepare(struct supervisor *sv, enum command_needs needs,
    char **envp, struct err *err);

/*
 * Checks whether supervisor_prepare would fail on this machine: returns 0, or
 * -1 with err. Reads no configuration of servers.
 */
int supervisor_check(struct supervisor *sv, struct err *err);

/* Frees all parts, in any state, and ends every process of them. */
void supervisor_free(struct supervisor *sv);

/* routes.c: returns the table of all handlers, static. */
channel_handler *const *supervisor_routes(void);

#endif
