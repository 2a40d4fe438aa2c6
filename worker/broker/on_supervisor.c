/*
 * What the supervisor tells the broker: the whole surface between the two.
 * Runs in the broker.
 */
#include "broker.h"

void
broker_on_define(struct broker *broker, struct ipc_define *define)
{
	(void)broker;
	(void)define;
}

void
broker_on_remove(struct broker *broker, struct ipc_remove *remove)
{
	(void)broker;
	(void)remove;
}

void
broker_on_session(struct broker *broker, struct ipc_session *session)
{
	(void)broker;
	(void)session;
}

void
broker_on_launched(struct broker *broker, struct ipc_launched *launched)
{
	(void)broker;
	(void)launched;
}

void
broker_on_ended(struct broker *broker, struct ipc_ended *ended)
{
	(void)broker;
	(void)ended;
}

void
broker_on_try(struct broker *broker, struct ipc_try *try)
{
	(void)broker;
	(void)try;
}
