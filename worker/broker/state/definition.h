/*
 * The definition of a server: the content of DEFINE that the broker needs.
 * Owned by a server (server.h); its links and asks borrow it. Runs in the
 * broker.
 */
#ifndef WORKER_BROKER_DEFINITION_H
#define WORKER_BROKER_DEFINITION_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/ipc.h"
#include "rules.h"

/* Only name and owner never change. */
struct definition {
	uint64_t number;
	char *name;
	char *owner; /* the owner of its processes; empty: local user */
	bool shared;  /* processes of the local user are shared by all */
	char *alias;
	char *description;
	struct rules rules; /* which of its tools may be used */
	uint8_t fingerprint[FINGERPRINT_SIZE]; /* of the command and environment
					        */
};

/*
 * Copies the content of the message; name and owner must be set. Returns
 * whether the permitted tools have changed.
 */
int definition_set(
    struct definition *definition, const struct ipc_define *define);

/* Copies another definition, of the local user, for the owner of this one. */
void definition_copy(
    struct definition *definition, const struct definition *other);

/* Frees its members. */
void definition_reset(struct definition *definition);

/*
 * Appends {"name":…,"alias":…,"description":… without the closing brace. about
 * is the server's own description, used if the definition has none.
 */
void definition_describe(const struct definition *definition,
    const char *about, struct buffer *json);

/* Appends: server "NAME". */
void definition_begin_reason(
    const struct definition *definition, struct buffer *reason);

#endif
