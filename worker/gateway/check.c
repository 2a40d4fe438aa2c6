/*
 * Judges the head of a request: see check.h. The order is that of what a page
 * of another host may learn: nothing before its origin is known to be right.
 */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "../../common/limits.h"
#include "check.h"
#include "route.h"

static int
check_refuse(struct http_fault *fault, int status, const char *reason)
{
	fault->status = status;
	fault->reason = reason;
	return -1;
}

/* value: of a field, which the flag would allow; NULL: the field is missing */
static int
check_refuse_foreign(struct http_fault *fault, const char *flag,
    const char *value, const char *reason)
{
	fault->flag = value == NULL ? NULL : flag;
	fault->value = value;
	return check_refuse(fault, 403, reason);
}

/* Returns whether the word is one of those separated by spaces. */
static int
check_has(const char *words, const char *word, size_t len)
{
	size_t n;

	for (; *words != '\0'; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && strncasecmp(words, word, len) == 0)
			return 1;
	}
	return 0;
}

/*
 * Returns whether a host is an address of IPv4 or IPv6 with or without a port,
 * not a name.
 */
static int
check_is_address(const char *host)
{
	unsigned char binary[sizeof(struct in6_addr)];
	char name[INET6_ADDRSTRLEN + 2];
	size_t len = *host == '[' ? strcspn(host, "]") : strcspn(host, ":");
	const char *port;

	if (len >= sizeof(name))
		return 0;
	memcpy(name, host, len);
	name[len] = '\0';
	port = host + len + (*host == '[' && host[len] == ']');
	if (*port == ':')
		port += 1 + strspn(port + 1, "0123456789");
	return *port == '\0' && (*host == '[' ?
	        inet_pton(AF_INET6, name + 1, binary) :
	        inet_pton(AF_INET, name, binary)) == 1;
}

/*
 * A page can make the name of its own host point to this machine (DNS
 * rebinding); Host still has that name. It cannot do so with an address.
 */
static int
check_host(const struct check *check, const struct http_head *head)
{
	const char *host = head->fields[HTTP_HOST];

	return *check->hosts == '\0' ||
	    (host != NULL &&
	        (check_has(check->hosts, host, strlen(host)) ||
	            check_has(check->hosts, host, strcspn(host, ":")) ||
	            check_is_address(host)));
}

/* Returns whether a page has come from the very host that it asks. */
static int
check_is_own(const struct check *check, const struct http_head *head,
    const char *page)
{
	return *check->hosts != '\0' && head->fields[HTTP_HOST] != NULL &&
	    strcasecmp(page, head->fields[HTTP_HOST]) == 0;
}

/* Only browsers send an origin: that of the page which sends the request. */
static int
check_origin(const struct check *check, const struct http_head *head)
{
	static const char *const schemes[] = { "http://", "https://" };
	const char *origin = head->fields[HTTP_ORIGIN];
	size_t i, len;

	if (origin == NULL || check_has(check->origins, origin, strlen(origin)))
		return 1;
	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		len = strlen(schemes[i]);
		if (strncasecmp(origin, schemes[i], len) == 0 &&
		    (check_is_own(check, head, origin + len) ||
		        check_has(check->hosts, origin + len,
		            strlen(origin + len))))
			return 1;
	}
	return 0;
}

/* Streamable HTTP requires both; many clients send wildcards. */
static int
check_accepts(const struct http_head *head, const char *type)
{
	const char *accept = head->fields[HTTP_ACCEPT];

	return accept == NULL || http_list_has(accept, type) ||
	    http_list_has(accept, "*/*");
}

/* The type may have parameters; it is no list. */
static int
check_is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t len = strlen(json);

	return type != NULL && strncasecmp(type, json, len) == 0 &&
	    (type[len + strspn(type + len, " \t")] == '\0' ||
	        type[len + strspn(type + len, " \t")] == ';');
}

/* Values that are longer cannot be right, and are not passed on. */
static int
check_values(const struct http_head *head)
{
	static const enum http_field passed[] = { HTTP_LAST_EVENT,
		HTTP_MCP_METHOD, HTTP_MCP_NAME, HTTP_MCP_VERSION };
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
		value = head->fields[passed[i]];
		if (value != NULL && strlen(value) > HTTP_VALUE_MAX)
			return 0;
	}
	return 1;
}

static int
check_message(const struct http_head *head, struct http_fault *fault)
{
	if (!check_is_json(head->fields[HTTP_CONTENT_TYPE]))
		return check_refuse(fault, 415,
		    "the Content-Type of a request must be application/json");
	if (head->fields[HTTP_CONTENT_ENCODING] != NULL)
		return check_refuse(fault, 415,
		    "a request must not have a Content-Encoding");
	if (!check_accepts(head, "application/json") &&
	    !check_accepts(head, "text/event-stream"))
		return check_refuse(fault, 406, "a client must accept "
		    "application/json or text/event-stream");
	return 0;
}

static int
check_form(const struct route *route, const struct http_head *head,
    struct http_fault *fault)
{
	if (route->form == ROUTE_MESSAGE)
		return check_message(head, fault);
	/* Of a GET they spare bytes only. */
	if ((strcmp(head->method, "PUT") == 0 ||
	        strcmp(head->method, "DELETE") == 0) &&
	    (head->fields[HTTP_IF_MATCH] != NULL ||
	        head->fields[HTTP_IF_NONE_MATCH] != NULL))
		return check_refuse(fault, 400, "nothing is put or deleted on "
		    "a condition: leave out If-Match and If-None-Match");
	if (route->form == ROUTE_BYTES &&
	    head->fields[HTTP_CONTENT_ENCODING] != NULL)
		return check_refuse(fault, 415,
		    "a file must be sent without Content-Encoding");
	if (route->form == ROUTE_BYTES &&
	    head->fields[HTTP_CONTENT_RANGE] != NULL)
		return check_refuse(
		    fault, 400, "a file must be sent as a whole");
	if (route->form == ROUTE_EVENTS &&
	    !check_accepts(head, "text/event-stream"))
		return check_refuse(fault, 406,
		    "a client of GET must accept text/event-stream");
	return 0;
}

const char *
check_token(const struct http_head *head)
{
	static const char scheme[] = "Bearer ";
	const char *text = head->fields[HTTP_AUTHORIZATION];
	const char *p;

	if (text == NULL)
		return "";
	if (strncasecmp(text, scheme, strlen(scheme)) != 0)
		return NULL;
	text += strlen(scheme);
	text += strspn(text, " ");
	for (p = text; *p > ' ' && *p < 0x7f; p++)
		;
	return p == text || *p != '\0' || p - text > HTTP_TOKEN_MAX ? NULL :
	                                                              text;
}

static int
check_sender(const struct check *check, const struct route *route,
    const struct http_head *head, struct http_fault *fault)
{
	const char *token = check_token(head);
	unsigned int who = token != NULL && *token != '\0' ? ROUTE_TOKEN :
	    check->local_user ? ROUTE_USER : 0;

	if (check->figures || route->who == ROUTE_LINK)
		return 0;
	if (token == NULL)
		return check_refuse(fault, 401,
		    "Authorization must be \"Bearer\" and a token");
	if ((route->who & who) == 0)
		return check_refuse(fault, 401,
		    "a token is required: Authorization: Bearer TOKEN");
	return 0;
}

int
check_head(const struct check *check, const struct http_head *head,
    struct http_fault *fault)
{
	auto_buffer struct buffer methods = { 0 };
	const struct route *route;

	if (!check_host(check, head))
		return check_refuse_foreign(fault, "--allow-host",
		    head->fields[HTTP_HOST],
		    "the Host of the request is not one of this server");
	if (!check_origin(check, head))
		return check_refuse_foreign(fault, "--allow-origin",
		    head->fields[HTTP_ORIGIN],
		    "pages of this origin may not send requests here");
	route_add(&methods, ROUTE_METHODS, head->target);
	if (methods.len == 0 ||
	    route_is_figures(head->target) != check->figures)
		return check_refuse(fault, 404,
		    route_say(check->figures ? ROUTE_FIGURES : ROUTE_PATHS,
		        head->target));
	if (!check_values(head))
		return check_refuse(
		    fault, 431, "the value of a field is too long");
	if (strcmp(head->method, "OPTIONS") == 0)
		return check_refuse(fault, 204, "");
	route = route_find(head->method, head->target);
	if (route == NULL)
		return check_refuse(
		    fault, 405, route_say(ROUTE_METHODS, head->target));
	if (check_form(route, head, fault) == -1)
		return -1;
	return check_sender(check, route, head, fault);
}
