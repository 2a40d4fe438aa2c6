/*
 * How much each address of clients uses: connections, and requests at once and
 * in time. Clients at Unix sockets have no limits. A guest is a caller, too,
 * which has no address.
 */
#ifndef WORKER_GATEWAY_CALLERS_H
#define WORKER_GATEWAY_CALLERS_H

#include <stdbool.h>

#include "../../common/limits.h"
#include "gateway.h"

struct caller {
	LIST_ENTRY(caller) entry; /* in gateway->callers, the last seen first */
	char group[HTTP_ADDRESS_MAX + 1]; /* see common/address.h */
	size_t users;  /* calls of caller_of without their caller_drop */
	size_t nconns; /* open connections */
	size_t nasks;  /* unanswered requests */
	double level;  /* requests that it may send now */
	uint64_t refilled; /* when that was so, in milliseconds */
	struct warned warned[WARNED_KINDS];
	bool guest; /* it is not in gateway->callers */
	size_t sum; /* of its connections: valid while conn_room.c compares */
};

/* Returns the caller of an address, which stays until caller_drop. */
struct caller *caller_of(struct gateway *gateway, const char *address);

/* Returns one without an address, for a guest, which stays as long. */
struct caller *caller_new_guest(void);

/* Returns the caller, for one more user, which calls caller_drop. */
struct caller *caller_share(struct caller *caller);

/* Ends that. NULL inside is accepted. */
void caller_drop(struct caller **caller);

/*
 * Counts a request that was read, in its rate. Returns 0; or after how many
 * seconds the caller may send one, which is not counted then. now is in
 * milliseconds.
 */
unsigned int caller_charge(struct caller *caller, uint64_t now);

/*
 * Counts a request that waits for its answer, which the user of the caller ends
 * by nasks--. Returns 0, or -1 if it may have no more.
 */
int caller_ask(struct caller *caller);

/*
 * Logs why a connection of this address was closed, or counts it for the next
 * such line, as there is one of each kind and caller in HTTP_WARN_MS. caller
 * may be NULL: it has no limits.
 */
void caller_warn(struct gateway *gateway, struct caller *caller,
    const char *address, enum warned_kind kind, const char *why);

void callers_free_all(struct gateway *gateway);

#endif
