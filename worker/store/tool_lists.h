/*
 * The stored lists of tools: a cache, which contains nothing that could not be
 * fetched again. Runs in the store; the lists are opaque bytes here.
 */
#ifndef WORKER_STORE_TOOL_LISTS_H
#define WORKER_STORE_TOOL_LISTS_H

#include "database.h"

/* A list; len is 0 for none. */
struct tool_list {
	const char *data;
	size_t len;
	const char *info; /* name and version that the server reported */
	size_t info_len;
};

/*
 * Calls found once, with ctx, for the list stored under this fingerprint, or
 * for none; its argument is valid only during the call. now is the time in
 * seconds. Returns 0, or -1 with err if found was not called.
 */
int tool_lists_find(struct database *database, const uint8_t *fingerprint,
    uint64_t now, void (*found)(void *ctx, const struct tool_list *list),
    void *ctx, struct err *err);

/*
 * Stores the list and replaces the existing one, or (len 0) removes it; drops
 * the lists that were unused for the longest time if there are too many.
 * Returns 0, or -1 with err.
 */
int tool_lists_put(struct database *database, const uint8_t *fingerprint,
    uint64_t now, const struct tool_list *list, struct err *err);

#endif
