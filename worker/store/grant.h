/*
 * A client: the channel to the relay of one execution, and with it the right
 * to the memories and saved tools of one scope. A relay that breaks a rule
 * loses its channel, and no other client anything. Runs in the store.
 */
#ifndef WORKER_STORE_GRANT_H
#define WORKER_STORE_GRANT_H

#include "../../common/buffer.h"
#include "store.h"

/* Begins to serve a client: takes the channel. */
void client_new(struct store *store, struct ipc_client *msg);

/* Forgets every client of the store. */
void client_free_all(struct store *store);

/* What its requests are about. */
struct database *client_database(struct client *client);
const char *client_scope(const struct client *client);

/* How many new tools it may still save; each that is saved counts it down. */
unsigned int *client_places(struct client *client);

/*
 * Whether a request may be looked at: returns 1, or 0 when the client has too
 * many answers unread, and was denied this one, or is over.
 */
int client_admit(struct client *client, uint64_t id);

/*
 * Answers a request: with JSON on one line when done is 0, else with why it
 * cannot be.
 */
void client_answer(struct client *client, uint64_t id, int done,
    const struct buffer *json, const struct err *why);

/* The relay broke a rule: ends the client, in a moment. */
void client_break(struct client *client, const char *how);

#endif
