/* A configured server: see link.h. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/clock.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../tools/tools.h"
#include "link.h"
#include "../state/state.h"

/* Start and end */

static int
server_compare(const void *a, const void *b)
{
	const struct server *x = a, *y = b;
	int names = strcmp(x->definition.name, y->definition.name);

	return names != 0 ? names :
	    strcmp(x->definition.owner, y->definition.owner);
}

/* A list of a thousand servers looks each of them up by its name. */
static struct server *
server_look_up(struct broker *broker, const char *owner, const char *name)
{
	const struct server wanted = { .definition.name = (char *)name,
		.definition.owner = (char *)owner };
	struct server *const *found =
	    tfind(&wanted, &broker->by_name, server_compare);

	return found == NULL ? NULL : *found;
}

static void
server_leave(struct server *server)
{
	tdelete(server, &server->broker->by_name, server_compare);
	TAILQ_REMOVE(&server->broker->servers, server, entry);
}

static void
server_replace(char **text, const char *new)
{
	free(*text);
	*text = mem_strdup(new);
}

static int server_is_done(const struct server *server);
static uint64_t server_pause_left(const struct server *server);
static void server_on_pause(evutil_socket_t fd, short what, void *arg);
static void server_end_recall(struct server *server);
static void server_on_turn(evutil_socket_t fd, short what, void *arg);
static void server_ready(struct server *server);
static void server_sent(struct server *server, struct ask *ask);
static void server_lost(struct server *server, struct ask_list *waiting,
    int failed, const char *how);
static void server_ended(struct server *server, const char *how);

static struct server *
server_new(struct broker *broker, const char *owner, const char *name)
{
	struct server *server = mem_alloc(sizeof(*server));

	server->broker = broker;
	server->definition.name = mem_strdup(name);
	server->definition.owner = mem_strdup(owner);
	LIST_INIT(&server->holds);
	TAILQ_INIT(&server->lists);
	TAILQ_INIT(&server->recalling);
	server->calls = queue_new();
	server->turn = evtimer_new(broker->base, server_on_turn, server);
	server->pause = evtimer_new(broker->base, server_on_pause, server);
	/* From now on lookups find it. */
	if (tsearch(server, &server->broker->by_name, server_compare) == NULL)
		fatal("out of memory");
	TAILQ_INSERT_TAIL(&server->broker->servers, server, entry);
	return server;
}

/* Replaces its definition by this one. */
static void
server_redefine(struct server *server, const struct ipc_define *define)
{
	struct definition *definition = &server->definition;
	uint8_t before[FINGERPRINT_SIZE];

	memcpy(before, definition->fingerprint, FINGERPRINT_SIZE);
	if (definition_set(definition, define) && server->link != NULL)
		link_tools_changed(server->link);
	/* The list that they wait for has the earlier fingerprint. */
	if (memcmp(before, definition->fingerprint, FINGERPRINT_SIZE) != 0) {
		server_end_recall(server);
		shapes_forget(server->broker->shapes, definition->name);
	}
}

void
server_define(struct broker *broker, const struct ipc_define *define)
{
	struct server *server;

	if (server_look_up(broker, "", define->name) == NULL)
		server_new(broker, "", define->name);
	TAILQ_FOREACH (server, &broker->servers, entry)
		if (strcmp(server->definition.name, define->name) == 0)
			server_redefine(server, define);
}

struct server *
server_find(struct broker *broker, const char *owner, const char *name)
{
	struct server *ours = server_look_up(broker, "", name);
	struct server *server;

	if (ours == NULL || owner[0] == '\0' || ours->definition.shared)
		return ours;
	server = server_look_up(broker, owner, name);
	if (server == NULL) {
		server = server_new(broker, owner, name);
		definition_copy(&server->definition, &ours->definition);
	}
	return server;
}

static void
server_destroy(struct server *server)
{
	if (server->removed)
		TAILQ_REMOVE(&server->broker->removed, server, entry);
	else
		server_leave(server);
	loop_event_free(&server->pause);
	loop_event_free(&server->turn);
	queue_free(&server->calls);
	definition_reset(&server->definition);
	free(server->about);
	free(server->last_how);
	free(server);
}

/* Returns an ask that waits with the server, or NULL. */
static struct ask *
server_waiting(const struct server *server)
{
	struct ask *ask = queue_peek(server->calls);

	return ask != NULL ? ask : TAILQ_FIRST(&server->lists);
}

void
server_free(struct server **serverp)
{
	struct server *server = mem_take(serverp);
	struct ask *ask;

	if (server == NULL)
		return;
	while ((ask = server_waiting(server)) != NULL ||
	    (ask = TAILQ_FIRST(&server->recalling)) != NULL)
		ask_free(&ask);
	server_destroy(server);
}

/* Whether it has no state that a newly created one would lack. */
static int
server_is_idle(const struct server *server)
{
	return !server->removed && server->definition.owner[0] != '\0' &&
	    LIST_EMPTY(&server->holds) && server_waiting(server) == NULL &&
	    TAILQ_EMPTY(&server->recalling) && server_pause_left(server) == 0;
}

/* Frees servers that cannot be found and are not referred to. */
static void
server_release(struct server *server)
{
	if (server->links == 0 &&
	    (server_is_done(server) || server_is_idle(server)))
		server_destroy(server);
}

void
server_drop_idle(struct broker *broker, const char *owner, const char *name)
{
	struct server *server =
	    owner[0] == '\0' ? NULL : server_look_up(broker, owner, name);

	if (server != NULL && server_is_idle(server))
		server_release(server);
}

/* Holds */

void
server_hold(struct server *server, struct server_hold *hold)
{
	hold->server = server;
	LIST_INSERT_HEAD(&server->holds, hold, entry);
	/* They may have changed since, or its client has others. */
	if (server->link != NULL && server->link->rooted)
		mcp_client_tell_roots(server->link->client);
}

void
server_unhold(struct server_hold *hold)
{
	struct server *server = mem_take(&hold->server);

	if (server == NULL)
		return;
	LIST_REMOVE(hold, entry);
	if (server->link != NULL)
		link_settle(server->link);
}

/* Ends all holds: grants look the server up by its name again. */
static void
server_end_holds(struct server *server)
{
	struct server_hold *hold;

	while ((hold = LIST_FIRST(&server->holds)) != NULL) {
		LIST_REMOVE(hold, entry);
		hold->server = NULL;
	}
}

/* Removal */

static void
server_refuse_waiting(struct server *server, const char *words)
{
	struct ask *ask;

	while ((ask = server_waiting(server)) != NULL)
		ask_refuse_words(&ask, words);
}

static void
server_refuse_all(struct server *server, const char *words)
{
	struct ask *ask;

	while ((ask = TAILQ_FIRST(&server->recalling)) != NULL)
		ask_refuse_words(&ask, words);
	server_refuse_waiting(server, words);
}

/* From now on lookups do not find it, and it cannot be started. */
static void
server_retire(struct server *server)
{
	server_leave(server);
	server->removed = true;
	TAILQ_INSERT_TAIL(&server->broker->removed, server, entry);
	loop_event_free(&server->pause);
}

void
server_remove(struct broker *broker, const char *name)
{
	struct server *server, *next;

	if (server_look_up(broker, "", name) == NULL)
		log_warn("the server to be removed does not exist: %s", name);
	shapes_forget(broker->shapes, name);
	for (server = TAILQ_FIRST(&broker->servers); server != NULL;
	     server = next) {
		next = TAILQ_NEXT(server, entry);
		if (strcmp(server->definition.name, name) == 0) {
			server_retire(server);
			if (server->link == NULL) {
				server_refuse_all(
				    server, " is no longer configured");
				server_end_holds(server);
			} else {
				server_end_recall(server);
				link_settle(server->link);
			}
			server_release(server);
		}
	}
}

/* A retired server. */
static void
server_revoke_one(struct server *server, const char *why)
{
	auto_buffer struct buffer words = { 0 };

	log_warn("server %s was stopped: %s", server->definition.name, why);
	shapes_forget(server->broker->shapes, server->definition.name);
	server_end_holds(server);
	if (server->link != NULL)
		link_revoke(server->link, why);
	buffer_add_text(&words, " ");
	reason_add_stopped(&words, why);
	server_refuse_all(server, words.data);
	server_release(server);
}

/* Retires the servers of this definition. */
static void
server_retire_all(struct broker *broker, uint64_t number)
{
	struct server *server, *next;

	for (server = TAILQ_FIRST(&broker->servers); server != NULL;
	     server = next) {
		next = TAILQ_NEXT(server, entry);
		if (server->definition.number == number)
			server_retire(server);
	}
}

void
server_revoke(struct broker *broker, uint64_t number, const char *why,
    void (*gone)(struct broker *broker, const char *name, const char *why))
{
	struct server *server, *next;

	server_retire_all(broker, number);
	/* A removed server may have ended meanwhile. */
	for (server = TAILQ_FIRST(&broker->removed); server != NULL;
	     server = next) {
		next = TAILQ_NEXT(server, entry);
		if (server->definition.number != number)
			continue;
		if (server_look_up(broker, "", server->definition.name) == NULL)
			gone(broker, server->definition.name, why);
		server_revoke_one(server, why);
	}
}

static void
server_unlinked(struct server *server)
{
	server->links--;
	server_release(server);
}

static int
server_is_done(const struct server *server)
{
	return server->removed && server_waiting(server) == NULL &&
	    LIST_EMPTY(&server->holds);
}

/* The description of a server */

int
server_find_tool(const struct server *server, struct json_span name,
    struct json_span *tool)
{
	struct cached_list list;

	*tool = (struct json_span){ NULL, 0 };
	return list_cache_find_any(
	           server->broker->list_cache, server->definition.fingerprint,
	           &list) &&
	    tools_find(list.data, list.len, list.index, name, tool);
}

/* Starting */

/* Refuses the waiting asks if there is no room for one more process. */
static int
server_has_room(struct server *server)
{
	const struct broker *broker = server->broker;
	auto_buffer struct buffer words = { 0 };
	const char *owner = server->definition.owner;

	/*
	 * An owner other than the local user gets half of what the others leave
	 * (link.h), so none can use up all processes.
	 */
	if (broker->open_links < broker->most_links &&
	    (owner[0] == '\0' ||
	        queue_may_have(link_count(broker, owner), 1,
	            broker->open_links, broker->most_links)))
		return 1;
	if (owner[0] == '\0')
		buffer_printf(&words, " cannot be started: %zu servers run, "
		    "and with a limit of %lu open files there is no room for "
		    "more (see \"ulimit -n\")", broker->open_links,
		    broker->files);
	else
		buffer_printf(&words, " cannot be started: %zu servers run for "
		    "this client, and the remaining processes are reserved for "
		    "others", link_count(broker, server->definition.owner));
	server_refuse_waiting(server, words.data);
	return 0;
}

/* The time in milliseconds before which no process of it may be started. */
static uint64_t
server_pause_left(const struct server *server)
{
	uint64_t now = clock_ms();

	return server->not_before > now ? server->not_before - now : 0;
}

/* Starts it now, or at the time from which it is allowed. */
void
server_start(struct server *server)
{
	uint64_t left = server_pause_left(server);

	if (server->link != NULL)
		return;
	if (left == 0) {
		if (server_has_room(server)) {
			static const struct link_ends ends = { server_is_done,
				server_ready, server_sent, server_lost,
				server_ended, server_unlinked };

			/* It is not freed before server_unlinked. */
			server->links++;
			server->link = link_new(
			    server->broker, server, &server->definition, &ends);
		}
		return;
	}
	if (!event_pending(server->pause, EV_TIMEOUT, NULL))
		loop_set_timer(server->pause, left);
}

static void
server_on_pause(evutil_socket_t, short, void *arg)
{
	server_start(arg);
}

static void
server_pass(struct server *server, struct ask *ask)
{
	loop_event_free(&ask->patience);
	link_ask(server->link, ask);
}

static int
server_is_ready(const struct server *server)
{
	return server->link != NULL &&  server->link->state == LINK_READY;
}

uint64_t
server_list(const struct server *server)
{
	struct cached_list list;

	return list_cache_find_any(server->broker->list_cache,
	           server->definition.fingerprint, &list) ? list.version : 0;
}

int
server_must_list(const struct server *server, struct json_span tool)
{
	int ready = server_is_ready(server);
	struct json_span entry;

	if (ready && !mcp_client_has(server->link->client, MCP_TOOLS))
		return 0;
	return server_list(server) == 0 ||
	    (!(ready && listing_is_fresh(server->link->listing)) &&
	        !server_find_tool(server, tool, &entry));
}

/* Passes on calls for which there are places, in the turns of executions. */
static void
server_take_turns(struct server *server)
{
	struct ask *ask;

	while (server_is_ready(server) &&
	    (ask = queue_take(
	        server->calls, server->definition.concurrency)) != NULL)
		server_pass(server, ask);
}

static void
server_on_turn(evutil_socket_t, short, void *arg)
{
	struct server *server = arg;

	server_take_turns(server);
	if (server->link != NULL)
		link_settle(server->link);
}

static void
server_sent(struct server *server, struct ask *ask)
{
	queue_sent(server->calls, ask);
	/* It may be repeated, if there are no sessions. */
	if (!mcp_client_said(ask->link->client)->stateless)
		ask_drop_params(ask);
}

/* A call, which waits or has a place, is freed. */
static void
server_forget(struct server *server, struct ask *ask)
{
	if (ask->link != NULL)
		questions_forget(ask->link, ask);
	queue_remove(server->calls, ask);
	/* From the loop: the caller may be in the middle of a line. */
	if (queue_peek(server->calls) != NULL)
		event_active(server->turn, EV_TIMEOUT, 0);
}

/* Sends the asks that wait for its link. */
static void
server_ready(struct server *server)
{
	const struct buffer *about =
	    &mcp_client_said(server->link->client)->about;
	struct ask *ask;

	server_replace(&server->about, about->len > 0 ? about->data : "");
	while ((ask = TAILQ_FIRST(&server->lists)) != NULL)
		server_pass(server, ask);
	server_take_turns(server);
}

/*
 * After the first failure the next start is allowed at once; after each further
 * one in a row only after a pause, which doubles.
 */
static void
server_count_failure(struct server *server)
{
	uint64_t pause = SERVER_PAUSE_FIRST_MS;
	unsigned int n;

	server->failures++;
	if (server->failures == 1)
		return;
	for (n = 2; n < server->failures && pause < SERVER_PAUSE_MOST_MS; n++)
		pause *= 2;
	if (pause > SERVER_PAUSE_MOST_MS)
		pause = SERVER_PAUSE_MOST_MS;
	server->not_before = clock_ms() + pause;
}

static void
server_lost(struct server *server, struct ask_list *waiting, int failed,
    const char *how)
{
	struct ask *ask;

	server->link = NULL;
	if (server->removed)
		server_end_holds(server);
	while ((ask = server_waiting(server)) != NULL) {
		loop_event_free(&ask->patience);
		if (ask->turn != NULL)
			queue_remove(server->calls, ask);
		ask_move(ask, waiting);
	}
	/* The next process of it starts with all places. */
	TAILQ_FOREACH (ask, waiting, entry)
		if (ask->turn != NULL)
			queue_remove(server->calls, ask);
	server_replace(&server->last_how, how);
	if (failed)
		server_count_failure(server);
	else
		server->failures = 0;
}

static void
server_ended(struct server *server, const char *how)
{
	server_replace(&server->last_how, how);
}

/* Asks */

struct ask *
server_new_ask(struct server *server, const struct ask_ends *ends, uint64_t id,
    enum ask_kind kind)
{
	struct ask *ask =
	    ask_new(server->broker, &server->definition, ends, id, kind);

	ask->server = server;
	ask->forget = server_forget;
	return ask;
}

static void
server_add_pause(const struct server *server, struct buffer *reason)
{
	buffer_printf(reason, " failed %u times in a row and can be started "
	    "again in ", server->failures);
	reason_add_seconds(reason, (server_pause_left(server) + 999) / 1000);
	buffer_printf(reason, "; the last time it %s", server->last_how);
}

/* Refuses because it does not run, and may not be started for a while. */
static void
server_refuse_stopped(struct server *server, struct ask *ask)
{
	auto_buffer struct buffer reason = { 0 };

	definition_begin_reason(&server->definition, &reason);
	if (server->link != NULL)
		link_add_starting(server->link, &reason);
	else
		server_add_pause(server, &reason);
	ask_refuse(&ask, &reason, (struct json_span){ NULL, 0 });
}

/* It has waited long enough, unless it waits for a place by now. */
static void
server_on_impatience(evutil_socket_t, short, void *arg)
{
	struct ask *ask = arg;
	struct server *server = ask->server;

	if (server_is_ready(server))
		return;
	server_refuse_stopped(server, ask);
	if (server->link != NULL)
		link_settle(server->link);
}

/* Refuses an ask whose execution has started too many servers. */
static void
server_refuse_start(struct ask *ask)
{
	auto_buffer struct buffer words = { 0 };

	buffer_printf(&words, " is not started: this execution has started %d "
	    "servers, which is the maximum; use it in another execution",
	    GRANT_STARTS_MAX);
	ask->outcome = AUDIT_REFUSED;
	ask_refuse_words(&ask, words.data);
}

/* Starts the wait for its start, of this many milliseconds. */
static void
server_wait(struct server *server, struct ask *ask, uint64_t ms)
{
	if (server->link == NULL && ask->ends->starts != NULL &&
	    !ask->ends->starts(ask)) {
		server_refuse_start(ask);
		return;
	}

	ask->patience =
	    evtimer_new(server->broker->base, server_on_impatience, ask);
	loop_set_timer(ask->patience, ms);
	server_start(server);
}

static void
server_refuse_full(struct server *server, struct ask *ask)
{
	auto_buffer struct buffer words = { 0 };

	buffer_printf(&words, " is %s, and too much waits for it already: "
	    "%zu bytes of calls, of at most %lu MiB, of which an execution "
	    "gets half of what the others leave",
	    server_is_ready(server) ? "busy" : "still starting",
	    queue_bytes(server->calls), SERVER_UNWRITTEN_MAX / MIB);
	ask->outcome = AUDIT_REFUSED;
	ask_refuse_words(&ask, words.data);
}

/* Only the execution limits how long a call waits for a place. */
static void
server_call(struct server *server, struct ask *ask)
{
	if (!queue_has_room(server->calls, ask->grant, ask->params.len)) {
		server_refuse_full(server, ask);
		return;
	}
	queue_put(server->calls, ask);
	if (!server_is_ready(server))
		server_wait(server, ask, SERVER_WAIT_MS);
	else
		server_take_turns(server);
}

/* A call that does not fit the known list waited long enough for another. */
static void
server_on_hurry(evutil_socket_t, short, void *arg)
{
	struct ask *ask = arg;
	struct server *server = ask->server;

	ask_refuse_words(&ask, " has not listed its tools");
	if (server->link != NULL)
		link_settle(server->link);
}

void
server_ask(struct server *server, struct ask *ask)
{
	if (ask->kind == ASK_TOOLS && ask->says.len > 0) {

		ask->hurry = evtimer_new(server->broker->base, server_on_hurry,
		    ask);
		loop_set_timer(ask->hurry, SERVER_RELIST_MS);
	}
	if (ask->kind == ASK_CALL) {
		server_call(server, ask);
	} else if (server_is_ready(server)) {
		link_ask(server->link, ask);
	} else {
		ask_move(ask, &server->lists);
		server_wait(server, ask, SERVER_WAIT_MS);
	}
}

/*
 * Asks that can be answered without its tools wait for its start for a limited
 * time, which one start delays by no more than that in total.
 */
static void
server_look(struct server *server, struct ask *ask)
{
	uint64_t age =
	    server->link == NULL ? 0 : clock_ms() - server->link->begun;
	uint64_t most = server->failures > 0 ? SERVER_LOOK_AGAIN_MS
	                                     : SERVER_LOOK_MS;

	if (server_is_ready(server)) {
		link_ask(server->link, ask);
	} else if (age >= most ||
	    (server->link == NULL && server_pause_left(server) > 0)) {
		server_refuse_stopped(server, ask);
	} else {
		ask_move(ask, &server->lists);
		server_wait(server, ask, most - age);
	}
}

/* Answers from the cache; returns whether that was possible. */
static int
server_answer(struct server *server, struct ask *ask)
{
	struct cached_list list;

	if (server_is_ready(server) ||
	    !list_cache_find(server->broker->list_cache,
	        server->definition.fingerprint, &list))
		return 0;
	ask_answer(&ask, list.data, list.len);
	return 1;
}

void
server_recall(struct server *server, struct ask *ask)
{
	int first = TAILQ_EMPTY(&server->recalling);

	if (server_answer(server, ask))
		return;
	/* Stored lists are looked up only for configured servers. */
	if (server_is_ready(server) || server->removed || (first &&
	        !list_store_recall(server->broker->list_store,
	            server->definition.fingerprint)))
		server_look(server, ask);
	else
		ask_move(ask, &server->recalling);
}

static void
server_end_recall(struct server *server)
{
	struct ask *ask;

	while ((ask = TAILQ_FIRST(&server->recalling)) != NULL)
		if (!server_answer(server, ask)) {
			ask_move(ask, NULL);
			server_look(server, ask);
		}
}

void
server_recalled(struct broker *broker, const uint8_t *fingerprint)
{
	struct server *server;

	TAILQ_FOREACH (server, &broker->servers, entry)
		if (fingerprint == NULL ||
		    memcmp(server->definition.fingerprint, fingerprint,
		        FINGERPRINT_SIZE) == 0)
			server_end_recall(server);
}

void
server_withdraw(struct ask **askp, const char *why)
{
	struct ask *ask = mem_take(askp);
	struct server *server = ask->server;
	struct link *link = ask->link != NULL ? ask->link : server->link;

	if (ask->link != NULL)
		link_withdraw(ask->link, ask, why);
	ask_free(&ask);
	if (link != NULL)
		link_settle(link);
}
