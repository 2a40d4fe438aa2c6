/*
 * What the broker tells the supervisor: the whole surface between the two. It
 * names servers and numbers; what they mean is looked up here. Runs in the
 * supervisor.
 */
#include "broker.h"

void
supervisor_on_want(struct broker *broker, struct ipc_want *want)
{
	(void)broker;
	(void)want;
}

void
supervisor_on_let_go(struct broker *broker, struct ipc_let_go *let_go)
{
	(void)broker;
	(void)let_go;
}

void
supervisor_on_tried(struct broker *broker, struct ipc_tried *tried)
{
	(void)broker;
	(void)tried;
}
