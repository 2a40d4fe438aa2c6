/*
 * A grant: see grant.h. Runs in the store.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "database.h"
#include "grant.h"

struct grant {
	TAILQ_ENTRY(grant) entry; /* of the store */
	struct store *store;
	struct channel *relay;
	uint64_t execution;
	char *scope;
	unsigned int places; /* number of tools that it may still add */
	int over;
	struct event *ending; /* activated when it is over */
};

static void
grant_free(struct grant *grant)
{
	TAILQ_REMOVE(&grant->store->grants, grant, entry);
	loop_event_free(&grant->ending);
	channel_free(&grant->relay);
	free(grant->scope);
	free(grant);
}

void
grant_free_all(struct store *store)
{
	struct grant *grant;

	while ((grant = TAILQ_FIRST(&store->grants)) != NULL)
		grant_free(grant);
}

static void
grant_on_closed(void *ctx, const struct err *why)
{
	struct grant *grant = ctx;

	if (why != NULL)
		log_warn("the relay of execution %" PRIu64 " violates the "
		    "protocol: %s", grant->execution, why->text);
	grant_free(grant);
}

static void
grant_on_ending(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	grant_free(arg);
}

void
grant_new(struct store *store, struct ipc_grant *msg)
{
	struct grant *grant = mem_alloc(sizeof(*grant));
	struct channel_ends ends = { ROLE_STORE, ROLE_RELAY, store->routes,
		grant_on_closed, grant };

	grant->store = store;
	grant->execution = msg->execution;
	grant->scope = mem_strdup(msg->scope);
	grant->places = SAVED_TOOLS_NEW_MAX;
	TAILQ_INSERT_TAIL(&store->grants, grant, entry);
	grant->relay = channel_new(store->base, &msg->relay, &ends);
	grant->ending = evtimer_new(store->base, grant_on_ending, grant);
}

struct database *
grant_database(struct grant *grant)
{
	database_look(grant->store->database);
	return grant->store->database;
}

const char *
grant_scope(const struct grant *grant)
{
	return grant->scope;
}

unsigned int *
grant_places(struct grant *grant)
{
	return &grant->places;
}

/* From the loop, because the caller may still use the grant. */
static void
grant_end(struct grant *grant)
{
	grant->over = 1;
	event_active(grant->ending, EV_TIMEOUT, 0);
}

void
grant_break(struct grant *grant, const char *how)
{
	log_warn("protocol violation by the relay of execution %" PRIu64
	    ": %s", grant->execution, how);
	grant_end(grant);
}

/* If a relay cannot be sent an answer, only its own grant ends. */
static void
grant_sent(struct grant *grant, int sent, const struct err *err)
{
	if (sent == 0)
		return;
	log_debug("execution %" PRIu64 " cannot be answered: %s",
	    grant->execution, err->text);
	grant_end(grant);
}

static void
grant_deny(struct grant *grant, uint64_t id, const char *reason)
{
	struct ipc_denied denied = { .id = id, .reason = reason };
	struct err err;

	grant_sent(
	    grant, channel_send_denied(grant->relay, &denied, &err), &err);
}

int
grant_admit(struct grant *grant, uint64_t id)
{
	struct err why;

	if (grant->over)
		return 0;
	if (channel_unsent(grant->relay) <= ANSWERS_UNREAD_MAX)
		return 1;
	err_set(&why, "%zu bytes of answers have not been read yet; at most "
	    "%lu may wait", channel_unsent(grant->relay),
	    ANSWERS_UNREAD_MAX);
	grant_deny(grant, id, why.text);
	return 0;
}

void
grant_answer(struct grant *grant, uint64_t id, int done,
    const struct buffer *json, const struct err *why)
{
	struct ipc_answer answer = { .id = id,
		.payload = { (const uint8_t *)json->data, json->len, -1 } };
	struct err err;

	if (done == -1) {
		grant_deny(grant, id, why->text);
		return;
	}
	grant_sent(
	    grant, channel_send_answer(grant->relay, &answer, &err), &err);
}
