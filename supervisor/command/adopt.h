/*
 * caisson adopt CLIENT: the servers of a client move to us, and our one entry
 * takes their place. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ADOPT_H
#define SUPERVISOR_ADOPT_H

#include "../../common/buffer.h"
#include "../../common/err.h"
#include "../options/options.h"
#include "client_config.h"

struct broker;
struct event_base;
struct in_force;

struct adopt_setup {
	struct event_base *base;
	const struct options *options;
	char **envp;
	const struct client_config_self *self;
	struct in_force *config; /* to try servers with */
	struct broker *broker;
};

/*
 * Does what options->command asks for, prints what that is to stdout. Returns
 * the exit status: 0, or 1 with err when it could not be done; or -1 with err
 * when it cannot be meant. Appends the names of servers that were moved to us,
 * each with a NUL.
 */
int adopt_run(
    const struct adopt_setup *setup, struct buffer *moved, struct err *err);

#endif
