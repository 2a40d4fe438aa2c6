/*
 * What a relay asks of the broker: the whole surface between the two. Runs in
 * the broker.
 */
#include "broker.h"

void
broker_on_call_tool(struct session *session, struct ipc_call_tool *call)
{
	(void)session;
	(void)call;
}

void
broker_on_list_tools(struct session *session, struct ipc_list_tools *list)
{
	(void)session;
	(void)list;
}

void
broker_on_list_servers(struct session *session, struct ipc_list_servers *list)
{
	(void)session;
	(void)list;
}

void
broker_on_load_server(struct session *session, struct ipc_load_server *load)
{
	(void)session;
	(void)load;
}
