/* The broker as a whole: its lists, from start to end. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "tools/tools.h"
#include "state/state.h"
#include "broker.h"
#include "link/link.h"
#include "grant.h"

void
broker_init(struct broker *broker, struct event_base *base,
    channel_handler *const *routes)
{
	struct rlimit limit;

	*broker = (struct broker){ .base = base, .routes = routes };
	TAILQ_INIT(&broker->servers);
	TAILQ_INIT(&broker->removed);
	TAILQ_INIT(&broker->links);
	TAILQ_INIT(&broker->grants);
	broker->list_cache = list_cache_new(REMEMBERED_BYTES_MAX);
	broker->list_store = list_store_new(broker, server_recalled);
	broker->shapes = shapes_new();
	/*
	 * A message whose descriptors have no room would be lost, and its
	 * channel with it; so this limit is never exceeded by requests.
	 */
	if (getrlimit(RLIMIT_NOFILE, &limit) == -1)
		fatal("cannot get the limit of descriptors: %s",
		    strerror(errno));
	broker->files = (unsigned long)limit.rlim_cur;
	broker->most_links = (broker->files -
	    broker->files / BROKER_NOFILE_SHARE) / BROKER_NOFILE_LINK;
}

void
broker_clear(struct broker *broker)
{
	struct grant *grant;
	struct server *server;
	struct link *link;

	while ((grant = TAILQ_FIRST(&broker->grants)) != NULL)
		grant_free(&grant);
	while ((link = TAILQ_FIRST(&broker->links)) != NULL)
		link_free(&link);
	while ((server = TAILQ_FIRST(&broker->servers)) != NULL ||
	    (server = TAILQ_FIRST(&broker->removed)) != NULL)
		server_free(&server);
	list_store_free(&broker->list_store);
	shapes_free(&broker->shapes);
	list_cache_free(&broker->list_cache);
	audit_free(&broker->audit);
	channel_free(&broker->supervisor);
}
