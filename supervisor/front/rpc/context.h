/*
 * The context of a client's request: its owner, the era and version of MCP, and
 * the client's capabilities. In versions with a handshake the session has one
 * context; in others each request has its own. Runs in the supervisor.
 */
#ifndef SUPERVISOR_CONTEXT_H
#define SUPERVISOR_CONTEXT_H

#include "../../../common/json/json_span.h"
#include "../../run/run.h"

struct era;

/* Capabilities of a client: ClientCapabilities of the specification. */
enum capability {
	CAPABILITY_ROOTS = 1 << 0,
	CAPABILITY_SAMPLING = 1 << 1,
	CAPABILITY_ELICITATION = 1 << 2,
};

struct context {
	struct owner *owner;
	const struct era *era; /* static */
	const char *version; /* static; NULL before initialize */
	unsigned int capabilities; /* a set of enum capability */
	unsigned int log_level; /* as of context_log_level; 0: no messages */
};

/*
 * Returns the number of a level of log messages, a JSON value, from 1 (debug)
 * on; 0: unknown.
 */
unsigned int context_log_level(struct json_span word);

/* Returns whether the client wants log messages of this level, a word. */
int context_logs(const struct context *context, const char *level);

/*
 * Returns whether the client supports links to resources in results of tools
 * (from version 2025-06-18 on).
 */
int context_links(const struct context *context);

/*
 * Returns the capabilities in a ClientCapabilities object; ignores unknown
 * ones.
 */
unsigned int context_capabilities(struct json_span object);

#endif
