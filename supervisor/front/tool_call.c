/*
 * A call of a tool, from its line to its only answer: it waits for the
 * configuration, has its request executed, and is cancelled with its client.
 * Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/json.h"
#include "../../common/mem.h"
#include "../servers/in_force.h"
#include "../servers/server_names.h"
#include "era.h"
#include "listen.h"
#include "tool.h"

/* Further ones would have numbers that the code can report. */
#define TOOL_CALL_SHOWN_MAX 998

struct tool_call {
	LIST_ENTRY(tool_call) entry;
	struct mcp *mcp;
	struct context context; /* of its request */
	struct rpc_batch *batch; /* its batch, or NULL */
	char *id; /* as received */
	size_t id_len;
	char *token; /* progress token, as received; NULL: no progress */
	uint64_t told; /* the last progress sent to its client, and 1 */
	unsigned int shown; /* how often it was sent the output so far */
	struct request request; /* until its execution begins */
	tool_call_ran *ran;
	void *kept;
	void (*release)(void *kept);
	struct in_force_waiter waiter;
	int waits; /* for the configuration to be read */
	struct call *call; /* its execution; NULL: none now */
	int silent; /* cancelled by its client: no answer */
};

struct tool_call *
tool_call_new(struct mcp *mcp, const struct context *context,
    struct json_span id)
{
	struct tool_call *call = mem_alloc(sizeof(*call));

	call->mcp = mcp;
	call->context = *context;
	call->id = mem_dup(id.p, id.len);
	call->id_len = id.len;
	call->batch = rpc_batch_hold(mcp->rpc);
	LIST_INSERT_HEAD(&mcp->calls, call, entry);
	return call;
}

static void
tool_call_free(struct tool_call *call)
{
	LIST_REMOVE(call, entry);
	request_reset(&call->request);
	if (call->release != NULL)
		call->release(call->kept);
	free(call->id);
	free(call->token);
	free(call);
}

const struct options *
tool_call_options(const struct tool_call *call)
{
	return call->mcp->runs->options;
}

struct runs *
tool_call_runs(const struct tool_call *call)
{
	return call->mcp->runs;
}

const struct context *
tool_call_context(const struct tool_call *call)
{
	return &call->context;
}

void
tool_call_keep(struct tool_call *call, void *kept, void (*release)(void *))
{
	call->kept = kept;
	call->release = release;
}

void *
tool_call_kept(const struct tool_call *call)
{
	return call->kept;
}

void
tool_call_answer(struct tool_call *call, struct buffer *result)
{
	struct json_span id = { call->id, call->id_len };

	if (!call->silent)
		call->context.era->complete(result, ERA_NOT_CACHED);
	rpc_batch_answer(call->mcp->rpc, call->batch, id,
	    call->silent ? NULL : result);
	tool_call_free(call);
}

void
tool_call_refuse(
    struct tool_call *call, const char *status, const char *message)
{
	struct answer_style style = answer_style(tool_call_options(call));
	auto_buffer struct buffer result = { 0 };

	answer_add_refusal(&result, status, message, &style);
	tool_call_answer(call, &result);
}

void
tool_call_answer_ran(
    struct tool_call *call, const struct call_result *ran)
{
	struct answer_style style = answer_style(tool_call_options(call));
	auto_buffer struct buffer result = { 0 };

	if (call->context.era->has_session)
		style.isolation = &call->mcp->isolation;
	style.linking = context_links(&call->context);
	answer_add(&result, ran, &style);
	tool_call_answer(call, &result);
}

/* Appends a number given in thousandths. */
static void
tool_call_add_number(struct buffer *json, uint64_t thousandths)
{
	static const uint64_t units[] = { 100, 10, 1 };
	uint64_t rest = thousandths % 1000;
	size_t n;

	buffer_printf(json, "%llu%s", (unsigned long long)thousandths / 1000,
	    rest > 0 ? "." : "");
	for (n = 0; rest > 0; n++) {
		buffer_printf(json, "%llu",
		    (unsigned long long)(rest / units[n]));
		rest %= units[n];
	}
}

/*
 * Appends the number of a report; it must increase. Output so far comes before
 * any number of the code, so that it counts in millionths: less than the code
 * can report.
 */
static void
tool_call_add_done(struct tool_call *call, struct buffer *json,
    const struct box_progress *progress)
{
	if (progress->done > 0 ||
	    (progress->output == NULL && call->shown == 0))
		tool_call_add_number(json, progress->done);
	else
		buffer_printf(json, "0.%06u", ++call->shown);
}

/* Appends the message of a report, if there is one. */
static void
tool_call_add_message(
    struct buffer *json, const struct box_progress *progress)
{
	size_t len = progress->output_len;

	if (progress->output == NULL && progress->text[0] == '\0')
		return;
	buffer_add_text(json, ",\"message\":");
	if (progress->output == NULL) {
		json_add_text(json, progress->text);
		return;
	}
	/* As in the answer, the last newline has no information. */
	if (progress->output[len - 1] == '\n')
		len--;
	json_add_string(json, progress->output, len);
}

/* Sends the progress, if the client reads its answers. */
static void
tool_call_on_progress(void *ctx, const struct box_progress *progress)
{
	struct tool_call *call = ctx;
	struct buffer params = { 0 };

	if (call->silent || rpc_busy(call->mcp->rpc))
		return;
	if (progress->output != NULL ? call->shown == TOOL_CALL_SHOWN_MAX :
	    progress->done < call->told)
		return;
	if (progress->output == NULL)
		call->told = progress->done + 1;
	buffer_printf(&params, "{\"progressToken\":%s,\"progress\":",
	    call->token);
	tool_call_add_done(call, &params, progress);
	if (progress->total > 0) {
		buffer_add_text(&params, ",\"total\":");
		tool_call_add_number(&params, progress->total);
	}
	tool_call_add_message(&params, progress);
	buffer_add_text(&params, "}");
	rpc_notify(call->mcp->rpc, "notifications/progress", &params);
}

void
tool_call_watch(struct tool_call *call, struct json_span params)
{
	struct json_span meta, token;

	if (json_span_get(params, "_meta", &meta) == 1 &&
	    json_span_kind(meta) == JSON_SPAN_OBJECT &&
	    json_span_get(meta, "progressToken", &token) == 1 &&
	    (json_span_kind(token) == JSON_SPAN_STRING ||
	        json_span_kind(token) == JSON_SPAN_NUMBER))
		call->token = mem_dup(token.p, token.len);
}

void
tool_call_left_files(struct tool_call *call)
{
	listen_on_files(call->mcp);
}

static void
tool_call_on_concluded(void *ctx, const struct call_result *result)
{
	struct tool_call *call = ctx;

	call->call = NULL;
	if (result->files.count > 0)
		tool_call_left_files(call);
	if (call->silent)
		tool_call_answer_ran(call, result);
	else
		call->ran(call, result);
}

/* The configuration is current: the request is executed. */
static void
tool_call_on_configured(void *ctx)
{
	struct tool_call *call = ctx;
	struct runs *runs = call->mcp->runs;
	struct request *request = &call->request;
	struct err err;

	call->waits = 0;
	server_names_settle(&request->servers, &request->servers_len,
	    runs->config, request->owner->allowed);
	if (call->silent)
		tool_call_refuse(call, "cancelled", "");
	else if (runs->draining)
		tool_call_refuse(call, "error", TOOLS_DRAINING);
	else if (server_names_check(request->servers, request->servers_len,
	             runs->config, request->owner->allowed,
	             owner_is_user(request->owner), &err) == -1)
		tool_call_refuse(call, "validation_error", err.text);
	else if ((call->call = call_new(runs, request, tool_call_on_concluded,
	              call, &err)) == NULL)
		tool_call_refuse(call, "error", err.text);
	runs_look_drained(runs);
}

void
tool_call_run(
    struct tool_call *call, struct request *request, tool_call_ran *ran)
{
	call->request = *request;
	call->request.owner = call->context.owner;
	call->request.progressed =
	    call->token != NULL ? tool_call_on_progress : NULL;
	memset(request, 0, sizeof(*request));
	call->ran = ran;
	call->waiter.ready = tool_call_on_configured;
	call->waiter.ctx = call;
	call->waits = 1;
	in_force_refresh(call->mcp->runs->config, &call->waiter);
}

struct tool_call *
tool_call_find(struct mcp *mcp, struct json_span id)
{
	struct tool_call *call;

	LIST_FOREACH (call, &mcp->calls, entry)
		if (call->id_len == id.len && !call->silent &&
		    memcmp(call->id, id.p, id.len) == 0)
			return call;
	return NULL;
}

void
tool_call_cancel(struct tool_call *call, const char *why)
{
	call->silent = 1;
	if (call->call != NULL)
		call_cancel(call->call, why);
}

void
tool_call_cancel_all(struct mcp *mcp, const char *why)
{
	struct tool_call *call;

	LIST_FOREACH (call, &mcp->calls, entry)
		tool_call_cancel(call, why);
}

void
tool_call_forget_all(struct mcp *mcp)
{
	struct tool_call *call;

	while ((call = LIST_FIRST(&mcp->calls)) != NULL) {
		rpc_batch_forget(call->batch);
		if (call->waits)
			in_force_cancel(mcp->runs->config, &call->waiter);
		tool_call_free(call);
	}
}
