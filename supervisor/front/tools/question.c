/* Questions to a client: see tool.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "tool.h"

/* One of its parts. */
struct question_ask {
	struct question *question;
	char *key;
	char *method;
	char *params;
	struct rpc_ask *request; /* in a session, if sent and unanswered */
};

struct question {
	struct mcp *mcp;
	struct question_ask asks[QUESTION_PARTS_MAX];
	size_t count; /* 0: it was dropped */
	bool stale;   /* what its client answers next was asked before */
	size_t open;  /* unanswered requests */
	struct buffer results; /* an object without its end */
	char state[2 * QUESTION_STATE_BYTES + 1]; /* hexadecimal */
	struct event *timer;
	question_told *told;
	void *ctx;
};

static void
question_on_timer(evutil_socket_t, short, void *arg)
{
	question_give_up(arg, "the client did not answer in time");
}

int
question_renew(struct question *question, const struct question_part *parts,
    size_t count, struct err *err)
{
	size_t i;

	if (question->count > 0)
		return err_set(err, "the client is already being asked");
	question->count = count;
	for (i = 0; i < count; i++) {
		question->asks[i].question = question;
		question->asks[i].key = mem_strdup(parts[i].key);
		question->asks[i].method = mem_strdup(parts[i].method);
		question->asks[i].params = mem_strdup(parts[i].params);
	}
	loop_set_timer(question->timer, QUESTION_MS);
	return 0;
}

struct question *
question_new(struct mcp *mcp, const struct question_part *parts,
    size_t count, question_told *told, void *ctx)
{
	struct question *question = mem_alloc(sizeof(*question));
	size_t i;
	unsigned char bytes[QUESTION_STATE_BYTES];

	question->mcp = mcp;
	/* A client that knows the text can continue a call of its owner. */
	if (getentropy(bytes, sizeof(bytes)) == -1)
		fatal("no random numbers");
	for (i = 0; i < sizeof(bytes); i++) {
		question->state[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		question->state[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	question->told = told;
	question->ctx = ctx;
	question->timer =
	    evtimer_new(mcp->runs->base, question_on_timer, question);
	question_renew(question, parts, count, NULL);
	return question;
}

void
question_drop(struct question *question)
{
	size_t i;

	for (i = 0; i < question->count; i++) {
		rpc_ask_cancel(question->mcp->rpc, &question->asks[i].request);
		free(question->asks[i].key);
		free(question->asks[i].method);
		free(question->asks[i].params);
	}
	question->count = 0;
	question->stale = true;
}

void
question_free(struct question **questionp)
{
	struct question *question = mem_take(questionp);

	if (question == NULL)
		return;
	question_drop(question);
	loop_event_free(&question->timer);
	buffer_reset(&question->results);
	free(question);
}

void
question_move(struct question *question, struct mcp *mcp)
{
	question->mcp = mcp;
}

void
question_give_up(struct question *question, const char *why)
{
	size_t i;

	for (i = 0; i < question->count; i++)
		rpc_ask_cancel(question->mcp->rpc, &question->asks[i].request);
	question->told(question->ctx, (struct json_span){ NULL, 0 }, why);
}

static void
question_add_result(struct question *question,
    const struct question_ask *ask, struct json_span result)
{
	buffer_printf(&question->results, "%s\"%s\":",
	    question->results.len == 0 ? "{" : ",", ask->key);
	buffer_add(&question->results, result.p, result.len);
}

/* All parts have been answered. */
static void
question_tell(struct question *question)
{
	buffer_add_text(&question->results, "}");
	question->told(question->ctx,
	    (struct json_span){ question->results.data,
	        question->results.len },
	    NULL);
}

static void
question_on_answer(void *ctx, struct json_span result)
{
	struct question_ask *ask = ctx;
	struct question *question = ask->question;

	ask->request = NULL;
	if (result.len == 0) {
		question_give_up(question,
		    "the client answered the question with an error");
		return;
	}
	question_add_result(question, ask, result);
	if (--question->open == 0)
		question_tell(question);
}

void
question_send(struct question *question, struct json_span id)
{
	struct question_ask *ask;
	size_t i;

	question->open = question->count;
	for (i = 0; i < question->count; i++) {
		ask = &question->asks[i];
		ask->request = rpc_ask(question->mcp->rpc, id, ask->method,
		    ask->params, question_on_answer, ask);
	}
}

const char *
question_add_requests(const struct question *question, struct buffer *json)
{
	const struct question_ask *ask;
	size_t i;

	for (i = 0; i < question->count; i++) {
		ask = &question->asks[i];
		buffer_printf(json, "%s\"%s\":{\"method\":\"%s\","
		    "\"params\":%s}", i == 0 ? "{" : ",", ask->key,
		    ask->method, ask->params);
	}
	buffer_add_text(json, "}");
	return question->state;
}

int
question_is(const struct question *question, struct json_span state)
{
	size_t len = sizeof(question->state) - 1;
	unsigned char other = 0;
	size_t i;

	if (json_span_kind(state) != JSON_SPAN_STRING || state.len != len + 2)
		return 0;
	/* The time does not tell how much of a guess is right. */
	for (i = 0; i < len; i++)
		other |= (unsigned char)(state.p[i + 1] ^ question->state[i]);
	return other == 0;
}

/* Returns whether there is an answer to each part, and adds them. */
static int
question_read(struct question *question, struct json_span responses)
{
	struct json_span result;
	size_t i;

	question->results.len = 0;
	for (i = 0; i < question->count; i++) {
		if (json_span_get(responses, question->asks[i].key,
		        &result) != 1 ||
		    json_span_kind(result) != JSON_SPAN_OBJECT)
			return 0;
		question_add_result(question, &question->asks[i], result);
	}
	return 1;
}

int
question_hear(struct question *question, struct json_span params)
{
	struct json_span responses = { NULL, 0 };
	int stale = question->stale;

	if (question->count == 0) {
		question->told(question->ctx, responses, "it was dropped");
		return 1;
	}
	question->stale = false;
	if (stale ||
	    json_span_get(params, "inputResponses", &responses) != 1 ||
	    json_span_kind(responses) != JSON_SPAN_OBJECT ||
	    !question_read(question, responses))
		return 0;
	question_tell(question);
	return 1;
}
