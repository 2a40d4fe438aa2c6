/* One request to a server: see state.h. */
#include <stdlib.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "state.h"

struct ask *
ask_new(struct broker *broker, const struct definition *definition,
    const struct ask_ends *ends, uint64_t id, enum ask_kind kind)
{
	struct ask *ask = mem_alloc(sizeof(*ask));

	ask->broker = broker;
	ask->definition = definition;
	ask->ends = ends;
	ask->id = id;
	ask->kind = kind;
	ask->made = clock_ms();
	return ask;
}

void
ask_take_params(struct ask *ask, struct buffer *params)
{
	ask->params.data = buffer_take(params, &ask->params.len);
	ask->params.size = ask->params.len + 1;
	ask->broker->unwritten += ask->params.len;
}

void
ask_drop_params(struct ask *ask)
{
	ask->broker->unwritten -= ask->params.len;
	buffer_reset(&ask->params);
}

void
ask_free(struct ask **askp)
{
	struct ask *ask = mem_take(askp);

	if (ask == NULL)
		return;
	if (ask->turn != NULL)
		ask->forget(ask->server, ask);
	ask_move(ask, NULL);
	if ((ask->kind == ASK_CALL || ask->listed != NULL) &&
	    ask->broker->audit != NULL) {
		struct audit_call call = { ask->execution, ask->owner,
			ask->definition->name,
			{ ask->tool.data, ask->tool.len }, ask->arguments,
			ask->result, clock_ms() - ask->made, ask->sent != 0,
			ask->outcome };

		/* A call has ended, with any outcome. */
		audit_add(ask->broker->audit, &call);
	}
	if (ask->ends->freed != NULL)
		ask->ends->freed(ask);
	loop_event_free(&ask->patience);
	loop_event_free(&ask->hurry);
	ask_drop_params(ask);
	buffer_reset(&ask->says);
	buffer_reset(&ask->tool);
	buffer_reset(&ask->entries);
	buffer_reset(&ask->inputs);
	free(ask->hindrance);
	pages_reset(&ask->pages);
	free(ask);
}

void
ask_wait(struct ask *ask)
{
	uint64_t most = ask->begun + ask->longest, now = clock_ms();
	uint64_t left = ask->silence;

	/* Stored, because a timer of the loop may fire slightly too early. */
	ask->last = now + left >= most;
	if (ask->last)
		left = most > now ? most - now : 0;
	loop_set_timer(ask->patience, left);
}

void
ask_move(struct ask *ask, struct ask_list *list)
{
	if (ask->list != NULL)
		TAILQ_REMOVE(ask->list, ask, entry);
	ask->list = list;
	if (list != NULL)
		TAILQ_INSERT_TAIL(list, ask, entry);
}

/* Whether a result is marked as an error. */
static int
ask_is_error(const char *json, size_t len)
{
	struct json_span value = { json, len }, is_error;

	return json_span_get(value, "isError", &is_error) > 0 &&
	    json_span_kind(is_error) == JSON_SPAN_TRUE;
}

void
ask_answer(struct ask **askp, const char *json, size_t len)
{
	struct ask *ask = mem_take(askp);

	if (ask->listed != NULL) {
		/*
		 * The list that a call waits for is there: it is a call from
		 * now on.
		 */
		void (*listed)(struct ask *ask) = ask->listed;

		ask->listed = NULL;
		ask->kind = ASK_CALL;
		ask->link = NULL;
		ask_move(ask, NULL);
		loop_event_free(&ask->patience);
		loop_event_free(&ask->hurry);
		listed(ask);
		return;
	}
	/* Records the outcome of a call, if there is an audit file. */
	ask->result = len;
	if (ask->kind == ASK_CALL && ask->broker->audit != NULL)
		ask->outcome = ask_is_error(json, len) ? AUDIT_TOOL_ERROR
		                                       : AUDIT_OK;
	ask->ends->answer(ask, json, len);
	ask_free(&ask);
}

void
ask_refuse(struct ask **askp, struct buffer *reason, struct json_span error)
{
	struct ask *ask = mem_take(askp);

	if (ask->listed != NULL && ask->says.len > 0) {
		/*
		 * No newer list comes: the arguments do not fit, whatever went
		 * wrong.
		 */
		buffer_reset(reason);
		reason_add_text(reason, ask->says.data, ask->says.len);
		ask->outcome = AUDIT_REFUSED;
		error.len = 0;
	}
	reason_fit(reason);
	ask->result = error.len;
	if (ask->outcome == AUDIT_CANCELLED)
		ask->outcome = AUDIT_ERROR;
	ask->ends->refuse(ask, reason->data, error);
	ask_free(&ask);
}

void
ask_add_sent(const struct ask *ask, struct buffer *reason)
{
	if (ask->kind == ASK_CALL || ask->listed != NULL)
		buffer_printf(reason, "; the call was %s", ask->sent != 0
		    ? "sent and may have run" : "not sent");
}

void
ask_refuse_words(struct ask **ask, const char *words)
{
	auto_buffer struct buffer reason = { 0 };

	definition_begin_reason((*ask)->definition, &reason);
	buffer_add_text(&reason, words);
	ask_refuse(ask, &reason, (struct json_span){ NULL, 0 });
}
