/*
 * Questions of servers to the client of a call: see call_parts.h. One at a time
 * is with the client, and the deadline of the call stands still meanwhile. Runs
 * in the supervisor, which passes them on as they are.
 */
#include <stdlib.h>

#include "../../common/base/clock.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../peers/broker.h"
#include "call_parts.h"

struct asking {
	TAILQ_ENTRY(asking) entry; /* the first is with the client */
	uint64_t number;
	unsigned int kind;
	char *params;
};

static const struct json_span asking_none;

/* Passes on an answer, or why there is none, and frees the question. */
static void
asking_end(struct call *call, struct asking *asking, struct json_span result,
    const char *why)
{
	TAILQ_REMOVE(&call->askings, asking, entry);
	broker_answer(call->runs->peers.broker, asking->number, call->number,
	    result, why);
	free(asking->params);
	free(asking);
}

/* Asks the first that the client can be asked; without one, time goes on. */
static void
asking_next(struct call *call)
{
	uint64_t now = clock_ms(), used = now - call->asked_ms;
	struct asking *asking;
	struct err err;

	while ((asking = TAILQ_FIRST(&call->askings)) != NULL) {
		if (call->request.asked(call->ctx, asking->kind, asking->params,
		        &err) == 0)
			return;
		asking_end(call, asking, asking_none, err.text);
	}
	if (call->phase != CALL_RUNNING)
		return;
	used = used < call->patience ? used : call->patience;
	call->patience -= used;
	call->until += used;
	loop_set_timer(call->timer, call->until > now ? call->until - now : 0);
}

void
call_answer(struct call *call, struct json_span result, const char *why)
{
	struct asking *asking = TAILQ_FIRST(&call->askings);

	if (asking == NULL)
		return;
	if (result.len > QUESTION_BYTES_MAX) {
		result = asking_none;
		why = "the answer of the client is too large";
	}
	asking_end(call, asking, result, why);
	asking_next(call);
}

void
call_withdraw(struct call *call, uint64_t number)
{
	struct asking *asking, *next;
	int asked = 0;

	for (asking = TAILQ_FIRST(&call->askings); asking != NULL;
	     asking = next) {
		next = TAILQ_NEXT(asking, entry);
		if (number != 0 && asking->number != number)
			continue;
		asked |= asking == TAILQ_FIRST(&call->askings);
		asking_end(call, asking, asking_none, "its execution is over");
	}
	if (asked) {
		call->request.asked(call->ctx, 0, NULL, NULL);
		asking_next(call);
	}
}

static void
asking_on_asked(void *ctx, const struct broker_question *question)
{
	struct runs *runs = ctx;
	struct call *call;
	struct asking *asking;
	auto_free char *params = NULL;
	struct err err;

	TAILQ_FOREACH (call, &runs->running, entry)
		if (call->number == question->execution)
			break;
	if (question->kind == 0) {
		if (call != NULL)
			call_withdraw(call, question->number);
		return;
	}
	if (call == NULL || call->phase != CALL_RUNNING ||
	    call->cause != CALL_BY_ITSELF ||
	    (call->request.asks & question->kind) == 0) {
		if ((question->kind & ASK_CLIENT_TELLS) == 0)
			broker_answer(runs->peers.broker, question->number,
			    question->execution, asking_none,
			    "its execution is over, or asks no one");
		return;
	}
	params = mem_dup(question->params.p, question->params.len);
	if ((question->kind & ASK_CLIENT_TELLS) != 0) {
		call->request.asked(call->ctx, question->kind, params, &err);
		return;
	}
	asking = mem_alloc(sizeof(*asking));
	asking->number = question->number;
	asking->kind = question->kind;
	asking->params = mem_take(&params);
	TAILQ_INSERT_TAIL(&call->askings, asking, entry);
	if (asking != TAILQ_FIRST(&call->askings))
		return;
	call->asked_ms = clock_ms();
	loop_set_timer(call->timer, call->patience +
	    (call->until > call->asked_ms ? call->until - call->asked_ms : 0));
	asking_next(call);
}

void
runs_take_questions(struct runs *runs)
{
	broker_on_question(runs->peers.broker, asking_on_asked, runs);
}
