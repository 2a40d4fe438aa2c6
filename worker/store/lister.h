/*
 * The lister: the channel to the broker, which looks up and keeps lists of
 * tools. One that breaks a rule loses it, and the lists are kept. Runs in the
 * store.
 */
#ifndef WORKER_STORE_LISTER_H
#define WORKER_STORE_LISTER_H

#include "store.h"

/* Takes the channel, in the place of the one before. */
void lister_set(struct store *store, struct ipc_lister *msg);

/* Ends the channel, if there is one. */
void lister_free(struct store *store);

/* The broker broke a rule, or does not read: ends the channel, in a moment. */
void lister_break(struct store *store, const char *how);

#endif
