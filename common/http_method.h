/*
 * The methods of HTTP that clients of Streamable HTTP use (a field of the
 * catalogue). Used by the gateway and the supervisor.
 */
#ifndef COMMON_HTTP_METHOD_H
#define COMMON_HTTP_METHOD_H

enum http_method {
	HTTP_GET,
	HTTP_POST,
	HTTP_DELETE,
	HTTP_OPTIONS, /* answered by the gateway */
	HTTP_METHODS,
	HTTP_OTHER = HTTP_METHODS, /* any other one */
};

#endif
