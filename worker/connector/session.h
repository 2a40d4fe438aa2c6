/*
 * The session with a remote server: which lines of the broker become which
 * exchanges, and what is remembered between them. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_SESSION_H
#define WORKER_CONNECTOR_SESSION_H

#include "http/transfer.h"

struct event_base;
struct session;

struct session_ends {
	/* There is none, and why: one sentence. */
	void (*failed)(void *ctx, const char *why);
	/* The broker has closed its pipes, and the server was told. */
	void (*ended)(void *ctx);
	void *ctx;
};

/*
 * Takes the pipes; remote must outlive it. The callbacks, of which one is
 * called once, must not free it.
 */
struct session *session_new(struct event_base *base,
    const struct remote *remote, int *in, int *out,
    const struct session_ends *ends);
void session_free(struct session **session);

#endif
