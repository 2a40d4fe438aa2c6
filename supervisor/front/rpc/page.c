/* The pages of lists: see rpc.h. */
#include <string.h>

#include "../../../common/base/base64.h"
#include "rpc.h"

/* Finds the cursor of a request. Returns whether there is one. */
static int
page_cursor(const struct jsonrpc *message, struct json_span *cursor)
{
	return json_span_get(message->params, "cursor", cursor) > 0 &&
	    json_span_kind(*cursor) != JSON_SPAN_NULL;
}

int
page_refuse_cursor(struct mcp *mcp, const struct jsonrpc *message)
{
	struct json_span cursor;

	if (!page_cursor(message, &cursor))
		return 0;
	rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
	    "unknown cursor: this list has one page and gives no cursors",
	    NULL);
	return 1;
}

/*
 * A cursor is the name of the last entry in base64, so that clients do not rely
 * on it.
 */
void
page_add_cursor(struct buffer *json, const char *last)
{
	buffer_add_text(json, ",\"nextCursor\":\"");
	base64_add(json, last, strlen(last));
	buffer_add_text(json, "\"");
}

/* Returns the name in a cursor, which the caller frees, or NULL. */
static char *
page_name(struct json_span cursor)
{
	auto_buffer struct buffer name = { 0 };

	if (json_span_kind(cursor) != JSON_SPAN_STRING ||
	    base64_read(&name, cursor.p + 1, cursor.len - 2) == -1 ||
	    name.len == 0 || memchr(name.data, '\0', name.len) != NULL)
		return NULL;
	return buffer_take(&name, NULL);
}

int
page_read_cursor(struct mcp *mcp, const struct jsonrpc *message, char **after)
{
	struct json_span cursor;

	*after = NULL;
	if (!page_cursor(message, &cursor))
		return 0;
	*after = page_name(cursor);
	if (*after != NULL)
		return 0;
	rpc_answer_error(mcp->rpc, message->id, JSONRPC_INVALID_PARAMS,
	    "unknown cursor: pass the nextCursor of the page before", NULL);
	return -1;
}
