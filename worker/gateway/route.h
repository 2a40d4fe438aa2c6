/*
 * The requests that are answered: the rows of http_routes.def. Pure code
 * without descriptors.
 */
#ifndef WORKER_GATEWAY_ROUTE_H
#define WORKER_GATEWAY_ROUTE_H

#include "../../common/base/buffer.h"
#include "../../common/http_route.h"

/* A set. ANYONE: at a socket of figures only; LINK: all who have one. */
enum route_who {
	ROUTE_USER = 1,
	ROUTE_TOKEN = 2,
	ROUTE_OWNER = 3,
	ROUTE_ANYONE = 4,
	ROUTE_LINK = 8
};
enum route_body { ROUTE_NONE, ROUTE_MAX_CODE, ROUTE_STREAM };
enum route_form {
	ROUTE_MESSAGE,
	ROUTE_EVENTS,
	ROUTE_BYTES,
	ROUTE_ANY,
	ROUTE_TEXT
};

struct route {
	enum http_route number;
	const char *method;
	const char *path;
	enum route_who who;
	enum route_body body;
	enum route_form form;
};

/* Returns the row of a request, static, or NULL if there is none. */
const struct route *route_find(const char *method, const char *target);

/* Returns whether it is one of figures, whatever its method is. */
int route_is_figures(const char *target);

/*
 * Returns what a target has below the path of its row, with the query: len
 * bytes, borrowed from the target.
 */
const char *route_rest(
    const struct route *route, const char *target, size_t *len);

/* Returns whether a request may have a body; without a row, as its method. */
int route_has_body(const char *method, const char *target);

/* Returns whether its body is passed on as it arrives. */
int route_streams(const char *method, const char *target);

/*
 * What rows have: all paths but those of figures, or these, the methods of a
 * target, or those with a body.
 */
enum route_list { ROUTE_PATHS, ROUTE_FIGURES, ROUTE_METHODS, ROUTE_BODIES };

/* Adds it to an empty buffer, separated by ", "; nothing if there is none. */
void route_add(struct buffer *list, enum route_list what, const char *target);

/*
 * Returns a sentence for a request that needs something else, without a dot,
 * valid until the next call.
 */
const char *route_say(enum route_list what, const char *target);

#endif
