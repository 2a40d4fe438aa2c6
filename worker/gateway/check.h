/* Which requests are passed on. Pure code without descriptors. */
#ifndef WORKER_GATEWAY_CHECK_H
#define WORKER_GATEWAY_CHECK_H

#include "http.h"

/* What the answer to a request depends on, besides the request. */
struct check {
	const char *hosts;   /* accepted, separated by spaces; empty: any */
	const char *origins; /* accepted besides those of the hosts */
	bool local_user;      /* the client needs no token */
	bool figures;         /* its socket is one of figures */
};

/*
 * Returns 0 if the request may be passed on, once its body was read; or -1 with
 * *fault: 403 for a page of another host, 404, 405, 406, 415, or 401 where the
 * token is missing, so that nothing is held of its body. For OPTIONS, which is
 * never passed on, the status is 204 if the page may send requests.
 */
int check_head(const struct check *check, const struct http_head *head,
    struct http_fault *fault);

/*
 * Returns the token of the field Authorization, borrowed from the head; an
 * empty string if there is none; NULL if the field is not a bearer token of at
 * most HTTP_TOKEN_MAX bytes (RFC 6750, section 2.1).
 */
const char *check_token(const struct http_head *head);

#endif
