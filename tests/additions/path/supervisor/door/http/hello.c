/*
 * GET /hello/NAME: greets. Runs in the supervisor.
 */
#include "common/json/json.h"
#include "supervisor/door/http/http.h"

void
hello_on_get(struct http_request *request, struct ipc_ask *ask)
{
	auto_buffer struct buffer json = { 0 };

	buffer_add_text(&json, "{\"hello\":");
	json_add_string(
	    &json, (const char *)ask->rest.data, ask->rest.len);
	buffer_add_text(&json, "}");
	http_reply(request, 200, json.data, json.len);
}
