/*
 * The remembered lists of tools, each by the fingerprint of its server's
 * definition. They outlive the processes that listed them, so a list can be
 * read without starting a server. Runs in the broker; decodes nothing.
 */
#ifndef WORKER_BROKER_LIST_CACHE_H
#define WORKER_BROKER_LIST_CACHE_H

#include <stdint.h>

#include "../../../common/base/buffer.h"

struct list_cache;

/* A remembered list; borrowed until the next list_cache_put. */
struct cached_list {
	const char *data; /* as tools_finish made it */
	size_t len;
	const char *info; /* name and version that the server reported */
	size_t info_len;
	/* Of its reader: NULL at first; freed with the list by free(). */
	void **index;
	uint64_t version; /* of its content, from 1; list_cache_put: unused */
};

/*
 * Makes an empty cache that keeps at most most bytes (and always the newest
 * list).
 */
struct list_cache *list_cache_new(size_t most);
void list_cache_free(struct list_cache **cache);

/* Sets *list and returns 1, or returns 0 if there is no valid list. */
int list_cache_find(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list);

/* The same, including a list that is in doubt. */
int list_cache_find_any(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list);

/*
 * Copies a list and replaces the existing one. Returns whether that was
 * different, in doubt, or absent.
 */
int list_cache_put(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list);

/*
 * Copies a list that may be older than an existing one; keeps an existing one.
 */
void list_cache_put_old(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list);

/*
 * Marks a list as in doubt: it is not found until it is put again. Returns
 * whether there was a valid one.
 */
int list_cache_doubt(struct list_cache *cache, const uint8_t *fingerprint);

/*
 * Like list_cache_doubt, if the server reports another name or version than
 * when it sent the list.
 */
int list_cache_check(struct list_cache *cache, const uint8_t *fingerprint,
    const char *info, size_t info_len);

#endif
