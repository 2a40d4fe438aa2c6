/*
 * The result of a call as MCP wants it: a text for the model, the structured
 * form beside it, and under _meta what the model need not read. Output mode
 * "compact": no field that says nothing. Runs in the supervisor.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../common/json.h"
#include "../common/mem.h"
#include "supervisor.h"

static const char *const answer_status[] = {
	[CALL_SUCCESS] = "success",
	[CALL_ERROR] = "error",
	[CALL_TIMEOUT] = "timeout",
	[CALL_CANCELLED] = "cancelled",
};

char *
answer_signal(int number)
{
	const char *name = sigabbrev_np(number);

	if (name != NULL)
		return mem_printf("SIG%s", name);
	if (number == SIGRTMIN)
		return mem_strdup("SIGRTMIN");
	return mem_printf("SIGRTMIN%+d", number - SIGRTMIN);
}

/* One line about the whole, for a person; the caller frees it. */
static char *
answer_summary(const struct call_result *result)
{
	if (result->status == CALL_TIMEOUT)
		return mem_printf("Timeout: execution exceeded %us",
		    result->timeout);
	if (result->status != CALL_SUCCESS)
		return mem_printf("Sandbox error: %s", result->error);
	if (result->out.len == 0 && result->errors.len == 0)
		return mem_strdup("Success (no output)");
	return mem_strdup("Success");
}

/* The text */

/* Appends bytes, and a newline when the last one is missing. */
static void
answer_add_lines(struct buffer *text, const char *data, size_t len)
{
	buffer_add(text, data, len);
	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buffer_add_text(text, "\n");
}

static void
answer_add_stream(struct buffer *text, const struct call_stream *stream,
    const struct options *options)
{
	if (stream->dropped == 0) {
		answer_add_lines(text, stream->data, stream->len);
		return;
	}
	answer_add_lines(text, stream->data, stream->head);
	buffer_printf(text, "[... %llu bytes cut here: print less, or raise "
	    "MCP_BRIDGE_MAX_OUTPUT (now %llu bytes a stream) ...]\n",
	    (unsigned long long)stream->dropped,
	    (unsigned long long)options->max_output);
	answer_add_lines(
	    text, stream->data + stream->head, stream->len - stream->head);
}

static void
answer_add_text(struct buffer *text, const struct call_result *result,
    const struct options *options)
{
	auto_free char *summary = answer_summary(result);

	if (result->status != CALL_SUCCESS)
		buffer_printf(
		    text, "status: %s\n", answer_status[result->status]);
	if (result->status != CALL_SUCCESS && result->exited)
		buffer_printf(text, "exit: %d\n", result->exit_code);
	answer_add_stream(text, &result->out, options);
	if (result->errors.len > 0) {
		buffer_add_text(text, "stderr:\n");
		answer_add_stream(text, &result->errors, options);
	}
	if (result->error != NULL)
		buffer_printf(text, "error: %s\n", result->error);
	if (text->len == 0)
		buffer_add_text(text, summary);
	/* The last newline says nothing. */
	else if (text->data[text->len - 1] == '\n')
		text->len--;
}

/* The structured form */

/* Appends what stands between two members. */
static void
answer_add_comma(struct buffer *json)
{
	if (json->data[json->len - 1] != '{')
		buffer_add_text(json, ",");
}

static void
answer_add_member(struct buffer *json, const char *name, const char *value)
{
	answer_add_comma(json);
	json_add_text(json, name);
	buffer_add_text(json, ":");
	json_add_text(json, value);
}

static void
answer_add_number(struct buffer *json, const char *name, long long value)
{
	answer_add_comma(json);
	json_add_text(json, name);
	buffer_printf(json, ":%lld", value);
}

/* Appends the lines of a text as strings, split at newlines only. */
static void
answer_add_strings(struct buffer *json, const char *data, size_t len)
{
	const char *newline;
	size_t part;

	while (len > 0) {
		newline = memchr(data, '\n', len);
		part = newline == NULL ? len : (size_t)(newline - data);
		if (json->data[json->len - 1] != '[')
			buffer_add_text(json, ",");
		json_add_string(json, data, part);
		if (newline != NULL)
			part++;
		data += part;
		len -= part;
	}
}

static void
answer_add_array(struct buffer *json, const char *name,
    const struct call_stream *stream)
{
	if (stream->len == 0)
		return;
	answer_add_comma(json);
	json_add_text(json, name);
	buffer_add_text(json, ":[");
	/* What stood at the two sides of the cut was never one line. */
	answer_add_strings(json, stream->data, stream->head);
	answer_add_strings(
	    json, stream->data + stream->head, stream->len - stream->head);
	buffer_add_text(json, "]");
}

/* The names that were asked for. */
static void
answer_add_servers(struct buffer *json, const struct call_result *result)
{
	const char *name = result->servers;
	size_t at;

	if (result->servers_len == 0)
		return;
	answer_add_comma(json);
	buffer_add_text(json, "\"servers\":[");
	for (at = 0; at < result->servers_len; at += strlen(name + at) + 1) {
		buffer_add_text(json, at == 0 ? "" : ",");
		json_add_text(json, name + at);
	}
	buffer_add_text(json, "]");
}

static void
answer_add_truncated(struct buffer *json, const struct call_result *result)
{
	if (result->out.dropped == 0 && result->errors.dropped == 0)
		return;
	answer_add_comma(json);
	buffer_add_text(json, "\"truncated\":{");
	if (result->out.dropped > 0)
		answer_add_number(
		    json, "stdout", (long long)result->out.dropped);
	if (result->errors.dropped > 0)
		answer_add_number(
		    json, "stderr", (long long)result->errors.dropped);
	buffer_add_text(json, "}");
}

static void
answer_add_structured(struct buffer *json, const struct call_result *result)
{
	auto_free char *summary = answer_summary(result);
	int success = result->status == CALL_SUCCESS;

	buffer_add_text(json, "{");
	if (!success)
		answer_add_member(
		    json, "status", answer_status[result->status]);
	if (!success || (result->out.len == 0 && result->errors.len == 0))
		answer_add_member(json, "summary", summary);
	if (!success && result->exited)
		answer_add_number(json, "exitCode", result->exit_code);
	if (result->signal != 0) {
		auto_free char *name = answer_signal(result->signal);

		answer_add_member(json, "signal", name);
	}
	answer_add_servers(json, result);
	answer_add_array(json, "stdout", &result->out);
	answer_add_array(json, "stderr", &result->errors);
	if (result->error != NULL)
		answer_add_member(json, "error", result->error);
	if (result->status == CALL_TIMEOUT)
		answer_add_number(json, "timeoutSeconds", result->timeout);
	answer_add_truncated(json, result);
	buffer_add_text(json, "}");
}

/* What was in force and what it cost */
static void
answer_add_meta(struct buffer *json, const struct call_result *result)
{
	buffer_add_text(json, "{\"caisson/isolation\":{\"runtime\":\"native\","
	    "\"namespaces\":[\"user\",\"mnt\",\"pid\",\"net\",\"ipc\","
	    "\"uts\",\"cgroup\"],\"seccomp\":\"allow-list\",");
	if (result->landlock > 0)
		buffer_printf(json, "\"landlock\":%u,", result->landlock);
	else
		buffer_add_text(json, "\"landlock\":null,");
	buffer_printf(json, "\"proc\":%s,\"limits\":\"rlimit%s\","
	    "\"network\":\"none\"}", result->proc ? "true" : "false",
	    result->watchdog ? "+watchdog" : "");
	buffer_printf(json, ",\"caisson/durationMs\":%.3f",
	    (double)result->duration_us / 1000);
	buffer_printf(json, ",\"caisson/cpuMs\":%.3f",
	    (double)result->cpu_us / 1000);
	buffer_printf(json, ",\"caisson/peakMemoryKiB\":%llu",
	    (unsigned long long)result->peak_kib);
	buffer_printf(json, ",\"caisson/toolCalls\":%llu}",
	    (unsigned long long)result->tool_calls);
}

void
answer_add(struct buffer *buffer, const struct call_result *result,
    const struct options *options)
{
	auto_buffer struct buffer text = { 0 };

	answer_add_text(&text, result, options);
	buffer_add_text(
	    buffer, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_string(buffer, text.data, text.len);
	buffer_add_text(buffer, "}],\"structuredContent\":");
	answer_add_structured(buffer, result);
	buffer_printf(buffer, ",\"isError\":%s",
	    result->status == CALL_SUCCESS ? "false" : "true");
	if (result->boxed) {
		buffer_add_text(buffer, ",\"_meta\":");
		answer_add_meta(buffer, result);
	}
	buffer_add_text(buffer, "}");
}

void
answer_add_refusal(
    struct buffer *buffer, const char *status, const char *message)
{
	auto_free char *text =
	    mem_printf("status: %s\nerror: %s", status, message);
	int invalid = strcmp(status, "validation_error") == 0;

	buffer_add_text(
	    buffer, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_text(buffer, text);
	buffer_add_text(buffer, "}],\"structuredContent\":{");
	answer_add_member(buffer, "status", status);
	if (invalid) {
		answer_add_member(buffer, "summary", message);
	} else {
		auto_free char *summary =
		    mem_printf("Sandbox error: %s", message);

		answer_add_member(buffer, "summary", summary);
	}
	answer_add_member(buffer, "error", message);
	buffer_add_text(buffer, "},\"isError\":true}");
}
