/*
 * The lists that the broker holds, and its messages to the supervisor. Runs in
 * the broker.
 */
#ifndef WORKER_BROKER_STATE_STATE_H
#define WORKER_BROKER_STATE_STATE_H

#include <sys/queue.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/channel.h"
#include "../../../common/ipc/ipc.h"

struct list_store;
struct audit;
struct definition;
struct link;
struct server;
struct grant;
struct shapes;
struct list_cache;

struct broker {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	TAILQ_HEAD(broker_servers, server) servers; /* that are configured */
	struct broker_servers removed; /* removed, but still in use */
	void *by_name; /* the configured ones, as a tree: server.c */
	TAILQ_HEAD(broker_links, link) links;       /* until their ENDED */
	TAILQ_HEAD(broker_grants, grant) grants;
	struct list_cache *list_cache; /* lists of tools, in memory */
	struct list_store *list_store; /* the same, in the store */
	struct shapes *shapes; /* the shapes of their results */
	uint64_t last_link;
	size_t unwritten;    /* bytes not yet taken by servers */
	struct audit *audit; /* NULL: calls are not recorded */
	size_t open_links;   /* links that have pipes, or will have them */
	size_t most_links;   /* their maximum, from the descriptor limit */
	unsigned long files; /* that descriptor limit */
};

/*
 * to_supervisor.c: messages to the supervisor. A failure to send is fatal,
 * except for the request of the store.
 */

/* Requests a process of the server of this definition. */
void to_supervisor_want(struct broker *broker, uint64_t link,
    const struct definition *definition);

/* Requests that a process be ended. */
void to_supervisor_let_go(struct broker *broker, uint64_t link);

/* Requests the channel to the store. */
void to_supervisor_want_lists(struct broker *broker);

#endif
