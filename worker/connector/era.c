/* Versions without sessions: see connector.h. */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/base64.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../../common/json/stateless.h"
#include "connector.h"

void
era_add_request(struct buffer *line, const char *id, const char *method,
    const char *params)
{
	buffer_printf(line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":"
	    "\"%s\",\"params\":{%s\"_meta\":{%s}}}", id, method, params,
	    STATELESS_META);
}

/* Returns whether a list of versions has ours. */
static int
era_is_listed(struct json_span list)
{
	struct json_span_walk walk = json_span_walk(list);
	struct json_span version;

	while (json_span_next_element(&walk, &version))
		if (json_span_is(version, STATELESS_VERSION))
			return 1;
	return 0;
}

enum era_verdict
era_judge(const struct jsonrpc *message)
{
	struct json_span versions, data;

	if (message->result.count == 1 &&
	    json_span_get(message->result.value, "supportedVersions",
	        &versions) > 0)
		return era_is_listed(versions) ? ERA_IS_STATELESS :
		    ERA_HAS_SESSIONS;
	if (message->error.count == 1 &&
	    json_span_get(message->error.value, "data", &data) > 0 &&
	    json_span_get(data, "supported", &versions) > 0 &&
	    era_is_listed(versions))
		return ERA_ASK_AGAIN;
	return ERA_HAS_SESSIONS;
}

static void
era_add_member(struct buffer *line, struct json_span object, const char *name)
{
	struct json_span value;

	if (json_span_get(object, name, &value) == 0)
		return;
	buffer_printf(line, ",\"%s\":", name);
	buffer_add(line, value.p, value.len);
}

/* Older drafts have serverInfo in the result itself. */
void
era_add_greeting(struct buffer *line, const char *id, struct json_span result)
{
	struct json_span meta, info;
	struct json_span none = { "{}", 2 };

	if (json_span_get(result, "_meta", &meta) == 0)
		meta = none;
	buffer_printf(line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":"
	    "{\"protocolVersion\":\"" STATELESS_VERSION "\"", id);
	era_add_member(line, result, "capabilities");
	era_add_member(line, result, "instructions");
	if (json_span_get(meta, STATELESS_INFO, &info) > 0) {
		buffer_add_text(line, ",\"serverInfo\":");
		buffer_add(line, info.p, info.len);
	} else {
		era_add_member(line, result, "serverInfo");
	}
	buffer_add_text(line, "}}");
}

int
era_tells_changes(struct json_span result)
{
	struct json_span value;

	return json_span_get(result, "capabilities", &value) > 0 &&
	    json_span_get(value, "tools", &value) > 0 &&
	    json_span_get(value, "listChanged", &value) > 0 &&
	    json_span_kind(value) == JSON_SPAN_TRUE;
}

/* Returns whether a value can be in a header as it is. */
static int
era_is_plain(const char *text)
{
	size_t n, len = strlen(text);

	for (n = 0; n < len; n++)
		if (text[n] < ' ' || text[n] > '~')
			return 0;
	return len == 0 || (text[0] != ' ' && text[len - 1] != ' ' &&
	    strncmp(text, "=?base64?", strlen("=?base64?")) != 0);
}

void
era_add_header(struct buffer *headers, const char *name, const char *value)
{
	auto_buffer struct buffer coded = { 0 };
	auto_free char *line = NULL;

	if (era_is_plain(value)) {
		/* libcurl sends an empty one if it ends with a semicolon. */
		line = mem_printf(value[0] == '\0' ? "%s;" : "%s: %s", name,
		    value);
	} else {
		base64_add(&coded, value, strlen(value));
		line = mem_printf("%s: =?base64?%s?=", name, coded.data);
	}
	text_list_add(headers, line);
}

static void
era_add_string(struct buffer *headers, const char *name, struct json_span value)
{
	size_t len;
	auto_free char *text = json_span_string(value, &len, NULL);

	if (text != NULL)
		era_add_header(headers, name, text);
}

void
era_add_headers(struct buffer *headers, const struct jsonrpc *message)
{
	struct json_span name;

	text_list_add(headers, "MCP-Protocol-Version: " STATELESS_VERSION);
	era_add_string(headers, "Mcp-Method", message->method);
	if (message->params.len == 0)
		return;
	if (json_span_is(message->method, "tools/call") ||
	    json_span_is(message->method, "prompts/get")) {
		if (json_span_get(message->params, "name", &name) > 0)
			era_add_string(headers, "Mcp-Name", name);
	} else if (json_span_is(message->method, "resources/read")) {
		if (json_span_get(message->params, "uri", &name) > 0)
			era_add_string(headers, "Mcp-Name", name);
	}
}
