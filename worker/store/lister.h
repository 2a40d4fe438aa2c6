/*
 * The lister: the channel to the broker, which looks up and stores lists of
 * tools. A broker that breaks a rule loses it; the lists remain. Runs in the
 * store.
 */
#ifndef WORKER_STORE_LISTER_H
#define WORKER_STORE_LISTER_H

#include "store.h"

/* Takes the channel, which replaces an earlier one. */
void lister_set(struct store *store, struct ipc_lister *msg);

/* Waits until the broker has closed the channel, after all its messages. */
void lister_finish(struct store *store);

/* Ends the channel, if there is one. */
void lister_free(struct store *store);

/*
 * The broker broke a rule, or does not read: ends the channel, from the loop.
 */
void lister_break(struct store *store, const char *how);

#endif
