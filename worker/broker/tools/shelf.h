/*
 * The remembered lists of tools, each by the fingerprint of its server's
 * definition. They outlive the processes that listed them, so a list can be
 * read without starting a server. Runs in the broker; decodes nothing.
 */
#ifndef WORKER_BROKER_SHELF_H
#define WORKER_BROKER_SHELF_H

#include <stdint.h>

#include "../../../common/base/buffer.h"

struct shelf;

/* A remembered list; borrowed until the next shelf_put. */
struct shelf_list {
	const char *data; /* as tools_finish made it */
	size_t len;
	const char *info; /* name and version that the server reported */
	size_t info_len;
	/* Of its reader: NULL at first; freed with the list by free(). */
	void **index;
	uint64_t version; /* of its content, from 1; shelf_put: unused */
};

/*
 * Makes an empty shelf that keeps at most most bytes (and always the newest
 * list).
 */
struct shelf *shelf_new(size_t most);
void shelf_free(struct shelf **shelf);

/* Sets *list and returns 1, or returns 0 if there is no valid list. */
int shelf_find(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list);

/* The same, including a list that is in doubt. */
int shelf_find_any(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list);

/*
 * Copies a list and replaces the existing one. Returns whether that was
 * different, in doubt, or absent.
 */
int shelf_put(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list);

/*
 * Copies a list that may be older than an existing one; keeps an existing one.
 */
void shelf_put_old(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list);

/*
 * Marks a list as in doubt: it is not found until it is put again. Returns
 * whether there was a valid one.
 */
int shelf_doubt(struct shelf *shelf, const uint8_t *fingerprint);

/*
 * Like shelf_doubt, if the server reports another name or version than when it
 * sent the list.
 */
int shelf_check(struct shelf *shelf, const uint8_t *fingerprint,
    const char *info, size_t info_len);

#endif
