/*
 * A grant of the store: the channel to the relay of one execution, which is the
 * right to the memories and saved tools of one scope. A relay that breaks a
 * rule loses its grant; the others keep theirs.
 */
#ifndef WORKER_STORE_STORE_GRANT_H
#define WORKER_STORE_STORE_GRANT_H

#include "../../common/base/buffer.h"
#include "store.h"

/* Starts to answer requests on the channel, which is taken. */
void store_grant_new(struct store *store, struct ipc_grant_store *msg);

/* Ends every grant of the store. */
void store_grant_free_all(struct store *store);

/* Returns the scope of its requests. */
struct database *store_grant_database(struct store_grant *grant);
const char *store_grant_scope(const struct store_grant *grant);

/* How many new tools it may still save; each saved tool decrements it. */
unsigned int *store_grant_places(struct store_grant *grant);

/*
 * Whether a request is accepted: returns 1, or 0 if the grant has too many
 * unread answers, and the request was denied, or the grant is over.
 */
int store_grant_admit(struct store_grant *grant, uint64_t id);

/*
 * Answers a request: with JSON on one line if done is 0, otherwise with the
 * cause of the failure.
 */
void store_grant_answer(struct store_grant *grant, uint64_t id, int done,
    const struct buffer *json, const struct err *why);

/* The relay broke a rule: ends the grant, from the loop. */
void store_grant_break(struct store_grant *grant, const char *how);

#endif
