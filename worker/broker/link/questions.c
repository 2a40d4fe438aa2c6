/*
 * Questions of servers on their way to the client of an execution: see link.h.
 * Runs in the broker; what decodes bytes is in question.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/ask_client.h"
#include "../../../common/base/clock.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../arguments/arguments.h"
#include "link.h"

/* Until it is answered. */
struct question {
	TAILQ_ENTRY(question) entry; /* of its link */
	uint64_t number, execution;
	uint64_t begun; /* by clock_ms() */
	unsigned int kind;
	char *id;     /* of the request, as JSON; or its key in a result */
	struct ask *asker; /* whose result asks; NULL: a request does */
	char *schema; /* of a form, as JSON; or NULL */
};

static int
question_is_open(const struct ask *ask, uint64_t execution)
{
	return ask->kind == ASK_CALL && ask->sent != 0 &&
	    ask->execution == execution;
}

/*
 * Returns a call of the only execution, or client, that has calls in flight
 * there; NULL: there are none, or of several.
 */
static struct ask *
question_find_call(const struct link *link)
{
	struct ask *ask, *found = NULL;

	TAILQ_FOREACH (ask, &link->asks, entry)
		if (question_is_open(ask, ask->execution)) {
			if (found != NULL &&
			    found->execution != ask->execution &&
			    (ask->client == 0 || found->client != ask->client))
				return NULL;
			found = ask;
		}
	return found;
}

size_t
questions_count(const struct link *link, uint64_t execution)
{
	const struct question *question;
	size_t n = 0;

	TAILQ_FOREACH (question, &link->questions, entry)
		n += question->execution == execution;
	return n;
}

/* The calls of its execution have waited for the client, not for the server. */
static void
question_free(struct link *link, struct question **questionp)
{
	struct question *question = mem_take(questionp), *other;
	uint64_t now = clock_ms(), begun = question->begun;
	struct ask *ask;

	TAILQ_REMOVE(&link->questions, question, entry);
	/* Questions at the same time are waited for once. */
	TAILQ_FOREACH (other, &link->questions, entry)
		if (other->execution == question->execution) {
			if (other->begun < begun)
				begun = other->begun;
			other->begun = now;
		}
	TAILQ_FOREACH (ask, &link->asks, entry)
		if (question_is_open(ask, question->execution)) {
			ask->begun +=
			    now - (ask->begun > begun ? ask->begun : begun);
			ask_wait(ask);
		}
	free(question->id);
	free(question->schema);
	free(question);
}

/* Goes on with a call whose server has asked first, if nothing is open. */
static void
question_go_on(struct link *link, struct ask *ask)
{
	const struct question *question;

	if (ask->asking)
		return;
	if (ask->hindrance == NULL)
		TAILQ_FOREACH (question, &link->questions, entry)
			if (question->asker == ask)
				return;
	ask->repeat(ask);
}

/* Passes on a result, or why there is none, and frees the question. */
static void
question_end(struct link *link, struct question *question, const char *result,
    const char *why)
{
	struct ask *ask = question->asker;

	if (result == NULL && question->kind == ASK_CLIENT_ROOTS &&
	    !link->rooted)
		result = "{\"roots\":[]}";
	if (ask == NULL) {
		mcp_client_reply(link->client, question->id, result, why);
	} else if (result != NULL) {
		buffer_printf(&ask->inputs, "%s%s:%s",
		    ask->inputs.data[ask->inputs.len - 1] == '{' ? "" : ",",
		    question->id, result);
	} else if (ask->hindrance == NULL) {
		ask->hindrance = mem_strdup(why);
	}
	question_free(link, &question);
	if (ask != NULL)
		question_go_on(link, ask);
}

/* Whether a question is needed without this call, as it is of another, too. */
static int
question_stays(const struct link *link, const struct question *question,
    const struct ask *ask)
{
	const struct ask *other;

	if (question->asker != NULL)
		return question->asker != ask;
	if (question->execution != ask->execution ||
	    question->kind == ASK_CLIENT_ROOTS)
		return 1;
	TAILQ_FOREACH (other, &link->asks, entry)
		if (other != ask && question_is_open(other, ask->execution))
			return 1;
	return 0;
}

void
questions_forget(struct link *link, const struct ask *ask)
{
	struct question *question, *next;

	for (question = TAILQ_FIRST(&link->questions); question != NULL;
	     question = next) {
		next = TAILQ_NEXT(question, entry);
		if (ask != NULL && question_stays(link, question, ask))
			continue;
		to_supervisor_ask_client(link->broker, question->number,
		    question->execution, 0, &(struct buffer){ 0 });
		if (link->state == LINK_READY && question->asker == NULL)
			mcp_client_reply(link->client, question->id, NULL,
			    "the call that it was asked for has ended");
		question_free(link, &question);
	}
}

/* Appends the roots of the configuration; nothing: it does not name any. */
static void
question_add_roots(const struct definition *definition, struct buffer *json)
{
	const struct buffer *allow = &definition->roots.allow;
	const char *root, *before = "{\"uri\":";

	if (!definition->roots.narrowed)
		return;
	buffer_add_text(json, "{\"roots\":[");
	TEXT_LIST_EACH (root, allow->data, allow->len) {
		auto_free char *uri = mem_printf("%s%s",
		    root[0] == '/' ? "file://" : "", root);

		if (root[0] == '\0')
			continue;
		buffer_add_text(json, before);
		json_add_text(json, uri);
		buffer_add_text(json, "}");
		before = ",{\"uri\":";
	}
	buffer_add_text(json, "]}");
}

/* Returns why the client is not asked, who supports so much; NULL: it is. */
static const char *
question_hindrance(struct link *link, const struct question *question,
    struct ask *call, unsigned int asks)
{
	if (question->kind == ASK_CLIENT_SAMPLING &&
	    !link->definition->sampling.narrowed)
		return "sampling is off: its entry has no \"sampling\": true";
	if (question->execution == 0)
		return "it is not known for whom: no call is in flight, or "
		    "calls of several clients are";
	if ((asks & question->kind) == 0)
		return "no one can be asked: the client of this execution "
		    "does not support it";
	return (call != NULL && call->questions++ >= QUESTIONS_CALL_MAX) ||
	    questions_count(link, question->execution) > QUESTIONS_OPEN_MAX ?
	    "it asks too much" : NULL;
}

/* Asks what a request asks, or the result of asker. Returns whether it can. */
static int
question_ask(struct link *link, const struct jsonrpc *message,
    struct ask *asker, struct ask *call)
{
	unsigned int kind = question_kind(message->method, message->params);
	const struct server_hold *hold = LIST_FIRST(&link->server->holds);
	unsigned int asks = call != NULL ? call->asks : 0;
	auto_buffer struct buffer result = { 0 }, sent = { 0 };
	struct question *question;
	struct json_span schema;
	const char *why;
	struct err err;

	if (kind == 0 || message->id.len > QUESTION_ID_MAX)
		return 0;
	question = mem_alloc(sizeof(*question));
	question->kind = kind;
	question->asker = asker;
	question->id = mem_dup(message->id.p, message->id.len);
	if (call != NULL) {
		question->execution = call->execution;
	} else if (kind == ASK_CLIENT_ROOTS && hold != NULL &&
	    LIST_NEXT(hold, entry) == NULL) {
		/* The server may ask for its roots as soon as it runs. */
		question->execution = hold->execution;
		asks = hold->asks;
	}
	question->begun = clock_ms();
	TAILQ_INSERT_TAIL(&link->questions, question, entry);
	if (kind == ASK_CLIENT_ROOTS)
		question_add_roots(link->definition, &result);
	why = result.len > 0 ? "" :
	    question_hindrance(link, question, call, asks);
	if (why == NULL && question_settle(kind, message->params,
	        link->definition->name, &link->masks, &sent, &err) == -1)
		why = err.text;
	if (why != NULL) {
		question_end(link, question, result.data, why);
		return 1;
	}
	if (kind == ASK_CLIENT_FORM) {
		json_span_get(message->params, "requestedSchema", &schema);
		question->schema = mem_dup(schema.p, schema.len);
	}
	question->number = ++link->broker->last_question;
	/* Clients of the versions with sessions need one. */
	if (kind == ASK_CLIENT_URL && json_span_get(message->params,
	        "elicitationId", &schema) == 0) {
		sent.len--;
		buffer_printf(&sent, ",\"elicitationId\":\"caisson-%" PRIu64
		    "\"}", question->number);
	}
	to_supervisor_ask_client(link->broker, question->number,
	    question->execution, kind, &sent);
	return 1;
}

void
questions_tell(struct link *link, struct ask *call, unsigned int kind,
    struct json_span params)
{
	auto_buffer struct buffer sent = { 0 };
	struct json_span level = { NULL, 0 };
	struct err err;

	if (call == NULL || (call->asks & kind) == 0)
		return;
	if (kind == ASK_CLIENT_LOG && (params.len == 0 ||
	        json_span_get(params, "level", &level) == 0 ||
	        severity_read(level) <
	            call->asks >> ASK_CLIENT_LEVEL_SHIFT))
		return;
	if (call->logs++ >= SERVER_LOGS_MAX)
		return;
	if (question_settle_told(kind, params, link->definition->name,
	        &link->masks, &sent, &err) == -1)
		log_debug("a message of a server is not passed on: %s",
		    err.text);
	else
		to_supervisor_ask_client(link->broker,
		    ++link->broker->last_question, call->execution, kind,
		    &sent);
}

int
questions_request(void *ctx, const struct jsonrpc *message, void *of)
{
	struct ask *call = of != NULL ? of : question_find_call(ctx);

	if (message->kind == JSONRPC_REQUEST)
		return question_ask(ctx, message, NULL, call);
	questions_tell(ctx, call, ASK_CLIENT_LOG, message->params);
	return 0;
}

/* Begins the questions of a result. Returns why it cannot, or NULL. */
static const char *
question_ask_all(struct link *link, struct ask *ask, struct json_span result)
{
	struct json_span requests = { "{}", 2 }, state, key, request;
	size_t count = json_span_get(result, "inputRequests", &requests);
	struct json_span_walk walk;

	if (ask->rounds++ == QUESTION_ROUNDS_MAX)
		return "it asks again and again";
	buffer_reset(&ask->inputs);
	if (json_span_get(result, "requestState", &state) > 0) {
		if (json_span_kind(state) != JSON_SPAN_STRING ||
		    state.len > QUESTION_BYTES_MAX)
			return "its state is no text, or too long";
		buffer_printf(&ask->inputs, ",\"requestState\":%.*s",
		    (int)state.len, state.p);
	} else if (count == 0) {
		return "it does not say what it asks for";
	}
	buffer_add_text(&ask->inputs, ",\"inputResponses\":{");
	if (json_span_kind(requests) != JSON_SPAN_OBJECT)
		return "what it asks for is no object";
	walk = json_span_walk(requests);
	while (ask->hindrance == NULL &&
	    json_span_next_member(&walk, &key, &request)) {
		struct jsonrpc message = { .id = key };

		if (json_span_kind(request) != JSON_SPAN_OBJECT ||
		    json_span_get(request, "method", &message.method) != 1)
			return "it asks for what MCP does not have";
		json_span_get(request, "params", &message.params);
		if (!question_ask(link, &message, ask, ask))
			return "it asks for what MCP does not have";
	}
	return NULL;
}

void
questions_required(struct link *link, struct ask *ask, struct json_span result)
{
	const char *why;

	ask->asking = true;
	why = question_ask_all(link, ask, result);
	if (why != NULL && ask->hindrance == NULL)
		ask->hindrance = mem_strdup(why);
	ask->asking = false;
	question_go_on(link, ask);
}

/* Returns the question of this number, and its link; NULL: it is over. */
static struct question *
question_find(struct broker *broker, uint64_t number, struct link **link)
{
	struct question *question;

	TAILQ_FOREACH (*link, &broker->links, entry)
		TAILQ_FOREACH (question, &(*link)->questions, entry)
			if (question->number == number)
				return question;
	return NULL;
}

void
questions_answered(struct broker *broker, struct ipc_client_answered *msg)
{
	struct link *link;
	struct question *question = question_find(broker, msg->question, &link);
	auto_buffer struct buffer result = { 0 };
	auto_free char *data = NULL;
	struct json_span value, schema = { NULL, 0 };
	struct err err;

	/* Or it was asked by a broker before this one. */
	if (question == NULL || question->execution != msg->execution)
		return;
	if (question->schema != NULL)
		schema = (struct json_span){ question->schema,
			strlen(question->schema) };
	if (msg->result.len == 0) {
		err_set(&err, "%s", msg->reason);
	} else if ((data = ipc_blob_copy(&msg->result, &err)) == NULL ||
	    json_span_parse(data, msg->result.len, &value, &err) == -1) {
		fatal("an answer of a client is unreadable: %s", err.text);
	} else if (question_check(
	               question->kind, schema, value, &result, &err) == -1) {
		err_wrap(&err, "the answer of the client cannot be used");
		buffer_reset(&result);
		question->kind = 0; /* no roots do not stand for wrong ones */
	} else {
		link->rooted |= question->asker == NULL &&
		    question->kind == ASK_CLIENT_ROOTS;
	}
	question_end(link, question, result.data, err.text);
}
