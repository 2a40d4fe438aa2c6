/* A grant of the store: see store_grant.h. */
#include <stdlib.h>

#include "../../common/ipc/exchange.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "database.h"
#include "store_grant.h"

struct store_grant {
	TAILQ_ENTRY(store_grant) entry; /* of the store */
	struct store *store;
	struct exchange exchange;
	char *scope;
	uint64_t most; /* bytes of it */
	unsigned int places; /* number of tools that it may still add */
};

static void
store_grant_free(struct store_grant *grant)
{
	TAILQ_REMOVE(&grant->store->grants, grant, entry);
	exchange_close(&grant->exchange);
	free(grant->scope);
	free(grant);
}

void
store_grant_free_all(struct store *store)
{
	struct store_grant *grant;

	while ((grant = TAILQ_FIRST(&store->grants)) != NULL)
		store_grant_free(grant);
}

static void
store_grant_on_closed(void *ctx, const struct err *why)
{
	struct store_grant *grant = ctx;

	exchange_note_closed(&grant->exchange, why);
	store_grant_free(grant);
}

static void
store_grant_on_ending(evutil_socket_t, short, void *arg)
{
	store_grant_free(arg);
}

void
store_grant_new(struct store *store, struct ipc_grant_store *msg)
{
	struct store_grant *grant = mem_alloc(sizeof(*grant));
	struct channel_ends ends = { ROLE_STORE, ROLE_RELAY, store->routes,
		store_grant_on_closed, grant };

	grant->store = store;
	grant->scope = mem_strdup(msg->scope);
	grant->most = msg->most;
	grant->places = SAVED_TOOLS_NEW_MAX;
	TAILQ_INSERT_TAIL(&store->grants, grant, entry);
	exchange_open(&grant->exchange, store->base, &msg->relay,
	    msg->execution, &ends, store_grant_on_ending);
}

struct database *
store_grant_database(struct store_grant *grant)
{
	database_look(grant->store->database);
	database_limit(grant->store->database, grant->most);
	return grant->store->database;
}

const char *
store_grant_scope(const struct store_grant *grant)
{
	return grant->scope;
}

unsigned int *
store_grant_places(struct store_grant *grant)
{
	return &grant->places;
}

void
store_grant_break(struct store_grant *grant, const char *how)
{
	exchange_break(&grant->exchange, how);
}

static void
store_grant_deny(struct store_grant *grant, uint64_t id, const char *reason)
{
	struct ipc_denied denied = { .id = id, .reason = reason };
	struct err err;

	exchange_sent(&grant->exchange,
	    channel_send_denied(grant->exchange.relay, &denied, &err), &err);
}

int
store_grant_admit(struct store_grant *grant, uint64_t id)
{
	auto_buffer struct buffer reason = { 0 };

	if (grant->exchange.over)
		return 0;
	if (!exchange_is_full(&grant->exchange, 0))
		return 1;
	exchange_add_full(&grant->exchange, &reason);
	store_grant_deny(grant, id, reason.data);
	return 0;
}

void
store_grant_answer(struct store_grant *grant, uint64_t id, int done,
    const struct buffer *json, const struct err *why)
{
	struct ipc_answer answer = { .id = id,
		.payload = { (const uint8_t *)json->data, json->len, -1 } };
	struct err err;

	if (done == -1) {
		auto_free char *reason =
		    database_reason(store_grant_database(grant), why);

		store_grant_deny(grant, id, reason);
		return;
	}
	exchange_sent(&grant->exchange,
	    channel_send_answer(grant->exchange.relay, &answer, &err), &err);
}
