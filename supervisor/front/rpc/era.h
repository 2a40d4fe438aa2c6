/*
 * An era of MCP: the rules that its versions have of their own. Each request
 * decides its era, so clients may mix them on one connection. All else is the
 * same for both. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ERA_H
#define SUPERVISOR_ERA_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "context.h"
#include "rpc.h"

/* In place of a time: clients must not store the result. */
#define ERA_NOT_CACHED (-1L)

struct era {
	/*
	 * Adds the members that its versions require to a result, which is a
	 * JSON object. Clients may store it for cache_ms milliseconds.
	 */
	void (*complete)(struct buffer *result, long cache_ms);
	/*
	 * Appends the result that asks a client for input: requests is the
	 * object inputRequests, state the text that it sends back. NULL: in
	 * these versions the server sends requests.
	 */
	void (*add_input)(struct buffer *result, const char *requests,
	    const char *state);
	int incapable;  /* the error code for a missing capability; 0: none */
	int not_found;  /* the error code for an unknown resource */
	size_t page;    /* entries of a page of files; 0: lists have one page */
	bool has_session; /* results may depend on earlier requests */
};

/*
 * Sends result as the answer to a request that came with this context, and
 * frees its bytes.
 */
void era_answer(struct rpc *rpc, const struct context *context,
    struct json_span id, struct buffer *result, long cache_ms);

/* era_initialize.c: 2024-11-05 to 2025-11-25, which begin with a handshake. */
extern const struct era era_initialize;

/* era_stateless.c: from 2026-07-28 on. */
extern const struct era era_stateless;

#endif
