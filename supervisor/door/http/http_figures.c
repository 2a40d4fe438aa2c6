/*
 * Figures for operators, at a socket of their own: see http.h. Whoever may
 * connect to it may read them, and nothing else.
 */
#include <string.h>

#include "http.h"
#include "../../../common/http_route.h"

static void
http_figures_say(struct http_request *request, int status, const char *sentence)
{
	auto_buffer struct buffer text = { 0 };

	buffer_printf(&text, "%s\n", sentence);
	http_reply(request, status, text.data, text.len);
}

void
http_figures_on_get(struct http_request *request, struct ipc_ask *ask)
{
	struct http *http = request->guest->http;
	const struct runs *runs = http->runs;
	auto_buffer struct buffer text = { 0 };
	const char *why = figures_unready(runs);

	http_tokens_look(http);
	/* At Unix sockets alone, the clients of our user need no token. */
	if (why == NULL && http->faulty && http->sockets.remote > 0)
		why = http->fault.text;
	/* Their order in the table: health, ready, metrics, each with HEAD. */
	if (ask->route >= HTTP_ROUTE_METRICS) {
		figures_add_text(&text, runs);
		http_reply(request, 200, text.data, text.len);
	} else if (ask->route >= HTTP_ROUTE_READYZ && why != NULL) {
		http_figures_say(request, 503, why);
	} else {
		http_figures_say(request, 200, "ok");
	}
}

int
http_figures_is(const struct ipc_ask *ask)
{
	return ask->route >= HTTP_ROUTE_HEALTHZ &&
	    ask->route <= HTTP_ROUTE_METRICS_HEAD;
}
