/* JSON-RPC with one client: see rpc.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "rpc.h"

/*
 * A JSON-RPC batch, which only version 2025-03-26 has. Its answers are sent as
 * one array, after the last of its requests has been answered.
 */
struct rpc_batch {
	struct buffer answers; /* separated by commas */
	size_t open;           /* unanswered requests, and the reader */
	size_t counted;        /* its bytes in held of rpc */
	struct buffer id;      /* of one of its requests; empty: none yet */
};

/* A request of ours. */
struct rpc_ask {
	LIST_ENTRY(rpc_ask) entry;
	unsigned long number; /* its id */
	struct buffer about;  /* the id of the request that it belongs to */
	void (*answered)(void *ctx, struct json_span result);
	void *ctx;
};

struct rpc {
	struct rpc_handlers handlers;
	struct mcp_door door;
	size_t max_code; /* bytes */
	bool batches;     /* batches are allowed */
	struct rpc_batch *batch; /* of the current answer, or NULL */
	size_t held; /* bytes in unsent answers of batches */
	LIST_HEAD(, rpc_ask) asks; /* unanswered requests of ours */
	unsigned long asked; /* their number so far */
};

/* Sends a line, or adds it to the answers of its batch. */
static void
rpc_send(struct rpc *rpc, struct buffer *line, const struct mcp_about *about)
{
	struct rpc_batch *batch = rpc->batch;

	if (batch == NULL) {
		rpc->door.send(rpc->door.ctx, line, about);
		return;
	}
	if (batch->id.len == 0)
		buffer_add(&batch->id, about->id.p, about->id.len);
	if (line->len == 0)
		return;
	if (batch->answers.len > 0)
		buffer_add_text(&batch->answers, ",");
	buffer_add(&batch->answers, line->data, line->len - 1);
	rpc->held += line->len - 1;
	batch->counted += line->len - 1;
	buffer_reset(line);
}

static void
rpc_batch_free(struct rpc_batch *batch)
{
	buffer_reset(&batch->answers);
	buffer_reset(&batch->id);
	free(batch);
}

/* Releases one hold on a batch. */
static void
rpc_batch_release(struct rpc *rpc, struct rpc_batch *batch)
{
	struct buffer line = { 0 };
	struct mcp_about about = { .answers = 1 };

	if (batch == NULL || --batch->open > 0)
		return;
	about.id = (struct json_span){ batch->id.data, batch->id.len };
	if (batch->answers.len > 0) {
		buffer_add_text(&line, "[");
		buffer_add(&line, batch->answers.data, batch->answers.len);
		buffer_add_text(&line, "]\n");
	}
	rpc->held -= batch->counted;
	rpc->door.send(rpc->door.ctx, &line, &about);
	rpc_batch_free(batch);
}

struct rpc_batch *
rpc_batch_hold(struct rpc *rpc)
{
	if (rpc->batch != NULL)
		rpc->batch->open++;
	return rpc->batch;
}

void
rpc_batch_forget(struct rpc_batch *batch)
{
	if (batch != NULL && --batch->open == 0)
		rpc_batch_free(batch);
}

/* For a message with an unknown id, which is answered with null. */
static const struct json_span rpc_no_id = { NULL, 0 };

static void
rpc_send_error(struct rpc *rpc, const struct mcp_about *about,
    const char *message, const char *data_json)
{
	struct buffer line = { 0 };

	jsonrpc_add_error(&line, about->id, about->code, message, data_json);
	rpc_send(rpc, &line, about);
}

void
rpc_answer_error(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json)
{
	const struct mcp_about about = { id, 1, code, 0 };

	rpc_send_error(rpc, &about, message, data_json);
}

void
rpc_refuse(struct rpc *rpc, struct json_span id, int code,
    const char *message, const char *data_json)
{
	const struct mcp_about about = { id, 1, code, 1 };

	rpc_send_error(rpc, &about, message, data_json);
}

/* A NULL result: it gets no answer. */
void
rpc_answer(struct rpc *rpc, struct json_span id, struct buffer *result)
{
	const struct mcp_about about = { id, 1, 0, 0 };
	struct buffer line = { 0 };

	if (result != NULL) {
		jsonrpc_add_result(&line, id, result->data);
		buffer_reset(result);
	}
	rpc_send(rpc, &line, &about);
}

void
rpc_batch_answer(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, struct buffer *result)
{
	struct rpc_batch *before = rpc->batch;

	rpc->batch = batch;
	rpc_answer(rpc, id, result);
	rpc->batch = before;
	rpc_batch_release(rpc, batch);
}

void
rpc_batch_answer_error(struct rpc *rpc, struct rpc_batch *batch,
    struct json_span id, int code, const char *message, const char *data_json)
{
	struct rpc_batch *before = rpc->batch;

	rpc->batch = batch;
	rpc_answer_error(rpc, id, code, message, data_json);
	rpc->batch = before;
	rpc_batch_release(rpc, batch);
}

void
rpc_notify(struct rpc *rpc, struct json_span id, const char *method,
    struct buffer *params)
{
	const struct mcp_about about = { .id = id };
	struct buffer line = { 0 };

	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\","
	    "\"params\":%s}\n", method, params->data);
	buffer_reset(params);
	rpc->door.send(rpc->door.ctx, &line, &about);
}

int
rpc_busy(const struct rpc *rpc)
{
	return rpc->held > CLIENT_UNSENT_BUSY || rpc->door.busy(rpc->door.ctx);
}

int
rpc_reaches(const struct rpc *rpc, struct json_span id)
{
	return rpc->door.reaches == NULL ||
	    rpc->door.reaches(rpc->door.ctx, id);
}

struct rpc_ask *
rpc_ask(struct rpc *rpc, struct json_span id, const char *method,
    const char *params, void (*answered)(void *ctx, struct json_span result),
    void *ctx)
{
	struct rpc_ask *ask = mem_alloc(sizeof(*ask));
	const struct mcp_about about = { .id = id };
	struct buffer line = { 0 };

	ask->number = ++rpc->asked;
	buffer_add(&ask->about, id.p, id.len);
	ask->answered = answered;
	ask->ctx = ctx;
	LIST_INSERT_HEAD(&rpc->asks, ask, entry);
	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"id\":%lu,"
	    "\"method\":\"%s\",\"params\":%s}\n", ask->number, method, params);
	rpc->door.send(rpc->door.ctx, &line, &about);
	return ask;
}

static void
rpc_ask_free(struct rpc_ask *ask)
{
	LIST_REMOVE(ask, entry);
	buffer_reset(&ask->about);
	free(ask);
}

void
rpc_ask_cancel(struct rpc *rpc, struct rpc_ask **askp)
{
	struct rpc_ask *ask = mem_take(askp);
	struct buffer params = { 0 };

	if (ask == NULL)
		return;
	buffer_printf(&params, "{\"requestId\":%lu}", ask->number);
	rpc_notify(rpc,
	    (struct json_span){ ask->about.data, ask->about.len },
	    "notifications/cancelled", &params);
	rpc_ask_free(ask);
}

/* Returns the request of ours with this id, or NULL. */
static struct rpc_ask *
rpc_ask_find(struct rpc *rpc, struct json_span id)
{
	struct rpc_ask *ask;
	char number[24];

	LIST_FOREACH (ask, &rpc->asks, entry) {
		snprintf(number, sizeof(number), "%lu", ask->number);
		if (id.len == strlen(number) &&
		    memcmp(id.p, number, id.len) == 0)
			return ask;
	}
	return NULL;
}

static void
rpc_on_response(struct rpc *rpc, struct json_span value, struct json_span id)
{
	struct rpc_ask *ask = rpc_ask_find(rpc, id);
	struct json_span result = { NULL, 0 }, error;
	void (*answered)(void *ctx, struct json_span result);
	void *ctx;

	if (ask == NULL) {
		log_debug("the client sent a response to no request");
		return;
	}
	if (json_span_get(value, "error", &error) > 0 ||
	    json_span_get(value, "result", &result) != 1 ||
	    json_span_kind(result) != JSON_SPAN_OBJECT)
		result = (struct json_span){ NULL, 0 };
	answered = ask->answered;
	ctx = ask->ctx;
	rpc_ask_free(ask);
	answered(ctx, result);
}

void
rpc_sort(struct rpc *rpc, struct json_span value, struct jsonrpc *message,
    struct err *err)
{
	struct json_span method;

	jsonrpc_sort(value, message, err);
	if (message->kind == JSONRPC_INVALID && rpc != NULL &&
	    json_span_get(value, "method", &method) == 0 &&
	    rpc_ask_find(rpc, message->id) != NULL)
		message->kind = JSONRPC_RESPONSE;
	if (message->id.len <= CLIENT_ID_MAX)
		return;
	message->id = rpc_no_id;
	/* A response is never answered, and this one is to no request. */
	if (message->kind == JSONRPC_RESPONSE)
		return;
	err_set(err, "the id is too long");
	message->kind = JSONRPC_INVALID;
}

static void
rpc_on_message(struct rpc *rpc, struct json_span value)
{
	struct jsonrpc message;
	struct err err;

	rpc_sort(rpc, value, &message, &err);
	switch (message.kind) {
	case JSONRPC_REQUEST:
		rpc->handlers.request(rpc->handlers.ctx, &message);
		return;
	case JSONRPC_NOTIFICATION:
		rpc->handlers.notification(rpc->handlers.ctx, &message);
		return;
	case JSONRPC_RESPONSE:
		rpc_on_response(rpc, value, message.id);
		return;
	case JSONRPC_INVALID:
		rpc_refuse(rpc, message.id, JSONRPC_INVALID_REQUEST,
		    err.text, NULL);
		return;
	}
}

size_t
rpc_batch_count(struct json_span batch)
{
	struct json_span_walk walk = json_span_walk(batch);
	struct json_span element;
	size_t n = 0;

	while (json_span_next_element(&walk, &element))
		n++;
	return n;
}

/* Batches are legal in one version only, and never empty. */
void
rpc_on_value(struct rpc *rpc, struct json_span value)
{
	struct json_span_walk walk;
	struct json_span element;
	struct rpc_batch *batch;

	if (json_span_kind(value) != JSON_SPAN_ARRAY || !rpc->batches) {
		rpc_on_message(rpc, value);
		return;
	}
	walk = json_span_walk(value);
	if (!json_span_next_element(&walk, &element)) {
		rpc_on_message(rpc, value);
		return;
	}
	/* A batch keeps all its answers until the end. */
	if (rpc_batch_count(value) > CLIENT_BATCH_MAX) {
		rpc_refuse(rpc, rpc_no_id, JSONRPC_INVALID_REQUEST,
		    RPC_BATCH_TOO_LARGE, NULL);
		return;
	}
	batch = mem_alloc(sizeof(*batch));
	batch->open = 1;
	rpc->batch = batch;
	do
		rpc_on_message(rpc, element);
	while (json_span_next_element(&walk, &element));
	rpc->batch = NULL;
	rpc_batch_release(rpc, batch);
}

static int
rpc_blank(const struct line *line)
{
	size_t i;

	for (i = 0; i < line->len; i++)
		if (line->data[i] != ' ' && line->data[i] != '\t' &&
		    line->data[i] != '\r')
			return 0;
	return 1;
}

void
rpc_on_line(struct rpc *rpc, const struct line *line)
{
	struct json_span value;
	struct err err;

	if (line->oversized) {
		struct json_span id = { NULL, 0 };
		auto_free char *message = mem_printf("the message has %zu "
		    "bytes, more than fit around the largest code allowed "
		    "(CAISSON_MAX_CODE, now %zu bytes)", line->total,
		    rpc->max_code);

		if (!jsonrpc_glimpse_id(
		        line->data, line->len, line->tail, line->tail_len, &id))
			id = rpc_no_id;
		rpc_refuse(rpc, id, JSONRPC_INVALID_REQUEST, message, NULL);
		return;
	}
	if (rpc_blank(line))
		return;
	if (json_span_parse(line->data, line->len, &value, &err) == -1) {
		err_wrap(&err, "Parse error");
		rpc_refuse(rpc, rpc_no_id, JSONRPC_PARSE_ERROR, err.text, NULL);
		return;
	}
	rpc_on_value(rpc, value);
}

void
rpc_allow_batches(struct rpc *rpc, int allowed)
{
	rpc->batches = allowed;
}

int
rpc_in_batch(const struct rpc *rpc)
{
	return rpc->batch != NULL;
}

struct rpc *
rpc_new(const struct rpc_handlers *handlers, const struct mcp_door *door,
    size_t max_code)
{
	struct rpc *rpc = mem_alloc(sizeof(*rpc));

	rpc->handlers = *handlers;
	rpc->door = *door;
	rpc->max_code = max_code;
	LIST_INIT(&rpc->asks);
	return rpc;
}

void
rpc_free(struct rpc **rpcp)
{
	struct rpc *rpc = mem_take(rpcp);

	if (rpc == NULL)
		return;
	while (!LIST_EMPTY(&rpc->asks))
		rpc_ask_free(LIST_FIRST(&rpc->asks));
	free(rpc);
}
