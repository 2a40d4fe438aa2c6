/*
 * The handlers of the supervisor: its whole attack surface to its workers, in a
 * file on_PEER.c for each peer. routes.c has the table of handlers.
 */
#ifndef SUPERVISOR_HANDLERS_H
#define SUPERVISOR_HANDLERS_H

#include "../common/ipc/channel.h"

struct box;
struct broker;
struct files;
struct gateway_peer;
struct operator_peer;
struct server_process;
struct servers;
struct store;
struct template;

/* The handlers, in a file on_PEER.c for each peer, and what they get. */
#define IPC_SELF supervisor
#define IPC_SELF_IS_SUPERVISOR
#define IPC_FROM_BOX struct box
#define IPC_FROM_RELAY struct box
#define IPC_FROM_TEMPLATE struct template
#define IPC_FROM_BROKER struct broker
#define IPC_FROM_STORE struct store
#define IPC_FROM_FILES struct files
#define IPC_FROM_GATEWAY struct gateway_peer
#define IPC_FROM_OPERATOR struct operator_peer
#define IPC_FROM_CONNECTOR struct server_process
#define IPC_FROM_READER struct servers
#include "../common/ipc/ipc_handlers.h"

#endif
