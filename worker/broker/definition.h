/*
 * The definition of a server: what the supervisor said of it (DEFINE), as far
 * as the broker needs it. Owned by a server (server.h); its links and asks
 * borrow it. Runs in the broker.
 */
#ifndef WORKER_BROKER_DEFINITION_H
#define WORKER_BROKER_DEFINITION_H

#include <stdint.h>

#include "../../common/buffer.h"
#include "rules.h"

/* Only the name stays the same for as long as there is one. */
struct definition {
	uint64_t number;
	char *name;
	char *alias;
	char *description;
	struct rules rules; /* which of its tools may be used */
	uint8_t fingerprint[FINGERPRINT_SIZE]; /* of what is started */
};

/* Frees what it holds. */
void definition_reset(struct definition *definition);

/* Appends {"name":…,"alias":…,"description":… without the closing brace. */
void definition_describe(
    const struct definition *definition, struct buffer *json);

/* Appends: server "NAME". */
void definition_begin_reason(
    const struct definition *definition, struct buffer *reason);

#endif
