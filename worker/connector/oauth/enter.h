/*
 * Logging in: who gives tokens is found, the client is registered, a person
 * agrees in a browser, and the tokens are kept (OAuth 2.1, as MCP has it). Also
 * logging out. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_ENTER_H
#define WORKER_CONNECTOR_OAUTH_ENTER_H

#include "../http/transfer.h"
#include "document.h"

struct enter;

struct enter_ends {
	/* A person has to open this address. */
	void (*visit)(void *ctx, const char *url);
	/* The end: why is NULL, or a sentence. Must not free it. */
	void (*over)(void *ctx, const struct login *login, const char *why);
	void *ctx;
};

/*
 * Logs in; the browser comes back to listener, which it takes, or enter_paste
 * is told where to it wanted to. With listener -1 it logs out.
 */
struct enter *enter_new(struct event_base *base, const struct remote *remote,
    int *listener, const struct enter_ends *ends);
void enter_free(struct enter **enter);

/* The address that the browser was sent to, or its query. */
void enter_paste(struct enter *enter, const char *text);

#endif
