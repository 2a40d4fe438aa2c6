/* The methods of MCP: the table of all, from rpc/methods.def, and the eras. */
#ifndef SUPERVISOR_METHODS_H
#define SUPERVISOR_METHODS_H

#include "rpc/rpc.h"

/* methods_table.c: each method. */
extern const struct methods_row {
	const char *name;
	void (*handle)(struct mcp *mcp, const struct context *context,
	    const struct jsonrpc *message);
	const struct era *era; /* its only era; NULL: all */
	bool early;            /* allowed before initialize */
} methods_table[];
extern const size_t methods_count;

/* methods.c: handles a request by its method, or a notification. */
void methods_on_request(void *mcp, const struct jsonrpc *message);
void methods_on_notification(void *mcp, const struct jsonrpc *message);

/*
 * era_initialize.c: a client that sends no initialize is served as if it had,
 * with this version, or the one that HTTP assumes where len is 0.
 */
void era_initialize_assume(struct mcp *mcp, const char *version, size_t len);

/* era_stateless.c: the era without sessions. */

/* Returns whether a request or notification says that it is of this era. */
int era_stateless_claims(const struct jsonrpc *message);

/* The same; then *version is what it says, any value of JSON. */
int era_stateless_version(
    const struct jsonrpc *message, struct json_span *version);

/* Return whether this is a version of the era. */
int era_stateless_has(const char *version, size_t len);
int era_initialize_has(const char *version, size_t len);

/*
 * Reads the context of such a request. Returns 0, or -1 if an error was
 * answered. The owner of context is not changed.
 */
int era_stateless_read(struct mcp *mcp, const struct jsonrpc *message,
    struct context *context);

#endif
