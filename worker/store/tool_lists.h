/*
 * The lists of tools that are kept: a cache, in which nothing is that could not
 * be had again. Runs in the store; the lists are bytes here.
 */
#ifndef WORKER_STORE_TOOL_LISTS_H
#define WORKER_STORE_TOOL_LISTS_H

#include "database.h"

/* A list; len is 0 for none. */
struct tool_list {
	const char *data;
	size_t len;
	const char *info; /* what the server called itself */
	size_t info_len;
};

/*
 * Calls found once, with ctx, for the list that is kept by this fingerprint,
 * or for none; what it gets is gone when it returns. now is the time in
 * seconds. Returns 0, or -1 with err when it was not called.
 */
int tool_lists_find(struct database *database, const uint8_t *fingerprint,
    uint64_t now, void (*found)(void *ctx, const struct tool_list *list),
    void *ctx, struct err *err);

/*
 * Keeps a list in the place of what is there, or (len 0) none, and drops those
 * that were not used for the longest time where they become too many. Returns
 * 0, or -1 with err.
 */
int tool_lists_put(struct database *database, const uint8_t *fingerprint,
    uint64_t now, const struct tool_list *list, struct err *err);

#endif
