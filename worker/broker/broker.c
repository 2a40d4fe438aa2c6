/*
 * The broker as a whole: its lists, from the beginning to the end. Runs in the
 * broker.
 */
#include <time.h>

#include "broker.h"
#include "link.h"
#include "server.h"
#include "session.h"

void
broker_init(struct broker *broker, struct event_base *base)
{
	*broker = (struct broker){ .base = base };
	TAILQ_INIT(&broker->servers);
	TAILQ_INIT(&broker->links);
	TAILQ_INIT(&broker->sessions);
}

void
broker_clear(struct broker *broker)
{
	struct session *session;
	struct server *server;
	struct link *link;

	while ((session = TAILQ_FIRST(&broker->sessions)) != NULL)
		session_free(&session);
	while ((link = TAILQ_FIRST(&broker->links)) != NULL)
		link_free(&link);
	while ((server = TAILQ_FIRST(&broker->servers)) != NULL)
		server_free(&server);
	channel_free(&broker->supervisor);
}

uint64_t
broker_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
