/*
 * The sockets of "caisson serve": where they are, and their removal at the end.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_SERVE_SOCKETS_H
#define SUPERVISOR_SERVE_SOCKETS_H

#include <sys/types.h>

#include "../common/limits.h"
#include "options/command_word.h"
#include "peers/gateway.h"

/* All zeroes: none. */
struct serve_sockets {
	struct gateway_socket one[LISTEN_MAX];
	char *paths[LISTEN_MAX]; /* of their files */
	ino_t files[LISTEN_MAX]; /* to remove no other one in their place */
	size_t count;
};

/*
 * Opens the sockets that the command names, or the default one. Returns 0, or
 * -1 with err; serve_sockets_close follows in both cases.
 */
int serve_sockets_open(struct serve_sockets *sockets,
    const struct command *command, char **envp, struct err *err);

/* Logs where clients can connect. */
void serve_sockets_tell(const struct serve_sockets *sockets);

/* Closes them and removes their files. */
void serve_sockets_close(struct serve_sockets *sockets);

#endif
