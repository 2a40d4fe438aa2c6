/*
 * The fields of requests in versions without sessions (2026-07-28, basic,
 * transports, Streamable HTTP): proxies route by them, so they must say the
 * same as the message.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/base64.h"
#include "../../../common/base/mem.h"
#include "http.h"
#include "../../front/rpc/rpc.h"
#include "../../front/methods.h"

/* A value that a field cannot contain is sent in base64. */
#define HTTP_HEADERS_BASE64 "=?base64?"
#define HTTP_HEADERS_BASE64_END "?="

/* The methods whose subject must be in Mcp-Name, and its member in params. */
static const struct {
	const char *method;
	const char *member;
} http_headers_names[] = {
	{ "tools/call", "name" },
	{ "prompts/get", "name" },
	{ "resources/read", "uri" },
};

/* Appends the decoded value. Returns 0, or -1 if it is not valid base64. */
static int
http_headers_decode(struct buffer *text, const struct ipc_bytes *value)
{
	const char *p = (const char *)value->data;
	size_t start = strlen(HTTP_HEADERS_BASE64);
	size_t end = strlen(HTTP_HEADERS_BASE64_END);

	if (value->len < start + end ||
	    memcmp(p, HTTP_HEADERS_BASE64, start) != 0 ||
	    memcmp(p + value->len - end, HTTP_HEADERS_BASE64_END, end) != 0) {
		buffer_add(text, p, value->len);
		return 0;
	}
	return base64_read(text, p + start, value->len - start - end);
}

/* Returns whether a field, decoded, is the value of this string of JSON. */
static int
http_headers_equal(const struct ipc_bytes *value, struct json_span want)
{
	auto_buffer struct buffer got = { 0 };
	auto_free char *text = NULL;
	struct err err;
	size_t len;

	if (http_headers_decode(&got, value) == -1)
		return 0;
	text = json_span_string(want, &len, &err);
	return text != NULL && len == got.len && len > 0 &&
	    memcmp(text, got.data, len) == 0;
}

static const char *
http_headers_name_fault(
    const struct ipc_ask *ask, const struct jsonrpc *message)
{
	struct json_span name;
	size_t i;

	for (i = 0; i < sizeof(http_headers_names) /
	    sizeof(http_headers_names[0]); i++) {
		if (!json_span_is(
		        message->method, http_headers_names[i].method))
			continue;
		if (message->params.len == 0 ||
		    json_span_get(message->params,
		        http_headers_names[i].member, &name) != 1)
			return NULL; /* the method says that it is missing */
		if (ask->mcp_name.len == 0)
			return "the field Mcp-Name is missing";
		if (!http_headers_equal(&ask->mcp_name, name))
			return "the field Mcp-Name differs from the message";
	}
	return NULL;
}

const char *
http_headers_fault(const struct ipc_ask *ask, const struct jsonrpc *message)
{
	struct json_span version;

	if (ask->version.len == 0)
		return "the field MCP-Protocol-Version is missing";
	if (era_stateless_version(message, &version) == 0 ||
	    !http_headers_equal(&ask->version, version))
		return "the field MCP-Protocol-Version differs from the "
		    "message";
	if (ask->mcp_method.len == 0)
		return "the field Mcp-Method is missing";
	if (!http_headers_equal(&ask->mcp_method, message->method))
		return "the field Mcp-Method differs from the message";
	return http_headers_name_fault(ask, message);
}
