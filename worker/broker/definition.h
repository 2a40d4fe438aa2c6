/*
 * The definition of a server: what the supervisor said of it (DEFINE), as far
 * as the broker needs it. Owned by a server (server.h); its links and asks
 * borrow it. Runs in the broker.
 */
#ifndef WORKER_BROKER_DEFINITION_H
#define WORKER_BROKER_DEFINITION_H

#include <stdint.h>

#include "../../common/buffer.h"
#include "../../common/ipc.h"
#include "rules.h"

/* Only name and owner stay the same for as long as there is one. */
struct definition {
	uint64_t number;
	char *name;
	char *owner; /* whose processes it is of; empty: our user's */
	int shared;  /* those of our user are everybody's */
	char *alias;
	char *description;
	struct rules rules; /* which of its tools may be used */
	uint8_t fingerprint[FINGERPRINT_SIZE]; /* of what is started */
};

/*
 * Takes what the message says; name and owner must be there. Returns whether
 * other tools may be used than before.
 */
int definition_set(
    struct definition *definition, const struct ipc_define *define);

/* Takes what another one says, of our user, for the owner of this one. */
void definition_copy(
    struct definition *definition, const struct definition *other);

/* Frees what it holds. */
void definition_reset(struct definition *definition);

/*
 * Appends {"name":…,"alias":…,"description":… without the closing brace. about
 * is what the server says of itself, for a definition that says nothing.
 */
void definition_describe(const struct definition *definition,
    const char *about, struct buffer *json);

/* Appends: server "NAME". */
void definition_begin_reason(
    const struct definition *definition, struct buffer *reason);

#endif
