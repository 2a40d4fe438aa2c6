/*
 * A client: see grant.h. Runs in the store.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "database.h"
#include "grant.h"

struct client {
	TAILQ_ENTRY(client) entry; /* of the store */
	struct store *store;
	struct channel *relay;
	uint64_t execution;
	char *scope;
	unsigned int places; /* for tools that it may still add */
	int over;
	struct event *ending; /* set off when it is over */
};

static void
client_free(struct client *client)
{
	TAILQ_REMOVE(&client->store->clients, client, entry);
	loop_event_free(&client->ending);
	channel_free(&client->relay);
	free(client->scope);
	free(client);
}

void
client_free_all(struct store *store)
{
	struct client *client;

	while ((client = TAILQ_FIRST(&store->clients)) != NULL)
		client_free(client);
}

static void
client_on_closed(void *ctx, const struct err *why)
{
	struct client *client = ctx;

	if (why != NULL)
		log_warn("the relay of execution %" PRIu64 " breaks the "
		    "rules: %s", client->execution, why->text);
	client_free(client);
}

static void
client_on_ending(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	client_free(arg);
}

void
client_new(struct store *store, struct ipc_client *msg)
{
	struct client *client = mem_alloc(sizeof(*client));
	struct channel_ends ends = { ROLE_STORE, ROLE_RELAY, store_routes(),
		client_on_closed, client };

	client->store = store;
	client->execution = msg->execution;
	client->scope = mem_strdup(msg->scope);
	client->places = SAVED_TOOLS_NEW_MAX;
	TAILQ_INSERT_TAIL(&store->clients, client, entry);
	client->relay = channel_new(store->base, &msg->relay, &ends);
	client->ending = evtimer_new(store->base, client_on_ending, client);
}

struct database *
client_database(struct client *client)
{
	database_look(client->store->database);
	return client->store->database;
}

const char *
client_scope(const struct client *client)
{
	return client->scope;
}

unsigned int *
client_places(struct client *client)
{
	return &client->places;
}

/* From the loop, because the caller may still hold the client. */
static void
client_end(struct client *client)
{
	client->over = 1;
	event_active(client->ending, EV_TIMEOUT, 0);
}

void
client_break(struct client *client, const char *how)
{
	log_warn("protocol violation by the relay of execution %" PRIu64
	    ": %s", client->execution, how);
	client_end(client);
}

/* A relay that cannot be sent anything any more costs only itself. */
static void
client_sent(struct client *client, int sent, const struct err *err)
{
	if (sent == 0)
		return;
	log_debug("execution %" PRIu64 " cannot be answered: %s",
	    client->execution, err->text);
	client_end(client);
}

static void
client_deny(struct client *client, uint64_t id, const char *reason)
{
	struct ipc_denied denied = { .id = id, .reason = reason };
	struct err err;

	client_sent(
	    client, channel_send_denied(client->relay, &denied, &err), &err);
}

int
client_admit(struct client *client, uint64_t id)
{
	struct err why;

	if (client->over)
		return 0;
	if (channel_unsent(client->relay) <= ANSWERS_UNREAD_MAX)
		return 1;
	err_set(&why, "%zu bytes of answers have not been read yet; no more "
	    "than %lu may wait", channel_unsent(client->relay),
	    ANSWERS_UNREAD_MAX);
	client_deny(client, id, why.text);
	return 0;
}

void
client_answer(struct client *client, uint64_t id, int done,
    const struct buffer *json, const struct err *why)
{
	struct ipc_answer answer = { .id = id,
		.payload = { (const uint8_t *)json->data, json->len, -1 } };
	struct err err;

	if (done == -1) {
		client_deny(client, id, why->text);
		return;
	}
	client_sent(
	    client, channel_send_answer(client->relay, &answer, &err), &err);
}
