/*
 * The requests that are answered: see route.h. What is said about those that
 * are not follows from the rows, too.
 */
#include <string.h>

#include "route.h"

static const struct route routes[HTTP_ROUTES] = {
#define HTTP_ROUTE(NAME, method, path, WHO, BODY, FORM, handler)               \
	{ HTTP_ROUTE_##NAME, method, path, ROUTE_##WHO, ROUTE_##BODY,          \
	    ROUTE_##FORM },
#include "../../common/http_routes.def"
};

const char *
route_rest(const struct route *route, const char *target, size_t *len)
{
	const char *rest = target + strlen(route->path);

	*len = strlen(rest);
	return rest;
}

/* Paths below one have other rows where the query has a signature. */
static int
route_is_of(const struct route *route, const char *target)
{
	size_t len = strlen(route->path);
	const char *query = strchr(target, '?');
	int is_link = query != NULL && strstr(query, "sig=") != NULL;

	if (is_link ? route->path[len - 1] == '/' && route->who != ROUTE_LINK :
	              route->who == ROUTE_LINK)
		return 0;
	return strncmp(target, route->path, len) == 0 &&
	    (target[len] == '\0' || target[len] == '?' ||
	        route->path[len - 1] == '/');
}

const struct route *
route_find(const char *method, const char *target)
{
	size_t i;

	for (i = 0; i < HTTP_ROUTES; i++)
		if (strcmp(routes[i].method, method) == 0 &&
		    route_is_of(&routes[i], target))
			return &routes[i];
	return NULL;
}

int
route_is_figures(const char *target)
{
	const struct route *route = route_find("GET", target);

	return route != NULL && route->who == ROUTE_ANYONE;
}

int
route_has_body(const char *method, const char *target)
{
	const struct route *route = route_find(method, target);
	size_t i;

	if (route != NULL)
		return route->body != ROUTE_NONE;
	for (i = 0; i < HTTP_ROUTES; i++)
		if (routes[i].body != ROUTE_NONE &&
		    strcmp(routes[i].method, method) == 0)
			return 1;
	return 0;
}

int
route_streams(const char *method, const char *target)
{
	const struct route *route = route_find(method, target);

	return route != NULL && route->body == ROUTE_STREAM;
}

void
route_add(struct buffer *list, enum route_list what, const char *target)
{
	const char *word, *last = "";
	size_t i;

	for (i = 0; i < HTTP_ROUTES; i++) {
		if (what == ROUTE_METHODS ? !route_is_of(&routes[i], target) :
		    what == ROUTE_BODIES ? routes[i].body == ROUTE_NONE :
		    (routes[i].who == ROUTE_ANYONE) != (what == ROUTE_FIGURES))
			continue;
		word = what == ROUTE_PATHS || what == ROUTE_FIGURES ?
		    routes[i].path : routes[i].method;
		if (strcmp(word, last) != 0)
			buffer_printf(
			    list, "%s%s", list->len == 0 ? "" : ", ", word);
		last = word;
	}
}

const char *
route_say(enum route_list what, const char *target)
{
	/* before one or several, instead of the last comma, and behind them */
	static const char *const words[][5] = {
		[ROUTE_PATHS] = { "the only path here is ",
		    "the only paths here are ", " and ", "", "" },
		[ROUTE_FIGURES] = { "", "the only paths here are ", " and ", "",
		    "" },
		[ROUTE_METHODS] = { "only ", "only ", " and ",
		    " is understood", " are understood" },
		[ROUTE_BODIES] = { "only a ", "only a ", " or ",
		    " may have a body here", " may have a body here" },
	};
	static struct buffer said;
	auto_buffer struct buffer list = { 0 };
	const char *comma;

	route_add(&list, what, target);
	comma = strrchr(list.data, ',');
	buffer_reset(&said);
	if (comma == NULL)
		buffer_printf(&said, "%s%s%s", words[what][0], list.data,
		    words[what][3]);
	else
		buffer_printf(&said, "%s%.*s%s%s%s", words[what][1],
		    (int)(comma - list.data), list.data, words[what][2],
		    comma + 2, words[what][4]);
	return said.data;
}
