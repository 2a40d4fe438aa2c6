/* One request of HTTP and its answer: see http.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../front/rpc/rpc.h"
#include "http.h"

void
http_reap(struct http *http)
{
	event_active(http->reap, EV_TIMEOUT, 0);
}

void
http_request_end(struct http_request *request)
{
	struct http *http = request->guest->http;

	if (request->over)
		return;
	request->over = 1;
	if (request->replay != NULL)
		http_replay_end(request);
	LIST_REMOVE(request, entry);
	LIST_INSERT_HEAD(&http->over, request, entry);
	if (request->forget != NULL)
		request->forget(request);
	http_reap(http);
}

void
http_request_free(struct http_request *request)
{
	LIST_REMOVE(request, entry);
	if (request->file != NULL)
		request->forget(request);
	mcp_free(&request->mcp);
	buffer_reset(&request->ids);
	free(request);
}

void
http_note_id(struct http_request *request, struct json_span id)
{
	buffer_add(&request->ids, id.p, id.len);
	buffer_add_text(&request->ids, "\n");
}

/* Sending */

void
http_reply(
    struct http_request *request, int status, const char *json, size_t len)
{
	struct ipc_reply reply = { .request = request->number,
		.status = (uint64_t)status,
		.seconds = request->wait,
		.session = request->begins == NULL ? "" : request->begins,
		.body = { (const uint8_t *)json, len, -1 } };

	if (request->over)
		return;
	if (request->guest->guest != NULL)
		gateway_reply(request->guest->guest, &reply);
	http_request_end(request);
}

void
http_reply_error(struct http_request *request, int status,
    struct json_span id, int code, const char *message)
{
	auto_buffer struct buffer line = { 0 };

	jsonrpc_add_error(&line, id, code, message, NULL);
	http_reply(request, status, line.data, line.len - 1);
}

void
http_stream(struct http_request *request)
{
	struct ipc_reply reply = { .request = request->number,
		.status = 200,
		.stream = 1,
		.session = request->begins == NULL ? "" : request->begins };
	char id[HTTP_EVENT_ID_MAX + 1];

	if (request->over || request->streaming)
		return;
	request->streaming = true;
	if (request->guest->guest != NULL)
		gateway_reply(request->guest->guest, &reply);
	if (request->replay != NULL && http_replay_prime(request->replay, id))
		http_pass(request, id, &(struct buffer){ 0 }, 0);
}

void
http_pass(struct http_request *request, const char *id,
    const struct buffer *line, int last)
{
	struct ipc_event event = { .request = request->number,
		.id = id,
		.last = (uint64_t)last,
		.data = { (const uint8_t *)line->data,
		    line->len == 0 ? 0 : line->len - 1, -1 } };

	if (request->guest->guest != NULL && request->number != 0)
		gateway_event(request->guest->guest, &event);
}

void
http_request_move(struct http_request *request, struct http_request *other)
{
	/* The connection that it had may not be known to be dead. */
	http_pass(request, "", &(struct buffer){ 0 }, 1);
	request->number = other->number;
	other->number = 0;
	http_request_end(other);
}

static void
http_event(struct http_request *request, const struct buffer *line, int last)
{
	char id[HTTP_EVENT_ID_MAX + 1] = "";

	if (request->replay != NULL && line->len > 0)
		http_replay_add(request->replay, line, id);
	http_pass(request, id, line, last);
	if (last)
		http_request_end(request);
}

/* Appends an error for each message of a request; of several, a batch. */
static void
http_add_errors(struct buffer *json, const struct http_request *request,
    const char *reason)
{
	const char *id = request->ids.len == 0 ? "" : request->ids.data;
	const char *comma = "";
	int batch = strchr(id, '\n') != strrchr(id, '\n');

	buffer_add_text(json, batch ? "[" : "");
	for (; *id != '\0'; id = strchr(id, '\n') + 1) {
		buffer_add_text(json, comma);
		jsonrpc_add_error(json, (struct json_span){ id,
		    strcspn(id, "\n") }, JSONRPC_REFUSED, reason, NULL);
		json->len--; /* the newline */
		comma = ",";
	}
	buffer_add_text(json, batch ? "]\n" : "\n");
}

void
http_give_up(struct http_request *request, int status, const char *reason)
{
	auto_buffer struct buffer line = { 0 };

	if (request->over)
		return;
	if (request->ids.len > 0)
		http_add_errors(&line, request, reason);
	if (request->streaming)
		http_event(request, &line, 1);
	else if (line.len > 0)
		http_reply(request, status, line.data, line.len - 1);
	else
		http_reply_error(request, status,
		    (struct json_span){ NULL, 0 }, JSONRPC_REFUSED, reason);
}

/* Only versions without sessions give statuses to errors (section "Errors"). */
static int
http_status(const struct http_request *request, const struct mcp_about *about)
{
	if (request->session != NULL || about->code == 0)
		return 200;
	if (about->code == JSONRPC_METHOD_NOT_FOUND)
		return 404;
	return about->refused || about->code == era_stateless.incapable ?
	    400 : 200;
}

void
http_send(struct http_request *request, struct buffer *line,
    const struct mcp_about *about)
{
	if (request->over)
		return;
	if (line->len > HTTP_ANSWER_MAX) {
		buffer_reset(line);
		jsonrpc_add_error(line, about->id, JSONRPC_INTERNAL_ERROR,
		    "the answer is too large to be sent", NULL);
	}
	/* A session that could not begin has no name. */
	if (about->code != 0)
		request->begins = NULL;
	if (about->answers && !request->streaming) {
		/* It was cancelled: there is no answer, but one to the HTTP. */
		if (line->len == 0)
			http_reply(request, 202, NULL, 0);
		else
			http_reply(request, http_status(request, about),
			    line->data, line->len - 1);
		return;
	}
	if (!request->streams)
		return;
	http_stream(request);
	http_event(request, line, about->answers);
}

int
http_busy(const struct http_guest *guest)
{
	return guest->guest != NULL &&
	    gateway_unsent(guest->guest) > CLIENT_UNSENT_BUSY;
}
