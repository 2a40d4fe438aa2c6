/* HTTP requests, and what addresses mean. Knows nothing of MCP. */
#ifndef WORKER_CONNECTOR_HTTP_H
#define WORKER_CONNECTOR_HTTP_H

#include <stdbool.h>
#include <sys/socket.h>

#include "../../../common/base/buffer.h"

struct event_base;
struct transfer;
struct transfers;

/*
 * url.c: the address of a remote server: its origin, and whether an address is
 * of this machine.
 */

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

/*
 * transfer.c: HTTP requests by libcurl, on the event loop: what is sent, and
 * what comes. Knows nothing of MCP.
 */

/* The remote server, as the supervisor names it. */
struct remote {
	char *url;
	int events; /* of the type sse: HTTP+SSE, as in 2024-11-05 */
	/*
	 * "NAME=value" for each, + NUL; ":NAME=value" is no header, but says
	 * how to log in.
	 */
	struct buffer headers;
	struct buffer trusted; /* certificates; empty: those of the system */
	char *proxy;           /* a URL; "": none */
	char *no_proxy;        /* hosts that are reached without it */
	char *login; /* the command that logs in */
	int logins;  /* the directory of its login; -1: none */
};

void remote_reset(struct remote *remote);

/* Returns what its entry says of logins under this name, or NULL. */
const char *remote_option(const struct remote *remote, const char *name);

/* What is known of an answer before its body; texts are "" if absent. */
struct transfer_head {
	long status; /* 0: none came */
	char *type;  /* Content-Type, in lower case, without parameters */
	char *session; /* Mcp-Session-Id */
	char *location;
	char *challenge; /* WWW-Authenticate */
	char *nonce; /* DPoP-Nonce */
};

struct transfer_ends {
	/*
	 * Bytes of the body. Returns 0, or -1 to give up. Must not cancel the
	 * transfer.
	 */
	int (*data)(void *ctx, const char *data, size_t len);
	/*
	 * The end: why is NULL if the whole answer came, else the end of a
	 * sentence. sent tells whether the server may have got the request. The
	 * transfer is freed afterwards.
	 */
	void (*ended)(void *ctx, const char *why, int sent);
	void *ctx;
};

/* A request. All is copied, but for body. */
struct transfer_wanted {
	const char *method; /* "POST", "GET" or "DELETE" */
	const char *url;    /* of the same origin, or foreign is set */
	const struct buffer *headers; /* lines, each + NUL, besides its own */
	const char *body;   /* must stay until the end; NULL: none */
	size_t len;
	bool foreign; /* it may go to another server: without credentials */
	bool again; /* it may be sent twice, as it changes nothing there */
};

/* Loads what libcurl needs of files before the lockdown. */
void transfer_load(void);

/* All requests to one server; remote must outlive it. */
struct transfers *transfers_new(
    struct event_base *base, const struct remote *remote);
void transfers_free(struct transfers **transfers);

/*
 * Has requests carry a token by this scheme; both are copied. token NULL: none.
 */
void transfers_authorize(
    struct transfers *transfers, const char *scheme, const char *token);

/*
 * Has requests carry a header that prove() returns, which is freed; NULL: none.
 * nonce is what the server has asked for last, or NULL.
 */
typedef char *transfer_prove(
    void *ctx, const char *method, const char *url, const char *nonce);
void transfers_prove(
    struct transfers *transfers, transfer_prove *prove, void *ctx);

/* Returns whether the entry has a header with credentials. */
int transfers_have_credentials(const struct transfers *transfers);

/* Begins a request; ends is copied, and called from the loop only. */
struct transfer *transfer_start(struct transfers *transfers,
    const struct transfer_wanted *wanted, const struct transfer_ends *ends);

/* Gives it up; ended() is not called. NULL is accepted. */
void transfer_cancel(struct transfer **transfer);

const struct transfer_head *transfer_head(const struct transfer *transfer);

/* Reads no more of any answer, or goes on. */
void transfers_hold(struct transfers *transfers, int held);

#endif
