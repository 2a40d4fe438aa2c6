/*
 * What is told and kept of a call: when it came, how it ended, which tools it
 * called, and its output. Nothing of its code, its input or its servers'
 * environment. Runs in the supervisor; the store keeps it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/json/json.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../box/shared/language.h"
#include "../options/options.h"
#include "../peers/store.h"
#include "../process/process.h"
#include "call_parts.h"

const char *
call_status_word(enum call_status status)
{
	static const char *const words[] = {
		[CALL_SUCCESS] = "success",
		[CALL_ERROR] = "error",
		[CALL_TIMEOUT] = "timeout",
		[CALL_CANCELLED] = "cancelled",
	};

	return words[status];
}

/* Appends a member; null without a text. */
static void
call_record_text(struct buffer *facts, const char *name, const char *text)
{
	buffer_printf(facts, ",\"%s\":", name);
	if (text == NULL)
		buffer_add_text(facts, "null");
	else
		json_add_text(facts, text);
}

static void
call_record_asked(struct buffer *facts, uint64_t age_us)
{
	struct timespec now;
	uint64_t us;
	time_t seconds;
	struct tm utc;
	char text[sizeof("2026-01-31T12:00:00")];

	clock_gettime(CLOCK_REALTIME, &now);
	us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000 -
	    age_us;
	seconds = (time_t)(us / 1000000);
	gmtime_r(&seconds, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
	buffer_printf(facts, ",\"asked_at\":\"%s.%03uZ\"", text,
	    (unsigned int)(us / 1000 % 1000));
}

/* Appends an object without its end. */
static void
call_record_start(
    const struct call *call, const char *status, struct buffer *facts)
{
	const char *scope = call->request.owner->scope;
	const struct trace *trace = &call->request.trace;
	struct timespec now;
	const struct timespec *began =
	    call->began.tv_sec != 0 ? &call->began : &now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	buffer_printf(facts, "{\"id\":\"%s\"", call->id);
	call_record_text(facts, "owner", scope[0] != '\0' ? scope : NULL);
	call_record_asked(facts, call_us(&call->asked, &now));
	call_record_text(facts, "language", call->request.language->name);
	call_record_text(facts, "status", status);
	if (trace->parent != NULL)
		call_record_text(facts, "traceparent", trace->parent);
	if (trace->state != NULL)
		call_record_text(facts, "tracestate", trace->state);
	buffer_printf(facts, ",\"waited_ms\":%llu,\"duration_ms\":%llu",
	    (unsigned long long)call_us(&call->asked, began) / 1000,
	    (unsigned long long)call_us(began, &now) / 1000);
}

static void
call_record_facts(const struct call *call, struct buffer *facts)
{
	const struct call_result *result = &call->result;
	auto_free char *signal =
	    result->signal != 0 ? signal_name(result->signal) : NULL;

	call_record_start(call, call_status_word(result->status), facts);
	buffer_printf(facts, ",\"tool_calls\":%llu",
	    (unsigned long long)result->tool_calls);
	if (result->exited)
		buffer_printf(facts, ",\"exit_code\":%d", result->exit_code);
	if (signal != NULL)
		call_record_text(facts, "signal", signal);
	if (result->response.status != 0)
		buffer_printf(facts, ",\"response_status\":%llu",
		    (unsigned long long)result->response.status);
	if (result->error != NULL)
		call_record_text(facts, "error", result->error);
	if (result->calls != NULL)
		call_record_text(facts, "tools", result->calls);
}

void
call_tell(const struct call *call, const char *status, struct buffer *list)
{
	if (list->len > EXECUTIONS_TOLD_MAX - KIB)
		return;
	call_record_start(call, status, list);
	buffer_add_text(list, "},");
}

/*
 * Returns whether the streams can be kept. One with invalid UTF-8 grows, as
 * each such byte becomes U+FFFD, and may be too large.
 */
static bool
call_record_fits(const struct call *call)
{
	return call->kept.any || (call->result.out.len <= OUTPUT_KEPT_MAX &&
	    call->result.errors.len <= OUTPUT_KEPT_MAX);
}

/* Returns a stream that was not cut: all of it is kept. */
static struct ipc_blob
call_record_stream(const struct call_stream *stream)
{
	return (struct ipc_blob){
		(const uint8_t *)stream->data, stream->len, -1 };
}

void
call_record(struct call *call)
{
	const struct options *options = call->runs->options;
	const struct box_kept *kept = &call->kept;
	struct ipc_keep_execution execution = { .execution = call->id,
		.scope = call->request.owner->scope,
		.days = (uint64_t)options->calls_days,
		.kept = options_output_kept(options) > 0 &&
		    call->cause != CALL_BY_CANCEL && call_record_fits(call) };
	auto_buffer struct buffer facts = { 0 };
	struct err err;

	if (execution.days == 0 || call->runs->peers.store == NULL)
		return;
	call_record_facts(call, &facts);
	execution.facts = (struct ipc_blob){
		(const uint8_t *)facts.data, facts.len, -1 };
	if (execution.kept) {
		execution.out = kept->any ? kept->out :
		    call_record_stream(&call->result.out);
		execution.errors = kept->any ? kept->errors :
		    call_record_stream(&call->result.errors);
	}
	if (store_keep_execution(
	        call->runs->peers.store, &execution, &err) == -1)
		(kept->any ? log_error : log_info)(
		    "call %s is not kept: %s", call->id, err.text);
	else if (kept->any && execution.kept)
		call->result.kept = kept->missing > 0 ? CALL_KEPT_START :
		    CALL_KEPT_ALL;
}
