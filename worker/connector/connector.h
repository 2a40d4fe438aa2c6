/*
 * The connector: one remote MCP server, for one owner. It shows the broker the
 * same pipes as a server that is a process: a line of its input is a message
 * that it sends by HTTP, and each message of an answer is a line of its output.
 * All files of this folder run in that process only.
 *
 * It holds the credentials of that server, and parses what the server sends;
 * the broker parses it again. It has one destination, and those that give
 * tokens for it; and no file but certificates, those of the resolver, and its
 * login.
 */
#ifndef WORKER_CONNECTOR_CONNECTOR_H
#define WORKER_CONNECTOR_CONNECTOR_H

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "pair.h"
#include "oauth/enter.h"
#include "session.h"
#include "http/transfer.h"

struct connector {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	struct remote remote;
	int in;     /* -1: no server yet */
	int out;
	int errors; /* for one line, if there is no session */
	bool enters;   /* it logs in or out, in place of a session */
	int listener;  /* where the browser comes back; -1: it logs out */
	struct enter *enter;
};

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF connector
#define IPC_SELF_IS_CONNECTOR
#define IPC_FROM_SUPERVISOR struct connector
#include "../../common/ipc/ipc_handlers.h"

#endif
