/*
 * The token that requests carry: read from the directory of the login, and
 * renewed when the server refuses it, by one connector of all that share the
 * directory. Runs in the connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_RENEW_H
#define WORKER_CONNECTOR_OAUTH_RENEW_H

#include <sys/queue.h>

#include "../http/transfer.h"

struct renew;

/* Who waits for another token; it is of one who has sent a request. */
struct renew_wait {
	LIST_ENTRY(renew_wait) entry;
	/* why NULL: send it again. Else the end of a sentence about it. */
	void (*done)(void *ctx, const char *why);
	void *ctx;
};

/* Reads the token of the login, if there is one; all must outlive it. */
struct renew *renew_new(struct event_base *base, struct transfers *transfers,
    const struct remote *remote);
void renew_free(struct renew **renew);

/* Returns the number of the token that requests carry now. */
unsigned int renew_number(const struct renew *renew);

/*
 * The server has refused a request that carried this token, by status 401 or
 * 403. Returns 1 if there is another one by now, 0 to be told by wait, or -1 if
 * a login is no question: the entry has credentials itself, or no token is
 * asked for.
 */
int renew_start(struct renew *renew, unsigned int number,
    const struct transfer_head *head, struct renew_wait *wait);
void renew_cancel(struct renew_wait *wait);

/* Returns the command that logs in. */
const char *renew_command(const struct renew *renew);

#endif
