/*
 * caisson adopt CLIENT: the servers of a client are moved to Caisson, and one
 * entry for Caisson replaces them. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_H
#define SUPERVISOR_ADOPT_H

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../options/options.h"
#include "../client/client_config.h"

struct broker;
struct event_base;
struct in_force;

struct adopt_setup {
	struct event_base *base;
	const struct options *options;
	char **envp;
	const struct client_config_self *self;
	struct in_force *config; /* to test servers */
	struct broker *broker;
};

/*
 * Executes options->command, and prints the changes to stdout. Returns the exit
 * status: 0, or 1 with err if it failed; or -1 with err if the command is
 * invalid. Appends the names of servers that were moved to Caisson, each + NUL.
 */
int adopt_run(
    const struct adopt_setup *setup, struct buffer *moved, struct err *err);

#endif
