/*
 * The gateway: accepts clients of HTTP at sockets that the supervisor has
 * opened, reads their requests strictly, and passes them on; it decides neither
 * who a guest is nor what a request does. All files of this folder run in that
 * process only.
 *
 *	listener → conn → check → guest → ASK … REPLY, EVENT → response → conn
 */
#ifndef WORKER_GATEWAY_GATEWAY_H
#define WORKER_GATEWAY_GATEWAY_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "../../common/ipc/channel.h"

struct caller;
struct conn;
struct guest;
struct listener;

/* What a line in the log is about: one kind does not hide another. */
enum warned_kind { WARNED_OTHER, WARNED_HOST, WARNED_ORIGIN, WARNED_KINDS };

/* Lines of one kind in the log about the clients of one address. */
struct warned {
	uint64_t at;       /* the last one, in milliseconds; 0: none */
	unsigned int more; /* that were left out since */
};

struct gateway {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	LIST_HEAD(, listener) listeners;
	LIST_HEAD(, conn) conns;
	LIST_HEAD(, guest) guests;
	LIST_HEAD(, caller) callers;
	size_t ncallers;
	size_t nconns;
	size_t nvisits; /* guests without an answer to their HELLO */
	size_t bodies;  /* bytes of bodies held, of all connections */
	size_t unsent;  /* bytes of answers that clients have not read */
	uint64_t last_visit;
	uid_t user; /* whose clients at a Unix socket need no token */
	size_t body_max;
	char *origins;
	char *proxy; /* empty: none */
	struct warned warned[WARNED_KINDS]; /* about clients without limits */
	bool draining;
};

/*
 * The context of a channel: of the supervisor's handlers only one of the two is
 * right for each message.
 */
struct gateway_end {
	struct gateway *gateway;
	struct guest *guest; /* NULL: the channel of the gateway itself */
};

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF gateway
#define IPC_SELF_IS_GATEWAY
#define IPC_FROM_SUPERVISOR struct gateway_end
#include "../../common/ipc/ipc_handlers.h"

#endif
