/*
 * The archive: the store, as far as the broker sees it. What it has of a list
 * of tools comes onto the shelf (shelf.h); what is on the shelf is kept there.
 * It is asked for when it is needed for the first time, and a store that is not
 * there, does not answer, or violates the protocol costs nothing but what it
 * had. Runs in the broker.
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
 * recalled is called when a fingerprint that was asked for is answered, or with
 * NULL when none of those asked for will be.
 */
struct archive *archive_new(struct broker *broker,
    void (*recalled)(struct broker *broker, const uint8_t *fingerprint));
void archive_free(struct archive **archive);

/* The supervisor hands over the channel. */
void archive_open(struct archive *archive, struct ipc_lists *lists);

/*
 * Asks for what is kept by a fingerprint. Returns 1 when every server of that
 * fingerprint will be told (by recalled), from the loop and within
 * TOOL_LISTS_WAIT_MS; 0 when there is no store.
 */
int archive_recall(struct archive *archive, const uint8_t *fingerprint);

/* Has kept what is on the shelf now; what is not, or is doubted, is not. */
void archive_retain(struct archive *archive, const uint8_t *fingerprint);

/* It answers. */
void archive_recalled(struct archive *archive, struct ipc_recalled *recalled);

#endif
