/*
 * A message that is sent by HTTP, and the messages that come for it (MCP,
 * Streamable HTTP): redirects, streams that are cut, and what a status means.
 * Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_EXCHANGE_H
#define WORKER_CONNECTOR_EXCHANGE_H

#include "oauth/renew.h"
#include "http/transfer.h"

struct event_base;
struct exchange;

enum exchange_outcome {
	EXCHANGE_DONE,
	EXCHANGE_FAILED,  /* nothing can be said about what the server did */
	EXCHANGE_REFUSED, /* by a status: the server did nothing */
	EXCHANGE_GONE,    /* so was the session (404) */
};

struct exchange_ends {
	/*
	 * The text of a message, which may be no JSON. Must not free the
	 * exchange.
	 */
	void (*message)(void *ctx, const char *data, size_t len);
	/* The data of an event that is no message. */
	void (*event)(void *ctx, const char *type, const char *data);
	/* The end; why is a sentence, but for DONE. The exchange is freed. */
	void (*ended)(
	    void *ctx, enum exchange_outcome outcome, const char *why);
	void *ctx;
};

struct exchange_wanted {
	const char *method; /* "POST", "GET" or "DELETE" */
	const char *url;
	const struct buffer *headers; /* lines, each + NUL; copied */
	const char *body;   /* copied */
	size_t len;
	bool expects; /* a message must come: exchange_satisfy() tells of it */
	int session; /* the headers name a session */
	struct renew *renew; /* the token that it carries */
};

struct exchange *exchange_start(struct event_base *base,
    struct transfers *transfers, const struct exchange_wanted *wanted,
    const struct exchange_ends *ends);

/* Gives it up, without calling ended(). NULL is accepted. */
void exchange_cancel(struct exchange **exchange);

/* The message that it expects has come: what follows need not be complete. */
void exchange_satisfy(struct exchange *exchange);

/* What the server says of itself: valid in ended(), too. */
const struct transfer_head *exchange_head(const struct exchange *exchange);

/* The body of an answer that is no stream: valid in ended(), too. */
const struct buffer *exchange_body(const struct exchange *exchange);

#endif
