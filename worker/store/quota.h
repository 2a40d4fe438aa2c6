/*
 * Limits of the stored data: a number for each kind, and bytes for all
 * together.
 */
#ifndef WORKER_STORE_QUOTA_H
#define WORKER_STORE_QUOTA_H

#include "database.h"

/* A kind of stored item. */
struct quota {
	const char *total;  /* its row of totals */
	const char *what;   /* the plural, for the user */
	uint64_t most;      /* of them */
	const char *remedy; /* how to remove one of them */
};

/*
 * Whether an item in a scope, with old bytes (0: new), may have size bytes. A
 * smaller item is always accepted. A scope other than the local user's gets at
 * most half of what the others leave. Returns 0, or -1 with err, which explains
 * how to make room, and reveals nothing of other scopes.
 */
int quota_check(struct database *database, const struct quota *quota,
    const char *scope, uint64_t old, uint64_t size, struct err *err);

#endif
