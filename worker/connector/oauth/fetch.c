/* Requests for documents of logins: see oauth.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "oauth.h"

struct fetch {
	struct transfer *transfer;
	struct event *timer;
	char *url;
	char *sent; /* the body of the request */
	struct buffer body;
	fetch_done *done;
	void *ctx;
};

static void
fetch_free(struct fetch *fetch)
{
	loop_event_free(&fetch->timer);
	if (fetch->sent != NULL)
		explicit_bzero(fetch->sent, strlen(fetch->sent));
	if (fetch->body.len > 0)
		explicit_bzero(fetch->body.data, fetch->body.len);
	free(fetch->url);
	free(fetch->sent);
	buffer_reset(&fetch->body);
	free(fetch);
}

static int
fetch_on_data(void *ctx, const char *data, size_t len)
{
	struct fetch *fetch = ctx;

	if (fetch->body.len + len > LOGIN_SIZE_MAX)
		return -1;
	buffer_add(&fetch->body, data, len);
	return 0;
}

static void
fetch_end(
    struct fetch *fetch, const struct transfer_head *head, const char *why)
{
	auto_free char *shown = url_shown(fetch->url);
	auto_free char *sentence = why == NULL ? NULL :
	    mem_printf("%s cannot be asked: %s", shown, why);

	fetch->done(fetch->ctx, head, &fetch->body, sentence);
	fetch_free(fetch);
}

static void
fetch_on_ended(void *ctx, const char *why, int)
{
	struct fetch *fetch = ctx;

	fetch_end(fetch, transfer_head(fetch->transfer), why);
}

static void
fetch_on_timer(evutil_socket_t, short, void *ctx)
{
	static char nothing[] = "";
	const struct transfer_head none = { 0, nothing, nothing, nothing,
		nothing, nothing };
	struct fetch *fetch = ctx;

	transfer_cancel(&fetch->transfer);
	fetch_end(fetch, &none, "it does not answer in time");
}

struct fetch *
fetch_start(struct event_base *base, struct transfers *transfers,
    const struct fetch_wanted *wanted, fetch_done *done, void *ctx)
{
	struct fetch *fetch = mem_alloc(sizeof(*fetch));
	const struct transfer_ends ends = { fetch_on_data, fetch_on_ended,
		fetch };
	auto_buffer struct buffer headers = { 0 };
	struct transfer_wanted request = { .url = wanted->url,
		.method = wanted->body == NULL ? "GET" : "POST",
		.headers = &headers,
		.foreign = true };

	fetch->done = done;
	fetch->ctx = ctx;
	fetch->url = mem_strdup(wanted->url);
	text_list_add(&headers, "Accept: application/json");
	if (wanted->headers != NULL)
		buffer_add(
		    &headers, wanted->headers->data, wanted->headers->len);
	if (wanted->body != NULL) {
		auto_free char *type =
		    mem_printf("Content-Type: %s", wanted->type);

		text_list_add(&headers, type);
		fetch->sent = mem_strdup(wanted->body);
		request.body = fetch->sent;
		request.len = strlen(fetch->sent);
	}
	fetch->timer = evtimer_new(base, fetch_on_timer, fetch);
	loop_set_timer(fetch->timer, LOGIN_FETCH_MS);
	fetch->transfer = transfer_start(transfers, &request, &ends);
	explicit_bzero(headers.data, headers.len);
	return fetch;
}

void
fetch_cancel(struct fetch **fetchp)
{
	struct fetch *fetch = mem_take(fetchp);

	if (fetch == NULL)
		return;
	transfer_cancel(&fetch->transfer);
	fetch_free(fetch);
}
