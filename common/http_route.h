/*
 * The rows of http_routes.def (a field of the catalogue). Used by the gateway
 * and the supervisor.
 */
#ifndef COMMON_HTTP_ROUTE_H
#define COMMON_HTTP_ROUTE_H

enum http_route {
#define HTTP_ROUTE(NAME, ...) HTTP_ROUTE_##NAME,
#include "http_routes.def"
	HTTP_ROUTES
};

#endif
