/*
 * The broker's connection to the store. Lists of tools from the store are put
 * in the cache (list_cache.h); lists in the cache are stored. The store is
 * requested when it is first needed. If it is unavailable, does not answer, or
 * violates the protocol, only its lists are missing. Runs in the broker.
 */
#ifndef WORKER_BROKER_LIST_STORE_H
#define WORKER_BROKER_LIST_STORE_H

#include <stdint.h>

#include "list_cache.h"

struct list_store;
struct broker;
struct ipc_lists;
struct ipc_recalled;

/*
 * recalled is called when a requested fingerprint is answered, or with NULL
 * when no request will be answered any more.
 */
struct list_store *list_store_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint));
void list_store_free(struct list_store **store);

/* The supervisor passes the channel. */
void list_store_open(struct list_store *store, struct ipc_lists *lists);

/*
 * Looks up a fingerprint. Returns 1 if every server of that fingerprint will be
 * notified (by recalled), from the loop and within TOOL_LISTS_WAIT_MS; 0 if
 * there is no store.
 */
int list_store_recall(struct list_store *store, const uint8_t *fingerprint);

/*
 * Stores the list in the cache now; without one, or if it is in doubt, the
 * stored list is removed.
 */
void list_store_retain(struct list_store *store, const uint8_t *fingerprint);

/* It answers. */
void list_store_recalled(
    struct list_store *store, struct ipc_recalled *recalled);

#endif
