/*
 * How much may be kept: by number for each sort, in bytes for all together.
 * Runs in the store.
 */
#ifndef WORKER_STORE_QUOTA_H
#define WORKER_STORE_QUOTA_H

#include "database.h"

/* A sort of what is kept. */
struct quota {
	const char *total;  /* its row of totals */
	const char *what;   /* several of them, to a user */
	uint64_t most;      /* of them */
	const char *remedy; /* how one of them is removed */
};

/*
 * Whether one of them in a scope, of old bytes (0: there is none yet), may have
 * size bytes. What becomes smaller always may. A scope that is not our user's
 * gets at most half of what the others leave. Returns 0, or -1 with err, which
 * says how to make room, and nothing of other scopes.
 */
int quota_check(struct database *database, const struct quota *quota,
    const char *scope, uint64_t old, uint64_t size, struct err *err);

#endif
