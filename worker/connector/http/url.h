/*
 * The address of a remote server: its origin, and whether an address is of this
 * machine. Runs in the connector; pure.
 */
#ifndef WORKER_CONNECTOR_URL_H
#define WORKER_CONNECTOR_URL_H

#include <stdbool.h>
#include <sys/socket.h>

struct url_origin {
	char *scheme;
	char *host;
	char *port;
	bool local; /* the host is written as an address of this machine, or as
	             * its own name: "localhost" */
};

/* Sets the origin of a URL; all are "" if it is none. Freed by reset. */
void url_origin_of(const char *url, struct url_origin *origin);
void url_origin_reset(struct url_origin *origin);

/*
 * Returns where a redirect from a URL leads, which the caller frees; NULL if it
 * leads to another origin, other than from http to https of the same host. A
 * place is written as it is.
 */
char *url_redirect(const char *url, const char *location);

/* Returns the origin of a URL, which the caller frees. */
char *url_origin(const char *url);

/* Returns whether the host of a URL is written as one of this machine. */
bool url_is_of_here(const char *url);

/*
 * Returns whether secrets may be sent to a URL: it is https, or one of this
 * machine, if local is set.
 */
bool url_is_safe(const char *url, bool local);

/* Returns whether a URL is this resource, or below it. */
bool url_is_within(const char *url, const char *resource);

/* Where a well-known document of a URL is: RFC 8615, and OpenID Connect. */
enum url_place { URL_BEFORE_PATH, URL_AT_ROOT, URL_BEHIND_PATH };

/* Returns the address of that document, which the caller frees. */
char *url_well_known(const char *url, const char *name, enum url_place place);

/* Returns the origin of a URL in words, for a sentence; the caller frees it. */
char *url_shown(const char *url);

/*
 * Returns whether an address is of this machine, of its link, or none: those
 * that only processes of this machine should reach.
 */
int url_is_local(const struct sockaddr *address);

#endif
