/*
 * The archive: the broker's connection to the store. Lists of tools from the
 * store are put on the shelf (shelf.h); lists on the shelf are stored. The
 * store is requested when it is first needed. If it is unavailable, does not
 * answer, or violates the protocol, only its lists are missing. Runs in the
 * broker.
 */
#ifndef WORKER_BROKER_ARCHIVE_H
#define WORKER_BROKER_ARCHIVE_H

#include <stdint.h>

#include "shelf.h"

struct archive;
struct broker;
struct ipc_lists;
struct ipc_recalled;

/*
 * recalled is called when a requested fingerprint is answered, or with NULL
 * when no request will be answered any more.
 */
struct archive *archive_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint));
void archive_free(struct archive **archive);

/* The supervisor passes the channel. */
void archive_open(struct archive *archive, struct ipc_lists *lists);

/*
 * Looks up a fingerprint. Returns 1 if every server of that fingerprint will be
 * notified (by recalled), from the loop and within TOOL_LISTS_WAIT_MS; 0 if
 * there is no store.
 */
int archive_recall(struct archive *archive, const uint8_t *fingerprint);

/*
 * Stores the list on the shelf now; without one, or if it is in doubt, the
 * stored list is removed.
 */
void archive_retain(struct archive *archive, const uint8_t *fingerprint);

/* It answers. */
void archive_recalled(struct archive *archive, struct ipc_recalled *recalled);

#endif
