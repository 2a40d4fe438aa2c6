/*
 * The messages of the broker to the supervisor: the whole surface between the
 * two. They contain names and numbers of servers, which broker.c looks up, and
 * JSON for clients, which is passed on.
 */
#include <stdlib.h>
#include <string.h>

#include "../common/base/mem.h"
#include "../common/json/json_span.h"
#include "../common/base/text_list.h"
#include "../common/base/utf8.h"
#include "peers/broker.h"
#include "handlers.h"

void
supervisor_on_want(struct broker *broker, struct ipc_want *want)
{
	broker_want(broker, want);
}

void
supervisor_on_let_go(struct broker *broker, struct ipc_let_go *let_go)
{
	broker_let_go(broker, let_go->process);
}

void
supervisor_on_want_lists(struct broker *broker, struct ipc_want_lists *)
{
	broker_want_lists(broker);
}

/* What is passed on to a client must be one object on one line. */
void
supervisor_on_ask_client(struct broker *broker, struct ipc_ask_client *ask)
{
	struct broker_question question = { .number = ask->question,
		.execution = ask->execution, .kind = (unsigned int)ask->kind };
	struct err err;
	size_t len = ask->params.len;
	auto_free char *data = ipc_blob_copy(&ask->params, &err);

	if (ask->kind != 0 && ((ask->kind & (ask->kind - 1)) != 0 ||
	        data == NULL ||
	        json_span_parse(data, len, &question.params, NULL) == -1 ||
	        json_span_kind(question.params) != JSON_SPAN_OBJECT ||
	        question.params.len != len || memchr(data, '\n', len) != NULL ||
	        memchr(data, '\r', len) != NULL))
		service_violate(broker, "a question that is none");
	else
		broker_hear_question(broker, &question);
}

void
supervisor_on_tried(struct broker *broker, struct ipc_tried *tried)
{
	struct err err;
	auto_free char *tools = ipc_blob_copy(&tried->tools, &err);

	if (tools == NULL) {
		service_violate(broker, err.text);
		return;
	}
	if (!utf8_valid(tools, tried->tools.len) ||
	    (tried->tools.len > 0 && tools[tried->tools.len - 1] != '\0')) {
		service_violate(broker, "tool names that are not text");
		return;
	}
	if (!text_list_complete((const char *)tried->destructive.data,
	        tried->destructive.len) ||
	    !utf8_valid((const char *)tried->destructive.data,
	        tried->destructive.len)) {
		service_violate(broker, "tool names that are not text");
		return;
	}
	broker_hear_tried(broker, &(struct broker_answer){
	    .name = tried->name,
	    .count = tried->count,
	    .bytes = tried->bytes,
	    .tools = tools,
	    .tools_len = tried->tools.len,
	    .destructive = (const char *)tried->destructive.data,
	    .destructive_len = tried->destructive.len,
	    .more_destructive = tried->more_destructive,
	    .reason = tried->reason });
}
