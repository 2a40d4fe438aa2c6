/*
 * What a request of a client means besides its own words: who asks, in which
 * version of MCP, and what the client can do. A value: in versions with a
 * handshake it is what the session has agreed on, in others each request may
 * bring its own. Runs in the supervisor.
 */
#ifndef SUPERVISOR_CONTEXT_H
#define SUPERVISOR_CONTEXT_H

#include "../../common/json_span.h"
#include "../run/run.h"

/* What a client may be able to do: ClientCapabilities of the specification. */
enum capability {
	CAPABILITY_ROOTS = 1 << 0,
	CAPABILITY_SAMPLING = 1 << 1,
	CAPABILITY_ELICITATION = 1 << 2,
};

struct context {
	struct owner *owner;
	const char *version; /* static; NULL before initialize */
	unsigned int capabilities; /* a set of enum capability */
};

/*
 * Whether the client knows links to resources in the answers of tools, which
 * the versions from 2025-06-18 on have.
 */
int context_links(const struct context *context);

/* Returns those that a ClientCapabilities object names; others are ignored. */
unsigned int context_capabilities(struct json_span object);

#endif
