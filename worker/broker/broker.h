/*
 * The broker: the client of the user's downstream MCP servers. It holds the
 * pipes of the servers and one channel for each execution, and decides by that
 * channel alone what an execution may use. It can start nothing, open nothing
 * and kill nothing: it asks the supervisor by name. Everything of this folder
 * runs in that process only.
 *
 * The parts: a session (session.h) asks a server (server.h); what it asks
 * is an ask (ask.h), which waits with the server until there is a link
 * (link.h), one process of it, and then with that. A link has pipes (pipes.h),
 * the protocol (mcp_client.h) and the list of tools (listing.h). Nothing of
 * these is freed while a function below it on the stack still has it: what
 * must end ends from the loop.
 *
 * Calls go down only: main, routes, on_*, broker, try, session, server, link,
 * listing, archive, to_supervisor, queue, ask, and the decoders of bytes.
 * Upwards there are only callbacks, which are given at construction.
 */
#ifndef WORKER_BROKER_BROKER_H
#define WORKER_BROKER_BROKER_H

#include <sys/queue.h>

#include "../../common/buffer.h"
#include "../../common/channel.h"
#include "../../common/ipc.h"

struct archive;
struct audit;
struct definition;
struct link;
struct server;
struct session;
struct shapes;
struct shelf;

struct broker {
	struct event_base *base;
	channel_handler *const *routes; /* of every message to it */
	struct channel *supervisor;
	TAILQ_HEAD(broker_servers, server) servers; /* that are configured */
	struct broker_servers removed; /* of those: until nothing uses them */
	void *by_name; /* the same, as a tree: server.c */
	TAILQ_HEAD(broker_links, link) links;       /* until their ENDED */
	TAILQ_HEAD(broker_sessions, session) sessions;
	struct shelf *shelf; /* the lists of tools that are remembered */
	struct archive *archive; /* keeps them */
	struct shapes *shapes; /* of what their tools have returned */
	uint64_t last_link;
	size_t unwritten;    /* bytes that servers have still to take */
	struct audit *audit; /* NULL: calls are not recorded */
	size_t open_links;   /* that have pipes, or will have them */
	size_t most_links;   /* so many, for want of descriptors */
	unsigned long files; /* the limit of descriptors that this is of */
};

/*
 * broker.c: an empty broker around a loop, whose channels have these handlers,
 * and the end of one. To be made before the lockdown, as it asks for the limit
 * of descriptors.
 */
void broker_init(struct broker *broker, struct event_base *base,
    channel_handler *const *routes);
void broker_clear(struct broker *broker);

/* routes.c: the dispatch table of this process. */
channel_handler *const *broker_routes(void);

/* on_supervisor.c: the handlers. */
void broker_on_define(struct broker *broker, struct ipc_define *define);
void broker_on_remove(struct broker *broker, struct ipc_remove *remove);
void broker_on_revoke(struct broker *broker, struct ipc_revoke *revoke);
void broker_on_session(struct broker *broker, struct ipc_session *session);
void broker_on_launched(struct broker *broker, struct ipc_launched *launched);
void broker_on_ended(struct broker *broker, struct ipc_ended *ended);
void broker_on_audit(struct broker *broker, struct ipc_audit *audit);
void broker_on_try(struct broker *broker, struct ipc_try *try);
void broker_on_lists(struct broker *broker, struct ipc_lists *lists);

/*
 * to_supervisor.c: messages to the supervisor. One that cannot be sent is
 * fatal, except the one that asks for the store.
 */

/* Asks for a process of the server of this definition. */
void to_supervisor_want(struct broker *broker, uint64_t link,
    const struct definition *definition);

/* Says that a process must end now. */
void to_supervisor_let_go(struct broker *broker, uint64_t link);

/* Asks for the channel to the store. */
void to_supervisor_want_lists(struct broker *broker);

/*
 * try.c: asks the server of this name for its tools, and sends the supervisor
 * their list, or the reason why there is none.
 */
void try_server(struct broker *broker, const char *name);

/* on_store.c: the handler. */
void broker_on_recalled(
    struct archive *archive, struct ipc_recalled *recalled);

/* on_relay.c: the handlers, one session each. */
void broker_on_call_tool(struct session *session, struct ipc_call_tool *call);
void broker_on_cancel_call(
    struct session *session, struct ipc_cancel_call *cancel);
void broker_on_list_tools(struct session *session, struct ipc_list_tools *list);
void broker_on_list_servers(
    struct session *session, struct ipc_list_servers *list);
void broker_on_load_server(
    struct session *session, struct ipc_load_server *load);

#endif
