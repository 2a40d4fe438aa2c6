/*
 * A grant: the channel to the relay of one execution, and with it the right
 * to the memories and saved tools of one scope. A relay that breaks a rule
 * loses its grant; the others keep theirs. Runs in the store.
 */
#ifndef WORKER_STORE_GRANT_H
#define WORKER_STORE_GRANT_H

#include "../../common/buffer.h"
#include "store.h"

/* Begins to answer what comes on the channel, which is taken. */
void grant_new(struct store *store, struct ipc_grant *msg);

/* Ends every grant of the store. */
void grant_free_all(struct store *store);

/* What its requests are about. */
struct database *grant_database(struct grant *grant);
const char *grant_scope(const struct grant *grant);

/* How many new tools it may still save; each that is saved counts it down. */
unsigned int *grant_places(struct grant *grant);

/*
 * Whether a request may be looked at: returns 1, or 0 when the grant has too
 * many answers unread, and was denied this one, or is over.
 */
int grant_admit(struct grant *grant, uint64_t id);

/*
 * Answers a request: with JSON on one line when done is 0, else with why it
 * cannot be.
 */
void grant_answer(struct grant *grant, uint64_t id, int done,
    const struct buffer *json, const struct err *why);

/* The relay broke a rule: ends the grant, in a moment. */
void grant_break(struct grant *grant, const char *how);

#endif
