/*
 * The lists of tools that are remembered, each by the fingerprint of what was
 * started to get it: they outlive the processes that listed them, so that a
 * list can be read without starting anything. Runs in the broker; decodes
 * nothing.
 */
#ifndef WORKER_BROKER_SHELF_H
#define WORKER_BROKER_SHELF_H

#include <stdint.h>

#include "../../common/buffer.h"

struct shelf;

/* What is remembered; borrowed until the next shelf_put. */
struct shelf_list {
	const char *data; /* as tools_finish made it */
	size_t len;
	const char *info; /* what the server called itself */
	size_t info_len;
};

/* An empty one, that keeps most bytes at most (the newest list always). */
struct shelf *shelf_new(size_t most);
void shelf_free(struct shelf **shelf);

/* Sets *list and returns 1, or returns 0 when there is none that holds. */
int shelf_find(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list);

/* The same, of one that may hold no more. */
int shelf_find_any(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list);

/*
 * Copies a list, in the place of the one that is there. Returns whether that
 * was another, or doubted, or none.
 */
int shelf_put(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list);

/* Copies one that may be older than whatever is there, unless anything is. */
void shelf_put_old(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list);

/*
 * What is there may not hold any more: it is not found until it is put again.
 * Returns whether there was one that held.
 */
int shelf_doubt(struct shelf *shelf, const uint8_t *fingerprint);

/*
 * As shelf_doubt, where the server calls itself by another name or version
 * than when it sent the list.
 */
int shelf_check(struct shelf *shelf, const uint8_t *fingerprint,
    const char *info, size_t info_len);

#endif
