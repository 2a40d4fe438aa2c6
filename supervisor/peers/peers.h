/*
 * The services of the supervisor: the workers that run for long, one for each
 * row of roles.def of the kind SERVICE. A file of this room is what the
 * supervisor asks of one; supervisor.c makes and frees them all.
 */
#ifndef SUPERVISOR_PEERS_H
#define SUPERVISOR_PEERS_H

#include "../../common/role.h"
#include "../options/options.h"

struct event_base;
struct in_force;
struct peers;

/* What services are made of; all of it outlives them. */
struct peers_setup {
	struct event_base *base;
	const struct options *options;
	char **envp;
	struct in_force *config; /* the configured servers */
	int audit; /* file for a line per tool call, borrowed; -1: none */
};

/*
 * For each service: struct NAME; NAME_new(), which starts no process, and may
 * return NULL if this program needs none; and NAME_free(), which kills the
 * process, and accepts NULL inside.
 */
#define PEERS_SERVICE(name)                                                    \
	struct name;                                                           \
	struct name *name##_new(                                               \
	    const struct peers_setup *setup, const struct peers *peers);       \
	void name##_free(struct name **peer);
#define PEERS_PROGRAM(...)
#define PEERS_BOX(...)
#define PEERS_TASK(...)

#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../../common/roles.def"
#undef ROLE

/* They are made and freed in the order of the rows. */
struct peers {
#undef PEERS_SERVICE
#define PEERS_SERVICE(name) struct name *name;
#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../../common/roles.def"
#undef ROLE
};

#endif
