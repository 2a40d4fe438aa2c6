/*
 * Tests of supervisor/door/http/http_headers: the fields of a request must say
 * the same as its message, plainly or in base64.
 */
#include <string.h>

#include "supervisor/door/http/http.h"
#include "supervisor/front/methods.h"
#include "tests/unit/unit.h"

#define VERSION "2026-07-28"

/* In the place of era_stateless.c. */
int
era_stateless_version(const struct jsonrpc *message, struct json_span *version)
{
	static const char text[] = "\"" VERSION "\"";

	*version = (struct json_span){ text, strlen(text) };
	return 1;
}

static struct ipc_bytes
bytes(const char *text)
{
	return (struct ipc_bytes){ (const uint8_t *)text, strlen(text) };
}

static const struct {
	const char *version, *method, *name;
	const char *message; /* its params: a tool is called */
	const char *fault;   /* NULL: none */
} rows[] = {
	{ VERSION, "tools/call", "a", "{\"name\":\"a\"}", NULL },
	{ VERSION, "tools/call", "=?base64?YQ==?=", "{\"name\":\"a\"}", NULL },
	{ VERSION, "tools/call", "=?base64?w6Q=?=", "{\"name\":\"\xc3\xa4\"}",
	    NULL },
	{ VERSION, "=?base64?dG9vbHMvY2FsbA==?=", "a", "{\"name\":\"a\"}",
	    NULL },
	/* The method says that its parameter is missing. */
	{ VERSION, "tools/call", "", "{}", NULL },
	{ "", "tools/call", "a", "{\"name\":\"a\"}",
	    "the field MCP-Protocol-Version is missing" },
	{ "2025-11-25", "tools/call", "a", "{\"name\":\"a\"}",
	    "the field MCP-Protocol-Version differs from the message" },
	{ VERSION, "", "a", "{\"name\":\"a\"}",
	    "the field Mcp-Method is missing" },
	{ VERSION, "tools/list", "a", "{\"name\":\"a\"}",
	    "the field Mcp-Method differs from the message" },
	{ VERSION, "tools/call", "", "{\"name\":\"a\"}",
	    "the field Mcp-Name is missing" },
	{ VERSION, "tools/call", "b", "{\"name\":\"a\"}",
	    "the field Mcp-Name differs from the message" },
	{ VERSION, "tools/call", "A", "{\"name\":\"a\"}",
	    "the field Mcp-Name differs from the message" },
	{ VERSION, "tools/call", "=?base64?***?=", "{\"name\":\"a\"}",
	    "the field Mcp-Name differs from the message" },
	{ VERSION, "tools/call", "=?base64?YQ==", "{\"name\":\"a\"}",
	    "the field Mcp-Name differs from the message" },
	{ VERSION, "tools/call", "=?base64?\?=", "{\"name\":\"a\"}",
	    "the field Mcp-Name differs from the message" },
	{ VERSION, "tools/call", "1", "{\"name\":1}",
	    "the field Mcp-Name differs from the message" },
};

UNIT_EACH(fields_agree_with_the_message, UNIT_COUNT(rows))
{
	static const char method[] = "\"tools/call\"";
	const struct jsonrpc message = {
		.method = { method, strlen(method) },
		.params = { rows[_i].message, strlen(rows[_i].message) },
	};
	const struct ipc_ask ask = { .version = bytes(rows[_i].version),
		.mcp_method = bytes(rows[_i].method),
		.mcp_name = bytes(rows[_i].name) };
	const char *fault = http_headers_fault(&ask, &message);

	if (rows[_i].fault == NULL)
		ck_assert_ptr_null(fault);
	else
		ck_assert_pstr_eq(fault, rows[_i].fault);
}
