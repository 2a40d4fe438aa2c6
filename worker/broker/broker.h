/*
 * The broker: the client of the user's downstream MCP servers. It holds the
 * pipes of the servers and one channel for each execution, and decides by that
 * channel alone what an execution may use. It can start nothing, open nothing
 * and kill nothing: it asks the supervisor by name. Everything of this folder
 * runs in that process only.
 */
#ifndef WORKER_BROKER_BROKER_H
#define WORKER_BROKER_BROKER_H

#include "../../common/channel.h"
#include "../../common/ipc.h"

struct session;

struct broker {
	struct event_base *base;
	struct channel *supervisor;
};

/* on_supervisor.c: the handlers. */
void broker_on_define(struct broker *broker, struct ipc_define *define);
void broker_on_remove(struct broker *broker, struct ipc_remove *remove);
void broker_on_session(struct broker *broker, struct ipc_session *session);
void broker_on_launched(struct broker *broker, struct ipc_launched *launched);
void broker_on_ended(struct broker *broker, struct ipc_ended *ended);
void broker_on_try(struct broker *broker, struct ipc_try *try);

/* on_relay.c: the handlers, one session each. */
void broker_on_call_tool(struct session *session, struct ipc_call_tool *call);
void broker_on_list_tools(struct session *session, struct ipc_list_tools *list);
void broker_on_list_servers(
    struct session *session, struct ipc_list_servers *list);
void broker_on_load_server(
    struct session *session, struct ipc_load_server *load);

#endif
