/*
 * Writes answers of HTTP/1.1 and streams of events: see response.h. Of a
 * request nothing is repeated in its answer but its accepted origin.
 */
#include <string.h>

#include "../../common/json/json.h"
#include "response.h"
#include "route.h"

/* RFC 9110, section 15 */
static const char *
response_phrase(int status)
{
	static const struct {
		int status;
		const char *phrase;
	} rows[] = {
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 206, "Partial Content" },
		{ 304, "Not Modified" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 406, "Not Acceptable" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 411, "Length Required" },
		{ 413, "Content Too Large" },
		{ 415, "Unsupported Media Type" },
		{ 416, "Range Not Satisfiable" },
		{ 417, "Expectation Failed" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
		{ 507, "Insufficient Storage" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].status == status)
			return rows[i].phrase;
	return status < 400 ? "OK" : "Error";
}

/* RFC 9110, section 5.6.7; in English whatever the locale is. */
static void
response_add_date(struct buffer *out, time_t now)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm;

	if (gmtime_r(&now, &tm) == NULL)
		return;
	buffer_printf(out, "Date: %.3s, %02d %.3s %d %02d:%02d:%02d GMT\r\n",
	    days + 3 * tm.tm_wday, tm.tm_mday, months + 3 * tm.tm_mon,
	    1900 + tm.tm_year, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void
response_add_methods(
    struct buffer *out, const struct response *response, const char *field)
{
	auto_buffer struct buffer methods = { 0 };

	route_add(&methods, ROUTE_METHODS, response->target);
	buffer_printf(out, "%s: %s\r\n", field, methods.data);
}

/* Fields for pages of other origins (the Fetch standard, section 3.2). */
static void
response_add_origin(struct buffer *out, const struct response *response)
{
	if (response->origin == NULL)
		return;
	buffer_printf(out,
	    "Access-Control-Allow-Origin: %s\r\n"
	    "Access-Control-Expose-Headers: Mcp-Session-Id\r\n"
	    "Vary: Origin\r\n",
	    response->origin);
	if (response->status != 204)
		return;
	response_add_methods(out, response, "Access-Control-Allow-Methods");
	buffer_add_text(out, "Access-Control-Allow-Headers: Accept, "
	    "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, "
	    "Mcp-Method, Mcp-Name, Mcp-Session-Id\r\n"
	    "Access-Control-Max-Age: 7200\r\n");
}

/* Appends all fields that do not depend on the body, without the empty line. */
static void
response_add_head(struct buffer *out, const struct response *response)
{
	buffer_printf(out, "HTTP/1.1 %d %s\r\n", response->status,
	    response_phrase(response->status));
	response_add_date(out, response->now);
	response_add_origin(out, response);
	buffer_add_text(out, "Cache-Control: no-store\r\n"
	    "X-Content-Type-Options: nosniff\r\n");
	if (*response->session != '\0')
		buffer_printf(out, "Mcp-Session-Id: %s\r\n", response->session);
	/* RFC 6750, section 3 */
	if (response->status == 401)
		buffer_printf(out, "WWW-Authenticate: Bearer%s\r\n",
		    response->authorized ? " error=\"invalid_token\"" : "");
	if (response->status == 405)
		response_add_methods(out, response, "Allow");
	if (response->status == 304)
		buffer_printf(out, "ETag: \"%llu\"\r\n",
		    (unsigned long long)response->version);
	if (response->status == 416)
		buffer_printf(out, "Content-Range: bytes */%llu\r\n",
		    (unsigned long long)response->whole);
	if (response->retry != 0)
		buffer_printf(out, "Retry-After: %llu\r\n",
		    (unsigned long long)response->retry);
	if (response->last)
		buffer_add_text(out, "Connection: close\r\n");
}

void
response_add(struct buffer *out, const struct response *response,
    const char *body, size_t len)
{
	response_add_head(out, response);
	if (len > 0)
		buffer_printf(out, "Content-Type: %s\r\n", response->plain ?
		        "text/plain; version=0.0.4; charset=utf-8" :
		        "application/json");
	if (response->status != 204 && response->status != 304)
		buffer_printf(out, "Content-Length: %zu\r\n", len);
	buffer_add_text(out, "\r\n");
	if (!response->bodiless)
		buffer_add(out, body, len);
}

void
response_add_error(struct buffer *out, const struct response *response,
    const char *message)
{
	auto_buffer struct buffer body = { 0 };

	buffer_add_text(&body, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":"
	    "{\"code\":-32000,\"message\":");
	json_add_text(&body, message);
	buffer_add_text(&body, "}}");
	response_add(out, response, body.data, body.len);
}

/* What code has left must not run as a page of this origin. */
void
response_add_file(struct buffer *out, const struct response *response,
    const struct response_file *file)
{
	response_add_head(out, response);
	buffer_printf(out,
	    "Content-Type: %s\r\nContent-Length: %llu\r\n"
	    "Content-Disposition: attachment\r\n"
	    "Content-Security-Policy: sandbox; default-src 'none'\r\n"
	    "Accept-Ranges: bytes\r\nETag: \"%llu\"\r\n",
	    file->type, (unsigned long long)file->len,
	    (unsigned long long)file->version);
	if (response->status == 206)
		buffer_printf(out, "Content-Range: bytes %llu-%llu/%llu\r\n",
		    (unsigned long long)file->from,
		    (unsigned long long)(file->from + file->len - 1),
		    (unsigned long long)file->size);
	buffer_add_text(out, "\r\n");
}

void
response_add_stream(struct buffer *out, const struct response *response)
{
	response_add_head(out, response);
	buffer_add_text(out, "Content-Type: text/event-stream\r\n"
	    "X-Accel-Buffering: no\r\n");
	if (response->minor > 0)
		buffer_add_text(out, "Transfer-Encoding: chunked\r\n");
	buffer_add_text(out, "\r\n");
}

/* Appends text as a chunk; without chunks, the end of the bytes is the end. */
static void
response_add_chunk(struct buffer *out, const struct response *response,
    const struct buffer *text)
{
	if (response->minor > 0)
		buffer_printf(out, "%zx\r\n", text->len);
	buffer_add(out, text->data, text->len);
	if (response->minor > 0)
		buffer_add_text(out, "\r\n");
}

void
response_add_event(struct buffer *out, const struct response *response,
    const char *id, const char *data, size_t len)
{
	auto_buffer struct buffer text = { 0 };

	if (*id != '\0')
		buffer_printf(&text, "id: %s\n", id);
	buffer_add_text(&text, len > 0 ? "data: " : "data:");
	buffer_add(&text, data, len);
	buffer_add_text(&text, "\n\n");
	response_add_chunk(out, response, &text);
}

void
response_add_alive(struct buffer *out, const struct response *response)
{
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(&text, ": still working\n\n");
	response_add_chunk(out, response, &text);
}

void
response_add_end(struct buffer *out, const struct response *response)
{
	if (response->minor > 0)
		buffer_add_text(out, "0\r\n\r\n");
}
