/*
 * The steps of a check of the configuration files, for server_look_steps.c,
 * which finds them, and server_look.c, which takes them.
 */
#ifndef SUPERVISOR_SERVERS_SERVER_LOOK_PARTS_H
#define SUPERVISOR_SERVERS_SERVER_LOOK_PARTS_H

#include "servers.h"

enum server_look_kind {
	SERVER_LOOK_FILE,
	SERVER_LOOK_FILES, /* every *.json of a directory */
	SERVER_LOOK_GATE,  /* a directory of several places: tested first */
	SERVER_LOOK_OWNER, /* of a directory: others' are not used */
};

struct server_look_step {
	enum server_look_kind kind;
	char *path;  /* relative to us, or to the working directory */
	size_t last; /* of a gate: the last place in that directory */
	char *place; /* of a gate: its absolute path */
	bool owned;  /* of a gate: its owner matters, as in SERVER_LOOK_OWNER */
	struct server_folder own; /* of a gate */
	struct server_folder *in; /* contains it, perhaps; or NULL */
	char *name; /* of it, or of what it is in: directly in that directory */
	bool absent; /* there was no such name */
};

struct server_look {
	struct server_look_step *steps;
	size_t count;
	size_t project; /* steps from here on: in the working directory */
	const char *folder;
	struct server_folder working;
};

#endif
