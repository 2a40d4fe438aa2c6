/*
 * A grant: the channel to the relay of one execution, which is the right to the
 * memories and saved tools of one scope. A relay that breaks a rule loses its
 * grant; the others keep theirs. Runs in the store.
 */
#ifndef WORKER_STORE_GRANT_H
#define WORKER_STORE_GRANT_H

#include "../../common/base/buffer.h"
#include "store.h"

/* Starts to answer requests on the channel, which is taken. */
void grant_new(struct store *store, struct ipc_grant *msg);

/* Ends every grant of the store. */
void grant_free_all(struct store *store);

/* Returns the scope of its requests. */
struct database *grant_database(struct grant *grant);
const char *grant_scope(const struct grant *grant);

/* How many new tools it may still save; each saved tool decrements it. */
unsigned int *grant_places(struct grant *grant);

/*
 * Whether a request is accepted: returns 1, or 0 if the grant has too many
 * unread answers, and the request was denied, or the grant is over.
 */
int grant_admit(struct grant *grant, uint64_t id);

/*
 * Answers a request: with JSON on one line if done is 0, otherwise with the
 * cause of the failure.
 */
void grant_answer(struct grant *grant, uint64_t id, int done,
    const struct buffer *json, const struct err *why);

/* The relay broke a rule: ends the grant, from the loop. */
void grant_break(struct grant *grant, const char *how);

#endif
