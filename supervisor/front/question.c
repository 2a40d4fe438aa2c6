/*
 * Questions to a client: see question.h. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/clock.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/loop.h"
#include "../../common/mem.h"
#include "question.h"

/* The only key of inputRequests. */
#define QUESTION_KEY "1"

struct question {
	struct mcp *mcp;
	char *method;
	char *params;
	char state[2 * QUESTION_STATE_BYTES + 1]; /* hexadecimal */
	struct rpc_ask *request; /* in a session, if sent */
	struct event *timer;
	question_told *told;
	void *ctx;
};

static const struct {
	const char *method;
	enum capability capability;
	const char *name;
} question_methods[] = {
	{ "elicitation/create", CAPABILITY_ELICITATION, "elicitation" },
	{ "sampling/createMessage", CAPABILITY_SAMPLING, "sampling" },
	{ "roots/list", CAPABILITY_ROOTS, "roots" },
};

#define QUESTION_METHODS                                                       \
	(sizeof(question_methods) / sizeof(question_methods[0]))

unsigned int
question_capability(const char *method)
{
	size_t i;

	for (i = 0; i < QUESTION_METHODS; i++)
		if (strcmp(question_methods[i].method, method) == 0)
			return question_methods[i].capability;
	return 0;
}

void
question_add_capability(struct buffer *json, const char *method)
{
	size_t i;

	for (i = 0; i < QUESTION_METHODS; i++)
		if (strcmp(question_methods[i].method, method) == 0)
			buffer_printf(
			    json, "\"%s\":{}", question_methods[i].name);
}

static void
question_on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	question_give_up(arg, "the client did not answer in time");
}

/* A client that knows the text can continue a call of its owner. */
static void
question_make_state(struct question *question)
{
	unsigned char bytes[QUESTION_STATE_BYTES];
	size_t i;

	if (getentropy(bytes, sizeof(bytes)) == -1)
		fatal("no random numbers");
	for (i = 0; i < sizeof(bytes); i++) {
		question->state[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		question->state[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
}

struct question *
question_new(struct mcp *mcp, const char *method, const char *params,
    question_told *told, void *ctx)
{
	struct question *question = mem_alloc(sizeof(*question));
	const struct timeval tv = clock_timeval(QUESTION_MS);

	question->mcp = mcp;
	question->method = mem_strdup(method);
	question->params = mem_strdup(params);
	question_make_state(question);
	question->told = told;
	question->ctx = ctx;
	question->timer =
	    evtimer_new(mcp->runs->base, question_on_timer, question);
	event_add(question->timer, &tv);
	return question;
}

void
question_free(struct question **questionp)
{
	struct question *question = mem_take(questionp);

	if (question == NULL)
		return;
	rpc_ask_cancel(question->mcp->rpc, &question->request);
	loop_event_free(&question->timer);
	free(question->method);
	free(question->params);
	free(question);
}

void
question_give_up(struct question *question, const char *why)
{
	question->told(question->ctx, (struct json_span){ NULL, 0 }, why);
}

static void
question_on_answer(void *ctx, struct json_span result)
{
	struct question *question = ctx;

	question->request = NULL;
	question->told(question->ctx, result, result.len > 0 ? NULL :
	    "the client answered the question with an error");
}

void
question_send(struct question *question)
{
	question->request = rpc_ask(question->mcp->rpc, question->method,
	    question->params, question_on_answer, question);
}

const char *
question_add_requests(const struct question *question, struct buffer *json)
{
	buffer_printf(json, "{\"" QUESTION_KEY "\":{\"method\":\"%s\","
	    "\"params\":%s}}", question->method, question->params);
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

int
question_hear(struct question *question, struct json_span params)
{
	struct json_span responses, result;

	if (json_span_get(params, "inputResponses", &responses) != 1 ||
	    json_span_get(responses, QUESTION_KEY, &result) != 1 ||
	    json_span_kind(result) != JSON_SPAN_OBJECT)
		return 0;
	question->told(question->ctx, result, NULL);
	return 1;
}
