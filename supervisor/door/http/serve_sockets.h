/*
 * The sockets of "caisson serve": where they are, and their removal at the end.
 */
#ifndef SUPERVISOR_SERVE_SOCKETS_H
#define SUPERVISOR_SERVE_SOCKETS_H

#include <netinet/in.h>
#include <sys/types.h>

#include "../../../common/base/buffer.h"
#include "../../../common/limits.h"
#include "../../options/options.h"
#include "../../peers/gateway.h"
#include "../../process/socket/socket.h"

/* What a socket is besides what the gateway is told. */
struct serve_socket {
	struct listen_place place;
	char *path; /* of its file, which is removed; NULL: none */
	ino_t file; /* to remove no other one in its place */
	struct buffer hosts; /* as the field of LISTEN */
};

/* All zeroes: none. */
struct serve_sockets {
	struct gateway_socket one[LISTEN_MAX];
	struct serve_socket more[LISTEN_MAX];
	size_t count;
	size_t remote; /* those of TCP, whose clients need tokens */
	struct buffer origins; /* as the fields of SERVE */
	char proxy[INET6_ADDRSTRLEN]; /* as the field of SERVE */
};

/*
 * Opens the sockets that the options name, or the default one. Returns 0, or
 * -1 with err; serve_sockets_close follows in both cases.
 */
int serve_sockets_open(struct serve_sockets *sockets,
    const struct options *options, char **envp, struct err *err);

/*
 * Returns the path of the default socket, which the caller frees, or NULL if
 * there is no directory for it.
 */
char *serve_sockets_path(char **envp);

/* Logs where clients can connect. */
void serve_sockets_tell(const struct serve_sockets *sockets);

/* Closes them and removes their files. */
void serve_sockets_close(struct serve_sockets *sockets);

#endif
