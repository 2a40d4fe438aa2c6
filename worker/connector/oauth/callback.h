/*
 * Where a browser comes back to after a login: one page of HTTP at a socket of
 * this machine. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_CALLBACK_H
#define WORKER_CONNECTOR_OAUTH_CALLBACK_H

struct callback;
struct event_base;

#define CALLBACK_PATH "/callback"

/*
 * Accepts at a listening socket, which it takes. came is called from the loop
 * with what was asked for, "/callback?code=…"; it may free the callback.
 */
struct callback *callback_new(struct event_base *base, int *listener,
    void (*came)(void *ctx, const char *target), void *ctx);
void callback_free(struct callback **callback);

/* Returns the address of that page, which the caller frees. */
char *callback_url(int listener);

#endif
