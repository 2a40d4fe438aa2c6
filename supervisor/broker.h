/*
 * The broker as the supervisor sees it: started when the first execution may
 * use servers, told of every server by name, given a channel for each
 * execution, and started again when it has died. What it wants started is
 * looked up here. Runs in the supervisor; reads no byte of a server.
 */
#ifndef SUPERVISOR_BROKER_H
#define SUPERVISOR_BROKER_H

#include "../common/channel.h"
#include "../common/err.h"

struct broker;

/* on_broker.c: the handlers, the whole surface to the broker. */
void supervisor_on_want(struct broker *broker, struct ipc_want *want);
void supervisor_on_let_go(struct broker *broker, struct ipc_let_go *let_go);
void supervisor_on_tried(struct broker *broker, struct ipc_tried *tried);

#endif
